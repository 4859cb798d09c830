"""Mails and folders as the emulated Graph shows them."""

from base64 import b64decode
from datetime import timedelta
from email.message import EmailMessage
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import pytest
from doubles.boxes.letters import MONDAY, letter
from doubles.graph import GraphEmulator
from doubles.graph.ids import GONE
from doubles.graph.mail import Mailbox
from doubles.graph.mail.asking import Asking

# Ids


def test_an_immutable_id_outlives_a_move_and_another_one_does_not(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter())
    (other,) = me.list(headers={"prefer": "odata.maxpagesize=10"})
    assert other["id"] != made == me.list()[0]["id"]
    me.post(f"/me/messages/{other['id']}/move", {"DestinationId": "archive"})
    assert me.get(f"/me/messages/{made}")["subject"] == "Hello"
    assert me.refused("GET", f"/me/messages/{other['id']}") == (404, "ErrorItemNotFound")


@pytest.mark.parametrize(("wanted", "status"), [(GONE, (404, "ErrorItemNotFound")), ("7", (400, "ErrorInvalidIdMalformed"))])
def test_what_is_not_there_is_not_found_and_what_is_no_id_malformed(me: Asking, wanted: str, status: tuple[int, str]) -> None:
    assert me.refused("GET", f"/me/messages/{wanted}") == status
    assert me.refused("GET", f"/me/mailFolders/{wanted}") == status


# Listings


def test_newest_come_first_from_all_folders_in_pages_of_ten(me: Asking, box: Mailbox) -> None:
    for number in range(12):
        place = "inbox" if number % 2 else "deleteditems"
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)), place)
    page = me.get("/me/messages", select="subject", count="true")
    assert [item["subject"] for item in page["value"]] == [str(number) for number in range(11, 1, -1)]
    assert page["@odata.count"] == 12
    assert set(page["value"][0]) == {"@odata.etag", "id", "subject"}
    rest = me.follow(page["@odata.nextLink"])
    assert [item["subject"] for item in rest["value"]] == ["1", "0"]
    assert "@odata.nextLink" not in rest


def test_a_folder_is_listed_by_its_well_known_name_or_its_id(me: Asking, box: Mailbox) -> None:
    box.deliver(letter(subject="here"))
    box.deliver(letter(subject="there"), box.folder("Projects/2026").id)
    assert me.subjects("/me/mailFolders/inbox/messages") == ["here"]
    assert me.subjects(f"/me/mailFolders/{box.folder('Projects/2026').id}/messages") == ["there"]


def test_a_time_is_shown_in_seconds_and_compared_more_finely(me: Asking, box: Mailbox) -> None:
    box.deliver(letter())
    (mail,) = me.list()
    assert (mail["receivedDateTime"], mail["sentDateTime"]) == ("2026-11-16T09:00:00Z", "2026-11-16T09:00:00Z")
    assert me.list(filter="receivedDateTime le 2026-11-16T09:00:00Z") == []
    assert len(me.list(filter="receivedDateTime ge 2026-11-16T09:00:00Z and receivedDateTime lt 2026-11-16T09:00:01Z")) == 1


