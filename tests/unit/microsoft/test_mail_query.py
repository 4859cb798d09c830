"""Our mail queries as Graph is asked: $search in KQL, or $filter, never both."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from integrations.microsoft.folders import JUNK, ROOT, Folders
from integrations.microsoft.mail_query import Asked, Sieve, asked, known_id
from integrations.types import ARCHIVE, DRAFTS, INBOX, TRASH, MailQuery

FOLDERS = Folders(
    [
        {"id": "root", "displayName": "Top of Information Store", "parentFolderId": "root"},
        {"id": "in", "displayName": "Posteingang", "parentFolderId": "root"},
        {"id": "bin", "displayName": "Gelöschte Elemente", "parentFolderId": "root"},
        {"id": "junk", "displayName": "Junk-E-Mail", "parentFolderId": "root"},
        {"id": "kids", "displayName": "Kids", "parentFolderId": "in"},
        {"id": "old", "displayName": "Old", "parentFolderId": "bin"},
        {"id": "older", "displayName": "Older", "parentFolderId": "old"},
        {"id": "lists", "displayName": "Lists", "parentFolderId": "root"},
        {"id": "python", "displayName": "python", "parentFolderId": "lists"},
        {"id": "impostor", "displayName": "Trash", "parentFolderId": "root"},
    ],
    {INBOX: "in", TRASH: "bin", JUNK: "junk", ROOT: "root"},
)
IN = {"folders": (INBOX,)}
MONDAY = datetime(2026, 11, 16, 9, tzinfo=UTC)
ALWAYS, SINCE = "receivedDateTime ge 1900-01-01T00:00:00Z", "receivedDateTime ge 2026-11-16T09:00:00Z"
FROM = "from/emailAddress/address"
ID = "AAQkAGI2THVSAAAAAAEMAADF"


def search(**fields: Any) -> str:
    """What is searched for, without the quotes around it."""
    question = asked(MailQuery(**fields), FOLDERS)
    assert question is not None
    written: str = json.loads(str(question.query["search"]))
    return written


def filters(**fields: Any) -> dict[str, object]:
    question = asked(MailQuery(**fields), FOLDERS)
    assert question is not None
    return question.query


@pytest.mark.parametrize(
    ("fields", "kql"),
    [
        ({"words": ("2026",)}, "(2026 OR participants:2026)"),
        ({"words": ("budget",)}, "(budget OR participants:budget OR budgets OR participants:budgets)"),
        ({"words": ("yearly budget",)}, '("yearly budget" OR participants:"yearly budget")'),
        ({"subject": ("figures",)}, "(subject:figures OR subject:figure)"),
        ({"sender": ("Berg, Anna",)}, "(from:berg AND from:anna)"),
        ({"sender": ("Anna Berg", "tom")}, "((from:anna AND from:berg) OR from:tom)"),
        ({"recipient": ("jürgen",)}, 'recipients:"jürgen"'),
        ({"with_person": ("a@x.example",)}, 'participants:"a@x.example"'),
        ({"with_person": ("a@bücher.example",)}, '(participants:"a@xn--bcher-kva.example" OR participants:"a@bücher.example")'),
        ({"words": ("2026",), "sender": ("a@x.example",)}, '(2026 OR participants:2026) AND from:"a@x.example"'),
        ({"words": ("2026",), "has_attachment": True}, "(2026 OR participants:2026) AND hasAttachments:true"),
        ({"words": ("2026", "💩", "会議")}, "(2026 OR participants:2026)"),
    ],
    ids=str,
)  # fmt: skip
def test_words_and_names_are_searched_for(fields: dict[str, Any], kql: str) -> None:
    assert search(**fields) == kql


@pytest.mark.parametrize("word", ['x" OR from:"boss', "x\\", 'a"b', "x*", "from:boss", "x) OR (y", "NOT x", "AND"])
def test_no_word_says_more_than_itself(word: str) -> None:
    """It stands within one phrase, or is one small word."""
    terms = search(words=(word,)).strip("()").split(" OR participants:")
    assert all((term[0] == term[-1] == '"' and '"' not in term[1:-1]) or term.isalnum() for term in terms)
    assert not any(term.isupper() for term in terms) and "\\" not in terms[0] and "*" not in terms[0]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"orderby": ["receivedDateTime desc"]}),
        ({"oldest_first": True}, {"orderby": ["receivedDateTime asc"]}),
        ({"unread": True, "flagged": True}, f"{ALWAYS} and isRead eq false and flag/flagStatus eq 'flagged'"),
        ({"has_attachment": False}, f"{ALWAYS} and hasAttachments eq false"),
        ({"since": MONDAY, "before": MONDAY + timedelta(hours=1)}, f"{SINCE} and receivedDateTime lt 2026-11-16T10:00:01Z"),
        ({"sender": ("o'neil@x.example",)}, f"{ALWAYS} and {FROM} eq 'o''neil@x.example'"),
        ({"sender": ("a@x.example", "b@y.example")}, f"{ALWAYS} and ({FROM} eq 'a@x.example' or {FROM} eq 'b@y.example')"),
        ({"words": ("💩",)}, {"orderby": ["receivedDateTime desc"]}),
    ],
    ids=str,
)  # fmt: skip
def test_what_mails_are_ordered_by_is_filtered_by_first(fields: dict[str, Any], expected: str | dict[str, object]) -> None:
    """Or Graph calls the filter inefficient."""
    ordered = {"orderby": ["receivedDateTime desc"]}
    assert filters(**fields) == (ordered | {"filter": expected} if isinstance(expected, str) else expected)


def test_a_thread_and_a_message_id_are_asked_for_without_an_order() -> None:
    assert filters(thread=ID) == {"filter": f"conversationId eq '{ID}'"}
    assert filters(message_id="o'x@y.example") == {"filter": "internetMessageId eq '<o''x@y.example>'"}


@pytest.mark.parametrize(
    "fields", [{"words": ("2026",), "unread": True, "since": MONDAY}, {"recipient": ("tom",), "flagged": True}]
)
def test_a_search_is_combined_with_nothing(fields: dict[str, Any]) -> None:
    assert list(filters(**fields)) == ["search"]


def test_days_of_a_search_have_a_margin_for_the_zone_they_are_taken_in() -> None:
    midnight = datetime(2026, 11, 16, tzinfo=ZoneInfo("Asia/Tokyo"))
    kql = search(subject=("x1",), since=midnight, before=midnight + timedelta(days=1))
    assert kql == "subject:x1 AND received>=2026-11-14 AND received<=2026-11-17"


@pytest.mark.parametrize(
    ("fields", "kql"),
    [
        ({"words": ("budget",), "subject": ("plan 9",)}, '(budget OR budgets) AND "plan 9"'),
        ({"sender": ("Anna Berg",), "since": MONDAY}, "(anna AND berg)"),
        ({"words": ("2026",), "recipient": ("tom",), "has_attachment": True}, "2026"),
    ],
)
def test_a_personal_account_is_asked_for_words_alone(fields: dict[str, Any], kql: str) -> None:
    """A search that names a field finds nothing there."""
    question = asked(MailQuery(**fields), FOLDERS, personal=True)
    assert question is not None and json.loads(str(question.query["search"])) == kql


def test_a_personal_account_is_not_searched_for_recipients() -> None:
    question = asked(MailQuery(recipient=("tom",)), FOLDERS, personal=True)
    assert question == Asked()


@pytest.mark.parametrize(
    ("folders", "expected"),
    [
        ((), Asked()),
        (("inbox",), Asked("in")),
        (("lists/Python",), Asked("python")),
        (("INBOX", "Lists/python", "nowhere"), Asked()),
        (("nowhere",), None),
        ((DRAFTS,), None),
    ],
)
def test_one_folder_is_asked_by_itself(folders: tuple[str, ...], expected: Asked | None) -> None:
    assert asked(MailQuery(folders=folders), FOLDERS) == expected


@pytest.mark.parametrize("thread", ["<a@x.example>", "../me", "x' or 1 eq 1", ""])
def test_what_can_be_no_id_is_not_asked_for(thread: str) -> None:
    assert not known_id(thread)
    assert thread == "" or asked(MailQuery(thread=thread), FOLDERS) is None


@pytest.mark.parametrize(
    ("fields", "loose", "scanned"),
    [
        ({"words": ("budget",), "unread": True, **IN}, False, ()),
        ({"words": ("C++", "会議", "a:b")}, True, ("c++", "会議")),
        ({"sender": ("anna",)}, True, ()),
        ({"bulk": False}, True, ()),
    ],
)
def test_what_graph_can_not_tell_is_looked_at_afterwards(fields: dict[str, Any], loose: bool, scanned: tuple[str, ...]) -> None:
    sieve = Sieve(MailQuery(**fields), FOLDERS)
    assert (sieve.loose, sieve.scanned) == (loose, scanned)


# Folders


def test_special_folders_have_our_names_whatever_language_the_mailbox_is_in() -> None:
    assert FOLDERS.folders == (
        INBOX,
        TRASH,
        JUNK,
        f"{INBOX}/Kids",
        "Lists",
        "Lists/python",
        "Trash (2)",
        "Trash/Old",
        "Trash/Old/Older",
    )
    assert (FOLDERS.id("trash"), FOLDERS.id("trash (2)"), FOLDERS.folder("kids")) == ("bin", "impostor", f"{INBOX}/Kids")


def test_what_lies_in_trash_or_junk_is_aside() -> None:
    assert FOLDERS.aside == {"bin", "old", "older", "junk"}


def test_a_folder_that_can_not_be_seen_counts_as_archived() -> None:
    assert FOLDERS.folder("unknown") == ARCHIVE and not FOLDERS.knows(["in", "unknown"])


def test_folders_that_lie_in_each_other_end_nothing() -> None:
    folders = Folders(
        [{"id": "a", "displayName": "A", "parentFolderId": "b"}, {"id": "b", "displayName": "B", "parentFolderId": "a"}]
    )
    assert sorted(folders.folders) == ["A/B", "B/A"]
