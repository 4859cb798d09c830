"""Short honest mails in the user's wording, with visible gaps."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.base import Draft, Setting
from assistant.reasoning.offline.saying.writing import draft, first_name, forward_subject, reply_subject, subject_for
from assistant.values import Brief
from integrations.types import Address, Mail

BERLIN = ZoneInfo("Europe/Berlin")
ANNA = Address(email="anna@berg.example", name="Anna Berg")
TOM = Address(email="tom@work.example", name="Tom Lee")
ME = Address(email="max@home.example", name="Max Muster")
SETTING = Setting(now=datetime(2026, 11, 21, 10, tzinfo=BERLIN), zone=BERLIN, me=(ME,), templates=frozenset({"thanks"}))
ANSWERED = Mail(
    account="home",
    id="m",
    etag="e",
    folder="INBOX",
    date=datetime(2026, 11, 20, 9, tzinfo=BERLIN),
    sender=ANNA,
    subject="RE: Plans",
)


def written(about: str, *to: Address) -> Draft:
    return draft(Brief(kind="mail", about=about, to=to or (ANNA,)), SETTING)


def message(about: str, *to: Address) -> str:
    """What stands between greeting and farewell."""
    return written(about, *to).body.split("\n\n", 1)[1].rpartition("\n\n")[0]


@pytest.mark.parametrize(
    ("about", "says"),
    [
        ("that I can't come on Friday", "I can't come on Friday."),
        ("that i am late", "I am late."),
        ("I'll be late", "I'll be late."),
        ("we meet at 3", "We meet at 3."),
        ("that the train is late", "The train is late."),
        ("saying that it is done", "It is done."),
        ("whether she has time", "I would like to know whether you have time."),
        ("if he can bring his laptop", "I would like to know whether you can bring your laptop."),
        ("whether she still needs her notes", "I would like to know whether you still need your notes."),
        ("whether they like their room", "I would like to know whether you like your room."),
        ("whether she met him", "I would like to know whether you met him."),
        ("that she's late", "You're late."),
        ("whether she's got the file", "I would like to know whether you've got the file."),
        ("if she'll come", "I would like to know whether you'll come."),
        ("when Anna comes", "I would like to know when you come."),
        ("when Tom comes", "I would like to know when Tom comes."),
        ("to ask where she parks", "I would like to know where you park."),
        ("whether he still watches it", "I would like to know whether you still watch it."),
        ("to send me the file", "Could you please send me the file?"),
        ("to ask her to call me", "Could you please call me?"),
        ("for the report", "I am writing to ask for the report."),
    ],
)
def test_the_users_wording_becomes_a_sentence(about, says):
    assert message(about) == says


@pytest.mark.parametrize(("about", "topic"), [("the delay", "the delay"), ("about my new address", "my new address")])
def test_a_topic_leaves_a_visible_gap_for_what_is_not_known(about, topic):
    draft_ = written(about)
    assert message(about) == f"I am writing about {topic}.\n\n[details]"
    assert draft_.gaps == ("details",)


def test_nothing_to_say_is_one_gap():
    assert message("") == "[what you want to say]"
    assert written("").gaps == ("what you want to say",)
    assert draft(Brief(kind="reply", answering=ANSWERED), SETTING).gaps == ("your answer",)


def test_greeting_and_farewell_use_first_names():
    body = written("that it is done").body
    assert body == "Hi Anna,\n\nIt is done.\n\nBest regards,\nMax"


@pytest.mark.parametrize(
    ("to", "greeting"),
    [
        ((ANNA, TOM), "Hi Anna and Tom,"),
        ((ANNA, TOM, ME), "Hi all,"),
        ((Address(email="x@y.de"),), "Hello,"),
        ((ANNA, Address(email="x@y.de")), "Hello,"),
        ((Address(email="x@y.de", name="Berg, Anna"),), "Hi Anna,"),
        ((Address(email="x@y.de", name="Dr. Anna Berg"),), "Hi Anna,"),
        ((Address(email="x@y.de", name="x@y.de"),), "Hello,"),
    ],
)
def test_whom_it_greets(to, greeting):
    assert written("that it is done", *to).body.splitlines()[0] == greeting


def test_without_an_own_name_it_is_signed_by_nobody():
    nameless = SETTING.model_copy(update={"me": (Address(email="max@home.example"),)})
    assert draft(Brief(kind="mail", about="that it is done", to=(ANNA,)), nameless).body.endswith("\n\nBest regards")


@pytest.mark.parametrize(
    ("about", "subject"),
    [
        ("the delay", "Delay"),
        ("about my new address", "New address"),
        ("for the report", "Report"),
        ("that I can't come on Friday", "I can't come on Friday"),
        ("whether she has time", "Question"),
        ("to send me the file", "Question"),
        ("", "[subject]"),
    ],
)
def test_the_subject_follows_the_wording(about, subject):
    assert written(about).subject == subject


def test_a_text_of_several_sentences_goes_out_as_it_stands():
    text = "Thanks for the numbers. I will look at them tomorrow."
    assert written(text) == Draft(subject="Thanks for the numbers", body=text)
    lines = "Dear Anna,\n\nthe train is late."
    assert written(lines) == Draft(subject="The train is late", body=lines)


def test_a_reply_keeps_the_subject_and_greets_the_sender():
    answer = draft(Brief(kind="reply", about="that it is done", answering=ANSWERED), SETTING)
    assert answer == Draft(subject="Re: Plans", body="Hi Anna,\n\nIt is done.\n\nBest regards,\nMax")


def test_a_forward_says_whose_mail_it_is():
    forward = draft(Brief(kind="forward", to=(TOM,), answering=ANSWERED), SETTING)
    assert forward.subject == "Fwd: RE: Plans"
    assert forward.body == "Hi Tom,\n\nPlease see the mail below from Anna Berg.\n\nBest regards,\nMax"
    assert forward.gaps == ()


def test_a_template_is_taken_as_it_is_with_the_name_filled_in():
    brief = Brief(kind="reply", to=(ANNA,), answering=ANSWERED, template="thanks")
    filled = draft(brief, SETTING, {"thanks": "Dear {name},\nthank you. [when you come]"})
    assert filled.body == "Dear Anna,\nthank you. [when you come]"
    assert filled.gaps == ("when you come",)
    assert draft(brief, SETTING).gaps == ("text of the template thanks",)
    assert draft(brief.model_copy(update={"template": "Thank you, [name]!"}), SETTING).body == "Thank you, Anna!"


@pytest.mark.parametrize(
    ("subject", "reply", "forward"),
    [
        ("Plans", "Re: Plans", "Fwd: Plans"),
        ("Re: RE: AW: Plans", "Re: Plans", "Fwd: Re: RE: AW: Plans"),
        ("Fwd: FW: Plans", "Re: Fwd: FW: Plans", "Fwd: Plans"),
        ("re[2]: Plans", "Re: Plans", "Fwd: re[2]: Plans"),
        ("Report: Plans", "Re: Report: Plans", "Fwd: Report: Plans"),
        ("", "Re:", "Fwd:"),
        ("a\r\nBcc: x@evil.example", "Re: a Bcc: x@evil.example", "Fwd: a Bcc: x@evil.example"),
    ],
)
def test_prefixes_are_never_doubled(subject, reply, forward):
    assert reply_subject(subject) == reply
    assert forward_subject(subject) == forward


@pytest.mark.parametrize(
    ("body", "subject"),
    [
        ("I'll be late", "I'll be late"),
        ("Hi Anna,\nthe meeting moved. More tomorrow.", "The meeting moved"),
        ("Hi Anna, can we meet on Friday?", "Can we meet on Friday"),
        ("high time to go!", "High time to go"),
        ("The office moves to the third floor, so please pack your boxes before Tuesday", "The office moves to the third floor"),
        (
            "We should talk about the new arrangement for the office and the garden",
            "We should talk about the new arrangement for the office",
        ),
        ("", ""),
        ("...", ""),
    ],
)
def test_a_subject_is_the_first_words_of_a_dictated_body(body, subject):
    assert subject_for(body) == subject


@given(st.text(max_size=200))
def test_a_subject_is_one_short_line_without_trailing_punctuation(body):
    subject = subject_for(body)
    assert len(subject) <= 61
    assert subject.isprintable()
    assert not re.search(r"[.,;:!?\s]$", subject)


@given(st.text(max_size=80), st.sampled_from(["mail", "reply", "forward"]))
def test_any_wording_gives_a_draft_whose_gaps_stand_in_it(about, kind):
    made = draft(Brief(kind=kind, about=about, to=(ANNA,), answering=ANSWERED), SETTING)
    assert all(f"[{gap}]" in made.body for gap in made.gaps)
    assert "\n" not in made.subject


@given(st.text(max_size=40))
def test_a_reply_to_a_reply_has_one_prefix(subject):
    assert reply_subject(reply_subject(subject)) == reply_subject(subject)
    assert forward_subject(forward_subject(subject)) == forward_subject(subject)


@pytest.mark.parametrize(("name", "first"), [("Anna Berg", "Anna"), ("  'Anna' ", "Anna"), ("Dr.", ""), ("", ""), ("Berg,", "")])
def test_first_names(name, first):
    assert first_name(Address(email="x@y.de", name=name)) == first


def test_a_mail_that_only_greets_has_the_greeting_as_its_subject():
    assert subject_for("hello") == "Hello"
