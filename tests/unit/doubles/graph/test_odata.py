"""$filter, $orderby, $select, $expand and pages, as OData and Exchange read them."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from doubles.graph.calls import Call, GraphError, GraphUser
from doubles.graph.expressions import properties
from doubles.graph.odata import asked, expansions, order_filtered
from doubles.graph.paging import listed
from doubles.graph.parsing import filter_in
from doubles.graph.schema import model
from doubles.graph.world import World

MAIL: dict[str, Any] = {
    "id": "1",
    "subject": "Anna's Lunch (again)",
    "isRead": False,
    "receivedDateTime": "2026-03-02T08:30:00Z",
    "importance": "high",
    "from": {"emailAddress": {"name": "Anna", "address": "Anna@X.example"}},
    "toRecipients": [{"emailAddress": {"address": "me@x.example"}}, {"emailAddress": {"address": "you@x.example"}}],
    "categories": ["Red", "Urgent"],
    "hasAttachments": True,
    "singleValueExtendedProperties": [{"id": "String 0x1042", "value": "<a@b>"}, {"id": "String 0x1039", "value": "<c@d>"}],
}
MESSAGE = model("msgraph.generated.models.message.Message")


@pytest.mark.parametrize(
    "written",
    [
        "isRead eq false",
        "not isRead eq true",
        "not (isRead eq true)",
        "subject eq 'ANNA''S lunch (again)'",
        "subject ne null",
        "bodyPreview eq null",
        "startswith(subject,'anna')",
        "contains(subject, 'lunch') and endswith(subject,'(again)')",
        "contains(subject,'dinner') or hasAttachments eq true",
        "isRead eq true and isRead eq true or isRead eq false",
        "isRead eq false or isRead eq true and isRead eq true",
        "receivedDateTime ge 2026-03-02T08:30:00Z and receivedDateTime lt 2026-03-02T08:30:01.5Z",
        "receivedDateTime gt 2026-03-02",
        "receivedDateTime ge 2026-03-02T09:30:00+01:00",
        "importance eq 'high'",
        "from/emailAddress/address eq 'anna@x.example'",
        "toRecipients/any(r: r/emailAddress/address eq 'you@x.example')",
        "toRecipients/any()",
        "categories/any(c:c eq 'red')",
        "categories/all(c:c eq 'red' or c eq 'urgent')",
        "singleValueExtendedProperties/Any(ep: ep/id eq 'String 0x1042' and ep/value eq '<a@b>')",
    ],
)
def test_a_filter_holds(written: str) -> None:
    assert kept(written)


@pytest.mark.parametrize(
    "written",
    [
        "isRead eq true",
        "subject eq 'lunch'",
        "receivedDateTime lt 2026-03-02T08:30:00Z",
        "from/emailAddress/name eq 'Bert'",
        "toRecipients/all(r: r/emailAddress/address eq 'you@x.example')",
        "singleValueExtendedProperties/Any(ep: ep/id eq 'String 0x1039' and ep/value eq '<a@b>')",
        "(isRead eq true or isRead eq false) and isRead eq true",
        "bodyPreview gt 'a'",
    ],
)
def test_a_filter_does_not_hold(written: str) -> None:
    assert not kept(written)


@pytest.mark.parametrize(
    "written",
    [
        "isRead eq",
        "isRead eq false and",
        "(isRead eq false",
        "isRead eq false)",
        "subject eq 'open",
        'subject eq "double"',
        "subject like 'a'",
        "length(subject) eq 3",
        "read eq false",
        "from/address eq 'a'",
        "isRead eq 'false'",
        "subject eq 5",
        "receivedDateTime ge '2026-03-02T08:30:00Z'",
        "subject eq 2026-03-02",
        "toRecipients eq 'a'",
        "toRecipients/any(r: r/address eq 'a')",
        "toRecipients/some(r: r/emailAddress/address eq 'a')",
    ],
)
def test_what_makes_no_sense_is_refused(written: str) -> None:
    with pytest.raises(GraphError) as refused:
        kept(written)
    assert refused.value.status == 400 and refused.value.complaint


def test_properties_of_a_filter_are_told_in_order() -> None:
    written = "receivedDateTime ge 2026-01-01 and (isRead eq false or toRecipients/any(r: r/emailAddress/address eq 'a'))"
    assert properties(filter_in(written)) == ["receivedDateTime", "isRead", "toRecipients"]


def test_what_is_ordered_by_stands_first_in_the_filter() -> None:
    order_filtered(
        asked(call(**{"$orderby": "receivedDateTime desc", "$filter": "receivedDateTime ge 2026-01-01 and isRead eq false"}))
    )
    with pytest.raises(GraphError) as refused:
        order_filtered(asked(call(**{"$orderby": "receivedDateTime desc", "$filter": "isRead eq false"})))
    assert refused.value.code == "InefficientFilter"


def test_only_what_is_selected_is_shown_and_always_the_id() -> None:
    assert asked(call(**{"$select": "subject,isRead"})).shown(MAIL) == {name: MAIL[name] for name in ("id", "subject", "isRead")}


def test_what_can_be_expanded_is_shown_only_when_it_is() -> None:
    assert "singleValueExtendedProperties" not in asked(call()).shown(MAIL)
    written = "attachments($select=name;$filter=name eq 'a;b'),singleValueExtendedProperties($filter=id eq 'String 0x1042')"
    shown = asked(call(**{"$expand": written})).shown(
        {**MAIL, "attachments": [{"id": "2", "name": "a;b", "size": 3}, {"id": "3", "name": "c"}]}
    )
    assert shown["singleValueExtendedProperties"] == [{"id": "String 0x1042", "value": "<a@b>"}]
    assert shown["attachments"] == [{"id": "2", "name": "a;b"}]


def test_nothing_is_told_of_extended_properties_that_are_not_there() -> None:
    shown = asked(call(**{"$expand": "singleValueExtendedProperties($filter=id eq 'String 0x1')"})).shown(MAIL)
    assert "singleValueExtendedProperties" not in shown


@pytest.mark.parametrize(
    "query", [{"$select": "body,sender,text"}, {"$expand": "files"}, {"$orderby": "date"}, {"$orderby": "subject up"}]
)
def test_names_that_nobody_knows_are_refused(query: dict[str, str]) -> None:
    with pytest.raises(GraphError):
        asked(call(**query))


def test_an_option_of_expand_that_is_not_emulated_is_refused() -> None:
    with pytest.raises(GraphError):
        expansions("attachments($orderby=name)")


def test_pages_are_walked_to_the_end() -> None:
    items = [mail(number) for number in range(7)]
    assert list(walked({"$top": "3", "$orderby": "subject desc"}, lambda: items)) == [["6", "5", "4"], ["3", "2", "1"], ["0"]]


def test_a_page_is_as_large_as_asked_and_else_of_ten() -> None:
    items = [mail(number) for number in range(12)]
    assert [len(page) for page in walked({}, lambda: items)] == [10, 2]
    assert [len(page) for page in walked({"$top": "12"}, lambda: items)] == [12]
    with pytest.raises(GraphError):
        list(walked({"$top": "1001"}, lambda: items))


@pytest.mark.parametrize("order", ["receivedDateTime desc", "subject"])
def test_what_comes_and_goes_between_two_pages_shifts_nothing(order: str) -> None:
    items = [mail(number) for number in range(6)]
    pages = walked({"$top": "2", "$orderby": order}, lambda: items)
    first = next(pages)
    items.remove(next(item for item in items if item["id"] == first[-1]))
    items += [{**mail(0), "id": "first"}] if order == "subject" else [{**mail(9), "id": "first"}]
    rest = [one for page in pages for one in page]
    assert sorted(first + rest) == ["0", "1", "2", "3", "4", "5"]


def test_an_empty_value_comes_before_any_other() -> None:
    items = [{"id": "1", "subject": "a"}, {"id": "2", "subject": None}]
    assert list(walked({"$orderby": "subject"}, lambda: items)) == [["2", "1"]]


def test_a_token_is_for_the_question_it_was_given_for() -> None:
    body = listed(call(**{"$top": "1"}), [mail(1), mail(2)], context="x")
    token = dict(parse_qsl(urlsplit(body["@odata.nextLink"]).query))["$skiptoken"]
    for query in ({"$skiptoken": token, "$filter": "isRead eq false"}, {"$skiptoken": "nonsense"}):
        with pytest.raises(GraphError):
            listed(call(**query), [mail(1), mail(2)], context="x")


def test_how_many_there_are_is_counted_when_asked() -> None:
    body = listed(call(**{"$top": "1", "$count": "true", "$skip": "1"}), [mail(1), mail(2), mail(3)], context="x")
    assert (body["@odata.count"], [item["id"] for item in body["value"]]) == (3, ["2"])


def kept(written: str) -> bool:
    held = asked(call(**{"$filter": written})).filter
    return held is not None and bool(held.of(MAIL))


def call(**query: str) -> Call:
    user = GraphUser("me@home.example")
    return Call("GET /me/messages", user, World(), query=query, model=MESSAGE, target="/v1.0/me/messages")


def mail(number: int) -> dict[str, Any]:
    return {"id": str(number), "subject": f"s{number}", "receivedDateTime": f"2026-03-02T08:3{number % 10}:00Z", "isRead": False}


def walked(query: dict[str, str], items: Callable[[], list[dict[str, Any]]]) -> Iterator[list[str]]:
    """The ids of each page."""
    while True:
        body = listed(call(**query), items(), context="users('me')/messages")
        yield [item["id"] for item in body["value"]]
        if "@odata.nextLink" not in body:
            return
        query = dict(parse_qsl(urlsplit(body["@odata.nextLink"]).query))
