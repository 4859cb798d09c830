"""What was proposed meets the gate: what may run unasked is told apart from what becomes a preview."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import takewhile
from typing import NamedTuple

from assistant.pipeline import auditing, parking
from assistant.pipeline.consent import mandate
from assistant.pipeline.evidence import Directory
from assistant.pipeline.listed import Listed
from assistant.pipeline.state import FlowState, Journal
from assistant.pipeline.versions import as_it_stands, proposal_of
from assistant.values import Outcome, Proposal
from integrations.actions import (
    Action,
    AnswerInvitation,
    CancelEvent,
    DeleteContact,
    DeleteDraft,
    MarkMail,
    MoveMail,
    SaveDraft,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.errors import IntegrationError
from integrations.types import MailRef
from risk.evidence import Evidence
from risk.facts import facts_of
from risk.gate import Decision, Proposed, decide
from risk.matrix import Matrix, Rating
from risk.operations import OPERATIONS, operation_of
from risk.preview import Preview, differences, fingerprint, make_preview
from risk.sayings import clause
from storage import audit
from storage import previews as stored
from storage.database import Database
from storage.session import Session
from storage.tables import PreviewStatus, StoredPreview

KEEPS = timedelta(days=7)

log = logging.getLogger(__name__)


def _asked_for(state: FlowState) -> frozenset[str]:
    """The operations that the user's own words name; none where code does not read the same request in them as was planned, or
    no wish for a change at all, or where it is about something that they had not asked to see."""
    analysis = state.analysis
    vouched = (analysis is None or (analysis.vouched and analysis.asks == "change")) and not state.leans_on_unsaid
    return mandate(state.text) if state.own_words and not state.background and vouched else frozenset()


class Sorted(NamedTuple):
    """What the gate permits now, for which reasons, and what a person must approve, each in the plan's order; `evidence` about all
    of it. `refused`: why none of it may even be shown for approval."""

    allowed: tuple[Proposal, ...]
    asked: tuple[Proposal, ...]
    evidence: Evidence | None = None
    reasons: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


@dataclass(frozen=True)
class Proposer:
    directory: Directory
    matrix: Matrix
    database: Database
    clock: Callable[[], datetime]
    samples: frozenset[str] = frozenset()
    """The names of sample accounts."""
    addresses: Mapping[str, str] = field(default_factory=dict)
    """The owner's address in each account, by its name."""

    async def refusal(self, state: FlowState, actions: Sequence[Action]) -> str:
        """Why none of this may even be shown for approval, in one sentence; empty where it may."""
        return await Listed(self.directory, self.database, state.user).refusal(actions)

    async def standing(self, state: FlowState, actions: Sequence[Action]) -> tuple[Action, ...]:
        """Those whose thing is still there."""
        evidence = await self.directory.evidence(actions, state, beside=False) if actions else None
        return tuple(action for action in actions if evidence and pointed_at_now(action, evidence) is not None)

    async def sort(self, state: FlowState) -> Sorted:
        """Each kind of operation is judged as a whole, and what passes is judged together once more, so that many small writes are
        never taken one by one."""
        proposed = state.proposals
        evidence = await self.directory.evidence([p.action for p in proposed], state)
        kinds: dict[str, list[Proposal]] = {}
        for proposal in proposed:
            kinds.setdefault(operation_of(proposal.action), []).append(proposal)
        judged = [(alike, self._decide(state, alike, evidence)) for alike in kinds.values()]
        whole = [self._decide(state, proposed, evidence)] if len(judged) > 1 else []
        if refused := tuple(dict.fromkeys(why for one in (*(one for _, one in judged), *whole) for why in one.refused)):
            return Sorted((), (), evidence, refused=refused)
        passing = [alike for alike, decision in judged if decision.unasked]
        permitted = {id(proposal) for alike in passing for proposal in alike}
        # What comes after something that must be asked may rest on it, so it waits with it.
        allowed = tuple(takewhile(lambda p: id(p) in permitted, proposed))
        together = self._decide(state, allowed, evidence)
        if not together.unasked:
            return Sorted((), proposed, evidence)
        return Sorted(allowed, proposed[len(allowed) :], evidence, together.rating.reasons)

    def _decide(self, state: FlowState, proposals: Sequence[Proposal], evidence: Evidence) -> Decision:
        return decide(as_proposed(proposals, evidence), evidence, self.matrix, _asked_for(state))

    async def rated(self, state: FlowState, mail: SendMail) -> tuple[Rating, tuple[str, ...]]:
        """What hangs on a mail as far as it stands, and the contact groups that it goes to."""
        evidence = await self.directory.evidence([mail], state, beside=False)
        emails = {person.email for person in (*mail.to, *mail.cc, *mail.bcc)}
        groups = tuple(name for name, members in evidence.groups.items() if emails & set(members))
        return self.matrix.rate(facts_of([mail], evidence)), groups

    async def forbidden(self, state: FlowState, proposals: Sequence[Proposal]) -> tuple[str, ...]:
        """Why the gate would not even show these for approval."""
        evidence = await self.directory.evidence([p.action for p in proposals], state)
        return self._decide(state, proposals, evidence).refused

    async def harmless(self, state: FlowState, proposals: Sequence[Proposal]) -> bool:
        """Whether these may be done on the user's word alone: low, undoable and reaching nobody else."""
        evidence = await self.directory.evidence([p.action for p in proposals], state)
        return decide(as_proposed(proposals, evidence), evidence, self.matrix, frozenset(OPERATIONS)).unasked

    async def preview(
        self,
        state: FlowState,
        proposals: Sequence[Proposal],
        number: int,
        replaces: Preview | None = None,
        evidence: Evidence | None = None,
    ) -> Preview:
        """The preview of these writes, not yet stored: by the evidence given, else as things stand now."""
        evidence = evidence or await self.directory.evidence([p.action for p in proposals], state)
        decision = self._decide(state, proposals, evidence)
        preview = make_preview(
            id=f"{state.id}-p{number}",
            flow=state.id,
            conversation=state.conversation,
            proposed=as_proposed(proposals, evidence),
            rating=decision.rating,
            evidence=evidence,
            now=self.clock(),
            keeps=KEEPS,
            replaces=replaces.id if replaces else "",
        )
        touched = {action.account for action in preview.actions if action.account}
        several = sorted(touched) if len(self.addresses) > 1 else ()
        through = tuple(f"{name} ({self.addresses[name]})" for name in several if name in self.addresses)
        preview = preview.model_copy(update={"sample": bool(touched) and touched <= self.samples, "through": through})
        return preview.model_copy(update={"differs": differences(replaces, preview)}) if replaces else preview

    async def offer(
        self, state: FlowState, proposals: Sequence[Proposal], journal: Journal, evidence: Evidence | None = None
    ) -> FlowState:
        """The preview: stored, told, and in place of the one it revises. Without evidence it is gathered anew. What the gate
        refuses is told, and not shown."""
        if not proposals:
            return state
        evidence = evidence or await self.directory.evidence([p.action for p in proposals], state)
        if refused := self._decide(state, proposals, evidence).refused:
            return await self.refuse(state, proposals, refused, journal)
        old = await self._carried(state)
        preview = await self.preview(state, proposals, number=len(state.previews) + 1, replaces=old, evidence=evidence)
        return await self._show(state, preview, old.id if old else "", journal)

    async def refuse(self, state: FlowState, proposals: Sequence[Proposal], why: Sequence[str], journal: Journal) -> FlowState:
        """Nothing is shown for approval; a preview that was to be changed stays as it is."""
        words = f"Nothing was prepared: {'; '.join(why)}."
        entry = auditing.refused(state, proposals, why)
        await self.database.write(lambda s: audit.append(s, self.clock(), entry, user_id=state.user))
        state = journal.tell(state, "15", words, refused=list(why))
        kept = (state.carried.preview,) if state.carried else ()
        return state.but(
            previews=tuple(dict.fromkeys((*state.previews, *kept))),
            limitations=tuple(dict.fromkeys((*state.limitations, words))),
            confidence=0,
            gated=True,
        )

    async def offer_again(self, state: FlowState, refused: Sequence[Outcome], journal: Journal) -> FlowState:
        """What could not be done, as a fresh preview: as things stand now or, where that can't be read, as it was shown before."""
        old = await self._carried(state)
        if old is None:
            return await self._offer_unshown(state, refused, journal)
        actions = [outcome.action for outcome in refused]
        items = tuple(item for item in old.items if item.action in actions)
        if not items:  # its text is not kept any more
            return await self._offer_unshown(state, refused, journal)
        old = old.model_copy(update={"items": items})
        try:
            renewed, _ = await self.renew(state, old)
            fresh = await self.preview(state, renewed, number=1, replaces=old) if renewed else None
        except Exception:
            log.exception("What can't be done is shown again as it was.")
            fresh = self._copied(old, state)
        return await self._show(state, fresh, "", journal) if fresh else state

    async def _offer_unshown(self, state: FlowState, refused: Sequence[Outcome], journal: Journal) -> FlowState:
        """For what was permitted without a preview, such as an undo."""
        proposals = tuple(Proposal(action=outcome.action, says=outcome.says) for outcome in refused)
        try:
            return await self.offer(state, proposals, journal)
        except IntegrationError:
            log.exception("What can't be done can't be shown now either.")
            return state

    def _copied(self, old: Preview, state: FlowState) -> Preview:
        now = self.clock()
        changes = {"id": f"{state.id}-p1", "flow": state.id, "fingerprint": fingerprint(old.actions), "status": "open"}
        return old.model_copy(update={**changes, "created": now, "expires": now + KEEPS, "replaces": old.id, "differs": ()})

    async def _show(self, state: FlowState, preview: Preview, superseding: str, journal: Journal) -> FlowState:
        await self.keep(preview, state, superseding=superseding)
        words = f"Preview ({preview.level} risk): {'; '.join(item.says for item in preview.items[:5])}"
        state = journal.tell(state, "15", words, preview=preview.id, level=preview.level, reasons=list(preview.reasons))
        return state.but(previews=(*state.previews, preview.id)).noting(
            constraints=tuple(f"{preview.level} risk: {reason}" for reason in preview.reasons),
            progress=f"Preview {preview.id} shown",
        )

    async def _carried(self, state: FlowState) -> Preview | None:
        id = state.carried.preview if state.carried else ""
        row = await self.database.read(lambda s: stored.get(s, id)) if id else None
        return as_preview(row) if row else None

    async def renew(self, state: FlowState, preview: Preview) -> tuple[tuple[Proposal, ...], bool]:
        """(the preview's writes pointed at what stands now, whether anything had changed). What is gone is left out."""
        evidence = await self.directory.evidence(preview.actions, state, beside=False)
        renewed = []
        for item in preview.items:
            if action := pointed_at_now(item.action, evidence):
                # What changed may have changed the clause too: then it is told anew from what stands now.
                says = item.says if action == item.action else clause(action, evidence)
                notes = (*item.notes, *lost_original(item.action, action))
                kept = proposal_of(item)
                renewed.append(kept.model_copy(update={"action": action, "says": says, "notes": notes}))
        return tuple(renewed), tuple(p.action for p in renewed) != preview.actions

    async def offered(self, state: FlowState) -> tuple[Preview, ...]:
        """The flow's previews as they stand."""
        if not state.previews:
            return ()
        found = await self.database.read(lambda s: tuple(stored.get(s, id) for id in state.previews))
        return tuple(as_preview(row) for row in found if row)

    async def kept(self, state: FlowState) -> tuple[str, ...]:
        """The previews that the flow has stored, whether or not its snapshot knows of them."""
        return tuple(row.id for row in await self.database.read(lambda s: stored.by_flow(s, state.id)))

    async def withdraw(self, preview: Preview, state: FlowState) -> None:
        def work(session: Session) -> None:
            if stored.set_status(session, preview.id, expect="open", to="stale"):
                audit.append(session, self.clock(), auditing.lapsed(state, preview.id), user_id=state.user)
                parking.settle(session, preview.id, "done", self.clock())

        await self.database.write(work)

    async def keep(
        self, preview: Preview, state: FlowState, *, superseding: str = "", as_status: PreviewStatus = "superseded"
    ) -> None:
        def work(session: Session) -> None:
            alike = [p for p in stored.list_open(session, state.user, preview.conversation) if p.fingerprint == preview.fingerprint]
            ends: dict[str, PreviewStatus] = {same.id: "superseded" for same in alike}
            ends |= {superseding: as_status} if superseding else {}
            lapsed = [id for id, to in ends.items() if stored.set_status(session, id, expect="open", to=to)]
            stored.add(
                session,
                preview.id,
                flow_id=preview.flow,
                conversation=preview.conversation,
                fingerprint=preview.fingerprint,
                level=preview.level,
                body=preview.model_dump_json(),
                created=preview.created,
                expires=preview.expires,
                replaces=preview.replaces,
                user_id=state.user,
            )
            entries = (*(auditing.lapsed(state, id, preview.id) for id in lapsed), auditing.proposed(state, preview))
            audit.append(session, preview.created, *entries, user_id=state.user)
            for id in lapsed:
                if ends[id] == "stale":
                    parking.refresh(session, id, preview.id, preview.created)
                else:
                    parking.settle(session, id, "done", preview.created)

        await self.database.write(work)


