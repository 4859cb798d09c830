from pathlib import Path

import pytest
import vobject

from integrations.local.importing import ImportReport, LocalFolders, import_files


def card(name: str = "Ada Long", *lines: str, uid: str = "ada") -> str:
    head = ["BEGIN:VCARD", "VERSION:3.0", f"FN:{name}", f"EMAIL:{uid}@one.example", *([f"UID:{uid}"] if uid else [])]
    return "\n".join([*head, *lines, "END:VCARD", ""])


@pytest.fixture
def contacts(tmp_path: Path) -> Path:
    return tmp_path / "contacts"


def take(contacts: Path, text: str | bytes, name: str = "all.vcf") -> ImportReport:
    source = contacts.parent / name
    source.write_bytes(text.encode() if isinstance(text, str) else text)
    return import_files([source], LocalFolders(contacts=contacts))


def test_each_card_becomes_a_file(contacts: Path) -> None:
    report = take(contacts, card() + card("Bo Short", uid="bo"))
    assert (report.contacts, report.skipped) == (2, ())
    names = {vobject.readOne(path.read_text()).fn.value for path in contacts.glob("contacts/*.vcf")}
    assert names == {"Ada Long", "Bo Short"}


def test_a_second_import_adds_nothing(contacts: Path) -> None:
    text = card() + card("Without Uid", uid="")
    take(contacts, text)
    report = take(contacts, text.replace("\n", "\r\n"), name="again.vcf")
    assert (report.contacts, report.duplicates) == (0, 2)


def test_a_contact_in_two_lists_of_an_export_is_taken_once(contacts: Path) -> None:
    assert take(contacts, card(uid="") + card(uid="")).contacts == 1


def test_a_changed_contact_is_not_overwritten(contacts: Path) -> None:
    take(contacts, card())
    report = take(contacts, card("Ada Longer"))
    assert report.contacts == 0
    assert [skipped.reason for skipped in report.skipped] == ["already there with other content"]
    assert "Ada Longer" in report.skipped[0].where
    assert "Ada Longer" not in (contacts / "contacts" / "ada.vcf").read_text()


def test_a_card_without_uid_that_was_changed_here_is_not_imported_again(contacts: Path) -> None:
    text = card(uid="")
    take(contacts, text)
    (path,) = contacts.rglob("*.vcf")
    path.write_text(path.read_text().replace("Ada Long", "Ada Married"))
    report = take(contacts, text)
    assert (report.contacts, len(report.skipped)) == (0, 1)


def test_cards_join_the_address_book_there_is(contacts: Path) -> None:
    (contacts / "friends").mkdir(parents=True)
    (contacts / "friends" / "x.vcf").write_text(card("Xi", uid="x"))
    take(contacts, card())
    assert (contacts / "friends" / "ada.vcf").exists()


def test_a_broken_card_does_not_cost_the_others(contacts: Path) -> None:
    cut_off = card("Cut Off", uid="cut").removesuffix("END:VCARD\n")
    nobody = "BEGIN:VCARD\nVERSION:3.0\nNOTE:nobody\nEND:VCARD\n"
    report = take(contacts, card() + cut_off + nobody + card("Bo", uid="bo"))
    assert report.contacts == 2
    assert {skipped.reason for skipped in report.skipped} == {
        "is cut off: its end is missing",
        "it has neither a name nor an address",
    }


def test_every_property_is_kept(contacts: Path) -> None:
    photo = "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD\n /2wBDAAEBAQEBAQEBAQEBAQ=="
    take(contacts, card("Ada Long", "X-PHONETIC:ei-da", "item1.TEL:+49 1", "item1.X-ABLabel:boat", photo))
    text = (contacts / "contacts" / "ada.vcf").read_text()
    for line in ("X-PHONETIC:ei-da", "item1.X-ABLabel:boat", *photo.split("\n")):
        assert line in text


def test_old_cards_keep_their_bytes(contacts: Path) -> None:
    raw = b"BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=ISO-8859-1:Gr\xfcn;J\xf6rg\r\nEND:VCARD\r\n"
    assert take(contacts, raw).contacts == 1
    assert next(contacts.rglob("*.vcf")).read_bytes() == raw
