"""Events made of what a mail says."""

from assistant.reasoning.calls import Selection


async def taken(office, say, words="Anna", **more):
    select = Selection(people=(say.who(words, role="from"),), order="last")
    return (await office.data("event.create", field="mail", select=select, **more)).proposals


async def test_the_sentence_that_names_a_time_becomes_an_event_and_is_shown_as_a_guess(office, say):
    office.mail("m", "anna", "Re: Lunch on Thursday?", "23 8:00", body="Hi Sam,\n\nshall we meet on Thursday at 12:30?\n\nAnna")
    (proposal,) = await taken(office, say)
    assert (proposal.action.title, proposal.action.start) == ("Lunch", say.at("26 12:30"))
    assert any("shall we meet on Thursday at 12:30?" in guess for guess in proposal.guesses)
    assert proposal.action.attendees == ()


async def test_times_are_counted_from_the_day_of_the_mail(office, say):
    office.mail("m", "anna", "Visit", "16 8:00", body="Could we come tomorrow at 10?")
    (proposal,) = await taken(office, say)
    assert proposal.action.start == say.at("17 10:00")
    assert "that time is in the past" in (*proposal.notes, *proposal.guesses)


async def test_a_day_without_an_hour_takes_all_of_it(office, say):
    office.mail("m", "anna", "Form", "23 8:00", body="Please return the form by 1 December.")
    (proposal,) = await taken(office, say)
    assert proposal.action.all_day
    assert proposal.action.start == say.at("31")


async def test_several_dates_become_events_of_their_own(office, say):
    body = "To do:\n1. Record the talk on 26 November at 9:00\n2. Show the model on 27 November at 14:00"
    office.mail("m", "anna", "Tasks", "23 8:00", body=body)
    proposals = await taken(office, say, question="all")
    assert [(p.action.title, p.action.start.day) for p in proposals] == [("Record the talk", 26), ("Show the model", 27)]


async def test_a_mail_without_any_time_makes_no_event(office, say):
    office.mail("m", "anna", "Hello", "23 8:00", body="Nice to hear from you.")
    select = Selection(people=(say.who("Anna", role="from"),), order="last")
    assert "names no time" in (await office.fails("event.create", field="mail", select=select)).message


async def test_quoted_history_makes_no_event(office, say):
    office.mail("m", "anna", "Hello", "23 8:00", body="Fine.\n\n> shall we meet on Thursday at 12:30?")
    select = Selection(people=(say.who("Anna", role="from"),), order="last")
    assert "names no time" in (await office.fails("event.create", field="mail", select=select)).message
