"""Gmail's search language as the emulator reads it."""

from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Any

import pytest
from doubles.google.calls import GoogleUser
from doubles.google.gmail import Mailbox
from doubles.google.gmail.query import All, Either, Not, Term, read
from doubles.google.gmail.search import search
from doubles.google.world import World

MONDAY = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@pytest.fixture
def box() -> Mailbox:
    world = World()
    world.clock = lambda: MONDAY + timedelta(days=4)
    world.users["me@home.example"] = GoogleUser("me@home.example")
    return world.mail("me@home.example")


def letter(**given: Any) -> bytes:
    message = EmailMessage()
    for name in ("From", "To", "Cc", "Bcc", "Subject", "Message-ID", "List-Id"):
        if value := given.get(name.lower().replace("-", "_")):
            message[name] = value
    message["Date"] = format_datetime(given.get("date", MONDAY))
    message.set_content(given.get("body", "Nothing."), subtype=given.get("subtype", "plain"))
    for filename in given.get("files", ()):
        message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename=filename)
    return message.as_bytes()


def found(box: Mailbox, query: str, **params: Any) -> list[str]:
    return [message.root.header("Subject") for message in search(box, {"q": query, **params})]


@pytest.mark.parametrize(
    "query",
    [
        "budget",
        "BUDGET",
        "yearly budget",
        "budget yearly",
        '"yearly budget"',
        "from:anna",
        "from:anna.berg@acme.example",
        "from:ANNA.BERG@ACME.EXAMPLE",
        "from:acme.example",
        'from:"Anna Berg"',
        "from:(berg anna)",
        "from:{nobody anna}",
        "to:tom",
        "to:jurgen",
        "cc:jg@acme.example",
        "subject:figures",
        "subject:(the figures)",
        "subject:{nothing figures}",
        'subject:"the figures"',
        "label:inbox",
        "label:project-x/y",
        "label:Project-X-Y",
        'label:"project x/y"',
        "in:inbox",
        "in:project-x-y",
        "is:unread",
        "is:starred",
        "-is:important",
        "has:attachment",
        "has:userlabels",
        "filename:pdf",
        "filename:budget.pdf",
        "budget.pdf",
        "category:primary",
        "rfc822msgid:wanted@acme.example",
        "rfc822msgid:<wanted@acme.example>",
        "list:news.acme.example",
        "after:2026/11/16",
        "after:2026-11-15 before:2026/11/17",
        f"after:{int(MONDAY.timestamp()) - 1} before:{int(MONDAY.timestamp()) + 1}",
        "newer_than:5d older_than:3d",
        "larger:100 smaller:1M",
        "lunch OR budget",
        "{lunch budget}",
        "(lunch OR budget) anna",
        "budget -lunch",
        "-{lunch dinner} budget",
        "budget AND yearly",
        "+budget",
        "cafe",
        "会議",
        '"会議"',
        "snake_case",
        "c++",
        "a:b",
        '"',
        "- ^ *",
        "budget )",
        "budget {}",
        "from:() budget",
        "(budget",
        '"yearly budget',
        "from: budget",
    ],
)
def test_a_query_finds_what_it_describes(box: Mailbox, query: str) -> None:
    raw = letter(
        **{
            "from": "Anna Berg <anna.berg@acme.example>",
            "to": "Tom Novak <tom@acme.example>",
            "cc": "Jürgen Groß <jg@acme.example>",
            "subject": "The figures",
            "message_id": "<wanted@acme.example>",
            "list_id": "News <news.acme.example>",
            "body": "Here is the yearly budget, C or a b, in snake_case at the Café, 明日の会議です.",
            "files": ["budget.pdf"],
        }
    )
    box.deliver(raw, labels=("INBOX", "UNREAD", "STARRED", "CATEGORY_PERSONAL", "Project X/Y"))
    assert found(box, query) == ["The figures"]


@pytest.mark.parametrize(
    "query",
    [
        "budge",
        "idget",
        "annab",
        '"budget yearly"',
        "budgets",
        "from:tom",
        "from:ann",
        "from:berg@acme.example",
        "cc:anna",
        "bcc:tom",
        "subject:budget",
        "subject:(figures budget)",
        "label:nothing",
        "label:projects",
        "in:sent",
        "in:trash",
        "in:archive",
        "is:read",
        "is:important",
        "has:drive",
        "has:attachment",
        "filename:xlsx",
        "filename:budge",
        "rfc822msgid:anted@acme.example",
        "after:2026/11/17",
        "before:2026/11/16",
        f"after:{int(MONDAY.timestamp())}",
        f"before:{int(MONDAY.timestamp())}",
        "after:yesterday",
        "newer_than:3d",
        "older_than:1m",
        "larger:1M",
        "budget lunch",
        "-budget",
        "-(yearly budget)",
        "-{lunch budget}",
        "snake",
    ],
)
def test_a_query_leaves_out_what_it_does_not_describe(box: Mailbox, query: str) -> None:
    raw = letter(
        **{
            "from": "Anna Berg <anna.berg@acme.example>",
            "to": "tom@acme.example",
            "subject": "The figures",
            "message_id": "<wanted@acme.example>",
            "body": "Here is the yearly budget in snake_case.",
        }
    )
    box.deliver(raw, labels=("INBOX", "UNREAD", "Projects X"))
    assert found(box, query) == []


