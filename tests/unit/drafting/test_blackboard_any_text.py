"""Readers of the blackboard bear any text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.drafting.blackboard.boxed import boxed
from assistant.drafting.blackboard.experts import experts
from assistant.drafting.blackboard.loose import objects
from assistant.drafting.blackboard.reading import ROLES, chosen, said

# A backspace and a form feed, which nobody means, are read as the beginning of \\boxed and \\frac.
WORDS = st.text(st.characters(exclude_characters="\b\f", exclude_categories=["Cs"]), max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
)
KEYS = st.sampled_from(
    [
        *("chosen agents", "selected_agents", "experts", "role", "[planning]", "plan", "steps", "output", "expert_analysis"),
        *("is_solution_ready", "final_answer", "critic list", "critic_list", "clean list", "cleaned_content", "removed_items"),
        *("conflict list", "conflicts", "agents_involved", "agent", "message"),
    ]
)
KEYED = st.dictionaries(KEYS, JSON | st.lists(st.dictionaries(KEYS, JSON, max_size=3), max_size=2), max_size=4).map(json.dumps)
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ",", ":", "\\", "boxed[", "\\boxed{", "\n", "waiting for", "\ud800", "\0", "a "]
)
ANY = st.text() | KEYED | KEYED.map(lambda text: text.replace('"', "'")) | st.lists(PIECES | st.text(max_size=3)).map("".join)


@pytest.mark.spec("blackboard 5.2", "blackboard 5.3", "blackboard 5.4")
@given(ANY)
def test_no_text_raises_and_all_that_is_read_can_be_sent(text: str):
    read = [said(role, text) for role in ROLES]
    found = experts(text, 3, ("planner",))
    assert 1 <= len(found) <= 3 and chosen(text) is not None
    for one in (*read, *found):
        one.model_dump_json().encode()
    for one in read:
        assert one.type != "DECISION" or one.content.strip()


COMMENTS = ('{"' + '"//' * 20_000, "{" + "//\n" * 20_000, "{a" + " //" * 20_000, '{"a"' + " //," * 20_000)


@pytest.mark.parametrize(
    "text", ["{" * 50_000, '{"a":' * 50_000, "[" * 50_000, "{[" * 20_000, "boxed[" * 20_000, "{'a' " * 20_000, *COMMENTS]
)
def test_nor_does_a_deep_or_a_long_one(text: str):
    assert all(said(role, text) for role in ROLES) and experts(text, 3, ())


UNBRACKETED = st.text(st.characters(exclude_characters="[]{}\b\f", exclude_categories=["Cs"]))
PLAIN = st.text(st.characters(exclude_characters="\\\"'\0\b\f", exclude_categories=["Cs"]))


@pytest.mark.spec("blackboard 5.2")
@given(st.dictionaries(WORDS, JSON), st.text(st.characters(exclude_characters="{}")))
def test_an_object_is_found_among_any_words(value: dict[str, Any], words: str):
    assert [found.value for found in objects(f"{words}{json.dumps(value)}{words}")] == [value]


@pytest.mark.spec("blackboard 5.4")
@given(st.dictionaries(PLAIN, PLAIN, min_size=1))
def test_python_is_read_as_json_is(value: dict[str, str]):
    written = json.dumps(value, ensure_ascii=False)
    odd = [text for pair in value.items() for text in pair if any(sign in text for sign in ",:}]")]
    assert odd or objects(written.replace('"', "'")) == objects(written)


@pytest.mark.spec("blackboard 5.3")
@given(st.recursive(UNBRACKETED, lambda one: one.map(lambda text: f"[{text}]")))
def test_a_box_gives_back_what_was_put_into_it(answer: str):
    real = answer.strip().strip("\"'").lower() not in ("", "answer", "...", "…")
    assert boxed(f"so boxed[{answer}].") == (answer.strip() if real else "")
    assert boxed(json.dumps({"the answer": f"boxed[{answer}]"})) == (answer.strip() if real else "")
