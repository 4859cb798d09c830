"""The values that all floors speak of keep the owner's shapes, and survive being saved."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from assistant.pipeline.state import FlowState
from assistant.values import Choice, Data, Failure, Partial, Question, Report, Slot, Success
from integrations.types import Address

REPORT: TypeAdapter[Report] = TypeAdapter(Report)
WORDS = st.text(max_size=40)
ENTITIES = st.text(min_size=1, max_size=20)
TIMES = st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def test_a_success_has_the_seeds_shape():
    assert list(Success(data=Data(), confidence=95).model_dump()) == ["status", "data", "confidence"]
    assert Success(data=Data()).status == "success"


def test_an_error_has_the_seeds_shape():
    failure = Failure(type="api_down", message="Email service unavailable", context={})
    assert failure.model_dump() == {"status": "error", "type": "api_down", "message": "Email service unavailable", "context": {}}


def test_a_partial_has_the_seeds_shape():
    partial = Partial(data=Data(), limitations=("missing contact info",), confidence=70)
    assert list(partial.model_dump()) == ["status", "data", "limitations", "confidence"]


def test_a_confidence_outside_0_to_100_is_refused():
    with pytest.raises(ValidationError):
        Success(data=Data(), confidence=101)


def test_a_value_can_not_be_changed_nor_hold_what_it_does_not_know():
    with pytest.raises(ValidationError):
        Data().kind = "text"
    with pytest.raises(ValidationError):
        Address(email="a@example.org", phone="1")


def reports() -> st.SearchStrategy[Report]:
    slots = st.builds(lambda start: Slot(start=start, end=start + timedelta(hours=1)), TIMES)
    data = st.builds(Data, kind=st.just("slots"), slots=st.lists(slots, max_size=3).map(tuple), heading=WORDS)
    confidences = st.integers(0, 100)
    return st.one_of(
        st.builds(Success, data=data, confidence=confidences),
        st.builds(Partial, data=data, limitations=st.lists(WORDS, max_size=3).map(tuple), confidence=confidences),
        st.builds(Failure, type=WORDS, message=WORDS),
    )


@given(reports())
def test_a_report_is_the_same_after_being_saved(report):
    assert REPORT.validate_json(REPORT.dump_json(report)) == report


@given(st.dictionaries(st.integers(1, 99), reports(), max_size=4), st.dictionaries(ENTITIES, WORDS, max_size=3), WORDS, TIMES)
def test_a_flow_is_the_same_after_being_saved(found, bindings, text, created):
    question = Question(id="q", text=text, trigger="ambiguous", entity="x", choices=(Choice(id="1", label=text, value=text),))
    state = FlowState(
        id="f", user="owner", conversation="c", text=text, created=created, reports=found, bindings=bindings, question=question
    ).noting(goal=text, data=text, progress=("a", "b"))
    assert FlowState.model_validate_json(state.model_dump_json()) == state


@pytest.mark.parametrize(("target", "targets"), [("", ()), ("p1", ("p1",))])
def test_a_snapshot_of_an_older_version_is_read(target, targets):
    stored = {"id": "f", "user": "owner", "conversation": "c", "text": "t", "created": "2026-11-18T10:00:00Z", "target": target}
    assert FlowState.model_validate_json(json.dumps(stored)).targets == targets
