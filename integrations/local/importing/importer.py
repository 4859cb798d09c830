"""One run of an import: looks at each source, and hands what it holds to the filer of its kind."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

from integrations.errors import IntegrationError
from integrations.local.importing.files import Skip
from integrations.local.importing.mbox import MAX_MESSAGE, split_mbox
from integrations.local.importing.report import ImportReport, LocalFolders, OnProgress, Tally
from integrations.local.importing.sniff import HEAD, kind_of, looks_like_mail, plain
from integrations.local.importing.sources import Source, find_sources

if TYPE_CHECKING:
    from integrations.local.importing.calendars import EventFiler
    from integrations.local.importing.cards import CardFiler
    from integrations.local.importing.mails import MailFiler

MAX_FILE = 200 * 2**20
"""Of a calendar or an address book, in bytes."""

_STEP = 2**20


def import_files(paths: Sequence[Path], account: LocalFolders, *, on_progress: OnProgress | None = None) -> ImportReport:
    """Create-only, and repeatable: what is there already is counted as a duplicate."""
    tally = Tally()
    with ExitStack() as stack:
        sources = tuple(find_sources(paths, stack, tally.skip))
        run = _Run(account, tally, sum(source.size for source in sources), on_progress)
        for source in sources:
            run.take(source)
    return tally.report()


class _Run:
    def __init__(self, account: LocalFolders, tally: Tally, total: int, on_progress: OnProgress | None) -> None:
        self._account = account
        self._tally = tally
        self._total, self._before, self._told = total, 0, 0
        self._on_progress = on_progress

    def take(self, source: Source) -> None:
        with self._skipping(source.where):
            self._take(source)
        self._before += source.size
        self._tell(source, 0)

    def _take(self, source: Source) -> None:
        with source.open() as stream:
            kind = kind_of(stream.read(HEAD), source.path.name)
        takers: dict[str, tuple[Path | None, str, Callable[[Source, IO[bytes]], None]]] = {
            "mbox": (self._account.mail, "mail", self._take_mbox),
            "mail": (self._account.mail, "mail", self._take_mail),
            "ics": (self._account.calendars, "calendars", self._take_calendar),
            "vcf": (self._account.contacts, "contacts", self._take_cards),
        }
        if kind not in takers:
            self._tally.skip(source.where, kind)
            return
        folder, what, taker = takers[kind]
        if folder is None:
            self._tally.skip(source.where, f"this account has no folder for {what}")
            return
        with source.open() as stream:
            taker(source, stream)

    def _take_mbox(self, source: Source, stream: IO[bytes]) -> None:
        for number, entry in enumerate(split_mbox(stream), 1):
            where = f"{source.where}, message {number}"
            if entry.raw is None:
                self._tally.skip(where, "is larger than any mail")
            elif not looks_like_mail(entry.raw, lenient=True):
                self._tally.skip(where, "has no header, so it is no mail")
            else:
                with self._skipping(where):
                    self._file_mail(entry.raw, source)
            self._tell(source, entry.end)

    def _take_mail(self, source: Source, stream: IO[bytes]) -> None:
        raw = stream.read(MAX_MESSAGE + 1)
        if len(raw) > MAX_MESSAGE:
            self._tally.skip(source.where, "is larger than any mail")
        else:
            self._file_mail(plain(raw).lstrip(b"\r\n"), source)

    def _file_mail(self, raw: bytes, source: Source) -> None:
        if self._mails.take(raw, source.path, source.modified):
            self._tally.mails += 1
        else:
            self._tally.duplicates += 1

    def _take_calendar(self, source: Source, stream: IO[bytes]) -> None:
        taken, duplicates = self._events.take(_whole(stream), source.path.stem, self._skip_in(source))
        self._tally.events += taken
        self._tally.duplicates += duplicates

    def _take_cards(self, source: Source, stream: IO[bytes]) -> None:
        taken, duplicates = self._cards.take(_whole(stream), self._skip_in(source))
        self._tally.contacts += taken
        self._tally.duplicates += duplicates

    @contextmanager
    def _skipping(self, where: str) -> Iterator[None]:
        """What can't be read is skipped; what can't be written ends the import."""
        try:
            yield
        except (IntegrationError, ImportError):
            raise
        except Exception as error:  # a parser fed with anything raises anything
            self._tally.skip(where, f"could not be read ({' '.join(str(error).split()) or type(error).__name__})")

    def _skip_in(self, source: Source) -> Skip:
        return lambda item, reason: self._tally.skip(f"{source.where}, {item}" if item else source.where, reason)

    def _tell(self, source: Source, read: int) -> None:
        done = self._before + read
        if self._on_progress and (not read or done - self._told >= _STEP):
            self._on_progress(done, self._total, source.where)
            self._told = done

    # Each filer looks through its folder when the first item of its kind comes.
    @cached_property
    def _mails(self) -> "MailFiler":
        from integrations.local.importing.mails import MailFiler

        assert self._account.mail
        return MailFiler(self._account.mail)

    @cached_property
    def _events(self) -> "EventFiler":
        from integrations.local.importing.calendars import EventFiler

        assert self._account.calendars
        return EventFiler(self._account.calendars)

    @cached_property
    def _cards(self) -> "CardFiler":
        from integrations.local.importing.cards import CardFiler

        assert self._account.contacts
        return CardFiler(self._account.contacts)


def _whole(stream: IO[bytes]) -> bytes:
    data = stream.read(MAX_FILE + 1)
    if len(data) > MAX_FILE:
        raise OSError(f"it is larger than {MAX_FILE // 2**20} MB")
    return data