def as_preview(row: StoredPreview) -> Preview:
    return Preview.model_validate_json(row.body).model_copy(update={"status": row.status})


def pointed_at_now(action: Action, evidence: Evidence) -> Action | None:
    """The action with the present etag of what it changes; None where that is gone. What a mail answers or forwards may have been
    read or moved meanwhile: only its being there matters, and without it the words are kept as a new mail."""
    match action:
        case SendMail() | SaveDraft() if original(action) and evidence.mail(original(action)) is None:
            return action.model_copy(update={"reply_to": None, "forward_of": None}) if action.body.strip() else None
        case MarkMail() | MoveMail() | DeleteDraft():
            mail = evidence.mail(action.mail)
            return action.model_copy(update={"mail": mail.ref}) if mail else None
        case UpdateEvent() | CancelEvent() | AnswerInvitation():
            event = evidence.event(action.event)
            if event is None:
                return None
            return action.model_copy(update={"event": action.event.model_copy(update={"etag": event.etag})})
        case UpdateContact() | DeleteContact():
            contact = evidence.contact(action.contact)
            return action.model_copy(update={"contact": contact.ref}) if contact else None
    return action


def original(action: Action) -> MailRef | None:
    """What a mail answers or forwards."""
    return (action.reply_to or action.forward_of) if isinstance(action, SendMail | SaveDraft) else None


def lost_original(shown: Action, now: Action) -> tuple[str, ...]:
    """What to know of a mail whose original has gone since it was shown."""
    if original(shown) is None or original(now) is not None:
        return ()
    if isinstance(shown, SendMail | SaveDraft) and shown.forward_of:
        return ("The mail that this forwards is not there any more, so it would go out as a new mail with your own words only.",)
    return ("The mail that this answers is not there any more, so it would go out as a new mail.",)


def as_proposed(proposals: Sequence[Proposal], evidence: Evidence) -> tuple[Proposed, ...]:
    return tuple(
        Proposed(
            action=p.action,
            says=p.says or clause(p.action, evidence),
            guesses=p.guesses,
            notes=p.notes,
            written=p.written,
            warnings=p.warnings,
        )
        for p in map(as_it_stands, proposals)
    )
