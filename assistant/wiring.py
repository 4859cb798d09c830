"""Puts an assistant together out of its parts; `assistant.bootstrap` alone asks for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant import preferences
from assistant.agents.base import Desk, Template
from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.drafting.free import Free
from assistant.facade import Assistant
from assistant.house import House
from assistant.models import Models
from assistant.pipeline.evidence import Directory
from assistant.pipeline.execute import Executor
from assistant.pipeline.listed import Listed
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.pipeline.state import FlowState
from assistant.reasoning.base import Reasoner, Request, Setting
from assistant.reasoning.offline.planning import commands
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.running.arriving import Arriving
from assistant.running.beginning import Beginning
from assistant.running.briefing import GivingBriefing
from assistant.running.cluster import ClusterRunner
from assistant.running.courses import Courses
from assistant.running.dispatch import Dispatch
from assistant.running.elsewhere import Elsewhere
from assistant.running.following import Following
from assistant.running.forgetting.removal import Forgetting
from assistant.running.history import History
from assistant.running.journal import FlowJournal, Stream
from assistant.running.keeping import Keeping
from assistant.running.keeping import Terms as KeepingTerms
from assistant.running.late import Late
from assistant.running.lease import owner_name
from assistant.running.notes import Notes
from assistant.running.outbox import Outbox
from assistant.running.outgoing import Outgoing
from assistant.running.recall import Recall
from assistant.running.recovery import LONGEST, Recovery
from assistant.running.runner import InProcessRunner
from assistant.running.scheduled import ScheduledFlows
from assistant.running.turns import Turns
from assistant.scheduling.claiming import Claiming
from assistant.scheduling.commands import Commands
from assistant.scheduling.delivery.deliveries import Deliveries
from assistant.scheduling.delivery.mailing import Mailing
from assistant.scheduling.delivery.targets import Targets
from assistant.scheduling.runs import Runs
from assistant.scheduling.schedules import Schedules
from assistant.scheduling.tending import Tending
from assistant.values import Paused
from config.settings import Settings
from integrations.combined import CombinedReaders
from integrations.registry import Account
from integrations.types import Address
from storage import templates


@dataclass(frozen=True)
class Tenant:
    """What is one user's alone: their settings, the accounts opened for them, and who thinks for them. `stream` may have listeners
    already."""

    user: str
    settings: Settings
    zone: ZoneInfo
    opened: Sequence[Account]
    models: Models
    undo_window: timedelta
    stream: Stream

    @property
    def me(self) -> tuple[Address, ...]:
        return tuple(Address(email=a.config.address.lower(), name=a.config.owner) for a in self.opened)

    @property
    def addresses(self) -> dict[str, str]:
        """By account."""
        return {account.config.name: account.config.address for account in self.opened}


class Wired(NamedTuple):
    """`journal`, `runner` and `recovery` are of the flows that this process runs itself."""

    assistant: Assistant
    journal: FlowJournal
    runner: InProcessRunner
    recovery: Recovery

    async def leave(self) -> None:
        """Nothing begins here any more. What runs is left running, free for whoever takes it up; a write that has begun is
        finished."""
        self.assistant.schedules.tending.leave()
        await self.assistant.dispatch.turns.leave()
        self.journal.leave()
        await self.runner.stop()
        await self.assistant.schedules.tending.close()
        await self.assistant.outgoing.close()


def wire(house: House, tenant: Tenant) -> Wired:
    """All parts of one user's assistant. Where the house has a queue, flows are handed to workers over it."""
    database, clock = house.database, house.clock
    settings, user, zone, me, models = tenant.settings, tenant.user, tenant.zone, tenant.me, tenant.models
    readers = CombinedReaders([account.readers for account in tenant.opened])
    directory = Directory(readers, me, zone, clock, settings.day_starts, settings.day_ends)
    offline = OfflineReasoner()
    reasoner = models.reasoner or offline
    samples = frozenset(account.config.name for account in tenant.opened if account.config.sample)
    proposer = Proposer(directory, house.matrix, database, clock, samples, tenant.addresses)
    by_name = {account.config.name: account for account in tenant.opened}
    refuses = Listed(directory, database, user).refusal
    executor = Executor(by_name, database, clock, user, zone, lambda rows: outgoing.hear(rows), LONGEST, refuses)
    journal = FlowJournal(database, tenant.stream, clock, owner_name(), heed=lambda flow: runner.heed(flow))
    recall = Recall(database, user)
    notes = Notes(database, user, clock, zone, preferences.told_of, thinks=models.reasoner is not None)
    desk = _desks(house, tenant, directory, reasoner, notes)
    master = Master(
        table=models.table,
        offline=offline,
        agents=house.given.agents or {"email": EmailAgent(), "calendar": CalendarAgent(), "contacts": ContactsAgent()},
        proposer=proposer,
        executor=executor,
        own_commands=lambda command, state: courses.own_command(command, state),
    )
    outbox = Outbox(database, executor, user)
    courses = Courses(
        master,
        journal,
        recall,
        outbox,
        database,
        desk,
        lambda command, state: Commands(schedules).carry_out(command, state),
        GivingBriefing(journal),
        notes,
    )
    begin = Beginning(user, journal, recall, master, clock)
    late = Late(database, begin, recall, lambda state: runner.start(state))
    recovery = Recovery(user, database, journal, courses, executor, lambda state: runner.start(state), lambda: runner.flows, clock)
    runner = InProcessRunner(courses.run, recovery)
    outgoing = Outgoing(outbox, late, clock)
    asking, turns = journal, Turns(runner, Elsewhere(user, journal.owner, database, clock, recovery.take_over), recall)
    if house.queue is not None:
        asking, elsewhere = FlowJournal(database, tenant.stream, clock, owner=None), Elsewhere(user, None, database, clock)
        turns = Turns(ClusterRunner(house.queue, database, tenant.stream, elsewhere), elsewhere, recall)
    dispatch = Dispatch(
        begin=Beginning(user, asking, recall, master, clock, tenant.undo_window),
        turns=turns,
        journal=asking,
        recall=recall,
        history=History(database, user, clock, zone),
        desk=desk,
        is_request=_is_request,
    )

    async def take_up(flow: str) -> asyncio.Task[FlowState] | None:
        mine = house.queue is None and flow not in runner.flows
        return await recovery.take_up(flow) if mine else None

    schedules = _schedules(house, tenant, executor, ScheduledFlows(dispatch.begin, turns, recall, take_up))
    assistant = Assistant(
        dispatch=dispatch,
        database=database,
        readers=readers,
        user=user,
        reasoner=reasoner.name,
        accounts=tuple(account.config for account in tenant.opened),
        home=settings.home,
        clock=clock,
        free=Free(models.table, lambda: Setting(now=clock().astimezone(zone), zone=zone, me=me)),
        keeping=Keeping(database, clock, keeping_terms(settings)),
        forgetting=Forgetting(database, clock, user, me, readers, recall, settings.home),
        outgoing=outgoing,
        following=Following(database, tenant.stream, user, journal.owner, outgoing.listening, Arriving(tenant.opened)),
        schedules=schedules,
        targets=schedules.targets,
        offline=offline.name,
        notes=notes,
    )
    return Wired(assistant, journal, runner, recovery)


