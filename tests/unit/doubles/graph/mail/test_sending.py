"""Drafts, attachments and sending at the emulated Graph."""

from base64 import b64decode, b64encode
from email import message_from_bytes
from email.policy import default
from typing import Any
from urllib.parse import urlsplit

import pytest
from doubles.boxes.letters import letter
from doubles.emulating.raw import Reply, send
from doubles.graph import GraphEmulator
from doubles.graph.mail import Mailbox
from doubles.graph.mail.asking import Asking

ANNA = {"emailAddress": {"name": "Anna Berg", "address": "anna@acme.example"}}
MB = 1024 * 1024
STEP = 320 * 1024


def mine(**given: Any) -> bytes:
    return letter(**{"sender": "me@home.example", "to": "anna@acme.example", "id": "<mine@home.example>", **given})


def pdf(content: bytes, name: str = "a.pdf") -> dict[str, Any]:
    kind = {"@odata.type": "#microsoft.graph.fileAttachment", "name": name, "contentType": "application/pdf"}
    return {**kind, "contentBytes": b64encode(content).decode()}


# Drafts


def test_a_draft_is_made_from_mime_as_it_is(me: Asking, box: Mailbox) -> None:
    raw = mine(cc="jg@acme.example", files={"a.pdf": b"%PDF"}).replace(b"\nTo:", b"\nBcc: boss@acme.example\nTo:", 1)
    draft = me.draft(raw)
    assert (draft["isDraft"], draft["isRead"], draft["internetMessageId"]) == (True, True, "<mine@home.example>")
    assert [one["emailAddress"]["address"] for one in draft["bccRecipients"]] == ["boss@acme.example"]
    assert me.subjects("/me/mailFolders/drafts/messages", filter="internetMessageId eq '<mine@home.example>'") == ["Hello"]
    assert box.raw(draft["id"]) == raw.replace(b"\n", b"\r\n")


def test_a_draft_joins_a_conversation_by_its_index_alone(me: Asking, box: Mailbox) -> None:
    original = me.get(f"/me/messages/{box.deliver(letter(id='<a@x.example>'))}")
    by_header = me.draft(mine(**{"In-Reply-To": "<a@x.example>"}))
    assert by_header["conversationId"] != original["conversationId"]
    index = b64encode(b64decode(original["conversationIndex"]) + b"reply")
    by_index = me.draft(b"Thread-Index: " + index + b"\n" + mine(id="<b@home.example>"))
    assert by_index["conversationId"] == original["conversationId"]


def test_mime_is_sent_in_base64(me: Asking) -> None:
    assert me.refused("POST", "/me/messages", b"From: me") == (400, "ErrorMimeContentInvalidBase64String")
    assert me.refused("POST", "/me/messages", b"A" * (4 * MB + 1))[0] == 413


def test_a_draft_is_made_from_json_changed_and_thrown_away(me: Asking, box: Mailbox) -> None:
    body = {"contentType": "html", "content": "<b>Hi</b>"}
    headers = [{"name": "X-Mine", "value": "1"}]
    draft = me.post("/me/messages", {"subject": "Plan", "toRecipients": [ANNA], "body": body, "internetMessageHeaders": headers})
    assert draft["from"]["emailAddress"] == {"name": "Max Muster", "address": "me@home.example"}
    me.patch(f"/me/messages/{draft['id']}", {"subject": "Größe", "ccRecipients": [ANNA]})
    built = message_from_bytes(box.raw(draft["id"]), policy=default)
    assert (built["Subject"], built["Cc"], built["X-Mine"]) == ("Größe", "Anna Berg <anna@acme.example>", "1")
    assert "<b>Hi</b>" in built.get_content()
    assert me.reply("DELETE", f"/me/messages/{draft['id']}").status == 204
    assert box.everything == []
    wrong = {"internetMessageHeaders": [{"name": "References", "value": "<a@x.example>"}]}
    assert me.refused("POST", "/me/messages", wrong) == (400, "InvalidInternetMessageHeader")


# Attachments


