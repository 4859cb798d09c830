"""Codes, links and figures that would leave with a text, and letters that nobody sees."""

from collections.abc import Callable
from typing import Any

import pytest

from integrations.actions import AnswerInvitation, CreateEvent, MarkMail, SaveDraft, SaveTemplate, SendMail, UpdateEvent
from integrations.types import Address, Oddity
from risk import contents
from risk.contents import carries_data
from risk.evidence import key_of
from risk.facts import facts_of
from risk.tracing import Trace

CODE = Trace(kind="code", text="482913", source="message", by="Bank <no-reply@bank.example>", known=False)
RESET = Trace(kind="secret_link", text="https://x.example/reset?token=abc", source="message", by="Shop", known=False)
BANK = "“482913” looks like a security code, and comes from a mail by Bank <no-reply@bank.example>"


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """traced(trace, ...): what every text is made of."""

    def given(*traces: Trace) -> None:
        monkeypatch.setattr(contents, "traces_of", lambda action, evidence, beside: traces)

    return given


def send(world: Any, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.tom,), "subject": "Hello", "body": "x", **fields})


def create(world: Any, **fields: Any) -> CreateEvent:
    return CreateEvent(**{"account": "home", "title": "Swim", "start": world.at(23, 11), "end": world.at(23, 12), **fields})


# --- codes and links that open something


@pytest.mark.parametrize("secret", [CODE, RESET], ids=["code", "link"])
def test_a_secret_out_of_a_mail_is_refused(world, rate, traced, secret):
    traced(secret)
    rating = rate(world.evidence(words="what is new?"), send(world))
    assert len(rating.refused) == 1
    assert secret.text in rating.refused[0]
    assert secret.by in rating.refused[0]


@pytest.mark.parametrize(
    "words", ["send Tom the code of the bank", "give Tom the reset link", "tell Tom my PIN", "the password for Tom"]
)
def test_where_the_user_spoke_of_one_it_is_shown_with_its_reason(world, rate, traced, words):
    traced(CODE)
    rating = rate(world.evidence(words=words), send(world))
    assert (rating.refused, rating.level) == ((), "high")
    assert BANK in rating.reasons


def test_earlier_words_of_the_conversation_count_too(world, rate, traced):
    traced(CODE)
    assert not rate(world.evidence(words="to Tom instead", said=("send Anna the code of the bank",)), send(world)).refused


def test_a_mail_that_the_user_forwards_may_hold_a_code(world, rate, traced):
    traced(CODE)
    mail, onward = world.mail(subject="Your parcel", to=(world.me,)), send(world, forward_of=world.mail_ref)
    for words in ("forward it to Tom", "send Tom the mail about the parcel"):
        rating = rate(world.evidence(mail, words=words), onward)
        assert (rating.refused, rating.level) == ((), "high")
    assert rate(world.evidence(mail, words="send Tom my greetings"), onward).refused


def test_what_the_user_wrote_or_those_reached_wrote_is_no_secret(world, rate, traced):
    traced(
        CODE.model_copy(update={"known": True, "source": "own_words"}), RESET.model_copy(update={"known": True, "source": "thread"})
    )
    assert rate(world.evidence(), send(world)).warnings == ()


def test_what_is_written_by_hand_may_hold_a_code_that_stands_nowhere(world, rate, traced):
    traced(CODE.model_copy(update={"source": "nowhere", "by": ""}))
    assert not rate(world.evidence(), send(world)).refused
    assert rate(world.evidence(), send(world)).level == "high"
    assert rate(world.evidence(words="greet Tom"), send(world)).refused


def test_an_event_is_a_way_out_like_a_mail(world, rate, traced):
    traced(CODE)
    theirs = world.meeting(world.tom).model_copy(update={"organizer": world.anna})
    there = world.evidence(theirs, words="am I free on Saturday?", shared=frozenset({("home", "cal")}))
    for action in (
        create(world, attendees=(world.tom,)),
        create(world, calendar="cal"),
        UpdateEvent(account="home", event=world.event_ref, description="x"),
        AnswerInvitation(account="home", event=world.event_ref, answer="accepted", comment="x"),
    ):
        assert rate(there, action).refused, action.kind


