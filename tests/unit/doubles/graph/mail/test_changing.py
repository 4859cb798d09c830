"""Marking, moving, deleting, and what is told of it afterwards, at the emulated Graph."""

from typing import Any

import pytest
from doubles.boxes.letters import letter
from doubles.graph.ids import GONE
from doubles.graph.mail import Mailbox
from doubles.graph.mail.asking import Asking

SMALL = {"prefer": 'IdType="ImmutableId", odata.maxpagesize=2'}
INBOX = "/me/mailFolders/inbox/messages/delta"


def test_marks_are_changed_and_the_version_with_them(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter())
    before = me.get(f"/me/messages/{made}")
    body = {"isRead": True, "flag": {"flagStatus": "flagged"}, "categories": ["Red"], "importance": "high"}
    after = me.patch(f"/me/messages/{made}", body)
    assert {name: after[name] for name in body} == body
    assert after["@odata.etag"] != before["@odata.etag"] and after["id"] == made


def test_another_version_is_not_changed(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter())
    etag = me.get(f"/me/messages/{made}")["@odata.etag"]
    me.patch(f"/me/messages/{made}", {"isRead": True}, **{"if-match": etag})
    stale = me.reply("PATCH", f"/me/messages/{made}", {"isRead": False}, headers={"if-match": etag})
    assert (stale.status, stale.json["error"]["code"]) == (412, "ErrorIrresolvableConflict")
    assert me.reply("DELETE", f"/me/messages/{made}", headers={"if-match": etag}).status == 412


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"subject": "Other"}, "ErrorInvalidPropertySet"),
        ({"body": {"contentType": "text", "content": "x"}}, "ErrorInvalidPropertySet"),
        ({"isDraft": True}, "ErrorInvalidPropertySet"),
        ({"colour": "red"}, "RequestBodyRead"),
        ({"isRead": "yes"}, "RequestBodyRead"),
        ({"flag": {"flagStatus": "waving"}}, "RequestBodyRead"),
        ({"singleValueExtendedProperties": [{"id": "Text 1081", "value": "1"}]}, "ErrorInvalidProperty"),
    ],
    ids=str,
)
def test_what_can_not_be_set_is_refused(me: Asking, box: Mailbox, body: dict[str, Any], code: str) -> None:
    made = box.deliver(letter())
    assert me.refused("PATCH", f"/me/messages/{made}", body) == (400, code)
    assert me.subjects() == ["Hello"]


def test_a_mail_is_moved_by_well_known_name_or_id_and_copied(me: Asking, box: Mailbox) -> None:
    made, place = box.deliver(letter()), box.folder("Projects")
    assert me.post(f"/me/messages/{made}/move", {"DestinationId": "archive"})["id"] == made
    assert me.subjects("/me/mailFolders/archive/messages") == ["Hello"]
    moved = me.post(f"/me/messages/{made}/move", {"DestinationId": place.id})
    assert (moved["parentFolderId"], me.subjects("/me/mailFolders/archive/messages")) == (place.id, [])
    copied = me.post(f"/me/messages/{made}/copy", {"DestinationId": "inbox"})
    assert copied["id"] != made and copied["conversationId"] == moved["conversationId"]
    assert me.refused("POST", f"/me/messages/{made}/move", {"DestinationId": "nowhere"})[0] == 400
    assert me.refused("POST", f"/me/messages/{made}/move", {"DestinationId": GONE}) == (404, "ErrorItemNotFound")


def test_what_is_deleted_lies_out_of_sight_for_whoever_knows_its_immutable_id(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter())
    (shown,) = me.list(headers={"prefer": "odata.maxpagesize=10"})
    assert me.reply("DELETE", f"/me/messages/{made}").status == 204
    hidden = me.get("/me/mailFolders/recoverableitemsdeletions")["id"]
    assert me.get(f"/me/messages/{made}")["parentFolderId"] == hidden
    assert me.refused("GET", f"/me/messages/{shown['id']}") == (404, "ErrorItemNotFound")
    assert me.refused("DELETE", f"/me/messages/{made}") == (403, "ErrorCannotDeleteObject")
    assert (me.list(), me.list(search="hello")) == ([], [])


