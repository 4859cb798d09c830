"""Whom an address could be taken for."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.types import Address
from risk.confusables import confusables
from risk.evidence import key_of
from risk.lookalikes import Likeness, likeness

SARAH = "sarah@northwind.example"
LOOKS: dict[str, list[str]] = {}
for code, shape in confusables().items():
    LOOKS.setdefault(shape, []).append(chr(code))


def like(world: Any, email: str, name: str = "", **fields: Any) -> Likeness | None:
    """What is found where Sarah Lindqvist is saved, besides others that no test address is near to."""
    saved = {SARAH: "Sarah Lindqvist", "tom@work.example": "Tom Lee", "grandma.rose@gmail.com": "Rose Hill"}
    return likeness(Address(email=email, name=name), world.evidence(**{"contacts": saved, **fields}))


def how(found: Likeness | None) -> tuple[str, str] | None:
    return (found.how, found.like) if found else None


# --- letters that look the same


@given(st.data())
def test_any_double_of_any_letter_of_a_contacts_address_is_caught(world, data):
    at = data.draw(st.sampled_from([at for at, char in enumerate(SARAH) if char in LOOKS]))
    double = data.draw(st.sampled_from(LOOKS[SARAH[at]]))
    found = like(world, SARAH[:at] + double + SARAH[at + 1 :])
    assert found is not None
    assert found.like == SARAH
    assert found.how == "same_skeleton" or double != double.lower()  # addresses are read in small letters


@pytest.mark.parametrize(
    "email",
    [
        "s\u0430rah@northwind.example",
        "sarah@n\u043erthwind.example",
        "sarah@xn--nrthwind-nbh.example",
        "sarah@xn--nrthwind-nbh.EXAMPLE",
        "\uff53arah@northwind.example",
        "sarah@northw\u0131nd.example",
        "SARAH@N\u041eRTHWIND.EXAMPLE",
    ],
)
def test_other_alphabets_and_punycode_are_the_same_to_the_eye(world, email):
    assert how(like(world, email)) == ("same_skeleton", SARAH)


def test_a_pasted_double_stays_one_and_is_told_as_typed(world):
    email = "s\u0430rah@northwind.example"
    found = like(world, email, words=f"write to {email}", named=frozenset({email}))
    assert found is not None
    assert (found.how, found.typed) == ("same_skeleton", True)


def test_a_strangers_odd_letters_do_not_make_a_plain_address_suspect(world):
    mail = world.mail(sender=Address(email="b\u043eb@shop.example"))
    assert likeness(Address(email="bob@shop.example"), world.evidence(mail)) is None


def test_letters_beyond_ascii_are_told_where_nothing_else_is_known(world):
    assert how(like(world, "info@b\u00fccher.example")) == ("punycode", "info@xn--bcher-kva.example")


def test_a_language_of_its_own_is_nothing_odd_where_the_address_is_met(world):
    mail = world.mail(sender=Address(email="info@b\u00fccher.example"))
    assert likeness(Address(email="info@b\u00fccher.example"), world.evidence(mail)) is None


# --- near misses


@pytest.mark.parametrize(
    "email",
    [
        "sarah@n0rthwind.example",
        "sarah@northvvind.example",
        "sarah@northwlnd.example",
        "sarah@nortwhind.example",
        "sarah@northwindd.example",
        "sarah@nothwind.example",
        "sarah@northwind.com",
        "sarah@northwind.example.org",
        "sarah@northwind.example.evil.example",
        "someone@northwimd.example",
        "sarha@northwind.example",
        "sarahh@northwind.example",
        "sara@northwind.example",
        "5arah@northwind.example",
    ],
)
def test_one_edit_from_a_contact_is_a_near_miss(world, email):
    assert how(like(world, email)) == ("one_edit", SARAH)


@pytest.mark.parametrize("email", ["ana@berg.example", "annna@berg.example", "ann@berg.example"])
def test_a_letter_missing_or_doubled_is_a_near_miss_of_a_short_name_too(world, email):
    assert how(like(world, email, contacts={"anna@berg.example": "Anna Berg"})) == ("one_edit", "anna@berg.example")


def test_at_a_domain_that_imitates_the_one_of_that_name_is_meant(world):
    saved = {"alex@northwind.example": "Alex", SARAH: "Sarah Lindqvist"}
    assert how(like(world, "sarah@northwlnd.example", contacts=saved)) == ("one_edit", SARAH)


def test_a_near_miss_that_the_user_typed_is_told_as_typed(world):
    found = like(world, "sara@northwind.example", named=frozenset({"sara@northwind.example"}))
    assert found is not None
    assert found.typed


def test_a_variant_with_a_plus_is_told(world):
    assert how(like(world, "sarah+archive@northwind.example")) == ("plus", SARAH)


@pytest.mark.parametrize(
    "email",
    [
        "info@b.example",
        "jonas@northwind.example",
        "sarah@southwind.example",
        "rose.hill@gmail.com",
        "grandma.rose@gmx.de",
        "sarah@mail.northwind.example",
        "sarah@evil.example",
        "tim@work.example",
    ],
)
def test_what_merely_resembles_is_nobodys(world, email):
    assert like(world, email) is None


def test_numbered_members_of_a_family_are_no_near_misses(world):
    saved = {"anna1@gmail.com": "Anna One"}
    assert like(world, "anna2@gmail.com", contacts=saved) is None


@pytest.mark.parametrize("saved", [{SARAH: "Sarah Lindqvist", "sara@northwind.example": "Sara Berg"}])
def test_of_two_contacts_with_like_names_neither_is_suspect(world, saved):
    for email, name in saved.items():
        assert like(world, email, name, contacts=saved) is None


@pytest.mark.parametrize("email", ["sara@northwind.example", "sarah@northwind.com"])
def test_whoever_was_written_to_several_times_is_like_nobody(world, email):
    assert like(world, email, correspondents={email: 2}) is None


def test_a_colleague_with_a_like_name_who_wrote_is_nobodys_double(world):
    mail = world.mail(sender=Address(email="sara@northwind.example", name="Sara Berg"))
    evidence = world.evidence(mail, contacts={SARAH: "Sarah Lindqvist"})
    assert likeness(Address(email="sara@northwind.example", name="Sara Berg"), evidence) is None


def test_a_near_miss_of_ones_own_address_is_told(world):
    found = like(world, "max@h0me.example")
    assert found is not None
    assert (found.how, found.like, found.name) == ("one_edit", "max@home.example", "yourself")


def test_members_of_groups_and_those_written_to_are_looked_at_too(world):
    groups = {"Board": ("helena@councils.example",)}
    assert how(like(world, "helena@counclls.example", groups=groups)) == ("one_edit", "helena@councils.example")
    written = {"helena@councils.example": 1}
    assert how(like(world, "helena@counclls.example", correspondents=written)) == ("one_edit", "helena@councils.example")


# --- names


@pytest.mark.parametrize(
    "name", ["Sarah Lindqvist", "SARAH LINDQVIST", "Lindqvist, Sarah", "Sarah Lindqvist (Northwind)", "S\u0430rah Lindqvist"]
)
def test_a_contacts_name_with_another_address_is_told(world, name):
    found = like(world, "x@evil.example", name)
    assert found is not None
    assert (found.how, found.like, found.name) == ("name", SARAH, "Sarah Lindqvist")


@pytest.mark.parametrize(
    "name", ["Dr. Anna Berg", "Anna M. Berg", "Anna Berg | Berg GmbH", "Anna Berg - CEO", "Anna Berg via Docs", "BERG, Anna (CEO)"]
)
def test_a_contacts_name_with_a_title_or_an_office_is_the_same_name(world, name):
    found = like(world, "office@evil.example", name, contacts={"anna@berg.example": "Anna Berg"})
    assert how(found) == ("name", "anna@berg.example")
    assert like(world, "anna.jones@evil.example", name.replace("Berg", "Jones").replace("BERG", "Jones")) is None


def test_one_contact_under_the_name_of_another_is_told(world):
    saved = {"anna@berg.example": "Anna Berg", "tom@work.example": "Tom Lee", "office@work.example": "Office"}
    assert how(like(world, "tom@work.example", "Anna Berg", contacts=saved)) == ("name", "anna@berg.example")
    assert how(like(world, "tom@work.example", "tom@berg.example", contacts=saved)) == ("name", "tom@berg.example")
    for name in ("Tom Lee", "Lee, Tom", "Tom", "Tommy", ""):
        assert like(world, "tom@work.example", name, contacts=saved) is None
    mail = world.mail(sender=Address(email="office@work.example", name="Anna Berg"))
    assert like(world, "office@work.example", "Anna Berg", contacts=saved, mails={key_of(mail.ref): mail}) is None


def test_an_address_shown_as_a_name_must_be_the_address(world):
    assert how(like(world, "x@evil.example", SARAH)) == ("name", SARAH)
    assert like(world, "x@evil.example", "x@evil.example") is None


def test_ones_own_name_with_another_address_is_told_where_it_is_known(world):
    found = like(world, "max@evil.example", "Max Muster", contacts={"max@home.example": "Max Muster"})
    assert how(found) == ("name", "max@home.example")


def test_a_colleagues_second_address_is_honest_where_it_is_met_and_told_where_it_is_not(world):
    second = Address(email="sarah.lindqvist@northwind.example", name="Sarah Lindqvist")
    saved = {SARAH: "Sarah Lindqvist"}
    assert likeness(second, world.evidence(world.mail(sender=second), contacts=saved)) is None
    assert how(likeness(second, world.evidence(contacts=saved))) == ("name", SARAH)


def test_a_first_name_alone_is_nobodys_own_where_the_address_is_met(world):
    other = Address(email="rose@evil.example", name="Rose")
    assert likeness(other, world.evidence(world.mail(sender=other), contacts={"r@x.example": "Rose"})) is None


# --- known as they stand


def test_what_is_saved_ones_own_or_in_a_group_is_like_nobodys(world):
    groups = {"Board": ("s\u0430rah@northwind.example",)}
    assert like(world, "s\u0430rah@northwind.example", groups=groups) is None
    assert like(world, SARAH) is None
    assert like(world, "MAX@home.example") is None
