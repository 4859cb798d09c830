from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.attention import suspicious
from integrations.types import Address, Mail, Oddity

KNOWN = frozenset({"sofia@meyer-roofs.example", "ben@harbour.example", "tom@gmail.com", "kim@team.northwind.co.uk"})


def mail(sender: str, name: str = "", body: str = "Hello", **given: Any) -> Mail:
    values = {"account": "work", "id": "1", "etag": "", "folder": "INBOX", "date": datetime(2026, 11, 18, tzinfo=UTC), "body": body}
    return Mail(**(values | {"sender": Address(email=sender, name=name)} | given))


@pytest.mark.parametrize(
    ("sender", "imitated"),
    [
        ("ben@harb0ur.example", "harbour.example"),
        ("ben@harbor.example", "harbour.example"),
        ("ben@harobur.example", "harbour.example"),
        ("ben@mail.harbuor.example", "harbour.example"),
        ("sofia@rneyer-roofs.example", "meyer-roofs.example"),
        ("sofia@meyerroofs.example", "meyer-roofs.example"),
        ("kim@northvvind.co.uk", "northwind.co.uk"),
        ("x@harbour-login.example", "harbour.example"),
        ("x@harbour.example.evil.example", "harbour.example"),
        ("x@micros0ft.com", "microsoft.com"),
        ("x@arnazon.com", "amazon"),
    ],
)
def test_a_domain_that_resembles_a_known_one_is_named(sender: str, imitated: str) -> None:
    (mark,) = suspicious(mail(sender), KNOWN)
    assert f"looks like {imitated}" in mark


@pytest.mark.parametrize(
    "sender",
    [
        "ben@harbour.example",
        "somebody.else@harbour.example",
        "news@mail.harbour.example",
        "new@northwind.co.uk",
        "new@westwind.co.uk",
        "somebody@gmail.com",
        "somebody@gmx.com",
        "hello@bakery.example",
        "info@apple-orchard.example",
    ],
)
def test_an_honest_address_has_no_mark(sender: str) -> None:
    assert suspicious(mail(sender), KNOWN) == ()


def test_a_borrowed_name_is_named() -> None:
    assert suspicious(mail("x@bakery.example", "PayPal Service"), KNOWN) == ("calls itself PayPal, but writes from bakery.example",)
    assert suspicious(mail("service@paypal.com", "PayPal Service"), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", "Start Ups"), KNOWN) == ()


def test_a_shown_address_that_is_not_the_senders_is_named() -> None:
    assert suspicious(mail("x@bakery.example", "ben@harbour.example"), KNOWN) == (
        "shows the address ben@harbour.example, but writes from x@bakery.example",
    )
    assert suspicious(mail("x@bakery.example", "x@bakery.example"), KNOWN) == ()


def test_a_sender_line_that_names_several_is_named() -> None:
    without = mail("a@x.example").model_copy(update={"sender": None})
    unclear = without.model_copy(update={"oddities": (Oddity(kind="unclear", where="sender"),)})
    assert suspicious(unclear, KNOWN) == ("its sender line names nobody, or several at once",)
    assert suspicious(without, KNOWN) == ()


def test_answers_that_would_go_elsewhere_are_named() -> None:
    elsewhere = (Address(email="x@evil.example"),)
    assert suspicious(mail("x@bakery.example", reply_to=elsewhere), KNOWN) == (
        "answers would go to x@evil.example, not to x@bakery.example",
    )
    assert suspicious(mail("ben@harbour.example", reply_to=elsewhere), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", reply_to=elsewhere, bulk=True), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", reply_to=(Address(email="y@shop.bakery.example"),)), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", reply_to=(Address(email="ben@harbour.example"),)), KNOWN) == ()


URGENT = "Your account has been suspended. Go to https://bakery.example/x"


def test_a_stranger_who_presses_for_a_click_is_named() -> None:
    reason = ("an unknown sender who urges you to follow a link",)
    assert suspicious(mail("x@bakery.example", body=URGENT), KNOWN) == reason
    assert suspicious(mail("stranger@gmail.com", body=URGENT), KNOWN) == reason
    assert suspicious(mail("x@bakery.example", body="", snippet=URGENT), KNOWN) == reason
    assert suspicious(mail("tom@gmail.com", body=URGENT), KNOWN) == ()
    assert suspicious(mail("office@harbour.example", body=URGENT), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", body="Your account has been suspended."), KNOWN) == ()
    assert suspicious(mail("x@bakery.example", body="See https://bakery.example/x"), KNOWN) == ()


@given(st.emails(), st.sets(st.emails(), max_size=5), st.text(max_size=30))
def test_who_is_known_has_no_mark_whatever_he_writes(sender: str, others: set[str], name: str) -> None:
    sender = sender.lower()
    assert suspicious(mail(sender, name, body=URGENT), frozenset({sender, *others})) == ()


@given(st.from_regex(r"[a-z0-9][a-z0-9.-]{0,30}@[a-z0-9.-]{1,30}", fullmatch=True), st.text(max_size=30))
def test_no_address_is_too_odd_to_be_judged(sender: str, name: str) -> None:
    assert isinstance(suspicious(mail(sender, name), KNOWN), tuple)
