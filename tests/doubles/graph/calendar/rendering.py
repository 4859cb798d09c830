"""An event as one answer shows it: in the zone and the form of text that were asked for."""

import html
import re
from typing import Any

from doubles.graph.calendar import patterns, series
from doubles.graph.calendar.bodies import Event
from doubles.graph.calendar.state import Found
from doubles.graph.calendar.times import shown, timestamp, utc
from doubles.graph.calendar.zones import zone_named
from doubles.graph.calls import Call

NOWHERE = {"displayName": "", "locationType": "default", "uniqueIdType": "unknown", "address": {}, "coordinates": {}}
PREVIEW = 255
HEAD = (
    '<html><head>\r\n<meta http-equiv="Content-Type" content="text/html; charset=utf-8">\r\n'
    '<meta name="Generator" content="Microsoft Exchange Server">\r\n<!-- converted from text -->\r\n'
    "<style><!-- .EmailQuote { margin-left: 1pt; padding-left: 4pt; border-left: #800000 2px solid; } --></style></head>\r\n"
    '<body>\r\n<font size="2"><span style="font-size:11pt;"><div class="PlainText">'
)
FOOT = "</div></span></font>\r\n</body>\r\n</html>\r\n"


def resource(found: Found, call: Call, event: Event | None = None, *, exceptions: bool = False) -> dict[str, Any]:
    """All that there is to be told of it, what may be expanded included; the exceptions of a series only when asked to. `event` is
    the event of `found` where it is at hand. Shares contents with what is kept."""
    event, entry = event or found.event, found.entry
    item: dict[str, Any] = {
        "@odata.etag": entry.etag,
        "id": found.id,
        "createdDateTime": timestamp(entry.created),
        "lastModifiedDateTime": timestamp(entry.changed),
        "changeKey": entry.change_key,
        "transactionId": entry.posted.get("transactionId"),
        "originalStartTimeZone": event["start"]["timeZone"],
        "originalEndTimeZone": event["end"]["timeZone"],
        "iCalUId": entry.uid,
        "hasAttachments": False,
        "isOrganizer": found.calendar.organizes(entry),
        "isDraft": False,
        "webLink": f"https://outlook.office365.com/owa/?itemid={found.id}&exvsurl=1&path=/calendar/item",
        "onlineMeetingUrl": None,
        "onlineMeeting": None,
        "recurrence": None,
        "organizer": entry.organizer,
    }
    item |= {name: it for name, it in event.items() if name not in ("start", "end", "body", "location", "extended")}
    item |= _instance_of(found) | _times(event, call) | _texts(event, call)
    item["location"] = event["location"] or NOWHERE
    item["singleValueExtendedProperties"] = [{"id": id, "value": value} for id, value in event["extended"].items()]
    if exceptions and entry.recurrence and not found.day:
        item |= _exceptions(found, call)
    return item


def _instance_of(found: Found) -> Event:
    if found.day is None:
        return {"type": "seriesMaster" if found.entry.recurrence else "singleInstance", "seriesMasterId": None}
    return {
        "type": "exception" if found.day in found.entry.own else "occurrence",
        "seriesMasterId": found.master,
        "originalStart": utc(series.original_start(found.entry, found.day)),
    }


def _times(event: Event, call: Call) -> Event:
    name = call.prefers.get("outlook.timezone") or "UTC"
    zone = zone_named(name)
    return {side: shown(event[side], zone, name, all_day=event["isAllDay"]) for side in ("start", "end")}


def _texts(event: Event, call: Call) -> Event:
    text, markup = both_forms(event["body"])
    wanted = call.prefers.get("outlook.body-content-type") or "html"
    content = text if wanted == "text" else markup
    return {"body": {"contentType": wanted, "content": content}, "bodyPreview": text.strip()[:PREVIEW]}


def both_forms(body: Event) -> tuple[str, str]:
    """As plain text and as markup."""
    content = re.sub(r"\r?\n", "\r\n", body["content"])
    if not content:
        return "", ""
    if body["contentType"] == "text":
        return content, HEAD + html.escape(content, quote=False).replace("\r\n", "<br>\r\n") + FOOT
    plain = re.sub(r"(?is)<(style|script|head)\b.*?</\1>|<!--.*?-->", "", content)
    plain = re.sub(r"\s+", " ", plain)
    plain = re.sub(r"(?i)\s*<(br|/p|/div|/li|/tr|/h\d)\s*/?>\s*", "\r\n", plain)
    return html.unescape(re.sub(r"<[^>]+>", "", plain)).strip(), content


def _exceptions(found: Found, call: Call) -> Event:
    entry, id = found.entry, found.id
    changed = [Found(found.calendar, entry, series.occurrence_id(id, day), day) for day in sorted(entry.own)]
    return {
        "cancelledOccurrences": [f"OID.{id}.{day.isoformat()}" for day in sorted(entry.removed)],
        "exceptionOccurrences": [
            {name: it for name, it in resource(one, call).items() if name != "singleValueExtendedProperties"}
            for one in changed
            if patterns.is_day(entry.event["recurrence"], one.day)  # type: ignore[arg-type]
        ],
    }
