"""Moves a local account into an emulated one: every mail, event and contact that lies in its folders."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import icalendar
import vobject
from doubles.given import GivenContact, GivenEvent

from integrations.types import INBOX, OUTBOX, Address, Attendee

ANSWERS: Mapping[str, Any] = {"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative"}


class Taker(Protocol):
    """The account that things are put into."""

    def mail(self, raw: bytes, folder: str, *, seen: bool, flagged: bool) -> None: ...

    def calendar(self, name: str) -> None:
        """Further events are put there; until then into the one that is there from the beginning."""

    def event(self, event: GivenEvent) -> None: ...

    def contact(self, contact: GivenContact) -> None: ...


def load(taker: Taker, root: Path) -> None:
    """The calendar that holds most becomes the one that is there from the beginning. What waits in an Outbox is left behind."""
    for path in (path for part in ("cur", "new") for path in sorted((root / "mail").rglob(f"{part}/*"))):
        folder = path.parent.parent.relative_to(root / "mail").as_posix().lstrip(".").replace(".", "/") or INBOX
        flags = path.name.partition(":2,")[2]
        if folder != OUTBOX:
            taker.mail(path.read_bytes(), folder, seen="S" in flags, flagged="F" in flags)
    by_size = sorted((root / "calendars").iterdir(), key=lambda folder: -len(list(folder.glob("*.ics"))))
    for number, folder in enumerate(by_size):
        if number:
            taker.calendar((folder / "displayname").read_text(encoding="utf-8"))
        for file in sorted(folder.glob("*.ics")):
            taker.event(event_in(file.read_bytes()))
    for file in sorted((root / "contacts").rglob("*.vcf")):
        taker.contact(contact_in(file.read_text(encoding="utf-8")))


def event_in(ics: bytes | str) -> GivenEvent:
    """Of a calendar object with one event or one series."""
    components = icalendar.Calendar.from_ical(ics).walk("VEVENT")
    (master,) = [_event(one) for one in components if "RECURRENCE-ID" not in one]
    instances = tuple((one["RECURRENCE-ID"].dt, _event(one)) for one in components if "RECURRENCE-ID" in one)
    return master.but(instances=instances)


def _event(component: Any) -> GivenEvent:
    return GivenEvent(
        uid=str(component.get("UID", "")),
        title=str(component.get("SUMMARY", "")),
        start=component.start,
        end=component.end,
        location=str(component.get("LOCATION", "")),
        description=str(component.get("DESCRIPTION", "")),
        rrule=component["RRULE"].to_ical().decode() if "RRULE" in component else "",
        without=tuple(one.dt for line in _listed(component, "EXDATE") for one in line.dts),
        organizer=_address(component["ORGANIZER"]) if "ORGANIZER" in component else None,
        attendees=tuple(map(_attendee, _listed(component, "ATTENDEE"))),
        busy=component.get("TRANSP") != "TRANSPARENT",
        cancelled=component.get("STATUS") == "CANCELLED",
    )


def _listed(component: Any, name: str) -> Iterator[Any]:
    found = component.get(name, [])
    yield from found if isinstance(found, list) else [found]


def _address(line: Any) -> Address:
    return Address(email=str(line).lower().removeprefix("mailto:"), name=str(line.params.get("CN", "")))


def _attendee(line: Any) -> Attendee:
    answer = ANSWERS.get(line.params.get("PARTSTAT", ""), "needs-action")
    return Attendee(address=_address(line), answer=answer, optional=line.params.get("ROLE") == "OPT-PARTICIPANT")


def contact_in(vcf: str) -> GivenContact:
    card = vobject.readOne(vcf)
    known = card.contents
    first = {name: lines[0].value for name, lines in known.items()}
    emails = sorted(known.get("email", []), key=lambda line: "PREF" not in str(line.params).upper())
    return GivenContact(
        name=first["fn"],
        emails=tuple(line.value for line in emails),
        phones=tuple(line.value for line in known.get("tel", [])),
        nickname=str(first.get("nickname", "")),
        company=first["org"][0] if "org" in first else "",
        title=first.get("title", ""),
        groups=tuple(first.get("categories", ())),
        birthday=first.get("bday", ""),
        note=first.get("note", ""),
    )
