"""Look-alike addresses, answers led elsewhere, outsiders to a conversation, lists and blind copies."""

from typing import Any

import pytest

from integrations.actions import AnswerInvitation, CreateContact, CreateEvent, SaveDraft, SendMail, UpdateContact, UpdateEvent
from integrations.types import Address, Attendee
from risk.facts import facts_of

CYRILLIC = Address(email="\u0430nna@berg.example", name="Anna Berg")
OUTSIDER = Address(email="old@friend.example", name="Olaf")
SKELETON_WORDS = "looks exactly like anna@berg.example"


def send(world: Any, **fields: Any) -> SendMail:
    return SendMail(**{"account": "home", "to": (world.anna,), "subject": "Hello", "body": "See you soon", **fields})


def reply(world: Any, *more: Address, **fields: Any) -> SendMail:
    return send(world, **{"subject": "Re: Plans", "reply_to": world.mail_ref, "cc": more, **fields})


def forward(world: Any, *to: Address, **fields: Any) -> SendMail:
    return send(world, **{"subject": "Fwd: Plans", "to": to, "body": "fyi", "forward_of": world.mail_ref, **fields})


def told(fact: str, evidence: Any, action: Any) -> list[str]:
    return list(getattr(facts_of([action], evidence).each[0], fact))


# --- look-alikes


@pytest.mark.parametrize("line", ["to", "cc", "bcc"])
def test_an_address_in_other_letters_that_looks_the_same_is_refused(world, rate, line):
    rating = rate(world.evidence(), send(world, **{"to": (), line: (CYRILLIC,)}))
    assert len(rating.refused) == 1
    assert SKELETON_WORDS in rating.refused[0]
    assert rating.refused[0] in rating.warnings


def test_it_is_refused_though_the_user_typed_or_pasted_it(world, rate):
    assert rate(world.evidence(words=f"write to {CYRILLIC.email}"), send(world, to=(CYRILLIC,))).refused


def test_an_invitation_by_it_can_only_be_declined(world, rate):
    event = world.event(organizer=CYRILLIC, attendees=(Attendee(address=world.me),))
    answers = {answer: AnswerInvitation(account="home", event=event.ref, answer=answer) for answer in ("accepted", "declined")}
    assert rate(world.evidence(event), answers["accepted"]).refused
    assert not rate(world.evidence(event), answers["declined"]).refused
    known = world.event(organizer=world.anna, attendees=(Attendee(address=world.me),))
    assert rate(world.evidence(known), answers["accepted"]).warnings == ()


def test_it_is_shown_as_it_goes_out(world, rate):
    other = Address(email="anna@b\u0435rg.example")
    (reason,) = rate(world.evidence(), send(world, to=(other,))).refused
    assert "anna@xn--brg-rdd.example" in reason


@pytest.mark.parametrize("kind", ["event", "invite", "draft", "card", "new address"])
def test_it_is_refused_wherever_it_would_be_put(world, rate, kind):
    action: Any = {
        "event": CreateEvent(account="home", title="x", start=world.at(23, 9), end=world.at(23, 10), attendees=(CYRILLIC,)),
        "invite": UpdateEvent(account="home", event=world.event_ref, add_attendees=(CYRILLIC,)),
        "draft": SaveDraft(account="home", to=(CYRILLIC,)),
        "card": CreateContact(account="home", name="Anna", emails=(CYRILLIC.email,)),
        "new address": UpdateContact(account="home", contact=world.contact_ref, emails=(CYRILLIC.email,)),
    }[kind]
    assert rate(world.evidence(world.event(), world.contact()), action).refused


@pytest.mark.parametrize(
    "near",
    [
        Address(email="anna@berg.exampl"),
        Address(email="anna@beerg.example"),
        Address(email="anna+home@berg.example"),
        Address(email="sales@shop.example", name="Anna Berg"),
        Address(email="info@b\u00fccher.example"),
    ],
    ids=str,
)
def test_a_near_miss_is_high_and_says_so_though_the_user_typed_it(world, rate, near):
    planned = rate(world.evidence(), send(world, to=(near,)))
    typed = rate(world.evidence(words=f"write to {near.email}"), send(world, to=(near,)))
    assert (planned.level, typed.level) == ("high", "high")
    assert len(typed.warnings) == 1
    assert list(typed.warnings) == told("lookalike", world.evidence(), send(world, to=(near,)))


