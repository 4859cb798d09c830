from datetime import timedelta

import pytest
from doubles.desks import ANNA, ME, RITA, TOM, Box, at, briefed, desk_of, lines, note, texts
from doubles.down import Down

from assistant.agents.weighing import MOST_READ
from assistant.briefing.facts import Wanted
from assistant.briefing.gathering import gather
from integrations.types import OUTBOX, TRASH, Address, Mail, MailQuery, Page

INBOX_ONLY = ("inbox",)
NEWS = Address(email="news@letters.example", name="Letters")
ROBOT = Address(email="noreply@shop.example", name="Shop")


@pytest.fixture
def box() -> Box:
    """Sam has written to all of them before."""
    box = Box()
    box.mail(ME, "Hello", "1 9:00", to=(ANNA, TOM, RITA), body="Good to know you.")
    return box


async def test_a_question_is_told_with_its_sentence_and_why(box: Box) -> None:
    box.mail(ANNA, "Re: Budget", "22 17:00", "Hi Sam,\n\nthe plan is fine. Could you send me the figures of the quarter?\n\nAnna")
    (line,) = lines(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer")
    assert line.text == "Anna Berg: Could you send me the figures of the quarter? (Budget)"
    assert line.reasons == ("asks you a question",)
    assert (line.number, line.new) == (1, True)
    assert line.mail and line.mail.body == ""


async def test_the_subject_stands_alone_where_it_asks_itself(box: Box) -> None:
    box.mail(ANNA, "Lunch on Tuesday?", "22 17:00", "I could do one. Would you rather come at two?")
    assert texts(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer") == ["Anna Berg: Lunch on Tuesday?"]


async def test_of_several_questions_the_one_the_mail_is_about_is_told(box: Box) -> None:
    box.mail(
        ANNA, "Slides for the workshop", "22 17:00", "How are you? Could you send me your slides by Friday? And did you sleep well?"
    )
    assert texts(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer") == [
        "Anna Berg: Could you send me your slides by Friday? (Slides for the workshop)"
    ]


async def test_strangers_text_becomes_one_short_line(box: Box) -> None:
    box.mail(RITA, "Deal\r\n\x1b[31m of \u202ethe year", "22 17:00", f"Would you {'really ' * 40}answer?")
    (text,) = texts(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer")
    assert len(text) <= 120
    assert text.isprintable()
    assert text.endswith("really… (Deal [31m of the year)")


async def test_what_is_unchanged_is_only_still_open_the_next_day(box: Box) -> None:
    box.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    second = await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)
    assert texts(second, "answer") == []
    (still,) = lines(second, "open")
    assert (still.text, still.new, still.number) == ("Anna Berg (Budget)", False, 1)


async def test_a_thread_is_told_again_once_somebody_wrote_again(box: Box) -> None:
    box.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    box.mail(TOM, "Re: Budget", "23 12:00", "I have none.", thread="Budget")
    (line,) = lines(await briefed("24 8:00", box, parts=INBOX_ONLY, after=first), "answer")
    assert line.mail and line.mail.sender == ANNA
    assert line.reasons[-1] == "Tom Lee wrote yesterday"


async def test_a_deadline_is_told_again_on_its_eve_and_on_its_day(box: Box) -> None:
    box.mail(ANNA, "Contract", "20 17:00", "Please sign it by Thursday.")
    briefing, told = None, []
    for day in range(23, 28):
        briefing = await briefed(f"{day} 8:00", box, parts=INBOX_ONLY, after=briefing)
        told.append(bool(texts(briefing, "answer")))
    assert told == [True, False, True, True, False]


@pytest.mark.parametrize("fields", [{"answered": True}, {"folder": "Archive"}, {"folder": TRASH}])
async def test_what_the_user_has_dealt_with_since_drops_out(box: Box, fields: dict[str, object]) -> None:
    asked = box.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    box.change(asked, **fields)
    second = await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)
    assert texts(second, "answer") + texts(second, "open") == []


async def test_what_the_user_flags_after_it_was_told_stays_open_and_is_not_told_again(box: Box) -> None:
    asked = box.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    briefing = await briefed("23 8:00", box, parts=INBOX_ONLY)
    box.change(asked, flagged=True)
    for day in (24, 25):
        briefing = await briefed(f"{day} 8:00", box, parts=INBOX_ONLY, after=briefing)
        assert (texts(briefing, "answer"), texts(briefing, "open")) == ([], ["Anna Berg (Budget)"])


async def test_what_was_answered_stays_so_when_the_thread_goes_on(box: Box) -> None:
    box.mail(ANNA, "Budget", "20 9:00", "Could you send me the figures?")
    box.mail(ME, "Re: Budget", "21 9:00", "Here they are.", thread="Budget")
    box.mail(ANNA, "Re: Budget", "22 17:00", "They are all in the report now.", thread="Budget")
    briefing = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert texts(briefing, "answer") == []
    assert texts(briefing, "known") == ["Anna Berg: They are all in the report now. (Budget)"]


async def test_what_comes_in_a_flagged_thread_is_told(box: Box) -> None:
    box.mail(ANNA, "Plan", "22 17:00", "The plan is finished.", flagged=True)
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    box.mail(ANNA, "Re: Plan", "23 17:00", "I have changed the third page.", thread="Plan")
    second = await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)
    assert texts(second, "known") == ["Anna Berg: I have changed the third page. (Plan)"]


