"""A connection lost, or a program killed, before or after a write took effect: the provider is asked, and what it can't tell is
unknown. Nothing is done twice, and nothing is told that is not so."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import get_args

import pytest
from doubles.crashes import Died, dying
from doubles.providers import DOUBLES, ProviderDouble
from doubles.providers.base import OWNER, Moment
from doubles.providers.stock import stock_of
from doubles.providers.wrapped import wrapped
from doubles.writes import OWN, UNDONE, WRITES, ready
from pydantic import TypeAdapter
from servers import NotInstalled
from sqlalchemy import select

from assistant.bootstrap import LocalAccount, open_assistant
from assistant.facade import Assistant, Turn
from assistant.pipeline.execute import Executor
from assistant.pipeline.template_writer import TemplateWriter
from integrations.actions import Action, SaveTemplate
from integrations.registry import AccountConfig
from storage import templates
from storage.session import Prepared
from storage.tables import OUTBOX, OutboxRow

KINDS = [*WRITES, *UNDONE]
MOMENTS: list[Moment] = ["before", "after"]
TRUTH = {"before": "failed", "after": "done"}
"""What came of a write that is not repeated."""
CONNECTED = [name for name, double in DOUBLES.items() if double.connected]
ASKED = [name for name in CONNECTED if DOUBLES[name].asks]
NEAR = ("local", "double", "mute")
"""Providers that cost next to nothing to ask."""
FEW = ("send_mail", "update_event", "create_contact", "restore_contact")
"""A kind of write for each API, and those that a provider may forget."""
ANSWER_LOST = [(name, "after", kind) for name in ASKED for kind in KINDS] + [("double", "during", kind) for kind in KINDS]
"""The others do one thing at a time: a connection that is gone while they write is one that is gone after it."""


ACTION: TypeAdapter[Action] = TypeAdapter(Action)
_LAST_ROW = Prepared(select(OUTBOX).order_by(OUTBOX.c.id.desc()).limit(1))


def settled(names: Iterable[str], *, asked: bool) -> list[tuple[str, Moment, str]]:
    """Every provider with every kind of write that took effect and must not be repeated. One that did not is found not to be there
    with every kind at every provider where the connection is lost before it; here the providers that are far have only a few.
    Where nobody can be `asked`, so have they after it: that each kind took effect they tell where an answer is lost and where a
    program dies, and that they can't be reached is told by the connection, which all kinds of an API share."""

    def kinds(name: str, when: Moment) -> Iterable[str]:
        return KINDS if name in NEAR or (asked and when == "after") else FEW

    return [(name, when, kind) for when in MOMENTS for name in names for kind in kinds(name, when)]


@dataclass
class Place:
    """A home and an account at a provider."""

    provider: ProviderDouble
    root: Path
    home: Path

    def opened(self, account: AccountConfig | None = None, *, recover: bool = True) -> AbstractAsyncContextManager[Assistant]:
        return open_assistant(self.home, zone="UTC", accounts=[account or self.provider.config(self.root)], recover=recover)

    def dying(self, when: Moment) -> AccountConfig:
        """The program ends with the next write, before or after it took effect."""

        async def dies() -> None:
            raise Died

        async def lives() -> None: ...

        account = self.provider.config(self.root)
        return wrapped(account, dies, lives) if when == "before" else wrapped(account, lives, dies)

    def forgets(self, kind: str) -> bool:
        return kind.partition(" ")[0] in self.provider.forgets

    async def row(self, a: Assistant) -> OutboxRow:
        """The newest."""
        found = await a.database.read(lambda s: s.first(OutboxRow, _LAST_ROW))
        assert found is not None
        return found

    async def happened(self, a: Assistant) -> tuple[str, int]:
        """What is known of the newest write, and how often it took effect."""
        row = await self.row(a)
        effects = await self.provider.effects(self.root, [(row.key, ACTION.validate_json(row.action))])
        return row.status, effects.get(row.key, 0)

    async def restarted(self) -> tuple[str, int]:
        """The same after the program has been started again."""
        async with self.opened() as a:
            assert not [head for head in await a.flows() if head.status == "running"]
            return await self.happened(a)


async def opened_once(home: Path) -> None:
    """From now on it has a database."""
    async with open_assistant(home, zone="UTC", accounts=[LocalAccount(address=OWNER)]):
        pass


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Callable[[str, Path], Awaitable[Place]]]":
    """Makes places that are all alike at a provider of this name; each provider is started once."""
    home = tmp_path_factory.mktemp("homes") / "home"
    asyncio.run(opened_once(home))
    running: dict[str, ProviderDouble] = {}
    with ExitStack() as entered:

        async def place(name: str, at: Path) -> Place:
            try:
                running[name] = running.get(name) or entered.enter_context(DOUBLES[name]())
            except NotInstalled as missing:
                pytest.skip(str(missing))
            made = Place(running[name], at / "account", at / "home")
            made.root.mkdir()
            made.provider.stock(made.root, stock_of(2, owner=OWNER, now=datetime(2026, 11, 18, 9, tzinfo=UTC)))
            shutil.copytree(home, made.home)
            return made

        yield place


def test_every_kind_of_write_is_tried():
    kinds = {kind.partition(" ")[0] for kind in (*WRITES, *UNDONE, *OWN)}
    assert kinds == {action.model_fields["kind"].default for action in get_args(get_args(Action)[0])}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ASKED)
