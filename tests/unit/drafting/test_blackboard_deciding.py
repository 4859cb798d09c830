"""When a decider has decided, and what."""

import json

import pytest

from assistant.drafting.blackboard.reading import ROLES, said


def line(reply: object) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply)


DECISIONS: dict[str, tuple[object, str]] = {
    "paper": ('{"the final answer is boxed[Tuesday]"}', "Tuesday"),
    "without quotes": ("{the final answer is boxed[Tuesday]}", "Tuesday"),
    "as a key": ({"the final answer is boxed[Tuesday]": ""}, "Tuesday"),
    "as a value": ({"answer": "boxed[Tuesday]"}, "Tuesday"),
    "as a value in a list": ({"answers": ["boxed[Monday]", "boxed[Tuesday]"]}, "Tuesday"),
    "bare": ("The final answer is boxed[Tuesday]", "Tuesday"),
    "the last of several": ("boxed[Monday]? No: boxed[Tuesday]. {done}", "Tuesday"),
    "after an object": ('{"answer": "boxed[Monday]"} or rather boxed[Tuesday]', "Tuesday"),
    "nested": ("boxed[Dear [name], on [day] [[soon]]]", "Dear [name], on [day] [[soon]]"),
    "an object inside": ('boxed[{"day": "Tuesday"}]', '{"day": "Tuesday"}'),
    "LaTeX": (r"so \boxed{\frac{1}{2}}.", r"\frac{1}{2}"),
    "LaTeX in JSON": (r'{"answer": "\boxed{\frac{1}{2}}"}', r"\frac{1}{2}"),
    "LaTeX in JSON, escaped": ({"final_answer": r"\boxed{\frac{1}{2}}"}, r"\frac{1}{2}"),
    "LaTeX as a final answer": (r'{"is_solution_ready": true, "final_answer": "\boxed{\frac{1}{2}}"}', r"\frac{1}{2}"),
    "line breaks in JSON": ({"answer": "boxed[Dear Anna,\n\n“yes”.]"}, "Dear Anna,\n\n“yes”."),
    "after the echo": ("In the form boxed[answer]: boxed[Tuesday]", "Tuesday"),
    "before the echo": ("boxed[Tuesday], in the form boxed[answer]", "Tuesday"),
    "unfinished after": ("boxed[Tuesday] boxed[We", "Tuesday"),
    "unfinished before": ("boxed[We {x} boxed{Tuesday}", "Tuesday"),
    "original": ({"is_solution_ready": True, "final_answer": "Tuesday", "confidence": 0.9, "explanation": ""}, "Tuesday"),
    "original, python": ("{'is_solution_ready': True, 'final_answer': 'Tuesday', 'confidence': 0.9}", "Tuesday"),
    "original, a number": ({"is_solution_ready": True, "final_answer": 42}, "42"),
    "original, readiness in words": ({"is_solution_ready": "true", "final_answer": "Tuesday"}, "Tuesday"),
    "original, boxed": ({"is_solution_ready": True, "final_answer": "it is boxed[Tuesday]"}, "Tuesday"),
    "original, a sentinel at the end": (
        {"is_solution_ready": True, "final_answer": "Tuesday", "explanation": "no more of: continue, waiting for more information"},
        "Tuesday",
    ),
    "a sentinel behind a box": ('boxed[Tuesday] {"continue, waiting for more information"}', "Tuesday"),
    "an object in a key": ('{"the final answer is boxed[{"a": 1}]"}', '{"a": 1}'),
    "an object in braces in a key": ('{"the final answer is boxed{{"a": {"b": 1}}}"}', '{"a": {"b": 1}}'),
    "an array in a key": ('{"the final answer is boxed[["a", {"b": 1}]]"}', '["a", {"b": 1}]'),
    "a sentinel before": ('Not {"continue, waiting for more information"} any more: boxed[Tuesday]', "Tuesday"),
}


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2", "blackboard 5.3")
@pytest.mark.parametrize(("reply", "answer"), DECISIONS.values(), ids=DECISIONS)
def test_a_decision_is_read(reply: object, answer: str):
    read = said("decider", line(reply))
    assert (read.type, read.content) == ("DECISION", answer)


UNDECIDED: dict[str, object] = {
    "the echo": '{"the final answer is boxed[answer]"}',
    "the echo, LaTeX": r"\boxed{answer}",
    "the echo as a final answer": {"is_solution_ready": True, "final_answer": "boxed[answer]"},
    "an empty box": "boxed[]",
    "an unfinished box": "boxed[Dear Anna, [soon]",
    "an unfinished object": '{"is_solution_ready": true, "final_answer": "Dear An',
    "not ready": {"is_solution_ready": False, "final_answer": "Tuesday", "explanation": "the day is not known"},
    "not ready, boxed": {"is_solution_ready": False, "explanation": "boxed[Tuesday] is too early"},
    "not ready, python": "{'is_solution_ready': False, 'final_answer': 'Tuesday'}",
    "no answer": {"is_solution_ready": True, "final_answer": ""},
    "dots": {"is_solution_ready": True, "final_answer": "..."},
    "the format's echo": '{"is_solution_ready": true/false, "final_answer": "...", "confidence": 0.0-1.0}',
    "last of all it waits": '{"final_answer": "Tuesday"} is not sure. {"continue, waiting for more information"}',
    "nothing": "",
}


@pytest.mark.spec("blackboard 5.2", "blackboard 5.3")
@pytest.mark.parametrize("reply", UNDECIDED.values(), ids=UNDECIDED)
def test_what_is_no_decision_is_none(reply: object):
    assert said("decider", line(reply)).type in ("WAITING", "NOTE")


@pytest.mark.spec("blackboard 5.3")
def test_nobody_but_the_decider_decides():
    others = [role for role in ROLES if role != "decider"]
    assert all(said(role, '{"output": "boxed[Tuesday]"}').type != "DECISION" for role in others)
