"""$search as the emulator reads it."""

from datetime import UTC, datetime, timedelta

import pytest
from doubles.boxes.letters import MONDAY, letter
from doubles.graph import GraphEmulator
from doubles.graph.calls import GraphError
from doubles.graph.mail import Mailbox, searching
from doubles.graph.mail.asking import Asking
from doubles.graph.mail.kql import All, Either, Not, Term, read
from doubles.graph.mail.mailbox import latest_sent_first
from doubles.graph.mail.matching import matches
from doubles.graph.world import World


@pytest.fixture
def alone() -> Mailbox:
    """A mailbox that no server serves."""
    world = World()
    world.clock = lambda: MONDAY + timedelta(days=4)
    return world.mail("me@home.example")


def found(box: Mailbox, query: str) -> list[str]:
    quoted = '"' + query.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return [one.content.subject for one in latest_sent_first(box.everything) if matches(box, read(quoted), one)]


@pytest.mark.parametrize(
    "query",
    [
        "budget",
        "BUDGET",
        "budg*",
        "yearly budget",
        "budget yearly",
        '"yearly budget"',
        '"the yearly bud"*',
        '"the yearly bud*"',
        "anna",
        "from:anna",
        "from:anna.berg@acme.example",
        'from:"Anna Berg"',
        "from:(nobody OR anna)",
        "from:nobody from:anna",
        "to:tom",
        "cc:jurgen",
        "recipients:jg@acme.example",
        "participants:tom",
        "participants:anna",
        "subject:figures",
        'subject:"the figures"',
        "body:budget",
        "attachment:plan",
        "attachment:plan.pdf",
        "hasAttachments:true",
        "received:2026-11-16",
        "received>=2026-11-16",
        "received<2026-11-17 received>2026-11-15",
        "received:2026-11-15..2026-11-16",
        "received>=2026-11-16T08:59:00Z AND received<2026-11-16T09:01:00Z",
        "size>100 AND size<1mb",
        "importance:normal kind:email",
        "lunch OR budget",
        "(lunch OR budget) anna",
        "budget NOT lunch",
        "budget -lunch",
        "+budget",
        "NOT (lunch OR dinner)",
        "cafe",
        "会議",
        '"can\'t"',
        "budget AND from:anna OR lunch",
    ],
)
def test_a_search_finds_what_it_describes(alone: Mailbox, query: str) -> None:
    alone.deliver(
        letter(
            subject="The figures",
            to="Tom Novak <tom@acme.example>",
            cc="Jürgen Groß <jg@acme.example>",
            body="Here is the yearly budget. We can't meet at the Café, 明日の会議です.",
            files={"plan.pdf": b"%PDF"},
        )
    )
    assert found(alone, query) == ["The figures"]


@pytest.mark.parametrize(
    "query",
    [
        "budge",
        '"yearly bud"',
        '"budget yearly"',
        "budgets",
        "tom",
        "plan",
        "ann",
        "from:ann",
        "from:tom",
        "to:anna",
        "subject:budget",
        "hasAttachments:false",
        "received>2026-11-16",
        "received<2026-11-16",
        "received:2026-11-17",
        "size>1mb",
        "importance:high",
        "budget lunch",
        "budget AND NOT anna",
        "-budget",
        "^ *",
        '"C++"',
    ],
)
def test_a_search_leaves_out_what_it_does_not_describe(alone: Mailbox, query: str) -> None:
    alone.deliver(
        letter(subject="The figures", to="tom@acme.example", body="Here is the yearly budget.", files={"plan.pdf": b"%PDF"})
    )
    assert found(alone, query) == []


@pytest.mark.parametrize(
    "search",
    [
        "from:anna",
        '"from:anna" budget',
        '"subject:"a b""',
        r'"\"open"',
        '"(budget"',
        '"budget)"',
        '"budget OR"',
        '"AND budget"',
        '"from:"',
        '"colour:red"',
        '"a NEAR b"',
        '"from:(to:anna)"',
        '""',
    ],
)
def test_what_is_not_well_formed_is_refused(search: str) -> None:
    with pytest.raises(GraphError, match="Syntax error"):
        read(search)