@pytest.mark.parametrize(
    ("email", "said"),
    [
        (
            "tom.becker@northwlnd.example",
            "the domain of tom.becker@northwlnd.example is nearly northwind.example, your own, but another",
        ),
        (
            "eva@alpineevent.example",
            "the domain of eva@alpineevent.example is nearly alpineevents.example, that of Sofia Rossi, but another",
        ),
        ("anna@bergg.example", "anna@bergg.example is nearly anna@berg.example of Anna Berg, but another address"),
    ],
)
def test_a_domain_that_imitates_another_is_told_as_that(world, email, said):
    saved = {"anna@berg.example": "Anna Berg", "sofia@alpineevents.example": "Sofia Rossi"}
    evidence = world.evidence(own=frozenset({"max@northwind.example"}), contacts=saved)
    assert told("lookalike", evidence, send(world, to=(Address(email=email),))) == [said]


@pytest.mark.parametrize(("name", "level"), [("Anna Berg", "high"), ("Anna", "medium"), ("Tom", "medium")])
def test_a_contact_that_the_proposal_calls_otherwise_is_told_by_the_saved_name(world, rate, name, level):
    rating = rate(world.evidence(), send(world, to=(Address(email="tom@work.example", name=name),)))
    assert rating.level == level
    assert ("it sends a mail to Tom Lee" in rating.reasons) == (level == "medium")


def test_a_known_address_is_like_nobodys(world, rate):
    assert rate(world.evidence(), send(world, to=(world.anna, world.tom))).warnings == ()


def test_a_card_may_be_corrected_by_a_letter(world, rate):
    card = world.contact(name="Annika Bergmann", emails=("annika@bergman.example",))
    mend = UpdateContact(account="home", contact=world.contact_ref, emails=("annika@bergmann.example",))
    contacts = {"annika@bergman.example": "Annika Bergmann"}
    assert told("lookalike_named", world.evidence(card, contacts=contacts, words="it is annika@bergmann.example"), mend) == []


# --- answers led elsewhere


def test_a_reply_to_at_another_domain_is_told(world, rate):
    mail = world.mail(reply_to=(world.stranger,))
    rating = rate(world.evidence(mail), reply(world, to=(world.stranger,)))
    assert rating.level == "high"
    assert (
        "answers to this mail by Anna Berg <anna@berg.example> are led to another domain: mallory@evil.example" in rating.warnings
    )


def test_it_is_told_though_the_user_once_wrote_there(world, rate):
    mail = world.mail(reply_to=(OUTSIDER,))
    assert rate(world.evidence(mail), reply(world, to=(OUTSIDER,))).level == "high"


@pytest.mark.parametrize("email", ["team@berg.example", "anna@post.berg.example"])
def test_a_reply_to_at_home_is_nothing_to_tell(world, rate, email):
    there = Address(email=email)
    assert rate(world.evidence(world.mail(reply_to=(there,))), reply(world, to=(there,))).warnings == ()


def test_somebodys_other_saved_address_is_nothing_to_tell(world):
    contacts = {world.anna.email: "Anna Berg", "anna@private.example": "Anna Berg"}
    there = Address(email="anna@private.example")
    evidence = world.evidence(world.mail(reply_to=(there,)), contacts=contacts)
    assert told("reply_elsewhere", evidence, reply(world, to=(there,))) == []


def test_who_answers_the_sender_is_led_nowhere(world, rate):
    assert rate(world.evidence(world.mail(reply_to=(world.stranger,))), reply(world)).warnings == ()


# --- outsiders


def test_a_thread_answered_to_somebody_new_is_high(world, rate):
    rating = rate(world.evidence(world.mail()), reply(world, OUTSIDER))
    assert rating.level == "high"
    assert rating.warnings == (
        "an answer to the mail from Anna Berg <anna@berg.example> would go to Olaf <old@friend.example>, "
        "who took no part in it and whom you did not name",
    )


def test_a_forward_to_somebody_the_user_did_not_name_is_high_even_to_a_contact(world, rate):
    rating = rate(world.evidence(world.mail(to=(world.me,)), words="what does Anna write?"), forward(world, world.tom))
    assert rating.level == "high"
    assert "the mail from Anna Berg <anna@berg.example> would go to Tom Lee <tom@work.example>" in rating.warnings[0]


