"""What a message would put into the address book."""

from typing import Any

import pytest

from integrations.actions import CreateContact, UpdateContact
from integrations.types import Address, Mail
from risk import cards
from risk.changes import changes_of
from risk.evidence import key_of
from risk.tracing import Trace

PHONE = Trace(kind="phone", text="+49 30 99", source="message", by="Mallory <mallory@evil.example>", known=False)


def card(**fields: Any) -> CreateContact:
    return CreateContact(**{"account": "home", "name": "Eva Klein", **fields})


def change(world: Any, **fields: Any) -> UpdateContact:
    return UpdateContact(account="home", contact=world.contact_ref, **fields)


def given(monkeypatch: pytest.MonkeyPatch, *traces: Trace) -> None:
    monkeypatch.setattr(cards, "traces_of", lambda action, evidence: traces)


def test_a_number_out_of_a_message_is_told_with_whose_it_is(world, rate, monkeypatch):
    given(monkeypatch, PHONE)
    rating = rate(world.evidence(world.contact()), change(world, phones=("+49 30 99",)))
    assert rating.level == "medium"
    assert rating.warnings == ("the phone number +49 30 99 comes from a mail by Mallory <mallory@evil.example>",)


def test_an_address_out_of_a_message_is_high_and_told_with_whose_it_is(world, rate, monkeypatch):
    given(monkeypatch, PHONE.model_copy(update={"kind": "address", "text": "anna@new.example"}))
    rating = rate(world.evidence(world.contact()), change(world, emails=("anna@new.example",)))
    assert rating.level == "high"
    assert "the address anna@new.example comes from a mail by Mallory <mallory@evil.example>" in rating.warnings


def test_old_and_new_are_shown(world):
    changes = changes_of(change(world, phones=("+49 30 99",)), world.evidence(world.contact()))
    assert [(one.field, one.before, one.after) for one in changes] == [("Phone", "+49 30 1", "+49 30 99")]


def test_what_the_user_wrote_is_nothing_to_tell(world, rate):
    rating = rate(world.evidence(world.contact(), words="her new number is +49 30 99"), change(world, phones=("+49 30 99",)))
    assert rating.warnings == ()


def test_what_the_card_held_before_is_nothing_to_tell(world, rate, monkeypatch):
    given(monkeypatch, PHONE.model_copy(update={"text": "+49 30 1"}))
    assert rate(world.evidence(world.contact()), change(world, phones=("+49 30 1",))).warnings == ()


def read(world: Any, sender: Address) -> dict[str, Mail]:
    mail = world.mail(sender=sender)
    return {key_of(mail.ref): mail}


def test_a_sender_may_be_saved_under_their_own_name_and_address_only(world, rate, monkeypatch):
    given(monkeypatch, PHONE.model_copy(update={"kind": "address", "text": "eva@klein.example"}))
    new = card(emails=("eva@klein.example",))
    own = Address(email="eva@klein.example", name="Eva Klein")
    assert rate(world.evidence(read=read(world, own)), new).warnings == ()
    assert rate(world.evidence(read=read(world, own.model_copy(update={"name": "Bank"}))), new).warnings != ()
    assert rate(world.evidence(), new).warnings != ()


def test_a_second_card_of_a_known_name_with_another_address_is_high(world, rate):
    rating = rate(world.evidence(), card(name="anna  berg", emails=("anna@elsewhere.example",)))
    assert rating.level == "high"
    assert "Anna Berg is in your contacts already, with anna@berg.example; this card has anna@elsewhere.example" in rating.warnings


def test_the_card_that_is_there_is_shown_beside_it(world):
    (there,) = changes_of(card(name="Anna Berg", emails=("anna@elsewhere.example",)), world.evidence())
    assert (there.field, there.before) == ("Anna Berg in your contacts", "anna@berg.example")
    assert there.after == "another card, with anna@elsewhere.example"
    assert changes_of(card(emails=("eva@klein.example",)), world.evidence()) == ()


def test_the_known_address_beside_it_hides_nothing(world, rate):
    both = card(name="Anna Berg", emails=("anna@elsewhere.example", "anna@berg.example"))
    assert rate(world.evidence(), both).level == "high"


@pytest.mark.parametrize("fields", [{"name": "Tom Lee"}, {"nickname": "tom lee"}], ids=str)
def test_a_card_that_takes_anothers_name_is_high(world, rate, fields):
    rating = rate(world.evidence(world.contact()), change(world, **fields))
    assert rating.level == "high"
    assert rating.warnings == ("Tom Lee is in your contacts already, with tom@work.example; this card has anna@berg.example",)


def test_a_new_address_for_ones_own_card_clashes_with_nobody(world, rate):
    rating = rate(
        world.evidence(world.contact(), words="it is anna@elsewhere.example"), change(world, emails=("anna@elsewhere.example",))
    )
    assert "in your contacts already" not in " ".join(rating.reasons)


def test_an_address_that_the_user_has_just_told_may_be_saved_on_a_new_card_only(world, rate):
    told = "Our electrician is called Eva Klein. You can reach her at eva@klein.example. Store that for me."
    evidence = world.evidence(world.contact(), words=told, named=frozenset())
    assert rate(evidence, card(emails=("eva@klein.example",))).warnings == ()
    assert rate(evidence, change(world, emails=("eva@klein.example",))).level == "high"


def test_a_new_card_that_the_user_dictates_is_light(world, rate):
    rating = rate(world.evidence(words="add Eva Klein, eva@klein.example"), card(emails=("eva@klein.example",)))
    assert (rating.level, rating.warnings) == ("medium", ())


@pytest.mark.parametrize("name", ["Berg, Anna", "\u0410nna Berg", "Annie"])
def test_a_name_that_reads_as_a_saved_one_or_is_what_somebody_is_called_clashes(world, rate, name):
    evidence = world.evidence(called={"anna@berg.example": "Annie"}, words="add her: q@evil.example")
    assert "in your contacts already" in " ".join(rate(evidence, card(name=name, emails=("q@evil.example",))).warnings)