async def test_a_deadline_is_not_forgotten_when_its_mail_grows_old(box: Box) -> None:
    box.mail(ANNA, "Grant", "2 9:00", f"{'We talked about it at length. ' * 9}Please send me the form by 24 November.")
    box.mail(ANNA, "Old", "2 10:00", "Could you call me?")
    briefing = await briefed("2 11:00", box, parts=INBOX_ONLY)
    told = []
    for day in (10, 17, 22, 23, 25):
        briefing = await briefed(f"{day} 8:00", box, parts=INBOX_ONLY, after=briefing)
        told.append((texts(briefing, "answer"), texts(briefing, "open")))
    again = ["Anna Berg: Please send me the form by 24 November. (Grant)"]
    assert told[1:] == [([], ["Anna Berg (Grant)"]), ([], ["Anna Berg (Grant)"]), (again, []), ([], [])]


async def test_what_urges_a_little_and_asks_for_nothing_good_is_at_least_counted(box: Box) -> None:
    stranger = Address(email="x@strange.example", name="Xaver")
    box.mail(stranger, "Final notice", "23 7:00", "Please follow https://x.strange.example now.")
    briefing = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert note(briefing, "newsletters") == "1 other mail needs no answer: Xaver."


@pytest.mark.parametrize(
    ("senders", "title"),
    [((NEWS,), "Newsletters"), ((ROBOT,), "Needs no answer"), ((NEWS, ROBOT), "Needs no answer")],
    ids=["newsletters", "others", "both"],
)
async def test_nobody_stands_under_newsletters_who_sends_none(box: Box, senders: tuple[Address, ...], title: str) -> None:
    for sender in senders:
        box.mail(sender, f"From {sender.name}", "23 7:00", "It is on its way.", bulk=sender is NEWS)
    briefing = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert [section.title for section in briefing.sections if section.kind == "newsletters"] == [title]


async def test_a_date_a_little_ahead_makes_no_mail_news_twice(box: Box) -> None:
    box.mail(ANNA, "Report", "23 7:30", "The report goes out this morning.")
    briefing, told = None, []
    for day in (22, 23, 24):
        briefing = await briefed(f"{day} 8:00", box, parts=INBOX_ONLY, after=briefing)
        told.append(len(texts(briefing, "known")))
    assert told == [1, 0, 0]


async def test_a_mail_in_two_accounts_is_told_once_also_where_one_was_down(box: Box) -> None:
    other = Box("home")
    for each in (box, other):
        each.mail(ANNA, "Budget", "22 17:00", "Could you call me?", message_id="<one@acme.example>")
        each.mail(ANNA, "Report", "22 17:00", "The report went out today.", message_id="<two@acme.example>")
    first = await gather(desk_of(at("23 8:00"), box.readers, Down(other.readers, "mail")), Wanted(parts=INBOX_ONLY))
    assert (len(texts(first, "answer")), len(texts(first, "known"))) == (1, 1)
    second = await briefed("24 8:00", box, other, parts=INBOX_ONLY, after=first)
    assert (texts(second, "answer"), texts(second, "known")) == ([], [])


