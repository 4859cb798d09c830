"""Following a conversation loses nothing and doubles nothing, however telling, saving, leaving and coming back fall together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.errors import UserError
from assistant.events import FlowEvent
from assistant.pipeline.state import FlowState
from assistant.running.following import CaughtUp, Following, Gone, Rest, Said
from assistant.running.journal import FlowJournal
from assistant.running.stream import Stream
from assistant.values import Outcome
from integrations.actions import MarkMail
from integrations.types import MailRef
from storage import conversations, flows, outbox
from storage.database import Database
from storage.outbox import NewRow
from storage.tables import OWNER

AT = datetime(2026, 11, 22, 9, tzinfo=UTC)
HERE = "c"


@contextmanager
def no_news():
    yield asyncio.Queue()


class Heeding(Following):
    """Hears what is told in its own process and never looks for what others have stored, which would hide what was not heard."""

    def _look_out(self) -> None:
        pass


class Slow:
    """A database whose answers come a while before, or after, what else is under way."""

    def __init__(self, database: Database, random: Random) -> None:
        self._database, self._random = database, random

    async def read(self, work):
        await self._while()
        found = await self._database.read(work)
        await self._while()
        return found

    async def _while(self) -> None:
        for _ in range(self._random.choice((0, 0, 3, 20))):
            await asyncio.sleep(0)
        if self._random.random() < 0.3:
            await self._database.write(lambda s: None)


class Life:
    """A process over the database: its journal, and whoever follows in it."""

    def __init__(self, database: Database, name: str, clock, random: Random | None = None, *, looks: bool = False) -> None:
        self.stream = Stream()
        self.journal = FlowJournal(database, self.stream, clock, name)
        read = Slow(database, random) if random else database
        self.following = (Following if looks else Heeding)(read, self.stream, OWNER, name, no_news)


class Client:
    """What somebody has heard who comes back with the last cursor each time; `steps` as a page keeps them, by number."""

    def __init__(self) -> None:
        self.messages: list[int] = []
        self.steps: dict[tuple[str, int], tuple[str, str]] = {}
        self.twice: list[FlowEvent] = []
        self.rests: dict[str, str] = {}
        self.gone: list[tuple[int, str]] = []
        self.cursor = ""
        self.caught_up, self.heard_more = asyncio.Event(), asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    def come(self, life: Life) -> None:
        self.caught_up.clear()
        self.task = asyncio.create_task(self._listen(life))

    async def leave(self) -> None:
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])
            if not self.task.cancelled():
                self.task.result()
            self.task = None

    async def _listen(self, life: Life) -> None:
        async with aclosing(life.following.follow(HERE, self.cursor)) as following:
            async for heard, cursor in following:
                self.cursor = cursor
                self._hear(heard)
                self.heard_more.set()

    def _hear(self, heard: object) -> None:
        match heard:
            case Said(message):
                self.messages.append(message.id)
            case FlowEvent():
                key, told = (heard.flow, heard.seq), (heard.step, heard.text)
                if self.steps.get(key) == told:
                    self.twice.append(heard)
                self.steps[key] = told
            case Rest(state):
                self.rests[state.id] = state.status
            case Gone(row):
                self.gone.append((row.id, row.status))
            case CaughtUp():
                self.caught_up.set()


class Story:
    """Flows of one conversation that begin, tell, are saved, rest, go on and end, in one process after another."""

    def __init__(self, database: Database, seed: int) -> None:
        self.database, self.random, self.ids = database, Random(seed), count(1)
        self.moments = count()
        self.running: FlowState | None = None
        self.resting: list[FlowState] = []
        self.saved: FlowState | None = None
        self.lives = count(1)
        self.life = Life(database, "life-1", self.now, self.random)
        self.clients = [Client(), Client()]
        self.unsaved: dict[tuple[str, int], tuple[str, str]] = {}

    def now(self) -> datetime:
        """It stands still more often than not."""
        return AT + timedelta(seconds=next(self.moments) // 5)

    async def begin(self) -> None:
        if self.running is None:
            id = f"f{next(self.ids)}"
            state = FlowState(id=id, user=OWNER, conversation=HERE, text=f"do {id}", created=AT)
            self.running = self.saved = await self.life.journal.create(state)

    async def go_on(self) -> None:
        if self.running is None and self.resting:
            state = self.resting.pop(self.random.randrange(len(self.resting)))
            words = self.random.choice(["", "more"])
            self.running = self.saved = await self.life.journal.reopen(state, words)

    async def tell(self) -> None:
        if self.running is not None:
            text = f"step {self.random.random()}"
            self.running = self.life.journal.tell(self.running, "9", text)
            self.unsaved[self.running.id, len(self.running.trail)] = ("9", text)

    async def save(self) -> None:
        if self.running is not None:
            self.running = self.saved = await self.life.journal.save(self.running)
            self.unsaved.clear()

    async def rest(self) -> None:
        await self._stop(self.random.choice(["waiting", "suspended"]))

    async def end(self) -> None:
        await self._stop(self.random.choice(["done", "failed"]))

    async def _stop(self, status: str) -> None:
        if self.running is not None:
            reply = "" if status == "suspended" else f"{self.running.id} is {status}"
            state = await self.life.journal.save(self.running.but(status=status, reply=reply))
            if status in ("waiting", "suspended"):
                self.resting.append(state)
            self.running = self.saved = None
            self.unsaved.clear()

    async def give_up(self) -> None:
        """A task that rests is ended, whatever runs beside it."""
        if self.resting:
            await self.life.journal.settle(self.resting.pop().but(status="cancelled", reply=self.random.choice(["", "given up"])))

    async def turn_back(self) -> None:
        """What was told since the last save was on a way that is given up."""
        if self.running is not None and self.saved is not None:
            self.running = self.saved
            self.unsaved.clear()
            await self.tell()

    async def restart(self) -> None:
        """The process dies: what was told and not saved never happened."""
        for client in self.clients:
            await client.leave()
        self.life.following.close()
        if self.running is not None:
            await self.life.journal.save(self.running) if self.random.random() < 0.3 else None
        await self.database.write(lambda s: None)
        self.life = Life(self.database, f"life-{next(self.lives) + 1}", self.now, self.random)
        self.unsaved.clear()
        if self.running is not None:
            self.running = self.saved = (await self.life.journal.take(self.running.id, dead=True)).state

    async def come(self) -> None:
        for client in self.clients:
            if client.task is None:
                client.come(self.life)
                return

    async def leave(self) -> None:
        await self.random.choice(self.clients).leave()

    async def breathe(self) -> None:
        for _ in range(self.random.randrange(4)):
            await asyncio.sleep(0)

    async def listen(self) -> None:
        """Whoever is there hears all of it without coming anew."""
        for client in self.clients:
            if client.task is not None:
                await client.caught_up.wait()
                await self._up_to_date(client)

    async def _up_to_date(self, client: Client) -> None:
        await self.database.write(lambda s: None)
        said = await self.database.read(lambda s: conversations.messages(s, HERE, 10_000))
        expected = [message.id for message in said], await stored(self.database) | self.unsaved
        for _ in range(2000):
            if (client.messages, {key: client.steps.get(key) for key in expected[1]}) == expected:
                return
            await asyncio.sleep(0 if _ < 1000 else 0.001)
        assert (client.messages, client.steps) == expected

    async def finish(self) -> None:
        await self.listen()
        await self.end()
        await self.listen()
        for client in self.clients:
            await client.leave()
            client.come(self.life)
            await client.caught_up.wait()
            await client.leave()


ACTS = (
    "begin",
    "go_on",
    "tell",
    "tell",
    "tell",
    "save",
    "rest",
    "end",
    "give_up",
    "turn_back",
    "restart",
    "come",
    "leave",
    "breathe",
    "listen",
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(acts=st.lists(st.sampled_from(ACTS), min_size=40, max_size=80), seed=st.integers(0, 2**32))
def test_everything_is_heard_once(tmp_path_factory, acts, seed):
    async def play() -> None:
        database = Database.open(tmp_path_factory.mktemp("story") / "a.sqlite")
        try:
            story = Story(database, seed)
            await story.begin()
            for act in acts:
                await getattr(story, act)()
            await story.finish()
            await check(database, story.clients)
        finally:
            await database.close()

    asyncio.run(play())


async def stored(database: Database) -> dict[tuple[str, int], tuple[str, str]]:
    """All steps."""
    return {
        (head.id, event.seq): (event.step, event.text)
        for head in await database.read(lambda s: flows.list(s, limit=10_000))
        for event in await database.read(lambda s, id=head.id: flows.events(s, id))
    }


async def check(database: Database, clients: list[Client]) -> None:
    said = await database.read(lambda s: conversations.messages(s, HERE, 10_000))
    heads = await database.read(lambda s: flows.list(s, limit=10_000))
    told = await stored(database)
    for client in clients:
        assert client.messages == [message.id for message in said]
        assert not client.twice
        assert {key: client.steps.get(key) for key in told} == told
        assert client.rests == {head.id: head.status for head in heads}


# --- one at a time


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = Database.open(tmp_path / "a.sqlite")
    yield database
    await database.close()


@pytest.fixture
def story(database: Database) -> Story:
    return Story(database, 1)


async def heard(client: Client, condition) -> None:
    while not condition(client):
        client.heard_more.clear()
        await asyncio.wait_for(client.heard_more.wait(), 60)


async def told_one_step(story: Story) -> Client:
    client = story.clients[0]
    await story.begin()
    client.come(story.life)
    await client.caught_up.wait()
    await story.tell()
    await heard(client, lambda c: ("f1", 1) in c.steps)
    return client


async def test_a_step_is_heard_before_it_is_stored(story):
    client = await told_one_step(story)
    assert await story.database.read(lambda s: flows.events(s, "f1")) == ()
    await client.leave()


async def test_what_is_told_in_place_of_a_step_is_heard_too(story):
    """The way on which that was told was given up."""
    client = await told_one_step(story)
    await story.turn_back()
    await heard(client, lambda c: c.steps == story.unsaved)
    await client.leave()


async def test_who_comes_between_telling_and_saving_hears_it_too(story):
    client = story.clients[0]
    await story.begin()
    await story.tell()
    client.come(story.life)
    await heard(client, lambda c: ("f1", 1) in c.steps)
    await client.leave()


def test_what_was_told_after_a_save_is_not_stored_with_it():
    stream = Stream()
    for seq in (1, 2):
        stream.tell(HERE, FlowEvent(flow="f1", seq=seq, at=AT, step="9", text=str(seq)))
    stream.saved(HERE, "f1", 1)
    assert [event.seq for event in stream.unsaved(HERE)] == [2]


async def test_what_another_process_does_is_heard(story, monkeypatch):
    monkeypatch.setattr("assistant.running.following.LOOK", 0.01)
    client = story.clients[0]
    client.come(Life(story.database, "another", story.now, looks=True))
    await client.caught_up.wait()
    await story.begin()
    await story.tell()
    await story.end()
    await heard(client, lambda c: len(c.messages) == 2 and ("f1", 1) in c.steps and "f1" in c.rests)
    await client.leave()


async def test_a_listener_who_is_slow_misses_nothing(story, monkeypatch):
    monkeypatch.setattr("assistant.running.stream.MOST", 3)
    client = story.clients[0]
    await story.begin()
    client.come(story.life)
    await client.caught_up.wait()
    for _ in range(20):
        await story.tell()
    await heard(client, lambda c: len(c.steps) == 20)
    assert not client.twice
    await client.leave()


async def test_a_long_conversation_comes_in_its_order(story, monkeypatch):
    monkeypatch.setattr("assistant.running.following.PAGE", 3)
    for _ in range(7):
        await story.begin()
        await story.tell()
        await story.save()
        await story.end()
    order = []
    async with aclosing(story.life.following.follow(HERE)) as following:
        async for one, _ in following:
            if isinstance(one, CaughtUp):
                break
            order.append(type(one).__name__)
    assert order == ["Said", "FlowEvent", "Said", "Rest"] * 7


async def test_what_went_out_later_is_told_once(story):
    """Also to somebody who was not there when it did."""
    client, database = story.clients[0], story.database
    mark = MarkMail(account="local", mail=MailRef(account="local", id="m"), flagged=True)
    await story.begin()
    row = NewRow(preview_id="p", position=0, key="k", account="local", action=mark.model_dump_json(), status="held", not_before=AT)
    (held,) = await database.write(lambda s: outbox.add_all(s, [row], AT))
    story.running = story.running.but(outcomes=(Outcome(action=mark, status="held", key="k"),))
    await story.end()
    client.come(story.life)
    await client.caught_up.wait()
    await client.leave()
    for before, after in (("held", "pending"), ("pending", "started"), ("started", "done")):
        await database.write(lambda s, b=before, a=after: outbox.advance(s, held.id, expect=(b,), to=a, at=AT))
    for _ in range(2):
        client.come(story.life)
        await client.caught_up.wait()
        await client.leave()
    assert client.gone == [(held.id, "done")]


async def test_the_cursor_of_now_lies_before_the_steps_of_what_runs(story):
    await story.begin()
    await story.tell()
    await story.save()
    client = story.clients[0]
    client.cursor = await story.life.following.cursor(HERE)
    client.come(story.life)
    await heard(client, lambda c: ("f1", 1) in c.steps)
    assert not client.messages
    await client.leave()


@pytest.mark.parametrize("cursor", ["x", "e30", "W10", "WzEseyJmIjoxfSx7fV0", "é", "[]", "W251bGwse30se31d", "A" * 5000])
async def test_what_is_no_cursor_is_refused(story, cursor):
    with pytest.raises(UserError, match="no place"):
        await anext(story.life.following.follow(HERE, cursor))


async def test_a_cursor_does_not_lead_into_conversations_of_others(story):
    """It can be made up."""
    await story.begin()
    await story.tell()
    await story.end()
    elsewhere = Following(story.database, Stream(), "somebody", None, no_news)
    for conversation in (HERE, "d"):
        async with aclosing(elsewhere.follow(conversation, "WzAseyJmMSI6WzAsMF19LHsiMSI6ImhlbGQifV0")) as following:
            assert isinstance((await anext(following)).heard, CaughtUp)
