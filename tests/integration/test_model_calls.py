"""How often everyday requests ask the model, counted at its endpoint; the benchmark of the same name measures times besides."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
from benchmarks.model_calls import ALL, ONE, Row, complaints, counted, longest_chain, most_at_once, opened
from doubles.llm import RequestSeen, ScriptedEndpoint
from doubles.llm.planning import (
    CALENDAR,
    CANCEL,
    EVERYDAY,
    MOVE,
    NEXT_AND_LAST,
    PLAIN_READS,
    REPLY,
    SEND,
    THREE,
    UNREAD,
    UNSURE,
    planning,
)

from assistant.reasoning.offline.reasoner import OfflineReasoner


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    return {row.text: row for row in asyncio.run(counted(tmp_path_factory.mktemp("counted")))}


def test_twelve_everyday_requests_stay_within_the_limits(rows: dict[str, Row]) -> None:
    assert complaints(list(rows.values())) == []
    assert sum(rows[one.text].total for one in EVERYDAY) <= ALL
    assert max(rows[one.text].total for one in EVERYDAY) <= ONE


def test_a_plain_read_is_analysed_and_told(rows: dict[str, Row]) -> None:
    for one in PLAIN_READS:
        assert rows[one.text].calls in ({"analyse": 1, "reply": 1}, {"analyse": 1}), one.text


def test_a_summary_is_not_worded_again(rows: dict[str, Row]) -> None:
    assert rows[UNREAD.text].calls == {"analyse": 1, "summarise": 1}


@pytest.mark.parametrize("request_", [MOVE, REPLY, THREE, CANCEL], ids=lambda one: one.text)
def test_a_preview_is_worded_by_code(rows: dict[str, Row], request_) -> None:
    assert rows[request_.text].calls == {"analyse": 1}


def test_a_dictated_mail_gets_its_subject_from_code(rows: dict[str, Row]) -> None:
    assert rows[SEND.text].calls == {"analyse": 1}


@pytest.mark.parametrize("request_", [SEND, MOVE, REPLY, THREE, CANCEL], ids=lambda one: one.text)
def test_an_approval_asks_the_model_nothing(rows: dict[str, Row], request_) -> None:
    assert rows[request_.text].approval == 0


@pytest.mark.parametrize("request_", [NEXT_AND_LAST, THREE], ids=lambda one: one.text)
def test_independent_look_ups_run_side_by_side(rows: dict[str, Row], request_) -> None:
    assert rows[request_.text].steps == 2


def test_sub_agents_that_are_unsure_ask_the_model_at_the_same_time(rows: dict[str, Row]) -> None:
    row = rows[UNSURE.text]
    assert (row.total, row.path, row.calls_at_once) == (4, 3, 2)


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Set when the offline reasoner is asked what a message means."""
    read, analyse = threading.Event(), OfflineReasoner.analyse

    async def noted(self, request):
        read.set()
        return await analyse(self, request)

    monkeypatch.setattr(OfflineReasoner, "analyse", noted)
    return read


async def test_the_users_words_are_read_by_grammar_while_the_model_thinks(tmp_path: Path, read: threading.Event) -> None:
    def thinking(request: RequestSeen):
        assert read.wait(10)
        return planning(request)

    with ScriptedEndpoint(thinking) as endpoint:
        async with opened(tmp_path, endpoint.url, endpoint.key) as assistant:
            turn = await assistant.say("c", MOVE.text)
        assert (turn.status, endpoint.complaints) == ("done", [])


async def test_a_plain_question_is_not_planned_a_second_time(tmp_path: Path, read: threading.Event) -> None:
    with ScriptedEndpoint(planning) as endpoint:
        async with opened(tmp_path, endpoint.url, endpoint.key) as assistant:
            await assistant.say("c", CALENDAR.text)
    assert not read.is_set()


def seen(*times: tuple[float, float]) -> Sequence[RequestSeen]:
    return [RequestSeen(n, "", {}, {}, b"", began=began, ended=ended) for n, (began, ended) in enumerate(times)]


@pytest.mark.parametrize(
    ("times", "chain", "at_once"),
    [
        ((), 0, 0),
        (((0, 1),), 1, 1),
        (((0, 1), (1, 2), (2, 3)), 3, 1),
        (((0, 1), (1, 2), (1, 3), (3, 4)), 3, 2),
        (((0, 9), (1, 2), (2, 3), (3, 4)), 3, 2),
    ],
)
def test_calls_that_overlap_did_not_wait_for_one_another(times, chain, at_once) -> None:
    assert (longest_chain(seen(*times)), most_at_once(seen(*times))) == (chain, at_once)


def test_each_limit_that_is_missed_is_told() -> None:
    row = Row(MOVE.text, "failed", {"analyse": 27}, 1, 0, 1, path=27, steps=0, calls_at_once=1, approval=1)
    assert len(complaints([row])) == 5
