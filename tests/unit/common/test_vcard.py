"""vCards: real files, any text in any version, and names."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import UpdateContact
from integrations.common.contentline import Malformed
from integrations.common.vcard import Card, CardFile, etag_of, name_parts, read_card, update_card
from integrations.types import ContactRef

REAL = Path(__file__).parents[4] / "shared" / "data" / "realmail" / "vcf"
NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
REF = ContactRef(account="acc", id="a.vcf")


def tidy(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).strip()


WORDS = st.text("abß食 ;,:\\\"'=\n", max_size=60).map(tidy)


def only(text: str) -> Card:
    (block,) = CardFile(text.encode()).cards
    return read_card(block)


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample cards are not beside this project")
def test_every_real_card_is_read_or_skipped_with_a_reason() -> None:
    names, reasons = [], []
    for path in sorted(REAL.rglob("*.vcf")):
        for block in CardFile(path.read_bytes()).cards:
            try:
                names.append(read_card(block).name)
            except Malformed as reason:
                reasons.append(str(reason))
    assert len(names) > 50
    assert all(names)
    assert 0 < len(reasons) < 10


@pytest.mark.skipif(not REAL.is_dir(), reason="the sample cards are not beside this project")
def test_changing_a_real_card_changes_only_what_was_named() -> None:
    changed = 0
    for path in sorted(REAL.rglob("*.vcf")):
        file = CardFile(path.read_bytes())
        for block in file.cards:
            if not block.value("FN") and not block.value("N"):
                continue  # called after what is about to change
            others = [etag_of(card) for card in file.cards if card is not block]
            try:
                before = read_card(block)
            except Malformed:
                continue
            update_card(block, UpdateContact(account="acc", contact=REF, nickname="Nick", emails=("new@x.example",)), now=NOW)
            after = read_card(next(card for card in CardFile(file.content).cards if etag_of(card) not in others))
            assert after == replace(before, nickname="Nick", emails=("new@x.example",))
            changed += 1
    assert changed > 40


@given(version=st.sampled_from(["2.1", "3.0", "4.0"]), name=WORDS, company=WORDS, title=WORDS)
def test_any_text_reads_back_from_a_card_of_any_version(version: str, name: str, company: str, title: str) -> None:
    if version == "2.1":  # which has no way to write a backslash that every program reads alike
        name, company, title = (text.replace("\\", "/") for text in (name, company, title))
    name = " ".join(name.replace(",", " ").split())  # "Last, First" is shown as "First Last"
    company = " ".join(company.split())
    (block,) = CardFile(f"BEGIN:VCARD\r\nVERSION:{version}\r\nFN:Old\r\nEND:VCARD\r\n".encode()).cards
    changed = UpdateContact(account="acc", contact=REF, name=f"x {name}", company=company, note=title)
    update_card(block, changed, now=NOW)
    file = CardFile(b"")
    file.put(block)
    after = only(file.content.decode())
    assert (after.name, after.company, after.note) == (f"x {name}".strip(), company, title)


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ("FN:Anna Berg\nN:Berg;Anna;;;", "Anna Berg"),
        ("N:Berg;Anna;Maria;Dr.;", "Anna Maria Berg"),
        ("FN:Berg, Anna\nN:Berg;Anna;;;", "Anna Berg"),
        ("FN:Berg\\, Anna\nN:Berg;Anna", "Anna Berg"),
        ("N:Berg;;;Frau;", "Frau Berg"),
        ("FN: \nN:;;;;\nORG:North Ltd.;Sales", "North Ltd."),
        ("EMAIL:info@x.example", "info@x.example"),
        ("NICKNAME:Joey", "Joey"),
    ],
)
def test_a_card_is_called_as_people_would_say(lines: str, name: str) -> None:
    assert only(f"BEGIN:VCARD\n{lines}\nEND:VCARD\n").name == name


@pytest.mark.parametrize(
    ("name", "family", "given_name"),
    [("Anna Berg", "Berg", "Anna"), ("Berg, Anna Maria", "Berg", "Anna Maria"), ("Madonna", "", "Madonna"), ("Acme,", "", "Acme")],
)
def test_a_name_is_split_into_family_and_given_name(name: str, family: str, given_name: str) -> None:
    assert name_parts(name)[:2] == [family, given_name]


def test_addresses_that_are_none_are_left_out_and_doubles_named_once() -> None:
    values = ("A@x.example", "mailto:a@x.example", "a at x", "a@x.example <b@y.example>")
    card = only("BEGIN:VCARD\nFN:A\n" + "".join(f"EMAIL:{value}\n" for value in values) + "END:VCARD\n")
    assert card.emails == ("a@x.example",)


@given(st.binary())
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    for block in CardFile(b"BEGIN:VCARD\nFN:x\n" + content + b"\nEND:VCARD\n").cards:
        try:
            read_card(block)
        except Malformed as reason:
            assert str(reason)