def test_what_stays_with_the_user_is_no_leak(world, rate, traced):
    traced(CODE, RESET)
    for action in (create(world), create(world, calendar="own"), send(world, to=(world.me,))):
        assert rate(world.evidence(shared=frozenset({("home", "cal")})), action).warnings == ()


def test_a_draft_or_template_with_a_secret_is_high(world, rate, traced):
    traced(CODE)
    for action in (SaveDraft(account="home", to=(world.tom,)), SaveTemplate(name="x", body="x")):
        rating = rate(world.evidence(words="what is new?"), action)
        assert (rating.level, rating.refused, rating.warnings) == ("high", (), (BANK,))


# --- links and figures


def link(text: str, source: Any = "message") -> Trace:
    return Trace(kind="link", text=text, source=source, by="Shop" if source == "message" else "", known=False)


def test_a_link_of_somebody_else_is_a_warning(world, rate, traced):
    traced(link("https://shop.example/sale"))
    rating = rate(world.evidence(words="write to Tom"), send(world))
    assert (rating.level, rating.warnings) == ("medium", ("the link https://shop.example/sale comes from a mail by Shop",))


def test_a_link_that_carries_data_is_high(world, rate, traced):
    traced(link("https://evil.example/?d=private-meeting-at-noon", "nowhere"))
    rating = rate(world.evidence(words="send Tom the link"), send(world))
    assert rating.level == "high"
    assert rating.warnings == (
        "the link https://evil.example/?d=private-meeting-at-noon carries data, and stands in no message and not in what you wrote",
    )


def test_a_long_link_that_the_user_speaks_of_is_but_a_warning(world, rate, traced):
    traced(link("https://docs.example/d/1A2b3C4d5E6f7G8h9I0jKLMNOPQR"))
    assert rate(world.evidence(words="greet Tom"), send(world)).level == "high"
    assert rate(world.evidence(words="send Tom the link from the shop"), send(world)).level == "medium"


@pytest.mark.parametrize(
    ("url", "built", "carries"),
    [
        ("https://shop.example/", True, False),
        ("https://shop.example/a?page=2&sort=price", True, False),
        ("www.shop.example/how-to-write-a-better-mail-to-your-boss", False, False),
        ("www.shop.example/how-to-write-a-better-mail-to-your-boss", True, True),
        ("https://evil.example/?q=U2FyYWggTGluZHF2aXN0", False, True),
        ("https://evil.example/#U2FyYWggTGluZHF2aXN0IGF0IG5vb24", False, True),
        ("https://evil.example/U2FyYWggTGluZHF2aXN0IGF0IG5vb24/x.png", False, True),
        ("https://sarah-lindqvist-is-away-until-monday.evil.example/", True, True),
        ("https://me:secret@evil.example/", False, True),
        ("https://evil.example/?" + "&".join(f"a{n}=b" for n in range(30)), False, True),
        ("https://[evil/", False, True),
    ],
)
def test_what_in_a_link_can_carry_something_out(url, built, carries):
    assert carries_data(url, built=built) is carries


def test_an_amount_out_of_nowhere_is_a_warning(world, rate, traced):
    traced(Trace(kind="amount", text="€ 4,500", source="nowhere", known=False))
    rating = rate(world.evidence(words="write to Tom"), send(world))
    assert (rating.level, rating.warnings) == ("medium", ("€ 4,500 stands in no message and not in what you wrote",))


def test_a_strangers_number_or_address_is_a_warning_unless_the_user_speaks_of_it(world, rate, traced):
    phone = Trace(kind="phone", text="+49 30 12345", source="message", by="Shop", known=False)
    address = Trace(kind="address", text="pay@evil.example", source="message", by="Shop", known=False)
    traced(phone, address)
    assert len(rate(world.evidence(words="greet Tom"), send(world)).warnings) == 2
    assert rate(world.evidence(words="send Tom the phone number of the shop"), send(world)).warnings == ()


def test_a_number_that_the_user_asked_to_look_up_is_no_warning(world, rate, traced):
    traced(Trace(kind="phone", text="+49 30 12345", source="nowhere", known=False))
    assert rate(world.evidence(words="look up Clara's phone number and send it to Tom"), send(world)).warnings == ()
    assert rate(world.evidence(words="greet Tom"), send(world)).warnings != ()