@pytest.mark.parametrize("folder", ["Sent", OUTBOX])
async def test_an_answer_of_the_user_closes_the_thread_also_while_it_waits_to_be_sent(box: Box, folder: str) -> None:
    box.mail(ANNA, "Budget", "22 17:00", "Could you send me the figures?")
    box.mail(ME, "Re: Budget", "22 18:00", "Here they are.", thread="Budget", folder=folder)
    assert texts(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer") == []


async def test_more_than_a_person_reads_is_counted_and_what_has_just_come_goes_before(box: Box) -> None:
    for number in range(14):
        box.mail(ANNA, f"Old {number}", "18 9:00", "Could you call me?")
    box.mail(RITA, "New", "23 7:00", "Could you call me?")
    briefing = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert len(texts(briefing, "answer")) == 10
    assert "Rita Gomez: Could you call me? (New)" in texts(briefing, "answer")
    assert note(briefing, "answer") == "5 other mails ask for something, too."
    rest = await briefed("24 8:00", box, parts=INBOX_ONLY, after=briefing)
    assert len(texts(rest, "answer")) == 5
    assert note(rest, "answer") == "5 of these came before the last briefing and are told for the first time."


async def test_whose_day_is_near_is_told_however_much_has_just_come(box: Box) -> None:
    for number in range(11):
        box.mail(ANNA, f"Old {number}", "18 9:00", "Could you call me?")
    box.mail(ANNA, "Form", "18 8:00", "Please send it by 24 November.", to=(TOM,))
    first = await briefed("19 8:00", box, parts=INBOX_ONLY)
    for number in range(12):
        box.mail(ANNA, f"New {number}", "23 7:00", "Could you call me by 1 December?")
    second = await briefed("23 8:00", box, parts=INBOX_ONLY, after=first)
    assert "Anna Berg: Please send it by 24 November. (Form)" in texts(second, "answer")


async def test_only_so_many_mails_are_looked_at_and_the_rest_is_counted(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.briefing.post.MOST_LETTERS", 3)
    for number in range(5):
        box.mail(ANNA, f"Budget {number}", "22 17:00", "Could you call me?")
    assert note(await briefed("23 8:00", box, parts=INBOX_ONLY), "answer") == "2 older mails were not looked at."


async def test_that_some_were_not_looked_at_is_said_where_nobody_can_count_them(box: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.briefing.post.MOST_LETTERS", 3)
    for number in range(5):
        box.mail(ANNA, f"Budget {number}", "22 17:00", "Could you call me?")
    readers = box.readers
    search = readers.mail.search

    async def uncounted(query: MailQuery) -> Page[Mail]:
        page = await search(query)
        return page.model_copy(update={"total": None, "next": "more"}) if len(page.items) == 3 else page

    monkeypatch.setattr(readers.mail, "search", uncounted)
    assert note(await briefed("23 8:00", readers, parts=INBOX_ONLY), "answer") == "Older mails were not looked at."


async def test_what_was_told_stays_open_however_much_comes(box: Box) -> None:
    long = "We talked about it at length. " * 9
    box.mail(ANNA, "Budget", "22 17:00", f"{long}Could you call me?")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    for number in range(MOST_READ):
        box.mail(TOM, f"News {number}", "23 17:00", f"{long}That is all.")
    second = await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)
    assert texts(second, "open") == ["Anna Berg (Budget)"]


async def test_the_user_waits_for_whom_they_asked_two_days_ago(box: Box) -> None:
    box.mail(ME, "Offer", "20 9:00", "Hi Anna, could you send me the offer?", to=(ANNA, ME))
    box.mail(ME, "Fresh", "22 9:00", "Could you call me?")
    box.mail(ME, "Old", "-20 9:00", "Could you call me?")
    box.mail(ME, "Thanks", "19 9:00", "Thank you for everything.")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    (line,) = lines(first, "waiting")
    assert line.text == "Anna Berg: could you send me the offer? (Offer)"
    assert line.reasons == ("you asked 3 days ago",)
    second = await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)
    assert "Anna Berg owes you an answer (Offer)" in texts(second, "open")


async def test_of_many_answers_owed_some_are_told_and_the_rest_counted(box: Box) -> None:
    for number in range(7):
        box.mail(ME, f"Offer {number}", "20 9:00", "Could you send me the offer?")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert (len(texts(first, "waiting")), note(first, "waiting")) == (5, "And 2 more.")
    assert len(texts(await briefed("24 8:00", box, parts=INBOX_ONLY, after=first), "waiting")) == 2


@pytest.mark.parametrize("folder", ["INBOX", "Archive", "Customers"])
async def test_who_has_answered_is_waited_for_no_more_wherever_the_answer_lies(box: Box, folder: str) -> None:
    box.mail(ME, "Offer", "20 9:00", "Could you send me the offer?")
    box.mail(ANNA, "Re: Offer", "20 11:00", "Here it is.", thread="Offer", folder=folder)
    assert texts(await briefed("23 8:00", box, parts=INBOX_ONLY), "waiting") == []


async def test_what_only_tells_is_said_once_and_of_people_known_with_what_it_tells(box: Box) -> None:
    box.mail(ANNA, "Report", "22 17:00", "Hi Sam,\n\nthe report went out to everybody this morning.\n\nAnna", unread=True)
    box.mail(ROBOT, "Your order", "22 18:00", "It is on its way.")
    box.mail(NEWS, "Letter 5", "22 19:00", "Will you read this?", bulk=True)
    box.mail(NEWS, "Letter 6", "23 6:00", "And this?", bulk=True)
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    assert texts(first, "known") == ["Anna Berg: the report went out to everybody this morning. (Report)"]
    assert texts(first, "newsletters") == ["2 newsletters: Letters (2)"]
    assert note(first, "newsletters") == "1 other mail needs no answer: Shop."
    assert (await briefed("24 8:00", box, parts=INBOX_ONLY, after=first)).sections == ()


async def test_a_mail_is_told_once_though_briefings_overlap_and_late_ones_are_not_missed(box: Box) -> None:
    box.mail(ANNA, "Report", "23 7:30", "The report went out this morning.")
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    box.mail(TOM, "Late", "23 7:15", "The mail server was slow this morning.")
    second = await briefed("23 12:00", box, parts=INBOX_ONLY, after=first)
    assert texts(second, "known") == ["Tom Lee: The mail server was slow this morning. (Late)"]


async def test_what_looks_like_phishing_is_set_apart_with_its_marks_and_asks_for_no_answer(box: Box) -> None:
    fraud = Address(email="desk@prress.example", name="Press Desk")
    box.mail(fraud, "Urgent", "21 8:00", "Will you verify your account within 24 hours? https://x.example", unread=True)
    first = await briefed("23 8:00", box, parts=INBOX_ONLY)
    (line,) = lines(first, "phishing")
    assert line.text == "Press Desk <desk@prress.example>: Urgent"
    assert line.reasons[0] == "prress.example looks like press.example, but is not"
    assert texts(first, "answer") == []
    assert texts(await briefed("24 8:00", box, parts=INBOX_ONLY, after=first), "phishing") == []


async def test_the_same_mail_in_two_accounts_is_told_once(box: Box) -> None:
    other = Box("home")
    for each in (box, other):
        each.mail(ANNA, "Budget", "22 17:00", "Could you call me?", message_id="<one@acme.example>")
    assert len(texts(await briefed("23 8:00", box, other, parts=INBOX_ONLY), "answer")) == 1


async def test_a_date_in_the_future_keeps_no_mail_on_top(box: Box) -> None:
    def ahead(mail: Mail) -> None:
        box.change(mail, date=mail.date + timedelta(days=400))

    ahead(box.mail(RITA, "Win", "23 7:00", "Will you answer?"))
    assert (await briefed("23 8:00", box, parts=INBOX_ONLY)).sections == ()


async def test_what_is_remembered_stays_small(box: Box) -> None:
    for number in range(200):
        box.mail(ANNA, f"Subject {number}", "20 9:00", "Nothing new.")
        box.mail(NEWS, f"Letter {number}", "20 9:00", "Nothing new.", bulk=True)
    briefing = await briefed("20 10:00", box, parts=INBOX_ONLY)
    later = await briefed("21 10:00", box, parts=INBOX_ONLY, after=briefing)
    assert len(later.coverage.model_dump_json()) < 500
