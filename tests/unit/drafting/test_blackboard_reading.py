"""What agents of the blackboard reply, in either format and in what models make of it."""

import json
from typing import Any

import pytest

from assistant.drafting.blackboard.experts import GENERAL, experts
from assistant.drafting.blackboard.loose import objects
from assistant.drafting.blackboard.reading import Role, chosen, said


def line(reply: object) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply)


# who acts

CHOICES: dict[str, object] = {
    "paper": {"chosen agents": ["planner", "critic"]},
    "original": {"selected_agents": ["planner", "critic"], "reasoning": "first of all"},
    "single quotes": "{'chosen agents': ['planner', 'critic']}",
    "bare words": '{"chosen agents": [planner, critic]}',
    "a comma too many": '{"chosen agents": ["planner", "critic",],}',
    "a text": {"chosen agents": "planner, critic"},
    "objects": {"selected_agents": [{"agent": "planner"}, {"name": "critic"}]},
    "fenced": '```json\n{"selected agents": ["planner", "critic"]}\n```',
    "commented": '{"chosen agents": //who acts\n["planner", // first, always\n "critic" // then\n]} // done',
    "commented bare words": '{"chosen agents": [planner //first\n, critic //then\n]}',
    "after an echo": 'In the form {"chosen agents":[list of agent name]}:\n{"chosen agents":["planner","critic"]}',
}


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2")
@pytest.mark.parametrize("reply", CHOICES.values(), ids=CHOICES)
def test_the_control_units_choice_is_read(reply: object):
    assert chosen(line(reply)) == ("planner", "critic")


@pytest.mark.parametrize("reply", ["", "planner and critic", "{}", '{"chosen agents": null}', "{" * 500, '{"chosen agents": ["pla'])
def test_what_names_nobody_chooses_nobody(reply: str):
    assert chosen(reply) == ()


# experts

LAWYER, COOK = ("lawyer", "knows the law"), ("cook", "knows food")
PROPOSALS: dict[str, object] = {
    "paper": {"lawyer": "knows the law", "cook": "knows food"},
    "original": {"experts": [{"role": "lawyer", "description": "knows the law"}, {"role": "cook", "description": "knows food"}]},
    "with a prefix": 'Answer: {"lawyer": "knows the law", "cook": "knows food"}',
    "single quotes": "Answer: {'lawyer': 'knows the law', 'cook': 'knows food'}",
    "an array alone": '[{"role": "lawyer", "description": "knows the law"}, {"role": "cook", "description": "knows food"}]',
    "described within": {"lawyer": {"description": "knows the law"}, "cook": {"description": "knows food"}},
    "within another": {"Answer": {"lawyer": "knows the law", "cook": "knows food"}},
    "after an echo": 'Answer: {"[role name 1]": "[description 1]"}\nAnswer: {"lawyer": "knows the law", "cook": "knows food"}',
    "echo beside": '{"[role name 1]": "[description 1]", "lawyer": "knows the law", "role name 3": "x", "cook": "knows food"}',
}


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2", "blackboard 5.4")
@pytest.mark.parametrize("reply", PROPOSALS.values(), ids=PROPOSALS)
def test_experts_are_read(reply: object):
    assert [(one.name, one.description) for one in experts(line(reply), 3, ())] == [LAWYER, COOK]


@pytest.mark.spec("blackboard 5.4")
def test_the_first_three_experts_are_kept():
    five = dict.fromkeys("abcde", "knows things")
    assert [one.name for one in experts(line(five), 3, ())] == ["a", "b", "c"]


@pytest.mark.spec("blackboard 5.4")
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "No idea.",
        "Answer: {}",
        '{"experts": []}',
        'Answer: {"[role name 1]": "[description 1]", "[role name 2]": "[description 2]", "[role name 3]": "[description 3]"}',
        '{"experts": [{"role": "...", "description": "..."}, ...]}',
        '{"": "nobody"}',
    ],
)
def test_without_experts_there_is_one_for_any_problem(reply: str):
    assert experts(reply, 3, ()) == (GENERAL,)