@pytest.mark.parametrize("search", ["received:yesterday", "size>large", "hasAttachments:maybe"])
def test_a_value_that_makes_no_sense_is_refused(alone: Mailbox, search: str) -> None:
    alone.deliver(letter())
    with pytest.raises(GraphError, match="Syntax error"):
        found(alone, search)


def test_and_binds_closer_than_or_and_one_property_twice_means_either() -> None:
    a, b, c = (Term("", ":", name) for name in "abc")
    assert read('"a b OR c"') == read('"a AND b OR c"') == Either((All((a, b)), c))
    anna, tom, red = Term("from", ":", "anna"), Term("from", ":", "tom"), Term("subject", ":", "red")
    assert read('"from:anna from:tom subject:red"') == All((Either((anna, tom)), red))
    assert read('"from:anna AND from:tom"') == All((anna, tom))
    assert read('"NOT a -b"') == All((Not(a), Not(b)))


def test_a_day_begins_where_the_mailbox_is(alone: Mailbox) -> None:
    alone.deliver(letter(subject="late on Sunday there", date=datetime(2026, 11, 16, 7, 59, tzinfo=UTC)))
    alone.deliver(letter(subject="Monday there", date=datetime(2026, 11, 16, 8, 0, tzinfo=UTC)))
    assert found(alone, "received>=2026-11-16") == ["Monday there"]
    assert found(alone, "received<2026-11-16") == ["late on Sunday there"]


def test_html_is_searched_by_what_it_says(alone: Mailbox) -> None:
    raw = b"Subject: html\nContent-Type: text/html\n\n<style>p {color: red}</style><p title=hidden>Caf&eacute; au <b>lait</b></p>"
    alone.deliver(raw)
    assert found(alone, '"cafe au lait"') == ["html"]
    assert found(alone, "color") == found(alone, "hidden") == []


def test_all_folders_are_searched_or_one_latest_sent_first_in_pages(me: Asking, box: Mailbox) -> None:
    for number in range(3):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)), "deleteditems" if number else "inbox")
    page = me.get("/me/messages", search='"anna"', top=2)
    assert [item["subject"] for item in page["value"]] == ["2", "1"]
    assert [item["subject"] for item in me.follow(page["@odata.nextLink"])["value"]] == ["0"]
    assert me.subjects("/me/mailFolders/inbox/messages", search='"anna"') == ["0"]


def test_a_search_ends_after_so_many(me: Asking, box: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MOST_FOUND", 3)
    for number in range(5):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    page = me.get("/me/messages", search="anna", top=2)
    rest = me.follow(page["@odata.nextLink"])
    assert [item["subject"] for item in (*page["value"], *rest["value"])] == ["4", "3", "2"]
    assert "@odata.nextLink" not in rest


def test_what_was_sent_last_is_found_first_whenever_it_came(me: Asking, box: Mailbox) -> None:
    box.deliver(letter(subject="late", date=MONDAY), date=MONDAY + timedelta(days=3))
    box.deliver(letter(subject="prompt", date=MONDAY + timedelta(days=1)), date=MONDAY + timedelta(days=1))
    assert me.subjects(search="anna") == ["prompt", "late"]
    assert me.subjects() == ["late", "prompt"]


def test_a_personal_account_searches_for_words_alone(graph: GraphEmulator, me: Asking, box: Mailbox) -> None:
    graph.world.users["me@home.example"].kind = "personal"
    box.deliver(letter())
    assert me.subjects(search="hello") == ["Hello"]
    assert me.subjects(search='"subject:hello"') == me.subjects(search='"hello AND from:anna"') == []


def test_what_has_just_come_in_may_be_listed_before_it_is_found(me: Asking, box: Mailbox) -> None:
    box.indexing = False
    box.deliver(letter())
    assert (me.subjects(), me.subjects(search="hello")) == (["Hello"], [])
    box.index()
    assert me.subjects(search="hello") == ["Hello"]