def test_a_small_attachment_is_added_in_one_piece(me: Asking, box: Mailbox) -> None:
    draft = me.draft(mine())
    added = me.post(f"/me/messages/{draft['id']}/attachments", pdf(b"%PDF"))
    assert (added["name"], added["size"]) == ("a.pdf", 4)
    assert me.get(f"/me/messages/{draft['id']}")["hasAttachments"] is True
    (part,) = message_from_bytes(box.raw(draft["id"]), policy=default).iter_attachments()
    assert (part.get_filename(), part.get_content()) == ("a.pdf", b"%PDF")
    assert me.reply("DELETE", f"/me/messages/{draft['id']}/attachments/{added['id']}").status == 204
    assert me.list(f"/me/messages/{draft['id']}/attachments") == []
    assert me.refused("POST", f"/me/messages/{draft['id']}/attachments", pdf(b"x" * (3 * MB + 1)))[0] == 413


def session(me: Asking, draft: str, size: int) -> str:
    item = {"attachmentType": "file", "name": "big.pdf", "size": size, "contentType": "application/pdf"}
    return str(me.post(f"/me/messages/{draft}/attachments/createUploadSession", {"AttachmentItem": item})["uploadUrl"])


def put(graph: GraphEmulator, url: str, piece: bytes, start: int, size: int, **headers: str) -> Reply:
    about = {"content-range": f"bytes {start}-{start + len(piece) - 1}/{size}", "content-type": "application/octet-stream"}
    return send(graph.port, "PUT", urlsplit(url).path, piece, headers=about | headers)


def test_a_large_attachment_comes_in_pieces(graph: GraphEmulator, me: Asking, box: Mailbox) -> None:
    draft, content = me.draft(mine())["id"], bytes(range(256)) * 4 * 4096
    url = session(me, draft, len(content))
    first = put(graph, url, content[: 10 * STEP], 0, len(content))
    assert (first.status, first.json["nextExpectedRanges"]) == (200, [f"{10 * STEP}-"])
    assert put(graph, url, content[10 * STEP :], 10 * STEP, len(content)).status == 201
    (told,) = me.list(f"/me/messages/{draft}/attachments", select="id,name,size")
    assert (told["name"], told["size"]) == ("big.pdf", len(content))
    assert me.reply("GET", f"/me/messages/{draft}/attachments/{told['id']}/$value").body == content


def test_an_upload_takes_no_token_no_gaps_and_no_odd_pieces(graph: GraphEmulator, me: Asking) -> None:
    draft, size = me.draft(mine())["id"], 4 * MB
    url = session(me, draft, size)
    assert put(graph, url, b"x" * STEP, 0, size, authorization="Bearer x").status == 401
    assert put(graph, url, b"x" * STEP, STEP, size).status == 416
    assert put(graph, url, b"x" * 1000, 0, size).status == 400
    assert put(graph, f"{url}x", b"x" * STEP, 0, size).status == 404
    graph.complaints.clear()
    small = {"AttachmentItem": {"attachmentType": "file", "name": "a", "size": 1000}}
    place = f"/me/messages/{draft}/attachments/createUploadSession"
    assert me.refused("POST", place, small) == (400, "ErrorAttachmentSizeShouldNotBeLessThanMinimumSize")


# Sending


def test_what_is_sent_keeps_its_id_and_arrives_without_its_bcc(graph: GraphEmulator, me: Asking, box: Mailbox) -> None:
    for email in ("anna@acme.example", "boss@acme.example", "uninvolved@acme.example"):
        graph.account(email)
    draft = me.draft(b"Bcc: boss@acme.example\n" + mine())
    answer = me.reply("POST", f"/me/messages/{draft['id']}/send")
    assert (answer.status, answer.body) == (202, b"")
    sent = me.get(f"/me/messages/{draft['id']}")
    assert (sent["isDraft"], sent["parentFolderId"]) == (False, me.get("/me/mailFolders/sentitems")["id"])
    assert [one["emailAddress"]["address"] for one in sent["bccRecipients"]] == ["boss@acme.example"]
    for email in ("anna@acme.example", "boss@acme.example"):
        (arrived,) = graph.world.mail(email).everything
        assert arrived.content.message_id == "<mine@home.example>" and not arrived.seen
        assert b"Bcc" not in arrived.raw
    assert graph.world.mail("uninvolved@acme.example").everything == []


