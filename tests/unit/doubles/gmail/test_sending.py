"""Sending and drafts at the emulated Gmail."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.gmail import Mailbox
from doubles.google.gmail.asking import encoded, header, letter, sent_by_me, status
from googleapiclient.http import MediaIoBaseUpload

# Sending


def test_what_is_sent_stands_in_sent_and_arrives_without_its_bcc(google: GoogleEmulator, me: Any, box: Mailbox) -> None:
    for email in ("anna@acme.example", "tom@acme.example", "uninvolved@acme.example"):
        google.account(email)
    answer = me.messages.send(body=sent_by_me(Bcc="tom@acme.example", **{"Message-ID": "<mine@home.example>"}))
    assert answer["labelIds"] == ["SENT"]
    assert b"\r\nBcc: tom@acme.example" in box.raw(answer["id"])
    for email in ("anna@acme.example", "tom@acme.example"):
        (arrived,) = google.world.mail(email).labelled("INBOX")
        assert arrived.message_id == "<mine@home.example>"
        assert b"Bcc" not in arrived.raw
        assert "UNREAD" in arrived.labels
    assert google.world.mail("uninvolved@acme.example").messages == {}


def test_what_one_sends_to_oneself_is_one_message(me: Any, box: Mailbox) -> None:
    answer = me.messages.send(body={"raw": encoded(letter(sender="me@home.example", to="me@home.example"))})
    assert {"SENT", "INBOX", "UNREAD"} <= set(answer["labelIds"])
    assert len(box.messages) == 1


def test_missing_date_and_message_id_are_given_and_a_strange_sender_is_replaced(me: Any, box: Mailbox) -> None:
    raw = b"From: boss@acme.example\r\nTo: a@b.example\r\nMessage-ID: broken\r\n\r\nHi"
    message = me.messages.get(id=me.messages.send(body={"raw": encoded(raw)})["id"])
    assert header(message, "From") == "Max Muster <me@home.example>"
    assert header(message, "X-Google-Original-From") == "boss@acme.example"
    assert header(message, "Message-ID").endswith("@mail.gmail.com>")
    assert header(message, "Date") == "Fri, 20 Nov 2026 09:00:00 +0000"


def test_an_alias_may_send(me: Any, box: Mailbox) -> None:
    box.aliases["max@club.example"] = "Max"
    assert [one["sendAsEmail"] for one in me.settings.sendAs.list()["sendAs"]] == ["me@home.example", "max@club.example"]
    raw = letter(sender="max@club.example", to="a@b.example")
    assert header(me.messages.get(id=me.messages.send(body={"raw": encoded(raw)})["id"]), "From") == "max@club.example"


@pytest.mark.parametrize(
    "raw", [b"Subject: to nobody\r\n\r\nHi", b"To: not an address\r\n\r\nHi", b""], ids=["no recipient", "no address", "nothing"]
)
def test_what_can_not_be_sent_is_refused(google: GoogleEmulator, me: Any, box: Mailbox, raw: bytes) -> None:
    assert status(me.messages.send, body={"raw": encoded(raw)}) == 400
    assert box.messages == {}
    google.complaints.clear()


def test_headers_that_are_not_encoded_come_out_garbled(me: Any) -> None:
    raw = "To: a@b.example\r\nSubject: Über\r\n\r\nHi".encode()
    assert header(me.messages.get(id=me.messages.send(body={"raw": encoded(raw)})["id"]), "Subject") == "Ã\x9cber"


def test_what_is_inserted_arrives_now_and_what_is_imported_when_it_says(google: GoogleEmulator, me: Any, box: Mailbox) -> None:
    body = {"raw": encoded(letter()), "labelIds": ["INBOX"]}
    inserted, imported = (box.messages[call(body=body)["id"]] for call in (me.messages.insert, me.messages.import_))
    assert inserted.date - imported.date == timedelta(days=4).total_seconds() * 1000
    own = me.messages.insert(body=sent_by_me())
    assert own["labelIds"] == ["SENT"]
    assert status(me.messages.insert, body={**body, "labelIds": ["Label_77"]}) == 400
    google.complaints.clear()


def test_a_message_can_be_uploaded_as_it_is(me: Any, box: Mailbox) -> None:
    def upload(**given: Any) -> MediaIoBaseUpload:
        return MediaIoBaseUpload(BytesIO(letter(sender="me@home.example", to="anna@acme.example", **given)), "message/rfc822")

    thread = me.messages.send(media_body=upload(subject="Plan", **{"Message-ID": "<a@x>"}))["id"]
    reply = me.messages.send(body={"threadId": thread}, media_body=upload(subject="Re: Plan", References="<a@x>"))
    assert reply["threadId"] == thread
    draft = me.drafts.create(media_body=upload(subject="Uploaded"))
    assert header(me.drafts.get(id=draft["id"])["message"], "Subject") == "Uploaded"


# Drafts


def test_a_draft_keeps_its_id_while_its_message_changes(me: Any, box: Mailbox) -> None:
    draft = me.drafts.create(body={"message": sent_by_me(subject="one")})
    assert draft["message"]["labelIds"] == ["DRAFT"]
    updated = me.drafts.update(id=draft["id"], body={"message": sent_by_me(subject="two")})
    assert updated["id"] == draft["id"] and updated["message"]["id"] != draft["message"]["id"]
    assert header(me.drafts.get(id=draft["id"])["message"], "Subject") == "two"
    assert [one["message"]["id"] for one in me.drafts.list()["drafts"]] == [updated["message"]["id"]]
    assert status(me.messages.get, id=draft["message"]["id"]) == 404
    me.drafts.delete(id=draft["id"])
    assert box.messages == {} and box.drafts == {}


def test_a_draft_is_sent_once_as_another_message_of_the_same_message_id(me: Any, box: Mailbox) -> None:
    draft = me.drafts.create(body={"message": sent_by_me(**{"Message-ID": "<key@home.example>"})})
    sent = me.drafts.send(body={"id": draft["id"]})
    assert sent["labelIds"] == ["SENT"] and sent["id"] != draft["message"]["id"]
    for call, given in ((me.drafts.send, {"body": {"id": draft["id"]}}), (me.drafts.get, {"id": draft["id"]})):
        assert status(call, **given) == 404
    assert [one["id"] for one in me.messages.list(q="rfc822msgid:key@home.example")["messages"]] == [sent["id"]]


def test_a_draft_in_a_thread_is_sent_into_it(me: Any, box: Mailbox) -> None:
    thread = box.deliver(letter(subject="Plan", **{"Message-ID": "<a@x>"}))
    reply = sent_by_me(subject="Re: Plan", References="<a@x>")
    draft = me.drafts.create(body={"message": {**reply, "threadId": thread}})
    assert draft["message"]["threadId"] == thread
    assert me.drafts.send(body={"id": draft["id"]})["threadId"] == thread


def test_no_label_is_put_on_a_draft(google: GoogleEmulator, me: Any) -> None:
    draft = me.drafts.create(body={"message": sent_by_me()})
    assert status(me.messages.modify, id=draft["message"]["id"], body={"addLabelIds": ["STARRED"]}) == 400
    google.complaints.clear()


def test_a_draft_may_come_from_somebody_elses_program(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(sender="me@home.example", to="anna@acme.example"), labels=("DRAFT",))
    box.deliver(letter(to="anna@acme.example"))
    (draft,) = me.drafts.list(q="to:anna")["drafts"]
    assert draft["message"]["id"] == made
    me.messages.delete(id=made)
    assert status(me.drafts.get, id=draft["id"]) == 404
