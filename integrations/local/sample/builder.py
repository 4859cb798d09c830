"""Writes the sample account, all of it or nothing."""

import os
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from zoneinfo import ZoneInfo

from integrations.local.sample.events import EventBuilder, read_events
from integrations.local.sample.mails import MailBuilder, maildir_path, read_threads
from integrations.local.sample.moments import Moments
from integrations.local.sample.people import People, card, read_people
from integrations.registry import AccountConfig

PARTS = ("mail", "calendars", "contacts")
_FOLDERS = ("", ".Sent", ".Drafts", ".Outbox", ".Archive", ".Trash")


def make_sample(root: Path, *, now: datetime, zone: ZoneInfo) -> AccountConfig:
    """Fills mail/, calendars/ and contacts/ under `root`; what is there already is left alone. On one date and in one zone it is
    always the same, but for the times of this morning's mails where `now` is before nine."""
    people = read_people()
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    if any(not (root / part).exists() for part in PARTS):
        # Built aside, so that an interrupted run leaves no half of it behind.
        building = Path(mkdtemp(dir=root, prefix=".building-"))
        try:
            _write(building, _contents(_until_nine(now, zone), zone))
            for part in PARTS:
                if not (root / part).exists():
                    (building / part).rename(root / part)
        finally:
            rmtree(building)
    settings = {part: str((root / part).absolute()) for part in PARTS}
    return AccountConfig(name="sample", kind="local", address=people.me.email, owner=people.me.name, settings=settings, sample=True)


def _until_nine(now: datetime, zone: ZoneInfo) -> datetime:
    """From then on it makes no difference how late it is."""
    here = now.astimezone(zone)
    return min(here, here.replace(hour=9, minute=0, second=0, microsecond=0))


@lru_cache(maxsize=1)
def _contents(now: datetime, zone: ZoneInfo) -> tuple[tuple[str, bytes], ...]:
    """Paths under the root with what is in them; a path that ends in a slash is an empty folder."""
    return tuple(_laid_out(read_people(), Moments(now, zone)))


def _laid_out(people: People, moments: Moments) -> Iterator[tuple[str, bytes]]:
    plan = read_events()
    events = EventBuilder(moments, people)
    by_id = {event.id: event for event in plan.events}
    mails = MailBuilder(moments, people, lambda id: events.build(by_id[id], method="REQUEST"))
    for folder in _FOLDERS:
        yield from ((f"mail/{folder}/{part}/", b"") for part in ("cur", "new", "tmp"))
        if folder:
            yield f"mail/{folder}/maildirfolder", b""
    for thread in read_threads():
        yield from ((f"mail/{maildir_path(delivery)}", delivery.raw) for delivery in mails.build(thread))
    for key, name in plan.calendars.items():
        yield f"calendars/{key}/displayname", name.encode()
    for event in plan.events:
        yield f"calendars/{event.calendar}/{event.id}.ics", events.build(event)
    for key, person in people.contacts.items():
        yield f"contacts/contacts/{key}.vcf", card(key, person)


def _write(root: Path, contents: Iterable[tuple[str, bytes]]) -> None:
    made: set[Path] = set()
    for name, raw in contents:
        path = root / name
        folder = path if name.endswith("/") else path.parent
        if folder not in made:
            _make(root, folder)
            made.add(folder)
        if folder is not path:
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                file.write(raw)


def _make(root: Path, folder: Path) -> None:
    """With those above it, for nobody else to look into."""
    for one in reversed((folder, *folder.parents)):
        if root in one.parents:
            one.mkdir(mode=0o700, exist_ok=True)
