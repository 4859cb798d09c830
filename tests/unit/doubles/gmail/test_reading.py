"""Listing and reading messages at the emulated Gmail."""

from base64 import urlsafe_b64decode
from datetime import timedelta
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
from doubles.google import GoogleEmulator
from doubles.google.client import service
from doubles.google.gmail import Mailbox
from doubles.google.gmail.asking import MONDAY, header, letter, status


def subjects(me: Any, **given: Any) -> list[str]:
    listed = me.messages.list(**given).get("messages", [])
    return [header(me.messages.get(id=one["id"], format="metadata"), "Subject") for one in listed]


def test_an_empty_mailbox_lists_no_messages(me: Any) -> None:
    assert me.messages.list() == {"resultSizeEstimate": 0}


def test_the_newest_comes_first_by_its_internal_date(me: Any, box: Mailbox) -> None:
    for day in (1, 0, 2):
        box.deliver(letter(subject=f"day {day}", date=MONDAY + timedelta(days=day)))
    assert subjects(me) == ["day 2", "day 1", "day 0"]


def test_each_format_shows_more_of_a_message(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(body="It's <b> & so on"), labels=("INBOX", "Projects"))
    minimal = me.messages.get(id=made, format="minimal")
    assert minimal["internalDate"] == str(int(MONDAY.timestamp() * 1000))
    assert minimal["labelIds"] == ["INBOX", "Label_1"]
    assert minimal["snippet"] == "It&#39;s &lt;b&gt; &amp; so on"
    assert "payload" not in minimal
    metadata = me.messages.get(id=made, format="metadata", metadataHeaders=["subject", "From"])
    assert [field["name"] for field in metadata["payload"]["headers"]] == ["From", "Subject"]
    assert "body" not in metadata["payload"]
    full = me.messages.get(id=made)
    assert urlsafe_b64decode(full["payload"]["body"]["data"]) == b"It's <b> & so on\r\n"
    assert urlsafe_b64decode(me.messages.get(id=made, format="raw")["raw"]) == box.raw(made)


def test_headers_come_decoded_and_text_in_utf_8(me: Any, box: Mailbox) -> None:
    raw = (
        b"From: =?iso-8859-1?q?M=FCller=2C_J=F6rg?= <j@x.example>\r\nSubject: =?utf-8?b?w5xiZXI=?=\r\n =?utf-8?b?Z3LDtsOfZQ==?=\r\n"
        b"Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: 8bit\r\n\r\nGr\xfc\xdfe"
    )
    message = me.messages.get(id=box.deliver(raw))
    assert header(message, "From") == '"Müller, Jörg" <j@x.example>'
    assert header(message, "Subject") == "Übergröße"
    assert urlsafe_b64decode(message["payload"]["body"]["data"]).decode() == "Grüße"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        bytes(range(256)),
        b"Content-Type: multipart/mixed\r\n\r\nno parts",
        b"Content-Type: text/x; charset=none\r\n\r\n\xff",
        b"Subject: =?none?q?=FF?= =?utf-8?b?x?=\r\nDate: never\r\nContent-Type: a/b; name*=x''%FF\r\n\r\n",
    ],
    ids=range(5),
)
def test_whatever_was_delivered_can_be_read(me: Any, box: Mailbox, raw: bytes) -> None:
    assert me.messages.get(id=box.deliver(raw))["payload"]["mimeType"]


def test_an_attachment_is_fetched_by_the_id_that_its_part_has_just_now(me: Any, box: Mailbox) -> None:
    made = box.deliver(letter(files={"März.pdf": b"%PDF \xff"}))
    first, second = (me.messages.get(id=made)["payload"]["parts"] for _ in range(2))
    assert [(part["partId"], part["filename"], part["mimeType"]) for part in first] == [
        ("0", "", "text/plain"),
        ("1", "März.pdf", "application/pdf"),
    ]
    assert "data" not in first[1]["body"] and first[1]["body"]["size"] == 6
    ids = [parts[1]["body"]["attachmentId"] for parts in (first, second)]
    assert ids[0] != ids[1]
    for attachment_id in ids:
        got = me.messages.attachments.get(messageId=made, id=attachment_id)
        assert urlsafe_b64decode(got["data"]) == b"%PDF \xff"