async def test_a_write_whose_connection_is_lost_before_it_took_effect_is_not_done_and_can_be_done_again(
    furnished, tmp_path, name, kind
):
    place = await furnished(name, tmp_path)
    async with place.opened() as a:
        go = await ready(a, kind)
        place.provider.lose(place.root, "before", kind=kind)
        turn = await go(a)
        if place.forgets(kind) and turn.outcomes[0].status == "unknown":
            assert await place.happened(a) == ("unknown", 0) and not turn.previews
            return
        assert await place.happened(a) == ("failed", 0) and turn.outcomes[0].status == "failed"
        again = turn.previews[0]
        await a.approve(again.id, again.fingerprint)
        assert await place.happened(a) == ("done", 1)


@pytest.mark.parametrize(("name", "when", "kind"), ANSWER_LOST)
async def test_a_write_whose_answer_is_lost_is_done(furnished, tmp_path, name, when, kind):
    place = await furnished(name, tmp_path)
    async with place.opened() as a:
        go = await ready(a, kind)
        place.provider.lose(place.root, when, kind=kind)
        turn = await go(a)
        assert await place.happened(a) == ("done", 1) and turn.outcomes[0].status == "done"
    assert await place.restarted() == ("done", 1)


@pytest.mark.parametrize(("name", "when", "kind"), settled(CONNECTED, asked=False))
async def test_a_write_that_cannot_be_asked_about_is_unknown_and_never_repeated(furnished, tmp_path, name, when, kind):
    place = await furnished(name, tmp_path)
    times = int(when == "after")
    async with place.opened() as a:
        go = await ready(a, kind)
        place.provider.lose(place.root, when, find=True, kind=kind)
        turn: Turn = await go(a)
        assert await place.happened(a) == ("unknown", times) and turn.outcomes[0].status == "unknown"
        assert "? Uncertain" in turn.reply and not turn.previews
    status, later = await place.restarted()
    assert later == times and status in ({"unknown", TRUTH[when]} if place.provider.asks else {"unknown"})


@pytest.mark.parametrize(("name", "when", "kind"), settled(DOUBLES, asked=True))
async def test_a_write_in_which_the_program_dies_is_settled_at_the_next_start(furnished, tmp_path, name, when, kind):
    place = await furnished(name, tmp_path)
    await killed_in(place, kind, when)
    settled = await place.restarted()
    if place.forgets(kind) and when == "before":
        assert settled in (("unknown", 0), ("done", 1))
    else:
        assert settled == (("done", 1) if place.provider.asks else ("unknown", int(when == "after")))


@pytest.mark.parametrize("kind", ["send_mail", "update_event", "restore_contact"])
@pytest.mark.parametrize("when", MOMENTS)
@pytest.mark.parametrize("name", ASKED)
async def test_a_write_in_which_the_program_dies_is_not_repeated_where_nobody_answers_at_the_next_start(
    furnished, tmp_path, name, when, kind
):
    place = await furnished(name, tmp_path)
    await killed_in(place, kind, when)
    place.provider.lose(place.root, None, find=True)
    status, times = await place.restarted()
    assert times == int(when == "after") and status in ("unknown", TRUTH[when])


@pytest.mark.parametrize("name", DOUBLES)
async def test_an_approved_write_that_was_never_begun_is_done_at_the_next_start(furnished, tmp_path, monkeypatch, name):
    place = await furnished(name, tmp_path)
    revive = dying(monkeypatch, Executor, "_send")
    with pytest.raises(Died):
        async with place.opened() as a:
            await (await ready(a, "send_mail"))(a)
    revive()
    assert await place.restarted() == ("done", 1)


@pytest.mark.parametrize("name", ASKED)
async def test_what_a_program_left_behind_is_tried_again_by_one_of_those_who_find_it(furnished, tmp_path, name):
    place = await furnished(name, tmp_path)
    await killed_in(place, "create_event", "before")
    async with place.opened(recover=False) as a, place.opened(recover=False) as b:
        row = await place.row(a)
        settling = (one.outgoing.outbox.executor.settle([row], alone=True) for one in (a, b))
        await asyncio.gather(*settling)
        assert await place.happened(a) == ("done", 1)


# --- reply templates: what the assistant keeps itself can be asked about too


@pytest.mark.parametrize("kind", OWN)
@pytest.mark.parametrize("after", [False, True])
async def test_a_template_is_written_once_and_can_be_taken_back_whenever_the_program_dies(
    furnished, tmp_path, monkeypatch, kind, after
):
    place = await furnished("local", tmp_path)

    async def approved(a: Assistant, turn: Turn) -> None:
        await a.approve(turn.previews[0].id, turn.previews[0].fingerprint)

    async with place.opened() as a:
        await approved(a, await a.propose("c", [SaveTemplate(name="thanks", body="Thanks.")]))
    revive = dying(monkeypatch, TemplateWriter, "execute", after=after)
    with pytest.raises(Died):
        async with place.opened() as a:
            await approved(a, await a.propose("c", [await OWN[kind](a.readers)]))
    revive()
    async with place.opened() as a:
        assert (await place.row(a)).status == "done"
        await approved(a, await a.undo("c"))
        assert [t.body for t in await a.database.read(templates.list)] == ["Thanks."]


async def killed_in(place: Place, kind: str, when: Moment) -> None:
    """Only what is undone has to be written before by a program that lives."""
    go = None
    if kind in UNDONE:
        async with place.opened() as a:
            go = await ready(a, kind)
    with pytest.raises(Died):
        async with place.opened(place.dying(when)) as a:
            await (go or await ready(a, kind))(a)
