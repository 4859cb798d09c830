"""Where each link, code, amount, phone number and address in an action's text came from."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import AnswerInvitation, CreateContact, CreateEvent, SendMail, UpdateContact, UpdateEvent
from integrations.types import Address
from risk import tracing
from risk.evidence import key_of
from risk.pieces import Words, pieces_of
from risk.tracing import Trace, traces_of

RESET = "https://bank.example/reset?token=9f8a7b6c5d4e3f2a1b0c"
BANK = Address(email="no-reply@bank.example", name="Bank")


def sent(world: Any, body: str, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.anna,), "subject": "Hello", "body": body, **fields})


def told(action: Any, evidence: Any) -> list[tuple[str, str, str, bool]]:
    return [(trace.kind, trace.text, trace.source, trace.known) for trace in traces_of(action, evidence)]


def only(action: Any, evidence: Any) -> Trace:
    (trace,) = traces_of(action, evidence)
    return trace


# --- the user's own


def test_a_text_without_any_such_piece_has_no_traces(world):
    assert traces_of(sent(world, "See you at the usual place"), world.evidence()) == ()


def test_what_the_user_wrote_is_known(world):
    action = sent(world, "It costs 4.500 EUR, see a.example/x, code 482913")
    evidence = world.evidence(words="tell Anna it costs EUR 4500, see https://a.example/x, the door code is 482 913")
    assert told(action, evidence) == [
        ("amount", "4.500 EUR", "own_words", True),
        ("link", "a.example/x", "own_words", True),
        ("code", "482913", "own_words", True),
    ]


def test_the_newest_words_come_before_earlier_ones(world):
    action = sent(world, "see https://a.example/x and https://b.example/y")
    evidence = world.evidence(words="send her a.example/x", said=("a.example/x and b.example/y",))
    assert [trace.source for trace in traces_of(action, evidence)] == ["own_words", "earlier_words"]


def test_what_stands_nowhere_is_unknown(world):
    action = sent(world, "Pay 900 EUR, code 482913, https://evil.example/x, call +49 30 1234567, mallory@evil.example")
    assert {(trace.kind, trace.source, trace.known) for trace in traces_of(action, world.evidence())} == {
        (kind, "nowhere", False) for kind in ("amount", "code", "link", "phone", "address")
    }


def test_templates_and_saved_addresses_are_known(world):
    evidence = world.evidence(templates={"Directions": "The map is at https://map.example/us"})
    action = sent(world, "https://map.example/us, or ask tom@work.example")
    assert [(one.source, one.by, one.known) for one in traces_of(action, evidence)] == [
        ("template", "\u201cDirections\u201d", True),
        ("contacts", "", True),
    ]


def test_what_the_user_sent_is_their_own_but_not_what_they_quoted(world):
    body = "See https://mine.example/a\n\n> look at https://evil.example/x\n\nOn Monday Mallory wrote:\nhttps://evil.example/y"
    mail = world.mail(sender=world.me, to=(world.stranger,), folder="Sent", body=body)
    evidence = world.evidence(read={key_of(mail.ref): mail})
    action = sent(world, "https://mine.example/a https://evil.example/x https://evil.example/y")
    assert [(one.text, one.known) for one in traces_of(action, evidence)] == [
        ("https://mine.example/a", True),
        ("https://evil.example/x", False),
        ("https://evil.example/y", False),
    ]


def test_a_mail_under_the_users_own_name_that_came_in_vouches_for_nothing(world):
    mail = world.mail(sender=world.me, to=(world.me,), body="https://evil.example/x")
    assert only(sent(world, "https://evil.example/x"), world.evidence(read={key_of(mail.ref): mail})).known is False


# --- those whom it reaches, and others


def test_those_who_took_part_in_the_mail_answered_know_what_it_says(world):
    mail = world.mail(body="The code is 482913, the price 900 EUR")
    reply = sent(world, "Yes, 900 EUR and code 482913", reply_to=world.mail_ref)
    assert told(reply, world.evidence(mail)) == [("amount", "900 EUR", "thread", True), ("code", "482913", "thread", True)]


def test_somebody_added_to_a_reply_does_not(world):
    mail = world.mail(to=(world.me,), body="The code is 482913")
    reply = sent(world, "Code 482913", reply_to=world.mail_ref, cc=(world.tom,))
    trace = only(reply, world.evidence(mail))
    assert (trace.source, trace.by, trace.known) == ("message", "Anna Berg <anna@berg.example>", False)


def test_whoever_gets_the_answer_where_the_sender_led_it_knows_their_own_mail(world):
    desk = Address(email="desk@berg.example")
    mail = world.mail(reply_to=(desk,), body="See https://berg.example/plan")
    assert only(sent(world, "https://berg.example/plan", to=(desk,), reply_to=world.mail_ref), world.evidence(mail)).known


def test_a_code_from_somebody_elses_mail_is_unknown_and_its_sender_named(world):
    mail = world.mail(sender=BANK, to=(world.me,), body="Your security code is 482913.")
    for body in ("The code is 482913", "ring me at 482913", "4 8 2 9 1 3", "four eight two nine one three"):
        trace = only(sent(world, body), world.evidence(read={key_of(mail.ref): mail}))
        assert (trace.kind, trace.source, trace.known) == ("code", "message", False)
        assert trace.by == "Bank <no-reply@bank.example>"


def test_a_reset_link_is_its_own_kind_whole_or_in_part(world):
    mail = world.mail(sender=BANK, to=(world.me,), body=f"Reset your password: {RESET}")
    evidence = world.evidence(read={key_of(mail.ref): mail})
    assert told(sent(world, RESET), evidence) == [("secret_link", RESET, "message", False)]
    assert told(sent(world, "9f8a7b6c5d4e3f2a1b0c"), evidence) == [("secret_link", "9f8a7b6c5d4e3f2a1b0c", "message", False)]


def test_a_forward_is_traced_for_codes_and_reset_links_alone(world):
    mail = world.mail(sender=BANK, to=(world.me,), body=f"Code: 482913, 900 EUR, https://bank.example/help, {RESET}")
    found = told(sent(world, "", subject="Fwd", forward_of=world.mail_ref), world.evidence(mail))
    assert sorted(found) == [("code", "482913", "message", False), ("secret_link", RESET, "message", False)]


def test_of_too_many_pieces_the_rest_counts_as_from_nowhere(world, monkeypatch):
    monkeypatch.setattr(tracing, "MOST", 2)
    words = "1 EUR, 2 EUR, 3 EUR"
    assert [one.known for one in traces_of(sent(world, words), world.evidence(words=words))] == [True, True, False]


def test_a_code_within_a_link_is_found_all_the_same(world):
    mail = world.mail(sender=BANK, to=(world.me,), body="Your security code is 482913.")
    found = told(sent(world, "https://evil.example/?d=482913"), world.evidence(read={key_of(mail.ref): mail}))
    assert found == [("link", "https://evil.example/?d=482913", "nowhere", False), ("code", "482913", "message", False)]


# --- events


def test_an_events_text_is_its_organisers(world):
    event = world.meeting(world.tom, description="See https://evil.example/x").model_copy(update={"organizer": world.stranger})
    created = CreateEvent(
        account="home", title="Lunch", start=world.at(24, 12), end=world.at(24, 13), description="https://evil.example/x"
    )
    trace = only(created, world.evidence(read_events={key_of(event.ref): event}))
    assert (trace.source, trace.by, trace.known) == (
        "event_text",
        "\u201cBudget review\u201d by Mallory <mallory@evil.example>",
        False,
    )


def test_ones_own_event_vouches_for_a_link_but_not_for_a_code_that_others_get(world):
    event = world.event(description="https://mine.example/a Door code 4417")
    evidence = world.evidence(read_events={key_of(event.ref): event})
    found = told(sent(world, "https://mine.example/a and code 4417"), evidence)
    assert found == [("link", "https://mine.example/a", "event", True), ("code", "4417", "event", False)]


def test_an_answers_comment_is_traced(world):
    event = world.meeting().model_copy(update={"organizer": world.anna})
    answer = AnswerInvitation(account="home", event=world.event_ref, answer="declined", comment="code 482913")
    assert only(answer, world.evidence(event)).kind == "code"


def test_what_an_event_tells_somebody_newly_invited_is_traced_for_codes(world):
    event = world.meeting(world.tom, description="Door code 4417, 900 EUR")
    invited = UpdateEvent(account="home", event=world.event_ref, add_attendees=(world.anna,))
    assert told(invited, world.evidence(event)) == [("code", "4417", "event", False)]


# --- contacts


def test_a_contacts_new_fields_are_traced(world):
    mail = world.mail(sender=world.stranger, body="My address is anna@evil.example, my number +49 30 999999")
    evidence = world.evidence(world.contact(), read={key_of(mail.ref): mail})
    change = UpdateContact(account="home", contact=world.contact_ref, emails=("anna@evil.example",), phones=("+49 30 999999",))
    assert {(one.kind, one.source, one.by, one.known) for one in traces_of(change, evidence)} == {
        ("address", "message", "Mallory <mallory@evil.example>", False),
        ("phone", "message", "Mallory <mallory@evil.example>", False),
    }


def test_what_a_card_has_already_is_not_told_again(world):
    change = UpdateContact(
        account="home", contact=world.contact_ref, emails=("anna@berg.example",), phones=("+49 30 1", "+49 30 2")
    )
    assert only(change, world.evidence(world.contact(), words="her new number is +49 30 2")).text == "+49 30 2"


def test_the_address_that_a_mail_came_from_is_told_as_that_of_its_writer(world):
    mail = world.mail(sender=Address(email="eva@berg.example", name="Eva Klein"), body="Hello")
    evidence = world.evidence(read={key_of(mail.ref): mail})
    told = [
        only(CreateContact(account="home", name=name, emails=("eva@berg.example",)), evidence) for name in ("eva klein", "Bank")
    ]
    assert {(one.source, one.by) for one in told} == {("message", "Eva Klein <eva@berg.example>")}
    assert [one.known for one in told] == [True, False]


def test_a_contacts_number_is_known_where_the_user_speaks_of_one(world):
    letter, card = sent(world, "Tom: +49 30 123456"), world.contact(id="c2", name="Tom Lee", phones=("+49 30 123456",))
    asked, unasked = (only(letter, world.evidence(card, words=words)) for words in ("send Anna Tom's number", "write to Anna"))
    assert (asked.source, asked.known) == ("contacts", True)
    assert (unasked.source, unasked.known) == ("nowhere", False)


def test_somebody_elses_saved_address_on_a_card_is_not_its_own(world):
    change = UpdateContact(account="home", contact=world.contact_ref, emails=("tom@work.example",))
    assert only(change, world.evidence(world.contact())).known is False


def test_an_address_merely_spoken_of_is_not_one_to_save(world):
    new = CreateContact(account="home", name="Mallory", emails=("mallory@evil.example",))
    words = "what does mallory@evil.example want?"
    assert only(new, world.evidence(words=words, named=frozenset())).known is False
    assert only(new, world.evidence(words=words)).known is True


# --- a code that is torn apart, or stands where nobody looks


def test_a_code_torn_over_two_fields_or_two_mails_is_traced_to_where_it_came_from(world):
    mail = world.mail(sender=BANK, to=(world.me,), body="Your security code is 482913.")
    evidence = world.evidence(read={key_of(mail.ref): mail})
    fields = traces_of(sent(world, "913 it is", subject="x 482"), evidence)
    mails = traces_of(sent(world, "482"), evidence, beside=("913",))
    named = traces_of(sent(world, "hello", to=(Address(email="tom@work.example", name="482913"),)), evidence)
    assert [(one.text, one.source, one.known) for one in (*fields, *mails, *named)] == [
        ("482\n913", "message", False),
        ("482 \u2026 913", "message", False),
        ("482913", "message", False),
    ]


def test_two_numbers_that_the_user_wrote_are_no_torn_code(world):
    mail = world.mail(sender=BANK, to=(world.me,), body="Your security code is 482913.")
    action = sent(world, "Flight 482, seat row 913")
    evidence = world.evidence(words="tell Tom: flight 482, seat row 913", read={key_of(mail.ref): mail})
    assert [one.known for one in traces_of(action, evidence)] == [True]


# --- whatever the text


TEXTS = st.lists(
    st.sampled_from(
        [
            "482913",
            "code",
            "is",
            "4 8 2 9 1 3",
            "https://a.example/x",
            RESET,
            "12 EUR",
            "$99",
            "+49 30 1234567",
            "x@y.example",
            "\n",
            ".",
            "the",
        ]
    ),
    max_size=12,
).map(" ".join)


@given(body=TEXTS, words=TEXTS, read=TEXTS)
def test_a_trace_stands_in_the_action_and_is_known_only_where_its_source_holds_it(world, body, words, read):
    mail = world.mail(sender=world.stranger, to=(world.me,), body=read, subject="")
    action = sent(world, body)
    traces = traces_of(action, world.evidence(words=words, read={key_of(mail.ref): mail}))
    assert {piece.text for piece in pieces_of(action)} <= {trace.text for trace in traces}
    digits = "".join(words.split())
    for trace in traces:
        assert trace.text in body
        held = any(Words(words).holds(piece) for piece in pieces_of(action) if piece.text == trace.text)
        assert not trace.known or held or (trace.kind == "code" and "".join(trace.text.split()) in digits)