@pytest.mark.parametrize(
    "condition",
    [
        "isRead eq false",
        "hasAttachments eq true",
        "flag/flagStatus eq 'flagged'",
        "from/emailAddress/address eq 'ANNA.BERG@acme.example'",
        "internetMessageId eq '<wanted@acme.example>'",
        "startswith(subject, 'hel') and not contains(subject, 'x')",
        "categories/any(c: c eq 'Red')",
        "(isRead eq false or importance eq 'low') and isDraft eq false",
        "receivedDateTime ge 2026-11-16 and conversationId ne 'x'",
        "singleValueExtendedProperties/Any(ep: ep/id eq 'String 0x01042' and ep/value eq '<a@x.example>')",
    ],
)
def test_a_filter_finds_what_it_describes(me: Asking, box: Mailbox, condition: str) -> None:
    raw = letter(id="<wanted@acme.example>", files={"a.pdf": b"%PDF"}, **{"In-Reply-To": "<a@x.example>"})
    box.change(box.deliver(raw, flagged=True), categories=["Red"])
    other = letter(subject="Other", sender="tom@acme.example", date=MONDAY - timedelta(days=3))
    box.change(box.deliver(other, seen=True), importance="high")
    assert me.subjects(filter=condition) == ["Hello"]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"filter": "isRead eq false", "orderby": "receivedDateTime desc"}, "InefficientFilter"),
        (
            {"filter": "subject eq 'x' and receivedDateTime ge 2026-01-01", "orderby": "receivedDateTime"},
            "InefficientFilter",
        ),
        ({"filter": "toRecipients/any(r: r/emailAddress/address eq 'a@x.example')"}, "ErrorInvalidUrlQueryFilter"),
        ({"filter": "contains(body/content, 'x')"}, "ErrorInvalidUrlQueryFilter"),
        ({"filter": "isRead eq"}, "BadRequest"),
        ({"filter": "isRead eq 'false'"}, "BadRequest"),
        ({"filter": "colour eq 'red'"}, "RequestBroker--ParseUri"),
        ({"orderby": "categories"}, "ErrorInvalidUrlQuery"),
        ({"select": "subject,colour"}, "RequestBroker--ParseUri"),
        ({"top": "1001"}, "ErrorInvalidRequest"),
        ({"search": '"hello"', "filter": "isRead eq false"}, "SearchWithFilter"),
        ({"search": '"hello"', "orderby": "receivedDateTime"}, "SearchWithOrderBy"),
        ({"search": '"hello"', "count": "true"}, "SearchWithCount"),
        ({"search": '"hello"', "skip": "10"}, "SearchWithSkip"),
    ],
    ids=str,
)
def test_what_exchange_refuses_is_refused_and_complained_of(
    graph: GraphEmulator, me: Asking, query: dict[str, str], code: str
) -> None:
    answer = me.reply("GET", "/me/messages", **query)
    assert (answer.status, answer.json["error"]["code"]) == (400, code)
    assert len(graph.complaints) == 1
    graph.complaints.clear()


def test_an_order_that_stands_first_in_the_filter_is_taken(me: Asking, box: Mailbox) -> None:
    for number in (2, 0, 1):
        box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number)))
    condition = "receivedDateTime ge 2026-11-16 and isRead eq false"
    assert me.subjects(filter=condition, orderby="receivedDateTime") == ["0", "1", "2"]
    assert me.subjects(filter="isRead eq false") == ["2", "0", "1"]


def test_pages_shift_by_nothing_that_comes_or_goes(me: Asking, box: Mailbox) -> None:
    made = [box.deliver(letter(subject=str(number), date=MONDAY + timedelta(hours=number))) for number in range(6)]
    page = me.get("/me/messages", top=3)
    box.remove(made[3])
    box.deliver(letter(subject="late", date=MONDAY + timedelta(days=2)))
    assert [item["subject"] for item in me.follow(page["@odata.nextLink"])["value"]] == ["2", "1", "0"]


# One mail


def test_text_is_shown_as_text_and_html_as_html_unless_wanted_otherwise(me: Asking, box: Mailbox) -> None:
    plain, rich = box.deliver(letter(body="1 < 2\nyes")), box.deliver(_alternatives())
    assert me.get(f"/me/messages/{plain}")["body"] == {"contentType": "text", "content": "1 < 2\r\nyes\r\n"}
    shown = me.get(f"/me/messages/{rich}")
    assert shown["body"]["contentType"] == "html"
    assert shown["body"]["content"].startswith("<html><head>") and "<b>rich</b>" in shown["body"]["content"]
    assert shown["bodyPreview"] == "Very rich & good"
    as_text = {"prefer": 'outlook.body-content-type="text"'}
    assert me.get(f"/me/messages/{rich}", headers=as_text)["body"] == {"contentType": "text", "content": "Very rich & good"}
    as_html = {"prefer": 'outlook.body-content-type="html"'}
    assert "1 &lt; 2<br>" in me.get(f"/me/messages/{plain}", headers=as_html)["body"]["content"]


