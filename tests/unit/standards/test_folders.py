import pytest
from hypothesis import given
from hypothesis import strategies as st
from imap_tools.imap_utf7 import utf7_encode

from integrations.standards.imap.folders import ASIDE, JUNK, SPECIAL, Folders, decoded
from integrations.standards.imap.responses import Listed
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH


def listed(*paths: str, delimiter: str = "/") -> list[Listed]:
    """A path may carry attributes: "Gesendet \\sent"."""
    found = []
    for one in paths:
        path, *attributes = one.split(" \\")
        found.append(Listed(path, delimiter, frozenset("\\" + name for name in attributes)))
    return found


def names(folders: Folders) -> dict[str, str]:
    return {folder.path: folder.name for folder in folders}


def wire(name: str) -> str:
    return utf7_encode(name).decode()


def test_what_the_server_says_of_a_folder_counts_more_than_its_name() -> None:
    folders = Folders(listed("INBOX", "Sent", "Versendet \\sent"))
    assert folders.special(SENT).path == "Versendet"
    assert names(folders) == {"INBOX": INBOX, "Versendet": SENT, "Sent": "Sent (2)"}


@pytest.mark.parametrize(
    ("name", "special"),
    [
        ("Gesendet", SENT), ("Éléments envoyés", SENT), ("Sent Items", SENT), ("Отправленные", SENT), ("送信済み", SENT),
        ("Entwürfe", DRAFTS), ("Papierkorb", TRASH), ("Deleted Items", TRASH), ("Archiv", ARCHIVE), ("Junk", JUNK),
        ("outbox", OUTBOX),
    ],
)  # fmt: skip
def test_where_the_server_says_nothing_special_folders_are_known_by_their_names(name: str, special: str) -> None:
    assert Folders(listed("INBOX", wire(name), "Lists")).special(special).path == wire(name)


def test_a_folder_below_another_is_not_taken_at_its_name() -> None:
    folders = Folders(listed("INBOX", "Projects", "Projects/Trash"))
    assert names(folders)["Projects/Trash"] == "Projects/Trash"
    assert folders.special(TRASH).path == "Trash"


def test_of_two_that_would_do_our_own_name_is_taken() -> None:
    folders = Folders(listed("INBOX", "Sent Items", "Sent"))
    assert names(folders) == {"INBOX": INBOX, "Sent": SENT, "Sent Items": "Sent Items"}


def test_the_prefix_of_a_namespace_is_left_out_of_names_and_put_before_what_is_made() -> None:
    folders = Folders(listed("INBOX", "INBOX.Lists.python", "INBOX.Gesendet", delimiter="."), prefix="INBOX.", delimiter=".")
    assert names(folders) == {"INBOX": INBOX, "INBOX.Gesendet": SENT, "INBOX.Lists.python": "Lists/python"}
    assert folders.special(DRAFTS).path == "INBOX.Drafts"


def test_folders_of_others_and_those_that_cannot_be_opened_are_left_out() -> None:
    paths = listed("INBOX", "user.tom", "user.tom.Secret", "Parent \\noselect", "Parent.Child", "Starred \\flagged", delimiter=".")
    assert names(Folders(paths, delimiter=".", foreign=["user."])) == {"INBOX": INBOX, "Parent.Child": "Parent/Child"}


def test_a_folder_of_all_mails_is_the_archive_where_there_is_no_other() -> None:
    paths = ("INBOX", "[Gmail]/All Mail \\all")
    assert Folders(listed(*paths)).special(ARCHIVE).path == "[Gmail]/All Mail"
    assert names(Folders(listed(*paths, "Archive"))) == {"INBOX": INBOX, "[Gmail]/All Mail": ARCHIVE, "Archive": "Archive (2)"}
    assert names(Folders(listed(*paths, "Old \\archive"))) == {"INBOX": INBOX, "Old": ARCHIVE}


def test_what_is_put_aside_holds_all_that_lies_in_it() -> None:
    folders = Folders(listed("INBOX", "Papierkorb", "Papierkorb/2023", "Papierkorb2", "Junk", "Lists"))
    assert folders.aside == {TRASH, "Papierkorb/2023", JUNK}


def test_names_that_differ_by_case_or_by_nothing_visible_are_told_apart() -> None:
    folders = Folders(listed("INBOX", "lists", "Lists", wire("Lists\u200b")))
    assert sorted(names(folders).values()) == ["INBOX", "Lists", "Lists (2)", "lists (3)"]
    assert len({folders.named(name) for name in names(folders).values()}) == 4


def test_a_folder_is_found_without_regard_to_case() -> None:
    folders = Folders(listed("inbox", "Lists"))
    found = folders.named("LISTS")
    assert found is not None and found.path == "Lists"
    assert folders.special(INBOX).path == "inbox"


@given(st.text())
def test_a_name_is_decoded_as_it_was_encoded(name: str) -> None:
    assert decoded(utf7_encode(name.encode("utf-8", "ignore").decode()).decode()) == name.encode("utf-8", "ignore").decode()


@pytest.mark.parametrize("path", ["&", "&AAA", "&////-", "a&b", "&2D0-", "\xff\xfe"])
def test_a_name_that_is_not_encoded_properly_stays_as_it_is(path: str) -> None:
    assert decoded(path) == path


@given(st.lists(st.tuples(st.text(st.characters(max_codepoint=255), max_size=8), st.sampled_from(["/", ".", ""]))))
def test_every_folder_that_can_be_opened_has_a_name_of_its_own(given: list[tuple[str, str]]) -> None:
    paths = {path for path, _ in given if path}
    folders = Folders([Listed(path, delimiter, frozenset()) for path, delimiter in given])
    assert {folder.path for folder in folders} == paths
    assert len({folder.name.casefold() for folder in folders}) == len(paths)
    assert all(folder.name.isprintable() and folder.name for folder in folders)
    assert set(ASIDE) < set(SPECIAL)
