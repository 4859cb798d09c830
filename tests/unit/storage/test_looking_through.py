"""Conversations to look through, and figures of what there is, on a file and on a server alike."""

from datetime import datetime

from storage import calls, conversations, flows, previews, users
from storage.conversations import END, Latest
from storage.database import Database
from storage.figures import Asked, figures
from storage.session import Session


async def talked(db: Database, now: datetime, *said: tuple[str, str], user: str = "owner") -> None:
    def work(s: Session) -> None:
        for conversation, text in said:
            conversations.add_message(s, conversation, "user", text, now, user_id=user)

    await db.write(work)


async def test_the_conversation_that_was_talked_in_last_comes_first(db: Database, now: datetime):
    await talked(db, now, ("a", "1"), ("b", "2"), ("c", "3"), ("a", "4"))
    first = await db.read(lambda s: conversations.latest(s, limit=2))
    assert [one.id for one in first] == ["a", "c"]
    rest = await db.read(lambda s: conversations.latest(s, first[-1].last, limit=2))
    assert [one.id for one in rest] == ["b"]


async def test_words_are_found_in_any_message_as_they_stand(db: Database, now: datetime):
    await talked(db, now, ("a", "Lunch with Anna"), ("a", "thanks"), ("b", "100% sure"), ("c", "100 times"), ("d", "c:\\home"))

    async def found(words: str) -> list[str]:
        return [one.id for one in await db.read(lambda s: conversations.latest(s, words=words))]

    assert await found("anna") == ["a"]
    assert await found("LUNCH") == ["a"]
    assert await found("100%") == ["b"]
    assert await found("c:\\h") == ["d"]
    assert await found("_") == []


async def test_conversations_of_the_same_name_are_each_users_own(db: Database, now: datetime):
    await db.write(lambda s: users.add(s, "bert", name="Bert", at=now))
    await talked(db, now, ("a", "mine"))
    await talked(db, now, ("a", "his"), ("b", "his"), user="bert")
    assert await db.read(lambda s: conversations.latest(s)) == (Latest(id="a", last=1),)
    assert not await db.read(lambda s: conversations.is_known(s, "b"))
    assert [m.text for m in await db.read(lambda s: conversations.page(s, "a"))] == ["mine"]
    first = await db.read(lambda s: conversations.first(s, "a", user_id="bert"))
    assert first is not None and first.text == "his"


async def test_messages_are_given_page_by_page(db: Database, now: datetime):
    await talked(db, now, *(("a", str(number)) for number in range(5)))
    last = await db.read(lambda s: conversations.page(s, "a", END, 2))
    before = await db.read(lambda s: conversations.page(s, "a", last[0].id, 2))
    assert [m.text for m in (*before, *last)] == ["1", "2", "3", "4"]


async def test_what_is_open_is_counted_by_conversation(db: Database, now: datetime):
    def work(s: Session) -> None:
        for flow, status in (("f1", "running"), ("f2", "waiting"), ("f3", "waiting"), ("f4", "done")):
            flows.create(s, flow, conversation="a", about="x", at=now, status=status)
        for number, status in enumerate(("open", "open", "approved")):
            previews.add(
                s,
                f"p{number}",
                flow_id="f4",
                conversation="a",
                fingerprint="v1:0",
                level="medium",
                body="{}",
                created=now,
                expires=now,
                status=status,
            )

    await db.write(work)
    assert await db.read(lambda s: previews.count_open(s, "owner")) == {"a": 2}
    tallies = await db.read(lambda s: flows.unended(s, "owner"))
    assert {(one.conversation, one.status): one.number for one in tallies} == {("a", "running"): 1, ("a", "waiting"): 2}
    counted = await db.read(figures)
    assert {one.status: one.number for one in counted.flows} == {"running": 1, "waiting": 2, "done": 1}
    assert {(one.level, one.status): one.number for one in counted.previews} == {("medium", "open"): 2, ("medium", "approved"): 1}


async def test_calls_with_their_failures_tokens_and_costs_are_summed_by_model(db: Database, now: datetime):
    call = {"at": now, "flow_id": "", "role": "master", "model": "small", "prompt": 10, "cached": 0, "completion": 5}
    more = {"cost": 0.25, "seconds": 1.0, "trouble": "", "estimated": False}
    failed = {"cost": None, "trouble": "timeout", "completion": 0}
    await db.write(lambda s: [calls.add(s, call | more | other) for other in ({}, {}, failed)])
    counted = await db.read(figures)
    assert counted.calls == (Asked(model="small", number=3, failed=1, prompt=30, completion=10, cost=0.5),)
