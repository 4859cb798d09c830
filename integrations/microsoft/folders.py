"""Outlook's folders by the names that they have here."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from integrations.errors import NotFound, ReadOnly
from integrations.microsoft.errors import Refused
from integrations.microsoft.graph import Graph
from integrations.microsoft.requests import asking
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH

JUNK = "Junk"
ROOT, DELETED = "msgfolderroot", "recoverableitemsdeletions"
"""What all folders lie in, and where what was deleted for good can still be seen by whoever knows its id."""
WELL_KNOWN = {
    INBOX: "inbox",
    SENT: "sentitems",
    DRAFTS: "drafts",
    ARCHIVE: "archive",
    TRASH: "deleteditems",
    JUNK: "junkemail",
    OUTBOX: "outbox",
}
"""Graph's names for the special folders, which are shown in the language of the mailbox."""
_ASIDE = (TRASH, DRAFTS, OUTBOX, JUNK)
_A_PAGE = {"Prefer": "odata.maxpagesize=200"}
_SEARCH = "#microsoft.graph.mailSearchFolder"
"""A question that was kept, under which mails are found that lie elsewhere."""


class Folders:
    """`special` are the ids of the special folders by the names here, ROOT and DELETED among them. Names are taken without regard
    to case; a nested folder is called by its path, divided by "/"."""

    def __init__(self, listed: Iterable[Mapping[str, Any]] = (), special: Mapping[str, str] | None = None) -> None:
        self._special = dict(special or {})
        root, self.deleted = self._special.pop(ROOT, ""), self._special.pop(DELETED, "")
        self._parents = {str(one["id"]): str(one.get("parentFolderId") or "") for one in listed if one["id"] != root}
        self._called = {str(one["id"]): str(one.get("displayName") or "") for one in listed}
        self._called |= {id: name for name, id in self._special.items()}
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        others = sorted(self._parents.keys() - set(self._special.values()), key=lambda one: (self._path(one).casefold(), one))
        for one in (*self._special.values(), *others):
            self._name(one)

    @property
    def folders(self) -> tuple[str, ...]:
        """The special ones first."""
        return tuple(self._names.values())

    def knows(self, ids: Iterable[str]) -> bool:
        return all(one in self._names for one in ids)

    def id(self, folder: str) -> str | None:
        return self._ids.get(folder.casefold())

    def name(self, folder: str) -> str | None:
        """The folder as it is called here."""
        return self._names.get(self._ids.get(folder.casefold(), ""))

    def folder(self, id: str) -> str:
        """What lies in a folder that can't be seen counts as archived."""
        return self._names.get(id, ARCHIVE)

    @property
    def aside(self) -> frozenset[str]:
        """The ids of Trash, Drafts, Outbox and Junk, and of what lies in them."""
        return frozenset(one for one in self._names if self._is_aside(one))

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(self._names)

    def _is_aside(self, one: str) -> bool:
        theirs = {self._special[name] for name in _ASIDE if name in self._special}
        return any(step in theirs for step in self._steps(one))

    def _steps(self, one: str) -> list[str]:
        """The folder, and all that it lies in from there up; special ones lie at the top, wherever they do."""
        steps = [one]
        while steps[-1] not in self._special.values() and (parent := self._parents.get(steps[-1], "")) in self._parents:
            if parent in steps:
                break
            steps.append(parent)
        return steps

    def _path(self, one: str) -> str:
        return "/".join(self._called.get(step, "") for step in reversed(self._steps(one)))

    def _name(self, one: str) -> None:
        """Of two that would be called the same the later one is told apart."""
        path, number = self._path(one), 1
        while (name := path if number == 1 else f"{path} ({number})").casefold() in self._ids:
            number += 1
        self._ids[name.casefold()], self._names[one] = one, name


class FolderTree:
    """Reads all folders once, and then what has changed of them."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._special: dict[str, str] | None = None
        self._listed: dict[str, Mapping[str, Any]] = {}
        self._link = ""
        self._known = Folders()
        self._one_at_a_time = asyncio.Lock()

    @property
    def known(self) -> Folders:
        """As they were last read."""
        return self._known

    async def current(self) -> Folders:
        async with self._one_at_a_time:
            if self._special is None:
                self._special = await self._well_known()
            try:
                changed = await self._read_on()
            except (NotFound, Refused):  # what was told so far can't be gone on from
                self._link, self._listed = "", {}
                changed = await self._read_on()
            if changed:
                self._known = Folders(list(self._listed.values()), self._special)
            return self._known

    async def _well_known(self) -> dict[str, str]:
        names = {**WELL_KNOWN, ROOT: ROOT, DELETED: DELETED}
        ids = await asyncio.gather(*map(self._id, names.values()))
        return {name: id for name, id in zip(names, ids, strict=True) if id}

    async def _id(self, well_known: str) -> str:
        """Empty where the mailbox has no such folder, or does not tell of it; an Inbox it must have."""
        try:
            found = await self._graph.read(
                lambda client: asking(client.me.mail_folders.by_mail_folder_id(well_known), select=["id"])
            )
        except (NotFound, ReadOnly, Refused):
            if well_known == WELL_KNOWN[INBOX]:
                raise
            return ""
        return str(found["id"])

    async def _read_on(self) -> bool:
        """Whether anything has changed."""
        pages = await (self._graph.pages_from(self._link, headers=_A_PAGE) if self._link else self._everything())
        changes = [one for page in pages for one in page.get("value", ())]
        for one in changes:
            if "@removed" in one or one.get("@odata.type") == _SEARCH:
                self._listed.pop(one["id"], None)
            else:
                self._listed[one["id"]] = {**self._listed.get(one["id"], {}), **one}
        self._link = str(pages[-1].get("@odata.deltaLink") or "")
        return bool(changes)

    async def _everything(self) -> list[dict[str, Any]]:
        self._listed = {}
        return await self._graph.pages(
            lambda client: asking(client.me.mail_folders.delta, select=["id", "displayName", "parentFolderId"]), headers=_A_PAGE
        )
