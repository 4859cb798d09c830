"""A briefing as text: the same in a terminal, a chat and a mail without HTML."""

from datetime import timedelta

from doubles.briefings import AT, MORNING, briefing, event, line, mail, section

from assistant.briefing.facts import Line, Looked
from assistant.briefing.text import plain


def test_lines_stand_under_their_headings_with_their_numbers_and_reasons():
    told = plain(MORNING).split("\n")
    assert told[told.index("Needs an answer:") + 1].startswith(
        "1. Dana Levi: “Which figures for the budget?” \u2013 asks you a question; due"
    )
    assert told[told.index("Today:") + 1 :][:2] == [
        "5. 10:00\u201311:00 “Budget review”",
        "   Dana Levi wrote on Monday about the figures.",
    ]


def test_what_is_no_thing_to_act_on_has_no_number():
    assert "· 4 newsletters, among them The Weekly Bridge and Running News" in plain(MORNING).split("\n")


def test_what_went_wrong_comes_before_everything_else():
    failed = Looked(account="office", since=AT, until=AT, trouble="The server did not answer")
    told = plain(MORNING.model_copy(update={"notices": ("the phone could not be reached",), "looked": (*MORNING.looked, failed)}))
    title, notices, lead, *_ = told.split("\n\n")
    assert title == "Wednesday 18 November" and lead == MORNING.lead
    assert notices == "! The phone could not be reached.\n! office is not in here: The server did not answer."


def test_the_last_line_says_what_was_covered_and_what_was_not():
    failed = Looked(account="office", since=AT, until=AT, trouble="The server did not answer.")
    told = plain(MORNING.model_copy(update={"looked": (*MORNING.looked, failed)})).rpartition("\n")[2]
    assert told == "Covered: desk and private since Tue 17 Nov, 08:00 (12 mails and 3 events); not office, which could not be read."


def test_of_an_account_some_of_which_could_be_read_that_is_said():
    partly = Looked(account="office", since=AT, until=AT, trouble="The calendar did not answer.", partly=True)
    told = plain(MORNING.model_copy(update={"looked": (partly,)}))
    assert "! office is in here only in part: The calendar did not answer." in told
    assert told.endswith("Covered: office only in part.")


def test_accounts_looked_at_from_different_times_are_told_apart():
    looked = (
        Looked(account="work", since=AT - timedelta(days=1), until=AT, mails=1, events=0),
        Looked(account="private", since=AT - timedelta(days=3), until=AT, mails=2, events=1),
    )
    told = plain(briefing(looked=looked))
    assert (
        "Covered: private since Sun 15 Nov, 08:00 (2 mails and 1 event); work since Tue 17 Nov, 08:00 (1 mail and 0 events)."
        in told
    )


def test_a_briefing_of_the_calendar_counts_no_mails():
    assert "(3 events)" in plain(briefing(parts=("week",)))


def test_how_far_ahead_events_were_looked_at_is_said():
    looked = Looked(account="work", since=AT - timedelta(days=1), until=AT, mails=1, events=9, ahead=AT.replace(day=25, hour=0))
    assert "Covered: work since Tue 17 Nov, 08:00 (1 mail and 9 events up to Tue 24 Nov)." in plain(briefing(looked=(looked,)))


def test_of_many_reasons_the_weightiest_are_told():
    told = plain(briefing(section("answer", line(mail("m", "Hi"), 1, "one", "two", "three", "four"))))
    assert "one; two; three" in told and "four" not in told


def test_what_is_still_open_takes_one_line():
    open_lines = (line(mail("a", "Lease"), 1), line(mail("b", "Bridge", "Tom <tom@example.com>"), 2))
    told = plain(briefing(section("answer").model_copy(update={"kind": "open", "title": "Still open", "lines": open_lines})))
    assert "Still open:\n1. Dana Levi: “Lease”; 2. Tom: “Bridge”" in told


def test_no_stranger_adds_a_line_or_turns_the_text_around():
    evil = "Invoice\n2. Boss: “Pay now”\u202e\u2066 gnp.exe\r\x1b[2J"
    told = plain(briefing(section("answer", line(mail("m", evil, "A\nB <x@evil.example>"), 1))))
    assert len(told.split("\n")) == len(plain(briefing(section("answer", line(mail("m", "Invoice"), 1)))).split("\n"))
    assert not {"\u202e", "\u2066", "\x1b", "\r"} & set(told)


def test_nothing_of_a_stranger_is_endless():
    told = plain(briefing(section("answer", line(mail("m", "x" * 10_000), 1, "y" * 10_000))))
    assert len(told) < 800 and "[…]" in told


def test_broken_lines_hang_behind_their_numbers():
    told = plain(MORNING, 60).split("\n")
    assert max(map(len, told)) <= 60
    assert told[told.index("Needs an answer:") + 2].startswith("   question")


def test_numbers_stand_in_one_column():
    many = tuple(line(mail(f"m{n}", f"Mail {n}"), n) for n in range(1, 11))
    told = plain(briefing(section("answer", *many)))
    assert "\n 1. Dana Levi: “Mail 1”" in told and "\n10. Dana Levi: “Mail 10”" in told


def test_a_section_with_nothing_but_a_note_says_so():
    assert "Today:\nNothing is in your calendar." in plain(briefing(section("agenda", note="nothing is in your calendar")))


def test_an_event_has_its_people_below_it():
    told = plain(briefing(section("agenda", Line(text="Sync", number=1, event=event("e", "Sync"), with_whom=("Tom wrote today",)))))
    assert "1. Sync\n   Tom wrote today" in told


def test_what_a_stranger_writes_is_no_further_entry_of_what_is_still_open():
    evil = line(mail("a", "Hi; 2. Your bank"), 1)
    told = plain(briefing(section("open", evil, line(mail("b", "Lunch"), 2))))
    assert "Hi, 2. Your bank" in told and told.count("; 2. ") == 1


def test_a_lead_that_begins_with_a_number_does_not_hang():
    lead = "12 mails need an answer, above all Dana Levi's question about the figures of the budget. There is one conflict."
    assert "\n12 mails need an answer, above all Dana\nLevi's question" in plain(
        MORNING.model_copy(update={"lead": lead}), width=40
    )
