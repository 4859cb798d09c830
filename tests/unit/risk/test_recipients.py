"""The user's list of who may be written to: nothing newly reaches anybody else, and ending things stays possible."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    MarkMail,
    RestoreEvent,
    SaveDraft,
    SendMail,
    UpdateEvent,
)
from integrations.types import Address, Attendee
from risk.recipients import Recipients, may_reach, refusal

NAMES = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
LIST = Recipients.of(["anna@berg.example", "@northwind.example", "*.team.example", "ü@münchen.example"])


def mail(*to: Address, **more: Any) -> SendMail:
    return SendMail(account="home", to=to, subject="Plans", body="Hello", **more)


@pytest.mark.parametrize(
    "email",
    [
        "anna@berg.example",
        "ANNA@Berg.Example",
        "eve@northwind.example",
        "eve@NORTHWIND.example",
        "p1@team.example",
        "p1@a.team.example",
        "p1@a.b.team.example",
        "ü@münchen.example",
        "ü@xn--mnchen-3ya.example",
        unicodedata.normalize("NFD", "ü@münchen.example"),
    ],
)
def test_who_is_on_the_list_is_allowed_however_the_address_is_written(email: str) -> None:
    assert LIST.allow(email)


@pytest.mark.parametrize(
    "email",
    [
        "eve@northwind.example.evil.org",
        "eve@evilnorthwind.example",
        "eve@northwind.example@evil.org",
        "eve@evil.org@northwind.example",
        '"eve@evil.org"@northwind.example',
        "eve%evil.org@northwind.example",
        "evil.org!eve@northwind.example",
        "eve@evil.org,x@northwind.example",
        "eve@evil.org\nx@northwind.example",
        "eve@evil.org x@northwind.example",
        "<eve@evil.org>@northwind.example",
        "eve@northwind.example ",
        "eve@northwind.example.",
        "eve@.northwind.example",
        "eve@a.northwind.example",
        "eve@notteam.example",
        "eve@team.example.evil.org",
        "eve@xn--northwind-.example",
        "eve@xn--northwind-x.example",
        "eve@northw\u0131nd.example",
        "eve@n\u043erthwind.example",
        "eve@northwind。example",
        "eve@\uff4e\uff4frthwind.example",
        "eve@north\u200bwind.example",
        "eve@northwind\u2024example",
        "bob@berg.example",
        "@northwind.example",
        "northwind.example",
        "eve@[127.0.0.1]",
        "",
    ],
)
def test_who_only_looks_like_it_is_not(email: str) -> None:
    assert not LIST.allow(email)


@pytest.mark.parametrize(
    "entry",
    [
        "",
        " ",
        "@",
        "*.",
        "*",
        "anna",
        "@example",
        "*.example",
        "@@x.example",
        "*@x.example",
        "anna@",
        "a b@x.example",
        "@*.x.example",
        None,
        3,
    ],
)
def test_what_is_neither_an_address_nor_a_domain_is_no_entry(entry: Any) -> None:
    with pytest.raises(ValueError, match="is neither an address"):
        Recipients.of([entry])


@given(NAMES, NAMES, NAMES)
def test_a_domain_alone_lets_nobody_in_beneath_or_above_it(local: str, sub: str, name: str) -> None:
    listed = Recipients.of([f"@{name}.example"])
    assert listed.allow(f"{local}@{name}.example")
    assert not listed.allow(f"{local}@{sub}.{name}.example")
    assert not listed.allow(f"{local}@{sub}{name}.example")
    assert not listed.allow(f"{local}@{name}.example.{sub}.org")


@given(NAMES, NAMES, NAMES)
def test_a_starred_domain_lets_in_itself_and_what_is_beneath_it_only(local: str, sub: str, name: str) -> None:
    listed = Recipients.of([f"*.{name}.example"])
    assert listed.allow(f"{local}@{name}.example")
    assert listed.allow(f"{local}@{sub}.{name}.example")
    assert not listed.allow(f"{local}@{sub}{name}.example")
    assert not listed.allow(f"{local}@{name}.example.{sub}.org")


@given(st.text(max_size=40), st.sampled_from(["@", "@northwind.example", "@northwind.example.evil.org", ""]))
def test_no_text_around_a_domain_reaches_any_other(text: str, end: str) -> None:
    email = text + end
    if LIST.allow(email):
        domain = unicodedata.normalize("NFC", email).lower().rpartition("@")[2]
        assert email.count("@") == 1
        assert not domain.endswith("evil.org")


@given(
    st.lists(st.sampled_from(["anna@berg.example", "eve@evil.org", "max@home.example"]), max_size=6),
    st.sampled_from(["to", "cc", "bcc"]),
)
def test_a_mail_is_refused_just_when_somebody_outside_is_on_any_of_its_lines(world: Any, emails: list[str], line: str) -> None:
    action = SendMail(account="home", **{line: tuple(Address(email=email) for email in emails)})
    assert bool(refusal([action], LIST, world.evidence())) == ("eve@evil.org" in emails)


def test_the_sentence_names_the_address_and_the_setting(world: Any) -> None:
    assert refusal([mail(world.anna), mail(world.stranger)], LIST, world.evidence()) == (
        "mallory@evil.example is not on your list of recipients (setting recipients), so nothing was done."
    )


def test_an_address_that_would_garble_the_sentence_is_shown_on_one_line(world: Any) -> None:
    assert "\n" not in refusal([mail(Address(email="eve@evil.org\n\u202eall is well"))], LIST, world.evidence())


def test_the_users_own_address_needs_no_entry(world: Any) -> None:
    assert not refusal([mail(world.me)], Recipients(), world.evidence())
    assert refusal([mail(world.anna)], Recipients(), world.evidence())


def test_an_empty_list_allows_nobody_else() -> None:
    assert not Recipients.of([]).allow("anna@berg.example")


def test_a_draft_tells_nobody_anything(world: Any) -> None:
    assert not refusal([SaveDraft(account="home", to=(world.stranger,), body="Hello")], LIST, world.evidence())


@pytest.mark.parametrize("kind", [MarkMail, CreateContact])
def test_the_list_says_nothing_of_what_reaches_nobody(world: Any, kind: type) -> None:
    action = {
        MarkMail: lambda: MarkMail(account="home", mail=world.mail_ref, seen=True),
        CreateContact: lambda: CreateContact(account="home", name="Eve", emails=("eve@evil.org",)),
    }[kind]()
    assert not may_reach(action)
    assert not refusal([action], Recipients(), world.evidence())


def test_nobody_outside_is_invited(world: Any) -> None:
    new = CreateEvent(account="home", title="Talk", start=world.at(24, 9), end=world.at(24, 10), attendees=(world.stranger,))
    assert "mallory@evil.example" in refusal([new], LIST, world.evidence())
    added = UpdateEvent(account="home", event=world.event_ref, add_attendees=(world.stranger,))
    assert "mallory@evil.example" in refusal([added], LIST, world.evidence(world.event()))


@pytest.mark.parametrize(
    "change",
    [
        {"title": "New"},
        {"title": ""},
        {"location": "Room 2"},
        {"description": "secret"},
        {"add_attendees": (Address(email="anna@berg.example"),)},
    ],
)
def test_a_change_is_not_told_to_somebody_outside_who_is_in_the_event(world: Any, change: dict[str, Any]) -> None:
    action = UpdateEvent(account="home", event=world.event_ref, **change)
    assert "mallory@evil.example" in refusal([action], LIST, world.evidence(world.meeting(world.stranger)))
    assert not refusal([action], LIST, world.evidence(world.meeting(world.anna)))


def test_somebody_outside_can_be_taken_out_but_learns_nothing_more_by_that(world: Any) -> None:
    evidence = world.evidence(world.meeting(world.stranger, world.anna))
    removal = UpdateEvent(account="home", event=world.event_ref, remove_attendees=(world.stranger.email,))
    assert not refusal([removal], LIST, evidence)
    assert refusal([removal.model_copy(update={"title": "The secret plan"})], LIST, evidence)
    assert refusal([removal.model_copy(update={"add_attendees": (world.stranger,)})], LIST, evidence)


def test_who_stays_in_an_event_does_not_hear_of_a_removal_either(world: Any) -> None:
    other = Address(email="eve@evil.example")
    removal = UpdateEvent(account="home", event=world.event_ref, remove_attendees=(world.stranger.email,))
    assert "eve@evil.example" in refusal([removal], LIST, world.evidence(world.meeting(world.stranger, other)))
    both = removal.model_copy(update={"remove_attendees": (world.stranger.email, other.email)})
    assert not refusal([both], LIST, world.evidence(world.meeting(world.stranger, other)))


def test_an_event_with_somebody_outside_can_be_cancelled(world: Any) -> None:
    assert not refusal([CancelEvent(account="home", event=world.event_ref)], LIST, world.evidence(world.meeting(world.stranger)))


@pytest.mark.parametrize(("answer", "refused"), [("declined", False), ("accepted", True), ("tentative", True)])
def test_an_invitation_by_somebody_outside_can_only_be_declined(world: Any, answer: Any, refused: bool) -> None:
    invitation = world.event(organizer=world.stranger, attendees=(Attendee(address=world.stranger), Attendee(address=world.me)))
    action = AnswerInvitation(account="home", event=world.event_ref, answer=answer)
    assert bool(refusal([action], LIST, world.evidence(invitation))) is refused


def test_an_event_is_not_put_back_for_somebody_outside(world: Any) -> None:
    ics = "BEGIN:VEVENT\r\nATTENDEE:mailto:mallory@evil.ex\r\n ample\r\nEND:VEVENT"
    action = RestoreEvent(account="home", event=world.event_ref, ics=ics)
    assert "mallory@evil.example" in refusal([action], LIST, world.evidence())
    assert not refusal([action.model_copy(update={"ics": ics.replace("mallory@evil", "anna@berg")})], LIST, world.evidence())


def test_an_event_that_cannot_be_read_is_not_changed(world: Any) -> None:
    action = UpdateEvent(account="home", event=world.event_ref, title="New")
    assert "can't be read" in refusal([action], LIST, world.evidence())
