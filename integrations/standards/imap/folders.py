"""A mailbox's folders by the names that they have here, whatever the server calls them."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from imap_tools.imap_utf7 import utf7_decode, utf7_encode

from integrations.standards.imap.responses import Listed
from integrations.types import ARCHIVE, DRAFTS, INBOX, OUTBOX, SENT, TRASH

JUNK = "Spam"
SPECIAL = (INBOX, SENT, DRAFTS, OUTBOX, ARCHIVE, TRASH, JUNK)
ASIDE = (TRASH, DRAFTS, OUTBOX, JUNK)
_ATTRIBUTES = {SENT: "\\sent", DRAFTS: "\\drafts", ARCHIVE: "\\archive", TRASH: "\\trash", JUNK: "\\junk"}
USES = {SENT: "\\Sent", DRAFTS: "\\Drafts", ARCHIVE: "\\Archive", TRASH: "\\Trash"}
"""RFC 6154's words for what a folder is for."""
_CLOSED = {"\\noselect", "\\nonexistent"}
_VIEWS = {"\\all", "\\flagged", "\\important"}
"""Folders that show mails which lie elsewhere."""
_KNOWN = {
    SENT: (
        "sent|sent items|sent mail|sent messages|sent-mail|gesendet|gesendete objekte|gesendete elemente|gesendete nachrichten|"
        "envoyés|éléments envoyés|messages envoyés|enviados|elementos enviados|mensajes enviados|itens enviados|posta inviata|"
        "inviata|inviati|verzonden|verzonden items|verzonden berichten|skickat|skickade|skickade objekt|sendt|sendte elementer|"
        "lähetetyt|wysłane|elementy wysłane|odeslaná pošta|odeslané|отправленные|надіслані|gönderilmiş öğeler|gönderilenler|"
        "送信済み|送信済みアイテム|已发送|已发送邮件|보낸 편지함"
    ),
    DRAFTS: (
        "drafts|draft|entwürfe|entwurf|brouillons|borradores|rascunhos|bozze|concepten|utkast|kladder|luonnokset|"
        "szkice|wersje robocze|koncepty|rozepsané|черновики|чернетки|taslaklar|下書き|草稿|草稿箱|임시 보관함"
    ),
    ARCHIVE: (
        "archive|archives|archiv|archivo|archivos|arquivo|archivio|archief|arkiv|arkisto|archiwum|архив|архів|arşiv|アーカイブ|存档|归档"
    ),
    TRASH: (
        "trash|deleted|deleted items|deleted messages|bin|papierkorb|gelöscht|gelöschte objekte|gelöschte elemente|corbeille|"
        "éléments supprimés|papelera|elementos eliminados|lixeira|itens excluídos|cestino|posta eliminata|prullenbak|"
        "verwijderde items|papperskorgen|borttaget|papirkurv|slettede elementer|roskakori|kosz|elementy usunięte|koš|"
        "odstraněná pošta|корзина|удаленные|кошик|çöp kutusu|silinmiş öğeler|ゴミ箱|已删除|已删除邮件|휴지통"
    ),
    JUNK: (
        "spam|junk|junk mail|junk e-mail|junk-e-mail|bulk mail|spamverdacht|unerwünscht|courrier indésirable|indésirables|"
        "correo no deseado|lixo eletrônico|posta indesiderata|ongewenste e-mail|skräppost|søppelpost|roskaposti|wiadomości-śmieci|"
        "nevyžádaná pošta|спам|нежелательная почта|迷惑メール|垃圾邮件|스팸"
    ),
    OUTBOX: "outbox",
}
_NAMES = {known: name for name, all_known in _KNOWN.items() for known in all_known.split("|")}


class Folder(NamedTuple):
    """`name` as everywhere here, nested ones as "A/B"; `path` is the server's name as it is sent, in modified UTF-7."""

    name: str
    path: str


