"""Writing mail at Outlook. A mail is sent as a draft that is known by its id, and that stops being one when it is sent: that is why
none goes out twice."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, Receipt, SaveDraft, SendMail
from integrations.common.remote import came_to_nothing
from integrations.errors import Conflict, IntegrationError, NotFound, ReadOnly, Unavailable, Unknowable
from integrations.microsoft.errors import reads_answers
from integrations.microsoft.folders import Folders, FolderTree
from integrations.microsoft.graph import Graph
from integrations.microsoft.mail import GONE, message
from integrations.microsoft.mail_drafts import Drafts, Original
from integrations.microsoft.messages import FLAGGED, HEAD, LAST_VERB, STATE, WHOLE, Resource, State, read, read_state, state_of
from integrations.microsoft.own_mails import OwnMails, drafts, finished, sent
from integrations.microsoft.requests import sending
from integrations.types import DRAFTS, OUTBOX, MailRef

UNTOLD = "Outlook does not tell for certain whether this mail was sent; please look for it there."
LEAVING = "Outlook is still sending this mail."
DELETED = "The draft is gone; whether it was deleted or sent does not show any more."
_ICON, _WHEN = "Integer 0x1080", "SystemTime 0x1082"
_DONE = {"answered": ("102", "261"), "forwarded": ("104", "262")}
"""What MAPI notes down in a mail that was answered or forwarded: the verb, and the icon that shows it."""


@reads_answers
class MicrosoftMailWriter:
    def __init__(
        self,
        graph: Graph,
        tree: FolderTree,
        *,
        account: str,
        owner: str,
        zone: ZoneInfo,
        clock: Callable[[], datetime],
        name: str = "",
    ) -> None:
        self._graph, self._tree, self._account = graph, tree, account
        self._clock = clock
        self._own = OwnMails(graph, tree, owner)
        self._drafts = Drafts(graph, self._own, owner=owner, name=name, zone=zone, clock=clock)
        self._begun: set[str] = set()
        self._tried: set[str] = set()

    async def execute(self, action: MailAction, key: str) -> Receipt:
        match action:
            case SendMail():
                return await self._send(action, key)
            case SaveDraft():
                return await self._saved(action, key) or self._receipt(action, key, await self._create(action, key))
            case DeleteDraft():
                return await self._delete(action, key)
            case MarkMail() | MoveMail():
                return await self._change(action, key)

    async def find(self, action: MailAction, key: str) -> Receipt | None:
        match action:
            case SendMail():
                mail = await self._settled(key)
                return self._receipt(action, key, mail) if mail else None
            case SaveDraft():
                return await self._saved(action, key)
        try:
            now, folders = await self._now(action.mail)
        except NotFound:
            return self._receipt(action, key).model_copy(update={"note": DELETED}) if isinstance(action, DeleteDraft) else None
        if isinstance(action, DeleteDraft):
            return None
        return self._already(action, key, now, folders)

    # Sending ---------------------------------------------------------------------------------------------------------

    async def _send(self, action: SendMail, key: str) -> Receipt:
        already, _ = await self._sent_or_discarded(key)
        if already:
            return self._receipt(action, key, already)
        self._begun.add(key)
        id = str((await self._create(action, key))["id"])
        self._tried.add(key)
        try:
            await self._graph.write(lambda client: client.me.messages.by_message_id(id).send.to_post_request_information())
        except NotFound as gone:  # whoever asked meanwhile what has become of it has thrown the draft away
            raise Unavailable("The draft was gone before it was sent.", self._account) from gone
        except IntegrationError as error:
            if came_to_nothing(error):
                self._tried.discard(key)
                await self._own.give_up(id, error)
            raise
        await self._note_in_original(action)
        return await self._sent(action, key, id)

    async def _sent(self, action: SendMail, key: str, id: str) -> Receipt:
        """It has been sent: what can't be told about it just now changes nothing of that."""
        receipt = self._receipt(action, key).model_copy(update={"id": id})
        with suppress(IntegrationError):
            mail = await self._state(id) or sent(await self._own.under(key))
            if mail and not read_state(mail).draft:
                return self._receipt(action, key, mail)
        return receipt

    async def _state(self, id: str) -> Resource | None:
        """None where a mail got another id on its way, as some have seen."""
        try:
            return await message(self._graph, id, select=STATE, expand=None)
        except NotFound:
            return None

    async def _settled(self, key: str) -> Resource | None:
        """The mail as it was sent. None where it was not and no longer will be: its draft was still there and has been thrown
        away, or it is known here that sending it was never tried. Else Unknowable: somebody may have deleted it since."""
        mail, discarded = await self._sent_or_discarded(key)
        if mail is None and not discarded and (key not in self._begun or key in self._tried):
            raise Unknowable(UNTOLD, self._account)
        return mail

    async def _sent_or_discarded(self, key: str) -> tuple[Resource | None, bool]:
        """The mail as it was sent, or whether a draft of it has been thrown away before it was. Unavailable while it leaves."""
        mails = await self._own.under(key)
        unsent = [] if sent(mails) else drafts(mails)
        for draft in unsent:
            if await self._own.leaves(draft):
                raise Unavailable(LEAVING, self._account)
        try:
            for draft in unsent:
                await self._own.withdraw(draft)
        except Conflict as changed:  # sent just now, or marked by somebody
            self._tried.add(key)
            raise Unavailable(LEAVING, self._account) from changed
        if unsent:
            mails = await self._own.under(key)
            self._begun.add(key)
            self._tried.discard(key)
        return sent(mails), bool(unsent)

    async def _saved(self, action: SaveDraft, key: str) -> Receipt | None:
        """Whether it is a draft still or has been sent since."""
        written = await self._own.under(key)
        whole = finished(written)
        for draft in drafts(written):
            if draft not in whole:
                await self._own.discard(draft)
        mail = next(iter(drafts(whole)), sent(whole))
        return self._receipt(action, key, mail) if mail else None

    async def _create(self, action: SendMail | SaveDraft, key: str) -> Resource:
        answered = await self._original(action.reply_to) if action.reply_to else None
        forwarded = await self._raw(action.forward_of) if action.forward_of else None
        return await self._drafts.create(action, key, answered, forwarded)

    async def _original(self, ref: MailRef) -> Original:
        found = await message(self._graph, ref.id, select=(*HEAD, "conversationIndex"))
        await self._visible(read_state(found))
        one = read(found)
        return Original(one, str(found.get("conversationIndex") or ""), _topic(one.parsed.subject))

    async def _raw(self, ref: MailRef) -> bytes:
        await self._now(ref)
        return await self._graph.content(
            lambda client: client.me.messages.by_message_id(ref.id).content.to_get_request_information()
        )

    async def _note_in_original(self, action: SendMail) -> None:
        """As far as Outlook lets us: the mail is sent all the same."""
        ref, what = (action.reply_to, "answered") if action.reply_to else (action.forward_of, "forwarded")
        if ref is None:
            return
        verb, icon = _DONE[what]
        noted = {LAST_VERB: verb, _ICON: icon, _WHEN: f"{self._clock().astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"}
        fields = {"singleValueExtendedProperties": [{"id": name, "value": value} for name, value in noted.items()]}
        with suppress(IntegrationError):
            await self._write(ref.id, "PATCH", fields)

    # Changes ---------------------------------------------------------------------------------------------------------

    async def _now(self, ref: MailRef) -> tuple[State, Folders]:
        """NotFound where it is gone, or lies where only Outlook's own recovery reaches it."""
        now = read_state(await message(self._graph, ref.id, select=STATE, expand=None))
        return now, await self._visible(now)

    async def _visible(self, now: State) -> Folders:
        folders = await self._tree.current()
        if not folders.knows([now.folder]):
            raise NotFound(GONE, self._account)
        return folders

    async def _change(self, action: MarkMail | MoveMail, key: str) -> Receipt:
        now, folders = await self._now(action.mail)
        already = self._already(action, key, now, folders)
        if already:
            return already
        _same(action.mail, now)
        if isinstance(action, MarkMail):
            changed = await self._write(now.id, "PATCH", _marks(action))
        else:
            place = {"DestinationId": _place(action, now, folders)}
            changed = await self._graph.write(lambda client: sending(client.me.messages.by_message_id(now.id).move, "POST", place))
        return self._changed(action, key, read_state(changed), now, folders)

    async def _write(self, id: str, method: str, fields: Mapping[str, Any]) -> Resource:
        return await self._graph.write(lambda client: sending(client.me.messages.by_message_id(id), method, fields))

    def _already(self, action: MarkMail | MoveMail, key: str, now: State, folders: Folders) -> Receipt | None:
        """The receipt where everything is as it should be, whoever saw to it."""
        if isinstance(action, MarkMail):
            reached = action.seen in (None, now.seen) and action.flagged in (None, now.flagged)
        else:
            reached = folders.id(action.folder) == now.folder
        before = state_of(action.mail.etag, now) if action.mail.etag else now
        return self._changed(action, key, now, before, folders) if reached else None

    def _changed(self, action: MarkMail | MoveMail, key: str, now: State, before: State, folders: Folders) -> Receipt:
        ref = MailRef(account=self._account, id=now.id, etag=now.etag)
        undo = _unmark(action, ref, before) if isinstance(action, MarkMail) else _move_back(ref, before, now, folders)
        receipt = Receipt(action=action.kind, account=self._account, key=key, id=ref.id, etag=ref.etag)
        return receipt.model_copy(update={"undo": (undo,) if undo else ()})

    async def _delete(self, action: DeleteDraft, key: str) -> Receipt:
        """For good: only Outlook's own recovery reaches it then."""
        found = await message(self._graph, action.mail.id, select=WHOLE)
        now = read_state(found)
        await self._visible(now)
        _same(action.mail, now)
        if not now.draft:
            raise Conflict("That mail is not a draft any more.", self._account)
        undo = await self._again(found)
        await self._own.discard(found)
        return self._receipt(action, key).model_copy(update={"undo": (undo,) if undo else ()})

    async def _again(self, found: Resource) -> SaveDraft | None:
        """What writes the draft anew; None where it holds more than plain text."""
        draft = read(found).parsed
        if found.get("attachments") or (found.get("body") or {}).get("contentType") != "text":
            return None
        answered = await self._own.with_id(draft.in_reply_to) if draft.in_reply_to else []
        return SaveDraft(
            account=self._account,
            to=draft.to,
            cc=draft.cc,
            bcc=draft.bcc,
            subject=draft.subject,
            body=draft.text,
            reply_to=MailRef(account=self._account, id=str(answered[0]["id"])) if answered else None,
        )

    def _receipt(self, action: MailAction, key: str, mail: Resource | None = None) -> Receipt:
        """`mail` as it stands after the write."""
        receipt = Receipt(action=action.kind, account=self._account, key=key)
        if mail is None:
            return receipt
        now = read_state(mail)
        ref = MailRef(account=self._account, id=now.id, etag=now.etag)
        undo = (DeleteDraft(account=self._account, mail=ref),) if isinstance(action, SaveDraft) and now.draft else ()
        return receipt.model_copy(update={"id": ref.id, "etag": ref.etag, "undo": undo})