def test_headers_are_told_only_of_what_came_in_and_only_when_asked_for(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter(**{"List-Id": "News <news.acme.example>"}))
    assert "internetMessageHeaders" not in me.get(f"/me/messages/{made}")
    (listed,) = me.list(select="internetMessageHeaders")
    assert {"name": "List-Id", "value": "News <news.acme.example>"} in listed["internetMessageHeaders"]
    sent = box.deliver(letter(), "sentitems")
    assert "internetMessageHeaders" not in me.get(f"/me/messages/{sent}", select="internetMessageHeaders")


def test_extended_properties_are_named_in_one_way_however_they_were_asked_for(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter(References="<a@x.example> <b@x.example>"))
    me.patch(f"/me/messages/{made}", {"singleValueExtendedProperties": [{"id": "Integer 0x1081", "value": "102"}]})
    asked = "singleValueExtendedProperties($filter=id eq 'String 0x1039' or id eq 'Integer 0X01081' or id eq 'String 0x1042')"
    assert me.get(f"/me/messages/{made}", select="subject", expand=asked)["singleValueExtendedProperties"] == [
        {"id": "String 0x1039", "value": "<a@x.example> <b@x.example>"},
        {"id": "Integer 0x1081", "value": "102"},
    ]


def test_the_mime_is_given_as_it_came(me: Asking, box: Mailbox) -> None:
    raw = letter().replace(b"\n", b"\r\n")
    assert me.reply("GET", f"/me/messages/{box.deliver(raw)}/$value").body == raw


def test_people_without_a_name_are_named_by_their_address(me: Asking, box: Mailbox) -> None:
    mail = me.get(f"/me/messages/{box.deliver(letter(to='tom@acme.example', cc='Jürgen Groß <jg@acme.example>'))}")
    assert mail["toRecipients"] == [{"emailAddress": {"name": "tom@acme.example", "address": "tom@acme.example"}}]
    assert mail["ccRecipients"] == [{"emailAddress": {"name": "Jürgen Groß", "address": "jg@acme.example"}}]
    assert mail["from"] == {"emailAddress": {"name": "Anna Berg", "address": "anna.berg@acme.example"}}


# Attachments


def test_attachments_are_listed_and_fetched(me: Asking, box: Mailbox) -> None:
    made = box.deliver(letter(files={"März.pdf": b"%PDF-1.4 \x80"}))
    (told,) = me.list(f"/me/messages/{made}/attachments", select="id,name,contentType,size,isInline")
    assert (told["name"], told["contentType"], told["size"], told["isInline"]) == ("März.pdf", "application/pdf", 10, False)
    assert "contentBytes" not in told
    place = f"/me/messages/{made}/attachments/{told['id']}"
    assert me.reply("GET", f"{place}/$value").body == b"%PDF-1.4 \x80"
    assert b64decode(me.get(place)["contentBytes"]) == b"%PDF-1.4 \x80"
    expanded = me.get(f"/me/messages/{made}", select="subject", expand="attachments($select=name)")["attachments"]
    assert [one["name"] for one in expanded] == ["März.pdf"]
    wrong = f"/me/messages/{made}/attachments"
    assert me.refused("GET", wrong, select="contentId") == (400, "RequestBroker--ParseUri")