def test_what_one_sends_to_oneself_is_two_mails_of_one_conversation(me: Asking, box: Mailbox) -> None:
    me.post(f"/me/messages/{me.draft(mine(to='me@home.example'))['id']}/send")
    both = me.list(filter="internetMessageId eq '<mine@home.example>'")
    assert {mail["parentFolderId"] for mail in both} == {box.folders.known(name).id for name in ("inbox", "sentitems")}
    assert len({mail["conversationId"] for mail in both}) == 1


@pytest.mark.parametrize("place", ["outbox", "drafts"])
def test_a_mail_may_be_on_its_way_for_a_while(me: Asking, box: Mailbox, place: str) -> None:
    box.lingers, box.lingers_in = 2, place
    draft = me.draft(mine())["id"]
    me.post(f"/me/messages/{draft}/send")
    flags = "singleValueExtendedProperties($filter=id eq 'Integer 0x0E07')"
    first, second = (me.get(f"/me/messages/{draft}", expand=flags) for _ in range(2))
    assert (first["isDraft"], first["parentFolderId"]) == (True, box.folders.known(place).id)
    assert first["singleValueExtendedProperties"] == [{"id": "Integer 0xe07", "value": str(1 + 4 + 8 + 32)}]
    assert (second["isDraft"], second["parentFolderId"]) == (False, box.folders.known("sentitems").id)
    assert second["singleValueExtendedProperties"] == [{"id": "Integer 0xe07", "value": str(1 + 32)}]


def test_what_is_on_its_way_is_not_sent_again(me: Asking, box: Mailbox) -> None:
    box.lingers = 5
    draft = me.draft(mine())["id"]
    me.post(f"/me/messages/{draft}/send")
    assert me.refused("POST", f"/me/messages/{draft}/send") == (400, "ErrorInvalidRequest")


def test_what_is_sent_may_be_another_mail_than_the_draft_was(me: Asking, box: Mailbox) -> None:
    box.keeps_sent_ids = False
    draft = me.draft(mine())
    me.patch(f"/me/messages/{draft['id']}", {"singleValueExtendedProperties": [{"id": "String 0x6001", "value": "key"}]})
    me.post(f"/me/messages/{draft['id']}/send")
    assert me.refused("GET", f"/me/messages/{draft['id']}") == (404, "ErrorItemNotFound")
    keyed = "singleValueExtendedProperties/Any(ep: ep/id eq 'String 0x6001' and ep/value eq 'key')"
    for condition in ("internetMessageId eq '<mine@home.example>'", keyed):
        (sent,) = me.list("/me/mailFolders/sentitems/messages", filter=condition)
        assert (sent["isDraft"], sent["conversationId"]) == (False, draft["conversationId"])


def test_a_message_id_may_be_replaced(me: Asking, box: Mailbox) -> None:
    box.keeps_message_ids = False
    draft = me.draft(mine())["id"]
    me.post(f"/me/messages/{draft}/send")
    assert me.get(f"/me/messages/{draft}")["internetMessageId"].endswith("@emulated.prod.outlook.example>")
    assert b"Message-ID: <mine@home.example>" not in box.raw(draft)


def test_only_a_draft_with_recipients_from_oneself_is_sent(me: Asking, box: Mailbox) -> None:
    received = box.deliver(letter())
    assert me.refused("POST", f"/me/messages/{received}/send") == (400, "ErrorInvalidRequest")
    for fields in ({"to": "undisclosed-recipients:;"}, {"to": "anna"}):
        assert me.refused("POST", f"/me/messages/{me.draft(mine(**fields))['id']}/send") == (400, "ErrorInvalidRecipients")
    strange = me.draft(mine(sender="boss@acme.example"))["id"]
    assert me.refused("POST", f"/me/messages/{strange}/send") == (403, "ErrorSendAsDenied")
    assert me.list("/me/mailFolders/sentitems/messages") == []


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_sent_at_once_is_kept_unless_told_otherwise(me: Asking, box: Mailbox, kept: bool) -> None:
    body = {"Message": {"subject": "Now", "toRecipients": [ANNA]}, "SaveToSentItems": kept}
    assert me.reply("POST", "/me/sendMail", body).status == 202
    assert me.reply("POST", "/me/sendMail", b64encode(mine())).status == 202
    assert me.subjects("/me/mailFolders/sentitems/messages") == (["Hello", "Now"] if kept else ["Hello"])