def _same(ref: MailRef, now: State) -> None:
    if ref.etag and ref.etag != now.etag:
        raise Conflict("The mail was moved or marked since it was read.", ref.account)


def _marks(action: MarkMail) -> dict[str, Any]:
    seen = {} if action.seen is None else {"isRead": action.seen}
    flag = {} if action.flagged is None else {"flag": {"flagStatus": FLAGGED if action.flagged else "notFlagged"}}
    return {**seen, **flag}


def _unmark(action: MarkMail, ref: MailRef, before: State) -> MarkMail | None:
    def earlier(wanted: bool | None, was: bool) -> bool | None:
        return None if wanted is None or wanted == was else was

    seen, flagged = earlier(action.seen, before.seen), earlier(action.flagged, before.flagged)
    return None if seen is None and flagged is None else MarkMail(account=ref.account, mail=ref, seen=seen, flagged=flagged)


def _move_back(ref: MailRef, before: State, now: State, folders: Folders) -> MoveMail | None:
    """Nothing where the mail was there already."""
    if before.folder == now.folder or not folders.knows([before.folder]):
        return None
    return MoveMail(account=ref.account, mail=ref, folder=folders.folder(before.folder))


def _place(action: MoveMail, now: State, folders: Folders) -> str:
    """The folder's id. NotFound where there is none, ReadOnly where mails do not come by moving them."""
    id, name = folders.id(action.folder), folders.name(action.folder)
    if id is None:
        there = ", ".join(folders.folders)
        raise NotFound(f"There is no mail folder called {action.folder}; there are: {there}.", action.account)
    if name == OUTBOX or (name == DRAFTS and not now.draft):
        raise ReadOnly(f"Only what is being written or sent lies in {name}; no mail is moved there.", action.account)
    return id


def _topic(subject: str) -> str:
    """Without what answering and forwarding put before it."""
    head, colon, rest = subject.partition(":")
    prefix = colon and 0 < len(head.strip()) <= 3 and head.strip().isalpha()
    return _topic(rest.strip()) if prefix else subject.strip()