class Folders:
    """From what LIST told; `prefix` and `delimiter` are those of the user's own namespace, `foreign` the prefixes of others'."""

    def __init__(self, listed: Iterable[Listed] = (), prefix: str = "", delimiter: str = "", foreign: Iterable[str] = ()) -> None:
        told = {one.path: one for one in listed}
        theirs = tuple(foreign)
        ours = [one for one in told.values() if one.path.upper() == INBOX or (one.path and not one.path.startswith(theirs))]
        self._prefix = prefix
        self._names: dict[str, str] = {}
        self._alike = Counter[str]()
        self._delimiter = delimiter or next((one.delimiter for one in ours if one.delimiter), "/")
        opened = [one for one in ours if not one.attributes & (_CLOSED | (_VIEWS - {"\\all"}))]
        self._special = self._recognised(opened)
        self._by_name: dict[str, Folder] = {}
        for name, path in self._special.items():
            self._add(name, path)
        for one in sorted(opened, key=lambda one: (self._shown(one.path).casefold(), one.path)):
            if one.path not in self._special.values() and "\\all" not in one.attributes:
                self._add(self._shown(one.path), one.path)

    @property
    def all(self) -> tuple[Folder, ...]:
        """Those that can be opened, the special ones first, without those that only show what lies elsewhere."""
        return tuple(self._by_name.values())

    @property
    def aside(self) -> frozenset[str]:
        """The names of Trash, Drafts, Outbox and Spam, and of what lies in them."""
        within = tuple(self._special[name] + self._delimiter for name in ASIDE if name in self._special)
        return frozenset(one.name for one in self.all if one.name in ASIDE or (within and one.path.startswith(within)))

    def __iter__(self) -> Iterator[Folder]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self._by_name)

    def named(self, name: str) -> Folder | None:
        """Without regard to case."""
        return self._by_name.get(name.casefold())

    def at(self, path: str) -> Folder | None:
        return next((one for one in self.all if one.path == path), None)

    def special(self, name: str) -> Folder:
        """One of SPECIAL; where there is none, as it would be made."""
        return self.named(name) or Folder(name, name if name == INBOX else self._prefix + name)

    def _recognised(self, opened: list[Listed]) -> dict[str, str]:
        """Special folders: what the server says, else names by which they are known, of which one of ours comes first."""
        special: dict[str, str] = {}
        for name in SPECIAL:
            attribute = _ATTRIBUTES.get(name, "")
            paths = [one.path for one in opened if attribute and attribute in one.attributes]
            if not paths and name == ARCHIVE:
                paths = [one.path for one in opened if "\\all" in one.attributes]
            taken = {*special.values(), *(one.path for one in opened if one.attributes & {*_ATTRIBUTES.values(), "\\all"})}
            paths = paths or [one.path for one in opened if one.path not in taken and self._called(one.path) == name]
            if paths:
                special[name] = min(paths, key=lambda path: (self._shown(path) != name, len(path), path))
        return special

    def _called(self, path: str) -> str:
        """The special folder that this one's name says it is; only those at the top are taken at their name."""
        if path.upper() == INBOX:
            return INBOX
        shown = self._shown(path)
        below_inbox = shown.removeprefix(f"{INBOX}/")
        return _NAMES.get(below_inbox.casefold(), "")

    def _shown(self, path: str) -> str:
        """Without what can't be seen, and without the prefix that all of the user's folders have."""
        if path not in self._names:
            self._names[path] = self._name(path)
        return self._names[path]

    def _name(self, path: str) -> str:
        steps = path.removeprefix(self._prefix) if path.upper() != INBOX else INBOX
        parts = steps.split(self._delimiter) if self._delimiter else [steps]
        shown = "/".join(decoded(part) for part in parts)
        visible = shown if shown.isprintable() else "".join(filter(str.isprintable, shown))
        return visible.strip() or "?"

    def _add(self, name: str, path: str) -> None:
        """Of two that would be called the same the later one is told apart."""
        given = name
        while name.casefold() in self._by_name or (name in SPECIAL and self._special.get(name) != path):
            self._alike[given] += 1
            name = f"{given} ({self._alike[given] + 1})"
        self._by_name[name.casefold()] = Folder(name, path)


def decoded(path: str) -> str:
    """From modified UTF-7, or from UTF-8 where a server sends that; what is neither stays as it is."""
    raw = path.encode("latin-1")
    try:
        if not path.isascii():
            return raw.decode()
        name = utf7_decode(raw)
        return name if utf7_encode(name) == raw else path
    except ValueError:
        return path