def _desks(house: House, tenant: Tenant, directory: Directory, reasoner: Reasoner, notes: Notes) -> Callable[[], Awaitable[Desk]]:
    """What sub-agents work at, laid anew for each task."""

    async def desk() -> Desk:
        saved = await house.database.read(lambda s: templates.list(s, user_id=tenant.user))
        directory.templates = {t.name: t.body for t in saved}
        return Desk(
            readers=directory.readers,
            reasoner=reasoner,
            setting=(await directory.setting()).model_copy(update={"notes": await notes.told()}),
            addresses=tenant.addresses,
            templates=tuple(Template(name=t.name, subject=t.subject, body=t.body) for t in saved),
            day_starts=tenant.settings.day_starts,
            day_ends=tenant.settings.day_ends,
        )

    return desk


def _is_request(text: str, desk: Desk, paused: tuple[Paused, ...]) -> bool:
    """By grammar alone, whoever else may be thinking."""
    reading = read(text, desk.setting)
    command, answer = commands.command(Request(text=text, setting=desk.setting, paused=paused))
    return (reading.call is not None and reading.certain) or command is not None or bool(answer)


def _schedules(house: House, tenant: Tenant, executor: Executor, flows: ScheduledFlows) -> Schedules:
    database, clock, user, zone = house.database, house.clock, tenant.user, tenant.zone

    def stir() -> None:
        house.stir()  # whoever tends schedules is set later

    targets = Targets(database, house.seal, clock, user)
    deliveries = Deliveries(database, flows.recall, Mailing(executor), targets, clock, user, zone, tenant.settings.public_url)
    claiming = Claiming(database, clock, user, zone, owner_name())
    tending = Tending(claiming, Runs(database, clock, claiming, flows, deliveries), stir)
    return Schedules(database, clock, user, claiming, tending, deliveries, targets, stir)


def keeping_terms(settings: Settings) -> KeepingTerms:
    days = settings.keep.model_dump()
    return KeepingTerms(**{name: timedelta(days=count) for name, count in days.items() if count})