def test_an_attached_message_is_an_attachment_with_parts_of_its_own(me: Any, box: Mailbox) -> None:
    inner = letter(subject="Inner", body="Inside.", files={"a.pdf": b"%PDF"})
    outer = EmailMessage()
    outer["Subject"] = "Outer"
    outer.set_content("Outside.")
    outer.add_attachment(message_from_bytes(inner, policy=default))
    made = box.deliver(outer.as_bytes())
    message = me.messages.get(id=made)
    attached = message["payload"]["parts"][1]
    assert (attached["mimeType"], attached["partId"]) == ("message/rfc822", "1")
    assert [part["partId"] for part in attached["parts"][0]["parts"]] == ["1.0.0", "1.0.1"]
    assert message["snippet"] == "Outside."
    content = urlsafe_b64decode(me.messages.attachments.get(messageId=made, id=attached["body"]["attachmentId"])["data"])
    assert b"Subject: Inner" in content


def test_the_attachment_of_another_message_is_refused(google: GoogleEmulator, me: Any, box: Mailbox) -> None:
    one, other = (box.deliver(letter(files={"a.pdf": b"%PDF"})) for _ in range(2))
    attachment_id = me.messages.get(id=one)["payload"]["parts"][1]["body"]["attachmentId"]
    assert status(me.messages.attachments.get, messageId=other, id=attachment_id) == 400
    google.complaints.clear()


def test_what_is_gone_is_not_found_and_what_never_was_an_id_is_refused(google: GoogleEmulator, me: Any) -> None:
    assert status(me.messages.get, id="19a0000000000fff") == 404
    assert status(me.threads.get, id="19a0000000000fff") == 404
    assert status(me.drafts.get, id="r1") == 404
    assert google.complaints == []
    assert status(me.messages.get, id="not-hex") == 400
    assert google.complaints != []
    google.complaints.clear()


def test_no_two_mailboxes_share_an_id(google: GoogleEmulator, box: Mailbox) -> None:
    assert box.deliver(letter()) != google.world.mail("you@home.example").deliver(letter())


def test_nobody_reads_the_mail_of_another_user(google: GoogleEmulator, me: Any) -> None:
    google.account("you@home.example")
    request = service(google, "gmail", google.account("me@home.example")).users().messages().list(userId="you@home.example")
    assert status(request.execute) == 403


# Pages


def test_pages_lose_and_double_nothing_while_mail_arrives(me: Any, box: Mailbox) -> None:
    for number in range(7):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number // 3)))
    first = me.messages.list(maxResults=3)
    box.deliver(letter(subject="late", date=MONDAY + timedelta(days=1)))
    second = me.messages.list(maxResults=3, pageToken=first["nextPageToken"])
    third = me.messages.list(maxResults=3, pageToken=second["nextPageToken"])
    assert "nextPageToken" not in third
    seen = [one["id"] for page in (first, second, third) for one in page["messages"]]
    assert len(seen) == len(set(seen)) == 7


def test_the_estimate_is_good_on_the_last_page_only(me: Any, box: Mailbox) -> None:
    for _ in range(3):
        box.deliver(letter())
    assert me.messages.list(maxResults=2)["resultSizeEstimate"] == 201
    assert me.messages.list(maxResults=3)["resultSizeEstimate"] == 3


def test_a_page_holds_500_at_most(me: Any, box: Mailbox) -> None:
    raw = letter()
    for _ in range(501):
        box.deliver(raw)
    assert len(me.messages.list(maxResults=9999)["messages"]) == 500
