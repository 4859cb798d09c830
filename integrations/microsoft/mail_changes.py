"""What has happened to mails since: told by Graph folder by folder, and put together here."""

import asyncio
import json
from typing import Any, NamedTuple

from integrations.errors import InvalidResponse, NotFound
from integrations.microsoft.errors import Refused
from integrations.microsoft.folders import FolderTree
from integrations.microsoft.graph import Graph
from integrations.microsoft.requests import asking

_A_PAGE = {"Prefer": "odata.maxpagesize=500"}


class Told(NamedTuple):
    """Of one folder. `place` is where Graph goes on from the next time; not `complete`: it did not go on, but began anew."""

    place: str
    changed: set[str]
    gone: set[str]
    complete: bool


class Since(NamedTuple):
    """`cursor` is that as of now; the ids of mails that came or were marked or moved, and of those that exist no more. Not
    `complete`: of some folder it can't be told any more."""

    cursor: str
    changed: set[str]
    gone: set[str]
    complete: bool


class History:
    """A cursor has the place of each folder in its own changes."""

    def __init__(self, graph: Graph, tree: FolderTree) -> None:
        self._graph, self._tree = graph, tree

    async def now(self) -> str:
        return (await self._all({})).cursor

    async def since(self, cursor: str) -> Since:
        return await self._all(_places(cursor))

    async def _all(self, places: dict[str, str]) -> Since:
        """All mails of a folder that is new have come. Which mails went with a folder that is gone can't be told."""
        ids = (await self._tree.current()).ids
        told = await asyncio.gather(*(self._of(folder, places.get(folder, "")) for folder in ids))
        changed = set().union(*(one.changed for one in told))
        gone = set().union(*(one.gone for one in told)) - changed  # what was moved has left its folder
        complete = bool(places) and places.keys() <= set(ids) and all(one.complete for one in told)
        return Since(_written({folder: one.place for folder, one in zip(ids, told, strict=True)}), changed, gone, complete)

    async def _of(self, folder: str, place: str) -> Told:
        if place:
            try:
                return self._told(await self._since(place))
            except (NotFound, Refused):
                return self._told(await self._everything(folder))._replace(complete=False)
        return self._told(await self._everything(folder))

    async def _everything(self, folder: str) -> list[dict[str, Any]]:
        return await self._graph.pages(
            lambda client: asking(client.me.mail_folders.by_mail_folder_id(folder).messages.delta, select=["id"]), headers=_A_PAGE
        )

    async def _since(self, place: str) -> list[dict[str, Any]]:
        link = f"{self._graph.base}{place}" if place.startswith("/") else place
        return await self._graph.pages_from(link, headers=_A_PAGE)

    def _told(self, pages: list[dict[str, Any]]) -> Told:
        told = [one for page in pages for one in page.get("value", ())]
        changed = {str(one["id"]) for one in told if "@removed" not in one}
        gone = {str(one["id"]) for one in told if "@removed" in one}
        return Told(self._place(pages[-1]), changed, gone - changed, complete=True)

    def _place(self, page: dict[str, Any]) -> str:
        link = str(page.get("@odata.deltaLink") or "")
        if not link:
            raise InvalidResponse("Outlook did not say from where its changes go on.", self._graph.account)
        return link.removeprefix(self._graph.base)


def _written(places: dict[str, str]) -> str:
    return json.dumps(places, separators=(",", ":"))


def _places(cursor: str) -> dict[str, str]:
    """Empty where it is none of ours."""
    try:
        read = json.loads(cursor)
    except ValueError:
        return {}
    known = isinstance(read, dict) and all(isinstance(place, str) for place in read.values())
    return read if known else {}