@pytest.mark.parametrize(
    "words", ["forward it to Tom", "send Anna's mail to Tom Lee", "forward it to tom@work.example", "pass it on to the Movers"]
)
def test_a_forward_to_somebody_named_is_light(world, rate, words):
    evidence = world.evidence(world.mail(to=(world.me,)), words=words, groups={"Movers": (world.tom.email,)})
    rating = rate(evidence, forward(world, world.tom))
    assert (rating.level, rating.warnings) == ("medium", ())


def test_who_was_named_before_is_named_while_the_mail_is_worked_on(world, rate):
    there = world.mail(to=(world.me,))
    for before, level in (("forward it to Tom", "medium"), ("when do I meet Tom?", "high")):
        evidence = world.evidence(there, words="add the text “Here it is”", said=(before,))
        assert rate(evidence, forward(world, world.tom)).level == level


def test_a_name_that_the_proposal_gives_names_nobody(world, rate):
    sly = Address(email="old@friend.example", name="Tom")
    assert rate(world.evidence(world.mail(to=(world.me,)), words="forward it to Tom"), forward(world, sly)).level == "high"


def test_history_that_goes_to_somebody_named_is_a_warning(world, rate):
    mail = world.mail(to=(world.me,), body="Yes.\n\n> Shall we ask Eva about the house?")
    rating = rate(world.evidence(mail, words="forward it to Tom"), forward(world, world.tom))
    assert rating.level == "medium"
    assert rating.warnings == ("Tom Lee <tom@work.example> would get what others wrote earlier in the conversation “Plans” too",)


def test_somebody_of_the_thread_or_of_its_domains_is_no_outsider(world, rate):
    there = world.mail(id="m0", sender=OUTSIDER, to=(world.me, world.anna))
    thread = {"t1": (there, world.mail())}
    colleague = Address(email="eva@berg.example", name="Eva")
    evidence = world.evidence(
        world.mail(), threads=thread, words="", contacts={colleague.email: "Eva", world.anna.email: "Anna Berg"}
    )
    assert told("outsider", evidence, reply(world, OUTSIDER)) == []
    assert told("outsider", evidence, reply(world, colleague)) == []


def test_a_domain_where_anybody_has_an_address_is_no_common_home(world):
    one, other = Address(email="anna@gmail.com"), Address(email="mallory@gmail.com")
    evidence = world.evidence(world.mail(sender=one, to=(world.me,)))
    assert told("outsider", evidence, reply(world, other, to=(one,))) != []


def test_a_forward_to_a_contact_that_the_user_calls_by_a_nickname_is_no_outsiders(world, rate):
    lone = world.mail(to=(world.me,))
    evidence = world.evidence(lone, called={"Tom@work.example": "Bear"}, words="forward it to Bear")
    assert rate(evidence, forward(world, world.tom)).warnings == ()
    assert told("outsider", evidence.model_copy(update={"words": "forward it"}), forward(world, world.tom)) != []


# --- lists and blind copies


def test_an_answer_to_a_list_is_high_unless_the_user_speaks_of_it(world, rate):
    there = Address(email="walkers@lists.example")
    evidence = {"contacts": {there.email: "Walkers"}}
    mail = world.mail(to=(there,), bulk=True)
    silent = rate(world.evidence(mail, words="answer Anna", **evidence), reply(world, to=(there,)))
    asked = rate(world.evidence(mail, words="answer the list", **evidence), reply(world, to=(there,)))
    assert silent.level == "high"
    assert silent.warnings == (
        "the mail came over a mailing list, so everybody on it may read what is written to walkers@lists.example",
    )
    assert (asked.level, asked.warnings) == ("medium", ())


def test_an_answer_to_the_sender_of_a_newsletter_is_light(world, rate):
    assert rate(world.evidence(world.mail(to=(world.me,), bulk=True)), reply(world)).warnings == ()


def test_who_had_a_blind_copy_and_answers_all_is_told(world, rate):
    mail = world.mail(to=(world.tom,), bcc=(world.me,))
    rating = rate(world.evidence(mail), reply(world, world.tom))
    assert rating.level == "high"
    assert (
        "you had a blind copy of this mail from Anna Berg <anna@berg.example> without the others being told" in rating.warnings[0]
    )
    assert rate(world.evidence(mail), reply(world)).warnings == ()
