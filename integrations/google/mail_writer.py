"""Writing mail at Gmail. A mail is sent as a draft, which is gone once it is sent: that is why none goes out twice."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from googleapiclient.http import MediaInMemoryUpload

from integrations.actions import DeleteDraft, MailAction, MarkMail, MoveMail, Receipt, SaveDraft, SendMail
from integrations.common import as_approved
from integrations.common.mail_building import build_message
from integrations.common.mime import Parsed, read_message
from integrations.common.remote import came_to_nothing
from integrations.errors import Conflict, IntegrationError, InvalidResponse, NotFound, ReadOnly, Unavailable, Unknowable
from integrations.google.google import Apis, Google
from integrations.google.heads import message
from integrations.google.messages import (
    OUTLINE,
    STARRED,
    STATE,
    UNREAD,
    WHOLE,
    Labels,
    Message,
    Resource,
    coded,
    etag,
    labels_of,
    raw_bytes,
    read,
    state,
)
from integrations.google.own_mails import KEY, OwnMails, drafts, sent
from integrations.types import MailRef

UNTOLD = "Gmail does not tell for certain whether this mail was sent; please look for it there."
GONE = "The draft is gone; whether it was deleted or sent does not show any more."
CHANGED_BY_GMAIL = "Gmail has made something else of the mail than was approved; it was not sent."
SMALL = 1_000_000
"""Bytes of a mail that may go inside JSON; a larger one goes as an upload, for which Gmail allows more."""
_ALWAYS_THEIRS = {"SENT", "DRAFT"}
"""Labels that Gmail gives and takes itself."""


class GoogleMailWriter:
    def __init__(
        self, google: Google, *, account: str, owner: str, zone: ZoneInfo, clock: Callable[[], datetime], name: str = ""
    ) -> None:
        self._google, self._account = google, account
        self._owner, self._name = owner, name
        self._zone, self._clock = zone, clock
        self._own = OwnMails(google, owner)
        self._begun: set[str] = set()
        self._tried: set[str] = set()

    async def execute(self, action: MailAction, key: str) -> Receipt:
        match action:
            case SendMail():
                return await self._send(action, key)
            case SaveDraft():
                return await self._saved(action, key) or await self._save(action, key)
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
            now = await message(self._google, action.mail.id, format="minimal", fields=STATE)
        except NotFound:
            return self._receipt(action, key).model_copy(update={"note": GONE}) if isinstance(action, DeleteDraft) else None
        if isinstance(action, DeleteDraft):
            return None
        return self._already(action, key, now, await self._labels_for(action))

    # Sending ---------------------------------------------------------------------------------------------------------

    async def _send(self, action: SendMail, key: str) -> Receipt:
        already, _ = await self._sent_or_discarded(key)
        if already:
            return self._receipt(action, key, already)
        self._begun.add(key)
        draft = await self._create(action, key)
        try:
            await self._look_through(action, draft)
            self._tried.add(key)
            mail = await self._google.write(lambda api: api.gmail.users().drafts().send(userId="me", body={"id": draft["id"]}))
        except NotFound as gone:  # whoever asked meanwhile what has become of it has thrown the draft away
            raise Unavailable("The draft was gone before it was sent.", self._account) from gone
        except IntegrationError as error:
            if came_to_nothing(error):
                self._tried.discard(key)
                with suppress(IntegrationError):  # what was only made for sending shall not stay
                    await self._discard(draft["id"])
            raise
        return self._receipt(action, key, mail)

    async def _look_through(self, action: SendMail, draft: Resource) -> None:
        """Gmail has read the mail itself: who it goes to, and what it says, must still be what was approved."""
        held = read(await self._original(MailRef(account=self._account, id=draft["message"]["id"]), format="full", fields=WHOLE))
        forwarded = await self._outline(action.forward_of) if action.forward_of else None
        if as_approved.of_mail(action, as_approved.parsed_copy(held.parsed), forwarded.attachments if forwarded else ()):
            raise InvalidResponse(CHANGED_BY_GMAIL, self._account)

    async def _outline(self, ref: MailRef) -> Parsed:
        return read(await self._original(ref, format="full", fields=OUTLINE)).parsed

    async def _settled(self, key: str) -> Resource | None:
        """The mail as it was sent. None where it was not and no longer will be: its draft was still there and has been thrown
        away, or it is known here that sending it was never tried. Else Unknowable: somebody may have deleted it since."""
        mail, discarded = await self._sent_or_discarded(key)
        if mail is None and not discarded and (key not in self._begun or key in self._tried):
            raise Unknowable(UNTOLD, self._account)
        return mail

    async def _sent_or_discarded(self, key: str) -> tuple[Resource | None, bool]:
        """The mail as it was sent, or whether a draft of it has been thrown away before it was."""
        mails = await self._own.under(key)
        unsent = [] if sent(mails) else drafts(mails)
        try:
            for draft in unsent:
                await self._discard(await self._own.draft_of(draft["id"]))
        except NotFound:  # sent just now, if nobody else threw it away
            self._tried.add(key)
            unsent, mails = [], await self._own.under(key)
        if unsent:
            self._begun.add(key)
            self._tried.discard(key)
        return sent(mails), bool(unsent)

    async def _discard(self, draft_id: str) -> None:
        await self._google.write(lambda api: api.gmail.users().drafts().delete(userId="me", id=draft_id))

    async def _saved(self, action: SaveDraft, key: str) -> Receipt | None:
        """Whether it is a draft still or has been sent since."""
        written = await self._own.under(key)
        mail = next(iter(drafts(written)), sent(written))
        return self._receipt(action, key, mail) if mail else None

    async def _save(self, action: SaveDraft, key: str) -> Receipt:
        return self._receipt(action, key, (await self._create(action, key))["message"])

    async def _create(self, action: SendMail | SaveDraft, key: str) -> Resource:
        answered = read(await self._original(action.reply_to, format="full", fields=OUTLINE)) if action.reply_to else None
        forwarded = await self._original(action.forward_of, format="raw") if action.forward_of else None
        raw = await asyncio.to_thread(self._built, action, key, answered, forwarded)
        thread = {"threadId": answered.thread} if answered else {}

        def build(api: Apis) -> Any:
            if len(raw) <= SMALL:
                return api.gmail.users().drafts().create(userId="me", body={"message": {**thread, "raw": coded(raw)}})
            upload = MediaInMemoryUpload(raw, mimetype="message/rfc822")
            return api.gmail.users().drafts().create(userId="me", body={"message": thread}, media_body=upload)

        return await self._google.write(build)

    async def _original(self, ref: MailRef, **how: Any) -> Resource:
        return await message(self._google, ref.id, **how)

    def _built(self, action: SendMail | SaveDraft, key: str, answered: Message | None, forwarded: Resource | None) -> bytes:
        raw = build_message(
            action,
            key=key,
            owner=self._owner,
            name=self._name,
            now=self._clock().astimezone(self._zone),
            answers=answered.parsed if answered else None,
            forwards=raw_bytes(forwarded) if forwarded else None,
            more={KEY: key},
        )
        return raw.replace(b"\n", b"\r\n")

    # Changes ---------------------------------------------------------------------------------------------------------

    async def _labels_for(self, action: MarkMail | MoveMail) -> Labels:
        """Flags are labels that need no looking up."""
        if isinstance(action, MarkMail):
            return Labels()
        answer = await self._google.read(lambda api: api.gmail.users().labels().list(userId="me"))
        return Labels(answer.get("labels", ()))

    async def _change(self, action: MarkMail | MoveMail, key: str) -> Receipt:
        now = await message(self._google, action.mail.id, format="minimal", fields=STATE)
        labels = await self._labels_for(action)
        already = self._already(action, key, now, labels)
        if already:
            return already
        _same(action.mail, now)
        before = state(now)
        if "DRAFT" in before:
            raise ReadOnly("Gmail neither marks nor moves drafts.", self._account)
        add, remove = _changes(action, before, labels)
        body = {"addLabelIds": sorted(add), "removeLabelIds": sorted(remove)}
        changed = await self._google.write(lambda api: api.gmail.users().messages().modify(userId="me", id=now["id"], body=body))
        return self._changed(action, key, changed, before, labels)

    def _already(self, action: MarkMail | MoveMail, key: str, now: Resource, labels: Labels) -> Receipt | None:
        """The receipt where everything is as it should be, whoever saw to it."""
        there = state(now)
        before = labels_of(action.mail.etag) if action.mail.etag else there
        if isinstance(action, MarkMail) or action.mail.etag:
            try:
                add, remove = _changes(action, before, labels)
            except (NotFound, ReadOnly):
                return None
            if add - there or remove & there:
                return None
        if isinstance(action, MoveMail) and not labels.stays(action.folder, there):
            return None
        return self._changed(action, key, now, before, labels)

    def _changed(self, action: MarkMail | MoveMail, key: str, now: Resource, before: frozenset[str], labels: Labels) -> Receipt:
        receipt = self._receipt(action, key, now)
        ref = MailRef(account=self._account, id=receipt.id, etag=receipt.etag)
        undo = _unmark(action, ref, before) if isinstance(action, MarkMail) else _move_back(ref, before, state(now), labels)
        return receipt.model_copy(update={"undo": (undo,) if undo else ()})

    async def _delete(self, action: DeleteDraft, key: str) -> Receipt:
        """For good: Gmail keeps no draft in its Trash."""
        now = await message(self._google, action.mail.id, format="raw")
        _same(action.mail, now)
        if "DRAFT" not in state(now):
            raise Conflict("That mail is not a draft any more.", self._account)
        undo = await self._again(read_message(raw_bytes(now)))
        await self._discard(await self._own.draft_of(now["id"]))
        return self._receipt(action, key).model_copy(update={"undo": (undo,) if undo else ()})

    async def _again(self, draft: Parsed) -> SaveDraft | None:
        """What writes the draft anew; None where it holds more than plain text."""
        kind = dict(draft.headers).get("content-type", "text/plain")
        if draft.attachments or not kind.lower().startswith("text/plain"):
            return None
        answered = await self._own.with_id(draft.in_reply_to) if draft.in_reply_to else []
        return SaveDraft(
            account=self._account,
            to=draft.to,
            cc=draft.cc,
            bcc=draft.bcc,
            subject=draft.subject,
            body=draft.text,
            reply_to=MailRef(account=self._account, id=answered[0]["id"]) if answered else None,
        )

    def _receipt(self, action: MailAction, key: str, now: Resource | None = None) -> Receipt:
        """`now` is the mail as it stands after the write."""
        receipt = Receipt(action=action.kind, account=self._account, key=key)
        if now is None:
            return receipt
        tag = etag(state(now))
        ref = MailRef(account=self._account, id=now["id"], etag=tag)
        undo = (DeleteDraft(account=self._account, mail=ref),) if isinstance(action, SaveDraft) else ()
        return receipt.model_copy(update={"id": ref.id, "etag": tag, "undo": undo})


def _same(ref: MailRef, now: Resource) -> None:
    if ref.etag and ref.etag != etag(state(now)):
        raise Conflict("The mail was moved or marked since it was read.", ref.account)


def _changes(action: MarkMail | MoveMail, before: frozenset[str], labels: Labels) -> tuple[set[str], set[str]]:
    """Labels to add and to remove."""
    return _marks(action) if isinstance(action, MarkMail) else _moves(action, before, labels)


def _marks(action: MarkMail) -> tuple[set[str], set[str]]:
    wanted = {UNREAD: None if action.seen is None else not action.seen, STARRED: action.flagged}
    return {label for label, on in wanted.items() if on is True}, {label for label, on in wanted.items() if on is False}


def _unmark(action: MarkMail, ref: MailRef, before: frozenset[str]) -> MarkMail | None:
    def earlier(wanted: bool | None, was: bool) -> bool | None:
        return None if wanted is None or wanted == was else was

    seen, flagged = earlier(action.seen, UNREAD not in before), earlier(action.flagged, STARRED in before)
    return None if seen is None and flagged is None else MarkMail(account=ref.account, mail=ref, seen=seen, flagged=flagged)


def _move_back(ref: MailRef, before: frozenset[str], after: frozenset[str], labels: Labels) -> MoveMail | None:
    """Nothing where the mail was there already."""
    earlier = labels.folder(before)
    return None if earlier == labels.folder(after) else MoveMail(account=ref.account, mail=ref, folder=earlier)


def _moves(action: MoveMail, before: frozenset[str], labels: Labels) -> tuple[set[str], set[str]]:
    """NotFound where there is no such folder, ReadOnly where Gmail alone decides what is in it."""
    name = labels.name(action.folder)
    if name is None:
        there = ", ".join(labels.folders)
        raise NotFound(f"There is no mail folder called {action.folder}; there are: {there}.", action.account)
    label, here = labels.id(name), labels.id(labels.folder(before))
    add = {label} - before if label else set()
    remove = set(before & {"INBOX", "TRASH", "SPAM"})
    if here in labels.own and (label is None or label in labels.own):  # from one of the user's own folders into another
        remove.add(here)
    remove.discard(label)
    idle = not add and not remove and not labels.holds(name, before)
    if idle or add & _ALWAYS_THEIRS or not labels.stays(name, before - remove | add):
        raise ReadOnly(f"Gmail itself decides which mails are in Sent and Drafts; it can't be moved to {name}.", action.account)
    return add, remove
