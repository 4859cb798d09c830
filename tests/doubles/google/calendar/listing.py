"""Which events a listing holds."""

import re
from collections.abc import Iterator
from datetime import timedelta

from doubles.google.calendar.state import Calendar, Event, timestamp, version
from doubles.google.calendar.times import instant, moment
from doubles.google.calls import ApiError, Call

FAR = timedelta(days=2 * 365)
"""How far a series without end is expanded where no end was asked for."""
RESTRICTING = ("iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty", "updatedMin")
NOT_WITH_SYNC_TOKEN = (*RESTRICTING, "timeMin", "timeMax")
SEARCHED = ("summary", "description", "location")


class Window:
    """timeMin and timeMax."""

    def __init__(self, call: Call, calendar: Calendar) -> None:
        self._calendar = calendar
        self.low, self.high = (
            instant(call.params[name], name) if call.params.get(name) else None for name in ("timeMin", "timeMax")
        )
        if self.low and self.high and self.low >= self.high:
            raise ApiError(400, "timeRangeEmpty", "The specified time range is empty.")

    def holds(self, event: Event) -> bool:
        """It ends after the window begins and starts before the window ends; of a series: one of its instances does."""
        if event.get("recurrence") and (self.low or self.high):
            return any(self.holds(instance) for instance in self.instances(event))
        start, end = (moment(event[which], self._calendar.zone_info) for which in ("start", "end"))
        return (self.low is None or end > self.low) and (self.high is None or start < self.high)

    def instances(self, series: Event) -> list[Event]:
        """All that may be inside, exceptions wherever they are now."""
        low = self.low or moment(series["start"], self._calendar.zone_info)
        return self._calendar.instances(series, low, self.high or max(low, self._calendar.world.now()) + FAR)


class Listing:
    def __init__(self, call: Call, calendar: Calendar) -> None:
        self._calendar, self._asked = calendar, call.params
        self._single = call.params.get("singleEvents") or not calendar.may(call.user.email, "reader")
        self._window, self._since = Window(call, calendar), self._synced_until()

    def found(self) -> list[Event]:
        wanted = self._changed if self._since is not None else self._wanted
        return [event for event in self._all() if wanted(event)]

    def _all(self) -> Iterator[Event]:
        """With singleEvents a series is its instances, and so it is for whoever may see no more than when somebody is busy."""
        for id, entry in list(self._calendar.entries.items()):
            event = self._calendar.event(id)
            if event is None or (self._single and entry.event.get("recurringEventId") in self._calendar.entries):
                continue
            if self._single and event.get("recurrence"):
                yield from self._window.instances(event)
            else:
                yield event

    def _changed(self, event: Event) -> bool:
        return version(event) > (self._since or 0)

    def _wanted(self, event: Event) -> bool:
        asked = self._asked
        return (
            self._still_shown(event)
            and (not asked.get("iCalUID") or event["iCalUID"] == asked["iCalUID"])
            and (not asked.get("eventTypes") or event.get("eventType", "default") in asked["eventTypes"])
            and _has_properties(event, "private", asked.get("privateExtendedProperty"))
            and _has_properties(event, "shared", asked.get("sharedExtendedProperty"))
            and (not asked.get("q") or _words(event).issuperset(_terms(asked["q"])))
            and self._window.holds(event)
        )

    def _still_shown(self, event: Event) -> bool:
        """Cancelled instances are shown without showDeleted, as long as series are: their reader must leave them out."""
        since = self._asked.get("updatedMin")
        if since and event["updated"] < timestamp(instant(since, "updatedMin")):
            return False
        if event["status"] != "cancelled" or self._asked.get("showDeleted") or since:
            return True
        series = self._calendar.entries.get(event.get("recurringEventId", ""))
        return not self._single and series is not None and series.event["status"] != "cancelled"

    def _synced_until(self) -> int | None:
        token = self._asked.get("syncToken")
        if not token:
            return None
        if any(self._asked.get(name) for name in NOT_WITH_SYNC_TOKEN) or self._asked.get("showDeleted") is False:
            raise ApiError(400, "badRequest", "Sync token cannot be used with the given query restrictions.")
        match = re.fullmatch(r"sync-(\d+)-(.*)", token)
        if match is None or match[2] != self._calendar.id or int(match[1]) < self._calendar.world.calendars.oldest_sync:
            raise ApiError(410, "fullSyncRequired", "Sync token is no longer valid, a full sync is required.")
        return int(match[1])


def _has_properties(event: Event, group: str, wanted: list[str] | None) -> bool:
    held = event.get("extendedProperties", {}).get(group, {})
    return all(held.get(name) == content for name, _, content in (pair.partition("=") for pair in wanted or ()))


def _terms(text: str) -> list[str]:
    return re.findall(r"[\w@.+-]+", text.casefold())


def _words(event: Event) -> set[str]:
    """Whole words only."""
    people = [event["organizer"], *event.get("attendees", [])]
    texts = [event.get(name, "") for name in SEARCHED]
    texts += [person.get(name, "") for person in people for name in ("displayName", "email")]
    whole = [word.strip(".-+") for text in texts for word in _terms(text)]
    return {*whole, *(part for word in whole for part in re.findall(r"\w+", word))}
