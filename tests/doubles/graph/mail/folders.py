"""The folders of a mailbox: the well-known ones, and the user's own below them."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from secrets import token_bytes

from doubles.graph import ids
from doubles.graph.calls import GraphError, not_found

ROOT = "msgfolderroot"
KNOWN = {
    "inbox": "Inbox",
    "drafts": "Drafts",
    "sentitems": "Sent Items",
    "deleteditems": "Deleted Items",
    "archive": "Archive",
    "junkemail": "Junk Email",
    "outbox": "Outbox",
    "conversationhistory": "Conversation History",
}
HIDDEN = {"clutter": "Clutter", "syncissues": "Sync Issues"}
DUMPSTER = "recoverableitemsdeletions"


def entry_id() -> str:
    """Of what is not immutable: folders, and mails as whoever does not ask for more sees them."""
    return f"AAMkAGI2THVSAAAAAAEMAADF{base64.urlsafe_b64encode(token_bytes(24)).decode()}AAA="


@dataclass(eq=False)
class Folder:
    """`known` is its well-known name, `parent` the id of the folder it lies in."""

    id: str
    name: str
    parent: str
    known: str = ""
    hidden: bool = False


class Folders:
    """Names may be those of any language; the well-known ones stay."""

    def __init__(self) -> None:
        self.by_id: dict[str, Folder] = {}
        root = self._add("Top of Information Store", "", known=ROOT)
        for known, name in KNOWN.items():
            self._add(name, root.id, known=known)
        for known, name in HIDDEN.items():
            self._add(name, root.id, known=known, hidden=True)
        self._add("Deletions", "", known=DUMPSTER, hidden=True)

    def known(self, name: str) -> Folder:
        return next(folder for folder in self.by_id.values() if folder.known == name)

    def get(self, wanted: str) -> Folder:
        """By id or well-known name; GraphError where there is none."""
        if wanted in self.by_id:
            return self.by_id[wanted]
        found = next((folder for folder in self.by_id.values() if folder.known == wanted.lower()), None)
        if found is None:
            ids.check(wanted)
            raise not_found()
        return found

    def children(self, parent: str, *, hidden: bool = False) -> list[Folder]:
        return [folder for folder in self.by_id.values() if folder.parent == parent and (hidden or not folder.hidden)]

    def ensure(self, path: str) -> Folder:
        """The folder below the top that has this path, made where it is missing; "/" divides."""
        here = self.known(ROOT)
        for name in path.split("/"):
            here = self.named(name, here.id) or self._add(name, here.id)
        return here

    def create(self, name: str, parent: str) -> Folder:
        if self.named(name, parent):
            raise GraphError(409, "ErrorFolderExists", "A folder with the specified name already exists.")
        return self._add(name, parent)

    def named(self, name: str, parent: str) -> Folder | None:
        wanted = name.casefold()
        return next((one for one in self.by_id.values() if one.parent == parent and one.name.casefold() == wanted), None)

    def below(self, folder: Folder) -> Iterator[Folder]:
        """Itself first."""
        yield folder
        for child in self.children(folder.id, hidden=True):
            yield from self.below(child)

    def _add(self, name: str, parent: str, *, known: str = "", hidden: bool = False) -> Folder:
        folder = Folder(entry_id(), name, parent, known, hidden)
        self.by_id[folder.id] = folder
        return folder