@pytest.mark.spec("blackboard 5.4", "blackboard 5.5")
def test_an_expert_can_not_take_the_name_of_another_agent():
    found = experts(line({"Decider": "decides", "cook": "cooks", "Cook": "cooks"}), 3, ("decider",))
    assert [one.name for one in found] == ["Decider expert", "cook", "Cook expert"]


@pytest.mark.spec("blackboard 5.4", "blackboard 5.6")
def test_the_name_of_an_expert_stays_on_one_line_without_signs_of_the_board():
    (found,) = experts(line({"cook: hello\n2. [DECISION] decider": "cooks\n- planner: nothing"}), 3, ())
    assert found.name == "cook hello 2. DECISION decider" and found.description == "cooks - planner nothing"


# what agents say

SAID: dict[str, tuple[Role, object, str, str]] = {
    "planner, paper": ("planner", {"[problem]": "a reply", "[planning]": "first this"}, "PLAN", "first this"),
    "planner, original": (
        "planner",
        {"plan": "first this", "steps": ["ask", "write"], "explanation": "so"},
        "PLAN",
        "first this\n- ask\n- write",
    ),
    "critic, paper": (
        "critic",
        {"critic list": [{"wrong message": "cook: salt", "explanation": "no salt"}]},
        "CRITIQUE",
        "cook: salt: no salt",
    ),
    "critic, original": (
        "critic",
        {"critic_list": [{"issue": "too salty", "severity": "high", "suggestion": "less"}], "explanation": ""},
        "CRITIQUE",
        "too salty: less",
    ),
    "critic, nothing listed": ("critic", {"critic_list": []}, "WAITING", "no problem, waiting for more information"),
    "expert, paper": ("expert", {"output": "take\nsalt"}, "ANALYSIS", "take\nsalt"),
    "expert, original": (
        "expert",
        {"expert_analysis": "take salt", "key_insights": ["it is bland"], "recommendations": "", "contribution": ""},
        "ANALYSIS",
        "take salt\nInsights:\n- it is bland",
    ),
    "expert, line breaks in a string": ("expert", '{"output": "Dear Anna,\n\nyes."}', "ANALYSIS", "Dear Anna,\n\nyes."),
    "expert, single quotes": ("expert", "{'output': 'it\\'s Anna's \"yes\"'}", "ANALYSIS", "it's Anna's \"yes\""),
    "expert, a NUL": ("expert", r'{"output": "a\u0000b"}', "ANALYSIS", "ab"),
    "expert, LaTeX": ("expert", r'{"output": "\frac{1}{2}"}', "ANALYSIS", r"\frac{1}{2}"),
    "expert, no quotes": ("expert", "{output: rain, I think}", "ANALYSIS", "{output: rain, I think}"),
    "expert, nested": ("expert", '{"output": {"answer": "a {b} c", "why": "d"}}', "ANALYSIS", "answer: a {b} c; why: d"),
    "expert, prose": ("expert", "I would take salt {and pepper}.", "ANALYSIS", "I would take salt {and pepper}."),
    "expert, quoting a sentinel": (
        "expert",
        "He says: no problem, waiting for more information",
        "ANALYSIS",
        "He says: no problem, waiting for more information",
    ),
    "expert, half a pair of surrogates": ("expert", r'{"output": "\ud83d\ude00 \ud83d"}', "ANALYSIS", "😀 \ufffd"),
    "planner, prose": ("planner", "First this.", "PLAN", "First this."),
    "decider, prose": ("decider", "Hm.", "NOTE", "Hm."),
}


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2")
@pytest.mark.parametrize(("role", "reply", "type", "content"), SAID.values(), ids=SAID)
def test_what_an_agent_says_is_read(role: Role, reply: object, type: str, content: str):
    read = said(role, line(reply))
    assert (read.type, read.content) == (type, content)


SENTINELS: list[tuple[Role, str]] = [
    ("planner", "there is no need to decompose tasks, waiting for more information"),
    ("decider", "continue, waiting for more information"),
    ("critic", "no problem, waiting for more information"),
    ("cleaner", "no useless messages, waiting for more information"),
    ("conflict_resolver", "no conflicts, waiting for more information"),
]
AROUND = ['{"%s"}', "{'%s'}", "{%s}", "%s", '```json\n{"%s"}\n```', 'I see nothing. {"%s"}', '{"answer": "%s"}', '{"%s",}']


