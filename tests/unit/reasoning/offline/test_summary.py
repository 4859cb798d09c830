from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.offline.saying.answering import leans, stems_of, unheard
from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.offline.saying.summary import answer_from, summarise
from assistant.reasoning.quoting import own_words
from integrations.types import Address, Mail

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


def mail(body: str, subject: str = "", sender: str = "Sofia Rossi", days_ago: float = 0, **given: Any) -> Mail:
    address = Address(email=f"{sender.split()[0].lower()}@example.org", name=sender)
    values = {"account": "work", "id": f"{subject} {days_ago}", "etag": "", "folder": "INBOX", "sender": address}
    return Mail(**(values | {"subject": subject, "body": body, "date": NOW - timedelta(days=days_ago)} | given))


ROOF = mail(
    """Hi Anna,

I hope you are well. We looked at the house last week and everybody was friendly.
The repair of the roof costs €12,400 with all materials. The neighbours do not mind the noise at all.
Could you sign the offer by Friday 27 November? There is nothing else to tell you about it.

Best regards,
Sofia

On Mon, Nov 16, 2026 at 9:00 AM Anna <anna@example.org> wrote:
> Does it cost more than €99,000?
""",
    "Roof repair",
)
CODE = mail("Your sign-in code is:\n\n482913\n\nIt is valid for 10 minutes.", "Sign-in", "Example Bank", days_ago=1)
PARTY = mail(
    "Hello all, our summer fair takes place on 12 December at 3 pm in the Old Mill. Bring a salad!", "Fair", "May Lind", days_ago=2
)
RESET = mail("To choose a new password, go to https://login.example.com/reset?x=1.", "Password reset", "Shop", days_ago=3)
OFFERS = mail("Everything is cheaper until Sunday!\n\nUnsubscribe here", "SALE", "Shop", days_ago=0.5, bulk=True)
ALL = (PARTY, CODE, RESET, ROOF, OFFERS)


def test_one_mail_is_told_by_what_carries_weight_and_says_what_is_left_out() -> None:
    assert summarise([ROOF], sentences=2) == (
        "Sofia Rossi, Roof repair\n"
        "The repair of the roof costs €12,400 with all materials. Could you sign the offer by Friday 27 November?\n"
        "(4 more sentences not shown)"
    )


def test_a_short_mail_is_told_whole() -> None:
    assert summarise([mail("It is done.", "Roof")]) == "Sofia Rossi, Roof\nIt is done."


def test_several_mails_get_a_line_each_newest_first_and_newsletters_are_counted() -> None:
    assert summarise(ALL) == (
        "- Sofia Rossi, Roof repair: Could you sign the offer by Friday 27 November?\n"
        "- Example Bank, Sign-in: Your sign-in code is: 482913\n"
        "- May Lind, Fair: our summer fair takes place on 12 December at 3 pm in the Old Mill.\n"
        "- Shop, Password reset: To choose a new password, go to https://login.example.com/reset?x=1.\n"
        "(1 newsletter not summarised)"
    )


def test_nothing_but_newsletters_is_summarised_too() -> None:
    told = summarise([OFFERS, OFFERS.model_copy(update={"subject": "MORE"})])
    assert "SALE" in told
    assert "MORE" in told
    assert "not summarised" not in told
    assert "Unsubscribe" not in told


def test_beyond_twenty_mails_the_older_ones_are_counted() -> None:
    told = summarise([mail(f"Number {n} arrived.", f"Parcel {n}", days_ago=n) for n in range(23)])
    assert told.count("\n- ") == 19
    assert told.endswith("(3 older mails not summarised)")


def test_a_mail_known_only_by_its_snippet_is_told_by_it() -> None:
    found = mail("", "Lunch", snippet="Shall we meet at noon?")
    assert summarise([found]) == "Sofia Rossi, Lunch\nShall we meet at noon?"


def test_an_empty_mail_and_no_mail_are_no_trouble() -> None:
    assert summarise([mail("")]) == "Sofia Rossi, (no subject)"
    assert summarise([]) == "There is no mail to summarise."
    assert summarise([mail(""), mail("", "Second")]).count("- Sofia Rossi, ") == 2


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,6}( [a-z0-9]{2,6}){2,8}[.!?]", fullmatch=True), min_size=1, max_size=12))
def test_a_summary_holds_nothing_that_the_mail_does_not_say(said: list[str]) -> None:
    lines = summarise([mail(" ".join(said), "Subject")]).split("\n")
    rest = iter(said)
    told = [sentence for sentence in said if sentence in lines[1]]
    assert all(sentence in rest for sentence in told)
    assert len(lines[1]) <= sum(len(sentence) + 1 for sentence in said)
    assert ("not shown" in lines[-1]) == (len(sentences(" ".join(said))) > 3)