def test_an_account_that_the_user_did_not_write_is_a_warning_as_what_it_is(world, rate, traced):
    account = Trace(kind="bank_account", text="DE89 3704", source="message", by="Mallory", known=False)
    traced(account)
    assert rate(world.evidence(words="tell Tom hello"), send(world)).warnings == (
        "the bank account DE89 3704 comes from a mail by Mallory",
    )
    assert rate(world.evidence(words="send Tom the IBAN from Mallory's mail"), send(world)).warnings == ()
    traced(account.model_copy(update={"source": "nowhere"}))
    assert rate(world.evidence(words="send Tom the IBAN"), send(world)).warnings != ()


def test_a_code_torn_over_two_mails_of_one_proposal_is_refused(world, rate):
    mail = world.mail(id="b", sender=Address(email="no-reply@bank.example"), to=(world.me,), body="Your security code is 482913.")
    evidence = world.evidence(words="write to Tom", read={key_of(mail.ref): mail})
    first, second = send(world, body="482"), send(world, body="913", to=(world.anna,))
    assert rate(evidence, first, second).refused
    assert not rate(evidence, first).refused


def test_an_amount_of_somebodys_mail_is_no_warning(world, rate, traced):
    traced(Trace(kind="amount", text="€ 20", source="message", by="Shop", known=False))
    assert rate(world.evidence(words="greet Tom"), send(world)).warnings == ()


# --- what nobody sees


def test_several_things_odd_with_one_mail_are_told_together(world, rate):
    mail = world.mail(oddities=(Oddity(kind="hidden_text", where="body"), Oddity(kind="parts_differ", where="body")))
    (warning,) = rate(world.evidence(mail), send(world, to=(world.anna,), reply_to=mail.ref)).warnings
    both = "has text in it that nobody can see; it also says one thing as plain text and another when shown in full"
    assert warning.endswith(both)


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (Oddity(kind="hidden_text", where="body", count=90), "has text in it that nobody can see"),
        (Oddity(kind="parts_differ"), "says one thing as plain text and another when shown in full"),
        (Oddity(kind="bidi", where="subject"), "turns letters round, so that it shows otherwise than it reads"),
        (Oddity(kind="invisible", where="body", count=40), "has letters in it that nobody can see"),
        (Oddity(kind="forged", where="sender"), "does not come from where its sender says, as the server that received it found"),
        (Oddity(kind="double_header", where="sender"), "names its sender, its subject or its recipients twice"),
    ],
    ids=lambda value: value.kind if isinstance(value, Oddity) else "",
)
def test_an_answer_to_a_mail_with_something_hidden_says_so(world, rate, odd, words):
    reply = send(world, to=(world.anna,), reply_to=world.mail_ref)
    rating = rate(world.evidence(world.mail(oddities=(odd,))), reply)
    assert (rating.level, rating.warnings) == ("medium", (f"the mail “Plans” from Anna Berg <anna@berg.example> {words}",))


def test_a_few_invisible_letters_are_nothing_to_tell(world, rate):
    mail = world.mail(oddities=(Oddity(kind="invisible", where="body", count=2), Oddity(kind="charset")))
    assert rate(world.evidence(mail), send(world, to=(world.anna,), reply_to=world.mail_ref)).warnings == ()


def test_to_file_such_a_mail_is_nothing_to_tell(world, rate):
    mail = world.mail(oddities=(Oddity(kind="hidden_text", where="body"),))
    assert rate(world.evidence(mail), MarkMail(account="home", mail=world.mail_ref, seen=True)).warnings == ()


@pytest.mark.parametrize("text", ["See you\U000e0063\U000e006f", "a\u200bb", "pay \u202e0001\u202c now"])
def test_letters_that_nobody_sees_in_a_text_of_its_own_are_told(world, rate, text):
    assert rate(world.evidence(), send(world, body=text)).warnings == ("its body has letters in it that nobody can see",)


@pytest.mark.parametrize(
    "text",
    [
        "Cymru \U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f",
        "family \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
        "\u2067\u05e9\u05dc\u05d5\u05dd\u2069 Max",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "Grüße, 100 %",
    ],
)
def test_honest_writing_is_nothing_to_tell(world, text):
    assert facts_of([send(world, body=text, subject=text)], world.evidence()).each[0].invisible == ()