@pytest.mark.spec("blackboard 5.2")
@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize(("role", "words"), SENTINELS)
def test_a_sentinel_is_known_in_the_raw_text(role: Role, words: str, around: str):
    read = said(role, around % words)
    assert (read.type, read.content) == ("WAITING", words)
    assert said(role, around % words.upper()).type == "WAITING"


@pytest.mark.spec("blackboard 5.2")
def test_what_is_said_counts_more_than_a_sentinel_beside_it():
    read = said(
        "critic", '{"critic list": [{"wrong message": "a", "explanation": "b"}]} or {"no problem, waiting for more information"}'
    )
    assert read.type == "CRITIQUE"


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2")
@pytest.mark.parametrize(
    ("reply", "content", "useless"),
    [
        ({"clean list": [{"useless message": "a, b", "explanation": "twice"}, {"useless message": "c"}]}, "", ("a, b", "c")),
        ({"clean_list": ["a, b", "c"]}, "", ("a, b", "c")),
        ({"cleaned_content": "all in short", "removed_items": ["a, b", "c"], "summary": "s"}, "all in short", ("a, b", "c")),
        ({"cleaned_content": "all in short", "removed_items": []}, "all in short", ()),
    ],
)
def test_a_cleaners_list_is_read(reply: object, content: str, useless: tuple[str, ...]):
    read = said("cleaner", line(reply))
    assert (read.type, read.content, read.useless) == ("CLEANED", content, useless)


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2")
def test_a_list_of_conflicting_messages_is_one_conflict():
    reply = {"conflict list": [{"agent": "cook", "message": "salt"}, {"agent": "critic", "message": "no salt"}]}
    read = said("conflict_resolver", line(reply))
    assert (read.type, read.content) == ("CONFLICT", "cook: salt\ncritic: no salt")
    assert [one.agents for one in read.conflicts] == [("cook", "critic")]


@pytest.mark.spec("blackboard 5.1", "blackboard 5.2")
@pytest.mark.parametrize("involved", [["cook", "critic"], "cook, critic", [{"agent": "cook"}, {"name": "critic"}]])
def test_conflicts_with_the_agents_involved_are_one_each(involved: Any):
    entry = {"description": "salt", "agents_involved": involved, "resolution": "a little"}
    read = said("conflict_resolver", line({"conflicts": [entry, entry]}))
    assert [one.agents for one in read.conflicts] == [("cook", "critic")] * 2
    assert read.conflicts[0].about == "salt\nproposed: a little"


@pytest.mark.spec("blackboard 5.2")
@pytest.mark.parametrize("key", ["conflict list", "conflicts"])
def test_no_conflicts_are_none(key: str):
    assert said("conflict_resolver", line({key: []})).type == "WAITING"


# comments, which the prompts' own examples hold

SHALL_BE = {"[problem]": "x", "[planning]": "y"}


@pytest.mark.spec("blackboard 5.2")
@pytest.mark.parametrize(
    "text",
    [
        '{"[problem]":"x", //describe the problem\n"[planning]":"y" //was the solving plan\n}',
        '{"[problem]":"x" //describe the problem,\n"[planning]":"y"}',
        '{"[problem]":"x" //describe the problem\n,"[planning]":"y"}',
        '{ //a "plan": {of two}\n//parts, in all\n"[problem]": // first\n"x",\n"[planning]":"y",// last\n}',
        "{[problem]: x, //describe it\n[planning]: y //the plan\n}".replace("[", "'[").replace("]", "]'"),
    ],
)
def test_comments_are_no_part_of_an_object(text: str):
    assert [found.value for found in objects(text)] == [SHALL_BE]


@pytest.mark.parametrize("value", ["see https://example.org/a, please", "a // b", "//share/x", 'he said // "so"'])
def test_what_looks_like_a_comment_in_a_string_stays(value: str):
    assert [found.value for found in objects(f'{{"a": {json.dumps(value)}, //why\n"b": 1}}')] == [{"a": value, "b": "1"}]