@pytest.mark.parametrize(
    ("question", "answer", "source"),
    [
        ("when is the fair?", "our summer fair takes place on 12 December at 3 pm in the Old Mill.", PARTY),
        ("What time does the fair start?", "our summer fair takes place on 12 December at 3 pm in the Old Mill.", PARTY),
        ("where is the summer fair?", "our summer fair takes place on 12 December at 3 pm in the Old Mill.", PARTY),
        ("how much does the roof cost?", "The repair of the roof costs €12,400 with all materials.", ROOF),
        ("when do I have to sign the offer?", "Could you sign the offer by Friday 27 November?", ROOF),
        ("what did Sofia want?", "Could you sign the offer by Friday 27 November?", ROOF),
        ("what's the code?", "Your sign-in code is: 482913", CODE),
        ("what is the link to reset my password?", "To choose a new password, go to https://login.example.com/reset?x=1.", RESET),
        ("do the neighbours mind the noise?", "The neighbours do not mind the noise at all.", ROOF),
    ],
)
def test_a_question_is_answered_by_the_sentence_that_says_it(question: str, answer: str, source: Mail) -> None:
    assert answer_from(question, ALL) == (answer, source)


@pytest.mark.parametrize(
    "question",
    [
        "when is the wedding?",
        "when is the winter fair?",
        "how much does the fair cost?",
        "what's the code for the garage?",
        "what's the phone number of the shop?",
        "who repairs the roof?",
        "what's the link to the summer fair?",
        "what is my flight number?",
        "when is it?",
        "what?",
        "",
    ],
)
def test_what_no_mail_says_is_not_answered(question: str) -> None:
    assert answer_from(question, ALL) is None


def test_the_history_below_a_reply_answers_nothing() -> None:
    assert answer_from("does it cost more than 99,000?", [ROOF]) is None


def test_of_two_mails_that_say_it_the_newer_one_counts() -> None:
    moved = PARTY.model_copy(update={"id": "moved", "date": NOW, "body": "The summer fair is on 13 December instead."})
    assert answer_from("when is the summer fair?", (PARTY, moved)) == ("The summer fair is on 13 December instead.", moved)


def test_with_one_mail_at_hand_the_question_need_not_name_its_topic() -> None:
    assert answer_from("how much is it?", [ROOF]) == ("The repair of the roof costs €12,400 with all materials.", ROOF)


@given(st.sampled_from(["when is the fair?", "what's the code?", "how much is the roof?", "where is the fair?"]))
def test_an_answer_stands_word_for_word_in_its_mail(question: str) -> None:
    found = answer_from(question, ALL)
    if found:
        sentence, source = found
        assert sentence in " ".join((source.subject, *own_words(source.body).split()))


def test_a_sentence_answers_before_a_subject_does() -> None:
    grant = mail("A reminder: the deadline is Monday, 30 November at noon.", "Deadline on Monday")
    assert answer_from("when is the deadline?", [grant]) == ("A reminder: the deadline is Monday, 30 November at noon.", grant)
    bare = mail("More soon.", "Deadline on Monday")
    assert answer_from("when is the deadline?", [bare]) == ("Deadline on Monday", bare)


LAMPS = mail("our quote for 24 lamps is attached, delivery within four weeks.", "Quote for the lamps", "Daniel Kern")
LATE = mail("The concrete comes on Monday. The plant has a broken mixer.", "Concrete", "Jonas Brandt")
COME = mail("The party is on 11 December at 6 pm. Please tell me by 27 November whether you come.", "Party", "Priya Nair")
CAKE = mail("Here is the recipe: 200 grams of butter. Bake it for 50 minutes. The joiner is waiting for it.", "Apple cake")


@pytest.mark.parametrize(
    ("question", "source", "answer"),
    [
        ("how soon can they deliver the lamps?", LAMPS, "our quote for 24 lamps is attached, delivery within four weeks."),
        ("why is the concrete not there?", LATE, "The concrete comes on Monday. The plant has a broken mixer."),
        ("by when must I answer about the party?", COME, "Please tell me by 27 November whether you come."),
        ("how much butter does the recipe need?", CAKE, "Here is the recipe: 200 grams of butter."),
        ("how long does the cake bake?", CAKE, "Bake it for 50 minutes."),
        ("who is waiting for the cake?", CAKE, "The joiner is waiting for it."),
        ("the number of lamps in the quote", LAMPS, "our quote for 24 lamps is attached, delivery within four weeks."),
    ],
)
def test_the_kind_of_value_asked_for_is_found(question: str, source: Mail, answer: str) -> None:
    left_out = stems_of(unheard(question, [source]))
    assert answer_from(question, (source, *ALL), left_out) == (answer, source)


def test_a_word_that_no_mail_holds_may_be_left_out() -> None:
    assert unheard("how long does the cake stay in the oven?", [CAKE]) == ("stay", "oven")


@pytest.mark.parametrize(
    "question",
    [
        "when is the winter fair?",
        "when is Tom's fair?",
        "where is the fair in Basel?",
        "is the fair in a tent?",
        "when is the wedding?",
    ],
)
def test_what_narrows_a_question_is_never_left_out(question: str) -> None:
    assert unheard(question, ALL) == ()


@pytest.mark.parametrize(
    ("question", "leaning"),
    [("is it due?", True), ("until when?", True), ("how long in the oven?", True), ("when is the dentist?", False)],
)
def test_a_question_leans_on_the_mail_at_hand(question: str, leaning: bool) -> None:
    assert leans(question) is leaning