def test_a_mailbox_may_keep_nothing_that_was_deleted(me: Asking, box: Mailbox) -> None:
    box.recoverable = False
    made = box.deliver(letter())
    assert me.reply("DELETE", f"/me/messages/{made}").status == 204
    assert me.refused("GET", f"/me/messages/{made}") == (404, "ErrorItemNotFound")


# What changed


def changes(me: Asking, at: str = INBOX, **query: Any) -> tuple[list[Any], str]:
    """All pages, and the link to go on from."""
    body = me.get(at, **query) if at.startswith("/") else me.follow(at)
    told = list(body["value"])
    while link := body.get("@odata.nextLink"):
        body = me.follow(link)
        told += body["value"]
    return told, body["@odata.deltaLink"]


def test_all_is_told_first_and_then_what_came_changed_and_left(me: Asking, box: Mailbox) -> None:
    made = {name: box.deliver(letter(subject=name)) for name in ("kept", "marked", "moved", "removed", "elsewhere")}
    box.file(made["elsewhere"], "Projects")
    told, link = changes(me, select="subject")
    assert [item["subject"] for item in told] == ["kept", "marked", "moved", "removed"]
    assert set(told[0]) == {"@odata.etag", "id", "subject"}
    box.change(made["marked"], isRead=True)
    box.file(made["moved"], "Projects")
    box.remove(made["removed"])
    box.file(made["elsewhere"], "Inbox")
    new = box.deliver(letter(subject="new"))
    told, link = changes(me, link)
    assert {item["id"]: item.get("subject") for item in told if "@removed" not in item} == {
        made["marked"]: "marked",
        made["elsewhere"]: "elsewhere",
        new: "new",
    }
    assert {item["id"] for item in told if "@removed" in item} == {made["moved"], made["removed"]}
    assert changes(me, link)[0] == []


def test_changes_come_in_pages_of_the_size_that_is_preferred(me: Asking, box: Mailbox) -> None:
    made = [box.deliver(letter()) for _ in range(3)]
    page = me.get(INBOX, select="id", headers=SMALL)
    assert [item["id"] for item in page["value"]] == made[:2]
    rest = me.follow(page["@odata.nextLink"])
    assert [item["id"] for item in rest["value"]] == made[2:] and "@odata.deltaLink" in rest


def test_a_mail_has_the_kind_of_id_that_is_asked_for_also_when_it_is_gone(me: Asking, box: Mailbox) -> None:
    box.deliver(letter())
    plain = {"prefer": "odata.maxpagesize=50"}
    body = me.get(INBOX, select="id", headers=plain)
    (entry,) = [item["id"] for item in body["value"]]
    box.file(next(iter(box.messages)), "Projects")
    token = body["@odata.deltaLink"].rpartition("=")[2]
    (gone,) = me.list(INBOX, deltatoken=token, headers=plain)
    assert (gone["id"], gone["@removed"]["reason"]) == (entry, "deleted")


def test_a_token_that_was_forgotten_or_never_given_is_refused(me: Asking, box: Mailbox) -> None:
    box.deliver(letter())
    token = changes(me)[1].rpartition("=")[2]
    box.forget_changes()
    assert me.refused("GET", INBOX, deltatoken=token) == (410, "SyncStateNotFound")
    for wrong in ("latest", "nonsense"):
        assert me.refused("GET", INBOX, deltatoken=wrong) == (400, "BadRequest")


def test_folders_that_come_and_go_are_told_of(me: Asking, box: Mailbox) -> None:
    told, link = changes(me, "/me/mailFolders/delta")
    names = {item["displayName"] for item in told}
    assert {"Inbox", "Drafts"} < names and not {"Top of Information Store", "Clutter", "Deletions"} & names
    box.folder("Projects/2026")
    told, link = changes(me, link)
    assert [item["displayName"] for item in told] == ["Projects", "2026"]
    gone = {item["id"] for item in told}
    box.remove_folder("Projects")
    assert {item["id"] for item in changes(me, link)[0] if "@removed" in item} == gone