def test_a_picture_that_the_text_shows_makes_no_mail_with_attachments(me: Asking, box: Mailbox) -> None:
    whole = MIMEMultipart("related")
    whole["From"], whole["Subject"] = "anna@acme.example", "Picture"
    whole.attach(MIMEText('<img src="cid:p1">', "html"))
    picture = MIMEApplication(b"PNG", "png", name="p.png")
    picture.add_header("Content-ID", "<p1>")
    picture.add_header("Content-Disposition", "inline")
    whole.attach(picture)
    made = box.deliver(whole.as_bytes())
    (told,) = me.list(f"/me/messages/{made}/attachments")
    assert (told["isInline"], told["contentId"]) == (True, "p1")
    assert me.get(f"/me/messages/{made}")["hasAttachments"] is False


def test_a_mail_within_a_mail_is_an_item_and_an_invitation_another_kind_of_mail(me: Asking, box: Mailbox) -> None:
    outer = EmailMessage()
    outer["Subject"] = "Look"
    outer.set_content("See within.")
    inner = EmailMessage()
    inner["Subject"] = "Within"
    inner.set_content("Hi")
    outer.add_attachment(inner)
    made = box.deliver(outer.as_bytes())
    (told,) = me.list(f"/me/messages/{made}/attachments")
    assert (told["@odata.type"], told["name"]) == ("#microsoft.graph.itemAttachment", "Within")
    assert b"Subject: Within" in me.reply("GET", f"/me/messages/{made}/attachments/{told['id']}/$value").body
    invitation = EmailMessage()
    invitation.set_content("Lunch?")
    invitation.add_alternative("BEGIN:VCALENDAR\nMETHOD:REQUEST\nEND:VCALENDAR\n", subtype="calendar")
    shown = me.get(f"/me/messages/{box.deliver(invitation.as_bytes())}")
    assert (shown["@odata.type"], shown["meetingMessageType"]) == ("#microsoft.graph.eventMessage", "meetingRequest")
    assert shown["hasAttachments"] is False and shown["body"]["content"] == "Lunch?\r\n"


# Conversations


def test_what_answers_joins_the_conversation_unless_it_is_about_something_else(me: Asking, box: Mailbox) -> None:
    def conversation(made: str) -> str:
        return str(me.get(f"/me/messages/{made}")["conversationId"])

    first = conversation(box.deliver(letter(id="<a@x.example>", subject="Plan")))
    assert conversation(box.deliver(letter(subject="RE: plan", **{"In-Reply-To": "<a@x.example>"}))) == first
    assert conversation(box.deliver(letter(subject="AW: Plan", References="<a@x.example> <b@x.example>"), "archive")) == first
    assert conversation(box.deliver(letter(subject="Other", **{"In-Reply-To": "<a@x.example>"}))) != first
    assert conversation(box.deliver(letter(subject="Plan"))) != first


# Folders


def test_folders_are_listed_level_by_level_without_the_hidden_ones(me: Asking, box: Mailbox) -> None:
    box.deliver(letter(), box.folder("Projects/2026").id)
    box.folders.known("archive").name = "Archiv"
    shown = {folder["displayName"]: folder for folder in me.list("/me/mailFolders", top=50)}
    assert {"Inbox", "Archiv", "Deleted Items", "Projects"} < set(shown)
    assert not {"Clutter", "2026"} & set(shown)
    assert "Clutter" in {folder["displayName"] for folder in me.list("/me/mailFolders", top=50, includeHiddenFolders="true")}
    assert shown["Projects"]["childFolderCount"] == 1
    (child,) = me.list(f"/me/mailFolders/{shown['Projects']['id']}/childFolders")
    assert (child["displayName"], child["totalItemCount"], child["unreadItemCount"]) == ("2026", 1, 1)
    assert child["parentFolderId"] == shown["Projects"]["id"]
    assert me.get("/me/mailFolders/archive")["id"] == shown["Archiv"]["id"]


def _alternatives() -> bytes:
    message = EmailMessage()
    message["From"] = "anna@acme.example"
    message.set_content("poor")
    message.add_alternative("<style>p {}</style><p>Very <b>rich</b> &amp; good</p>", subtype="html")
    return message.as_bytes()
