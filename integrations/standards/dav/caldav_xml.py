"""What is asked of a CalDAV server, built with the elements of the caldav library, and what it answers."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, unquote, urlsplit

from caldav.elements import cdav, dav
from caldav.elements.base import BaseElement
from lxml import etree

from integrations.standards.dav.dav_errors import Server

if TYPE_CHECKING:
    from caldav.response import CalendarQueryResult, DAVResponse, PropfindResult, SyncCollectionResult

R = TypeVar("R")

CALENDAR = "{urn:ietf:params:xml:ns:caldav}calendar"
COLLECTION = "{DAV:}collection"
HOME, PRINCIPAL, KIND = cdav.CalendarHomeSet.tag, dav.CurrentUserPrincipal.tag, dav.ResourceType.tag
NAME, PRIVILEGES, TOKEN = dav.DisplayName.tag, dav.CurrentUserPrivilegeSet.tag, dav.SyncToken.tag
COMPONENTS = cdav.SupportedCalendarComponentSet.tag
CTAG = "{http://calendarserver.org/ns/}getctag"
OUTBOX = cdav.ScheduleOutboxURL.tag
WRITES = {f"{{DAV:}}{name}" for name in ("all", "write", "write-content", "bind")}
FINE = {"200", "201", "207"}


class GetCtag(BaseElement):
    tag = CTAG


def principal_props() -> bytes:
    return _propfind(dav.CurrentUserPrincipal(), cdav.CalendarHomeSet(), dav.ResourceType(), cdav.ScheduleOutboxURL())


def collection_props(*, versions: bool) -> bytes:
    """`versions`: also what tells whether anything in them has changed, for which servers may have to look at all of it."""
    told = [dav.SyncToken(), GetCtag()] if versions else []
    named = (dav.ResourceType(), dav.DisplayName(), cdav.SupportedCalendarComponentSet(), dav.CurrentUserPrivilegeSet())
    return _propfind(*named, *told)


def events_between(start: datetime, end: datetime) -> bytes:
    span = cdav.CompFilter("VCALENDAR") + (cdav.CompFilter("VEVENT") + cdav.TimeRange(start, end))
    return _written(_with(cdav.CalendarQuery(), _data(), cdav.Filter() + span))


def of_uid(uid: str) -> bytes:
    """Servers may find others too, whose UID holds this one."""
    named = cdav.PropFilter("UID") + cdav.TextMatch(uid)
    event = cdav.CompFilter("VCALENDAR") + (cdav.CompFilter("VEVENT") + named)
    return _written(_with(cdav.CalendarQuery(), _data(), cdav.Filter() + event))


def these(paths: Sequence[str]) -> bytes:
    return _written(_with(cdav.CalendarMultiGet(), _data(), *(dav.Href(value=quoted(path)) for path in paths)))


def changed_since(token: str) -> bytes:
    since = dav.SyncToken(value=token), dav.SyncLevel(value="1")
    return _written(_with(dav.SyncCollection(), *since, dav.Prop() + dav.GetEtag()))


def quoted(path: str) -> str:
    """A path as the library unquotes it, as it is asked for."""
    return quote(path, safe="/@:!$&'()*+,;=~-._")


class Multistatus:
    """An answer of many parts. For the library one property or object that the server could not give spoils all of it: so these
    are taken out beforehand, and `left_out` are the paths of such objects. Raises Unreadable."""

    def __init__(self, answer: "DAVResponse", server: Server) -> None:
        if answer.tree is None:
            raise server.unreadable
        self._answer, self._server, self.left_out = answer, server, _without_refusals(answer.tree)

    @property
    def properties(self) -> "list[PropfindResult]":
        return self._parsed(self._answer.parse_propfind)

    @property
    def objects(self) -> "list[CalendarQueryResult]":
        return [one for one in self._parsed(self._answer.parse_calendar_query) if one.status != 404]

    @property
    def changes(self) -> "SyncCollectionResult":
        return self._parsed(self._answer.parse_sync_collection)

    def _parsed(self, parse: Callable[[], R]) -> R:
        try:
            return parse()
        except Exception as error:  # a parser fed with anything raises anything
            raise self._server.unreadable from error


def _without_refusals(tree: Any) -> list[str]:
    left_out = []
    for response in tree.findall(dav.Response.tag):
        href = (response.findtext(dav.Href.tag) or "").strip()
        for propstat in response.findall(dav.PropStat.tag):
            if _code(propstat) not in FINE:
                response.remove(propstat)
        if not href or _code(response) not in FINE | {"404", "507"}:
            left_out += [path_of(href)] if href else []
            tree.remove(response)
    return left_out


def path_of(href: str) -> str:
    """As the library has them: unquoted, without the server."""
    return unquote(urlsplit(href).path)


def listed(value: Any) -> list[str]:
    """A property's parts, as the library gives none, one or many."""
    if value is None:
        return []
    return [value] if isinstance(value, str) else [part for part in value if isinstance(part, str)]


def _code(element: Any) -> str:
    words = (element.findtext(dav.Status.tag) or "HTTP/1.1 200 OK").split()
    return words[1] if len(words) > 1 else "200"


def _with(element: BaseElement, *children: BaseElement) -> BaseElement:
    return element + children


def _data() -> BaseElement:
    return _with(dav.Prop(), dav.GetEtag(), cdav.CalendarData())


def _propfind(*props: BaseElement) -> bytes:
    return _written(dav.Propfind() + _with(dav.Prop(), *props))


def _written(element: BaseElement) -> bytes:
    return etree.tostring(element.xmlelement(), encoding="utf-8", xml_declaration=True)  # type: ignore[no-any-return]
