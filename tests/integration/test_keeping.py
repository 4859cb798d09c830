"""What has ended becomes smaller after a while, and still loads."""

import asyncio
from datetime import timedelta

import pytest
from doubles.crashes import ARCHIVE, MAIL, archived, doing, sent, shown

from assistant.cli.keeping import kept_meanwhile
from assistant.running.keeping import Kept, Terms
from storage import flows, previews

DAY = timedelta(days=1)
LONG = MAIL.model_copy(update={"body": "a text that nobody needs for ever"})


@pytest.fixture(autouse=True, params=["sqlite", "postgres"])
def url(request, monkeypatch) -> str:
    """Of the server that keeps the data, empty for a file in the home."""
    found = request.getfixturevalue("postgres_url") if request.param == "postgres" else ""
    monkeypatch.setenv("ASSISTANT_DATABASE_URL", found)
    return found


@pytest.fixture
def later(scripted, clock):
    """Opens the assistant and keeps house as it would be done so many days later."""

    async def keep(thinking, days: int, **terms: timedelta) -> Kept:
        async with scripted(*thinking) as a:
            object.__setattr__(a.keeping, "clock", lambda: clock() + days * DAY)
            object.__setattr__(a.keeping, "terms", Terms(**terms))
            return await a.keep()

    return keep


async def stored(a) -> str:
    """All that is stored of flows and previews, as text."""

    def read(s) -> str:
        found = [flow.snapshot for head in flows.list(s) if (flow := flows.get(s, head.id))]
        return "\n".join([*found, *(preview.body for preview in previews.list(s))])

    return await a.database.read(read)


async def approved(scripted, thinking) -> None:
    preview = await shown(scripted, thinking)
    async with scripted(*thinking) as a:
        await a.approve(preview.id, preview.fingerprint)


async def test_the_texts_of_mails_leave_what_has_ended_when_their_time_is_over(scripted, later):
    thinking = doing(LONG, "mail Anna")
    await approved(scripted, thinking)
    assert (await later(thinking, 29, mails=30 * DAY)).textless == 0
    async with scripted(*thinking) as a:
        assert LONG.body in await stored(a)
    assert (await later(thinking, 31, mails=30 * DAY)).textless == 3  # two flows and their preview
    async with scripted(*thinking) as a:
        assert LONG.body not in await stored(a)
        for head in await a.flows():
            turn = await a.flow(head.id)
            assert turn.status == "done" and turn.reply
            assert [preview.items[0].says for id in turn.previews for preview in [await a.preview(id.id)]] in ([], ["mail Anna"])
    assert (await later(thinking, 31, mails=30 * DAY)).textless == 0


async def test_an_old_task_is_thinned_to_what_its_list_and_an_undo_need(scripted, later, account, inbox):
    thinking = doing(ARCHIVE, "archive it", "archive it")
    async with scripted(*thinking) as a:
        before = await a.say("c", "archive it")
    kept = await later(thinking, 2, snapshots=DAY, events=DAY)
    assert (kept.thinned, kept.events > 0) == (1, True)
    async with scripted(*thinking) as a:
        after = await a.flow(before.flow)
        assert (after.reply, after.outcomes, after.context.goal) == (before.reply, before.outcomes, before.context.goal)
        assert not after.steps and not after.reports
        assert [event async for event in a.events("c", flow=before.flow)] == []
        assert archived(account)
        await a.undo("c")
    assert not archived(account)


async def test_what_awaits_approval_or_is_not_done_is_kept_in_full(scripted, later, account):
    thinking = doing(LONG, "mail Anna")
    preview = await shown(scripted, thinking)
    everything = {"snapshots": DAY, "events": DAY, "mails": DAY}
    kept = await later(thinking, 400, **everything)
    assert (kept.thinned, kept.textless) == (0, 0)
    async with scripted(*thinking) as a:
        assert (await a.preview(preview.id)) == preview
        await a.approve(preview.id, preview.fingerprint)
    assert LONG.body in sent(account)[0]


async def test_a_task_that_rests_is_kept_in_full(scripted, later):
    thinking = doing(LONG)
    async with scripted(*thinking) as a:
        head = (await a.flows())[0] if await a.flows() else None
        assert head is None
        turn = await a.say("c", "go")
        await a.database.write(lambda s: flows.save(s, turn.flow, **await_(s, turn.flow)))
    assert await later(thinking, 400, snapshots=DAY, events=DAY, mails=DAY) == Kept()


def await_(s, flow: str) -> dict:
    """The columns of a flow that goes back to resting."""
    stored = flows.get(s, flow)
    return {
        "version": stored.version,
        "status": "suspended",
        "goal": stored.goal,
        "snapshot": stored.snapshot,
        "at": stored.updated,
    }


async def test_nothing_ends_where_no_time_is_set(scripted, later):
    thinking = doing(LONG)
    await approved(scripted, thinking)
    assert await later(thinking, 10_000) == Kept()


async def test_a_chat_keeps_house_by_itself_and_leaves_when_it_ends(scripted, clock):
    thinking = doing(LONG, "mail Anna")
    await approved(scripted, thinking)
    async with scripted(*thinking) as a:
        object.__setattr__(a.keeping, "clock", lambda: clock() + 400 * DAY)
        async with kept_meanwhile(a):
            for _ in range(1000):
                if LONG.body not in await stored(a):
                    break
                await asyncio.sleep(0.01)
            assert LONG.body not in await stored(a)
        async with kept_meanwhile(a):
            pass
