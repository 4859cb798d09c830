"""Puts an assistant together out of its parts; `assistant.bootstrap` alone asks for it."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from assistant.agents.base import Agent, Desk, Template
from assistant.agents.calendar import CalendarAgent
from assistant.agents.contacts import ContactsAgent
from assistant.agents.email import EmailAgent
from assistant.drafting.free import Free
from assistant.facade import Assistant
from assistant.models import Models
from assistant.pipeline.evidence import Directory
from assistant.pipeline.execute import Executor
from assistant.pipeline.master import Master
from assistant.pipeline.propose import Proposer
from assistant.reasoning.base import Request, Setting
from assistant.reasoning.offline.planning import commands
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.running.beginning import Beginning
from assistant.running.cluster import ClusterRunner, Queue
from assistant.running.courses import Courses
from assistant.running.dispatch import Dispatch
from assistant.running.elsewhere import Elsewhere
from assistant.running.forgetting.removal import Forgetting
from assistant.running.history import History
from assistant.running.journal import FlowJournal, Stream
from assistant.running.keeping import Keeping
from assistant.running.keeping import Terms as KeepingTerms
from assistant.running.late import Late
from assistant.running.lease import owner_name
from assistant.running.outbox import Outbox
from assistant.running.outgoing import Outgoing
from assistant.running.recall import Recall
from assistant.running.recovery import LONGEST, Recovery
from assistant.running.runner import InProcessRunner
from assistant.running.turns import Turns
from assistant.values import AgentName, Paused
from config.settings import Settings
from integrations.combined import CombinedReaders
from integrations.registry import Account
from integrations.types import Address
from risk.matrix import Matrix
from storage import templates
from storage.database import Database
from storage.tables import OWNER

Clock = Callable[[], datetime]


class Wired(NamedTuple):
    """`journal`, `runner` and `recovery` are of the flows that this process runs itself."""

    assistant: Assistant
    journal: FlowJournal
    runner: InProcessRunner
    recovery: Recovery


def keeping_terms(settings: Settings) -> KeepingTerms:
    days = settings.keep.model_dump()
    return KeepingTerms(**{name: timedelta(days=count) for name, count in days.items() if count})


def wire(
    settings: Settings,
    matrix: Matrix,
    database: Database,
    opened: Sequence[Account],
    clock: Clock,
    zone: ZoneInfo,
    models: Models,
    agents: Mapping[AgentName, Agent] | None,
    undo_window: timedelta,
    queue: Queue | None,
) -> Wired:
    """With a `queue` flows are handed to workers over it."""
    readers = CombinedReaders([account.readers for account in opened])
    me = tuple(Address(email=account.config.address.lower(), name=account.config.owner) for account in opened)
    directory = Directory(readers, me, zone, clock)
    offline = OfflineReasoner()
    reasoner = models.reasoner or offline
    samples = frozenset(account.config.name for account in opened if account.config.sample)
    addresses = {account.config.name: account.config.address for account in opened}
    proposer = Proposer(directory, matrix, database, clock, samples, addresses)
    by_name = {account.config.name: account for account in opened}
    executor = Executor(by_name, database, clock, OWNER, zone, on_held=lambda rows: outgoing.hear(rows), longest=LONGEST)
    stream = Stream()
    journal = FlowJournal(database, stream, clock, owner_name(), heed=lambda flow: runner.heed(flow))
    recall = Recall(database, OWNER)

    async def desk() -> Desk:
        saved = await database.read(lambda s: templates.list(s))
        directory.templates = {t.name: t.body for t in saved}
        return Desk(
            readers=readers,
            reasoner=reasoner,
            setting=await directory.setting(),
            addresses={account.config.name: account.config.address for account in opened},
            templates=tuple(Template(name=t.name, subject=t.subject, body=t.body) for t in saved),
            day_starts=settings.day_starts,
            day_ends=settings.day_ends,
        )

    def is_request(text: str, desk: Desk, paused: tuple[Paused, ...]) -> bool:
        """By grammar alone, whoever else may be thinking."""
        reading = read(text, desk.setting)
        command, answer = commands.command(Request(text=text, setting=desk.setting, paused=paused))
        return (reading.call is not None and reading.certain) or command is not None or bool(answer)

    master = Master(
        table=models.table,
        offline=offline,
        agents=agents or {"email": EmailAgent(), "calendar": CalendarAgent(), "contacts": ContactsAgent()},
        proposer=proposer,
        executor=executor,
        own_commands=lambda command, state: courses.own_command(command, state),
    )
    outbox = Outbox(database, executor, OWNER)
    courses = Courses(master, journal, recall, outbox, database, desk)
    begin = Beginning(OWNER, journal, recall, master, clock)
    late = Late(database, begin, recall, lambda state: runner.start(state))
    recovery = Recovery(database, journal, courses, executor, lambda state: runner.start(state), lambda: runner.flows, clock)
    runner = InProcessRunner(courses.run, recovery)
    outgoing = Outgoing(outbox, late, clock)
    asking, turns = journal, Turns(runner, Elsewhere(OWNER, journal.owner, database, clock, recovery.take_over), recall)
    if queue is not None:
        asking, elsewhere = FlowJournal(database, stream, clock, owner=None), Elsewhere(OWNER, None, database, clock)
        turns = Turns(ClusterRunner(queue, database, stream, elsewhere), elsewhere, recall)
    dispatch = Dispatch(
        begin=Beginning(OWNER, asking, recall, master, clock, undo_window),
        turns=turns,
        journal=asking,
        recall=recall,
        history=History(database, OWNER, clock, zone),
        desk=desk,
        is_request=is_request,
    )
    free = Free(models.table, lambda: Setting(now=clock().astimezone(zone), zone=zone, me=me))
    configs = tuple(account.config for account in opened)
    assistant = Assistant(
        dispatch=dispatch,
        database=database,
        readers=readers,
        user=OWNER,
        reasoner=reasoner.name,
        accounts=configs,
        home=settings.home,
        clock=clock,
        free=free,
        keeping=Keeping(database, clock, keeping_terms(settings)),
        forgetting=Forgetting(database, clock, OWNER, me, readers, recall, settings.home),
        outgoing=outgoing,
        offline=offline.name,
    )
    return Wired(assistant, journal, runner, recovery)