def test_or_binds_closer_than_standing_side_by_side() -> None:
    assert read("a b OR c d") == All((Term("", "a"), Either((Term("", "b"), Term("", "c"))), Term("", "d")))
    assert read("a OR b OR c") == All((Either((Term("", "a"), Term("", "b"), Term("", "c"))),))


def test_a_field_holds_for_all_that_stands_in_its_brackets() -> None:
    assert read('subject:(a -"b c") from:{x y}') == All(
        (
            All((Term("subject", "a"), Not(Term("subject", "b c")))),
            Either((Term("from", "x"), Term("from", "y"))),
        )
    )


def test_trash_and_spam_are_found_only_when_asked_for(box: Mailbox) -> None:
    for label in ("TRASH", "SPAM", "INBOX", "DRAFT", "SENT"):
        box.deliver(letter(subject=label), labels=(label,))
    box.deliver(letter(subject="archived"), labels=())
    assert sorted(found(box, "")) == ["DRAFT", "INBOX", "SENT", "archived"]
    assert sorted(found(box, "", includeSpamTrash=True)) == ["DRAFT", "INBOX", "SENT", "SPAM", "TRASH", "archived"]
    assert sorted(found(box, "in:anywhere")) == ["DRAFT", "INBOX", "SENT", "SPAM", "TRASH", "archived"]
    assert sorted(found(box, "-in:trash")) == ["DRAFT", "INBOX", "SENT", "archived"]
    assert sorted(found(box, "{in:trash in:inbox}")) == ["INBOX", "TRASH"]
    for query, subject in (("in:trash", "TRASH"), ("label:spam", "SPAM"), ("in:drafts", "DRAFT"), ("in:archive", "archived")):
        assert found(box, query) == [subject]


def test_labels_given_beside_the_query_must_all_be_there(box: Mailbox) -> None:
    box.deliver(letter(subject="both"), labels=("INBOX", "STARRED"))
    box.deliver(letter(subject="one"), labels=("INBOX",))
    assert found(box, "", labelIds=["INBOX", "STARRED"]) == ["both"]


def test_what_has_just_come_in_may_be_listed_before_it_is_found(box: Mailbox) -> None:
    box.indexing = False
    box.deliver(letter(subject="new"))
    assert (found(box, ""), found(box, "subject:new"), found(box, "in:inbox")) == (["new"], [], [])
    box.index()
    assert found(box, "subject:new") == ["new"]


def test_a_day_begins_in_california(box: Mailbox) -> None:
    box.deliver(letter(subject="late on Sunday there", date=datetime(2026, 11, 16, 7, 59, tzinfo=UTC)))
    box.deliver(letter(subject="Monday there", date=datetime(2026, 11, 16, 8, 0, tzinfo=UTC)))
    assert found(box, "after:2026/11/16") == ["Monday there"]
    assert found(box, "before:2026/11/16") == ["late on Sunday there"]


def test_me_is_whoever_asks_by_any_of_the_own_addresses(box: Mailbox) -> None:
    box.aliases["max@club.example"] = "Max"
    box.deliver(letter(subject="to me", to="Max <max@club.example>"))
    box.deliver(letter(subject="from me", **{"from": "me@home.example", "to": "anna@acme.example"}), labels=("SENT",))
    assert found(box, "to:me") == ["to me"]
    assert found(box, "from:me") == ["from me"]


def test_blind_copies_are_recipients_too(box: Mailbox) -> None:
    box.deliver(letter(subject="sent", bcc="tom@acme.example"), labels=("SENT",))
    assert found(box, "to:tom@acme.example") == found(box, "bcc:tom") == ["sent"]


def test_html_is_searched_by_what_it_says(box: Mailbox) -> None:
    box.deliver(
        letter(subject="html", body="<style>p {color: red}</style><p title=hidden>Caf&eacute; au <b>lait</b></p>", subtype="html")
    )
    assert found(box, '"cafe au lait"') == ["html"]
    assert found(box, "color") == found(box, "hidden") == found(box, "title") == []
