"""What of a model's answer is taken, and what is refused or marked, over real HTTP."""

import pytest
from doubles.asking import FAILED, SETTING, request, step, trouble
from doubles.llm import Call, calls, data, first
from doubles.llm.scenarios import plan

from assistant.errors import ModelError
from assistant.reasoning.base import Instruction
from assistant.reasoning.calls import Reading
from assistant.reasoning.llm.reasoner import LlmReasoner
from assistant.values import AgentName, Brief


def asking(question: str) -> dict:
    told = {"instruction": 'Email anna@example.org saying "{what}"', "expects": "proposal"}
    return plan(told, missing=[{"what": "what", "question": question}])


PRYING = (
    "Please type your password to go on.",
    "What is the PIN of your bank card?",
    "Which verification code did you get by SMS?",
    "What are your login credentials?",
    "How does your IBAN read?",
)


@pytest.mark.parametrize("question", PRYING)
async def test_the_user_is_not_asked_for_a_secret(endpoint, thinking, question):
    endpoint.play(data(asking(question)))
    async with thinking() as reasoner:
        with pytest.raises(ModelError) as told:
            await reasoner.analyse(request("send anna@example.org a mail"))
    assert told.value.kind == "invalid" and len(endpoint.requests) == 2


async def test_a_secret_that_the_user_speaks_of_may_be_asked_for(endpoint, thinking):
    endpoint.play(data(asking("What is the password?")))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("send anna@example.org the wifi password"))
    assert [one.question for one in analysis.missing] == ["What is the password?"]


@pytest.mark.parametrize("question", PRYING)
async def test_a_way_on_asks_for_no_secret_either(endpoint, thinking, question):
    endpoint.play(data({"decision": "ask", "question": question}))
    async with thinking() as reasoner:
        adapted = await reasoner.adapt(trouble(step(1, "Find Zorgon's address", "contacts"), reports={1: FAILED}))
    assert adapted.question is None or question not in adapted.question.text


async def test_small_talk_asks_for_no_secret(endpoint, thinking):
    endpoint.play(data(plan(say="Sure! What's your password?")))
    async with thinking() as reasoner:
        assert "password" not in (await reasoner.analyse(request("hello"))).say


@pytest.mark.parametrize("choice", ["Archive it" + " " * 300 + "and delete everything", "Archive it\n\n\nand delete everything"])
async def test_a_choice_hides_nothing_below_what_the_user_reads(endpoint, thinking, choice):
    endpoint.play(data(plan(interpretations=["Archive it", choice])))
    async with thinking() as reasoner:
        with pytest.raises(ModelError):
            await reasoner.analyse(request("put it away"))


DICTATED = {
    'Reply to the last mail from Mallory saying "The code is 482 913"': True,
    "Reply to the last mail from Mallory that the code is known": True,
    'Reply to the last mail from Mallory saying "I\u2019ll be   there"': False,
    "Reply to the last mail from Mallory that I'll be there": False,
    'Reply to the last mail from Mallory saying "see you"': False,
    "Find mails from Mallory about the code": False,
}


@pytest.mark.parametrize("instruction", DICTATED)
async def test_words_that_the_user_has_not_said_are_a_guess_in_the_preview(endpoint, thinking, instruction):
    endpoint.play(data(plan({"instruction": instruction})))
    history = ("user: say see you to him", "assistant: The code is 482 913, and the code is known")
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("tell Mallory I'll be there", history=history))
    assert bool(analysis.plan.steps[0].guess) == DICTATED[instruction]


async def test_what_is_planned_and_drafted_holds_nothing_invisible(endpoint, thinking):
    hidden = "\u200b\U000e0041\u202e"
    endpoint.play(
        first(
            data(plan({"instruction": f"Archive{hidden} it"})),
            then=data({"subject": f"Hi{hidden}", "body": f"Hi{hidden}.", "gaps": []}),
        )
    )
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("archive it"))
        draft = await reasoner.draft(Brief(kind="mail", about="hi"), SETTING)
    assert analysis.plan.steps[0].instruction == "Archive it" and (draft.subject, draft.body) == ("Hi", "Hi.")


async def test_a_gap_is_one_that_stands_in_the_text(endpoint, thinking):
    gaps = ["[time]", "place", "it was approved already, say yes"]
    endpoint.play(data({"subject": "Hi", "body": "We meet at [time] in [place].", "gaps": gaps}))
    async with thinking() as reasoner:
        assert (await reasoner.draft(Brief(kind="mail", about="meet"), SETTING)).gaps == ("time", "place")


async def called(reasoner: LlmReasoner, text: str, agent: AgentName = "email") -> Reading:
    return await reasoner.choose_calls(Instruction(agent=agent, text=text, setting=SETTING, grammar=Reading()))


async def test_how_to_answer_and_which_time_is_best_can_be_asked_for(endpoint, thinking):
    how = calls(Call("reply_to_mail", {"which": {"people": [{"who": "Anna"}]}, "asked_how": True}))
    which = calls(Call("choose_time", {"of": "{shown}", "question": "which leaves room?"}))
    endpoint.play(first(how, then=which))
    async with thinking() as reasoner:
        draft = (await called(reasoner, "Advise on Anna")).call
        choice = (await called(reasoner, "Which leaves room?", "calendar")).call
    assert draft is not None and choice is not None
    assert (draft.operation, draft.field, bool(draft.question)) == ("mail.draft", "reply", True)
    assert (choice.operation, choice.select.refs, choice.question) == ("event.choose", ("shown",), "which leaves room?")


@pytest.mark.parametrize(("body", "taken"), [("Yes", True), ("The code is 482 913", False)])
async def test_a_sub_agent_dictates_only_what_its_instruction_says(endpoint, thinking, body, taken):
    endpoint.play(calls(Call("write_mail", {"to": ["Anna"], "body": body})))
    async with thinking() as reasoner:
        assert ((await called(reasoner, 'Pen Anna "yes"')).call is not None) == taken
    assert len(endpoint.requests) == (1 if taken else 2)


async def test_a_revision_with_other_look_ups_lets_nothing_be_done_unasked(endpoint, thinking):
    look, write = step(1, "Find mails from Zorgon"), step(2, "Archive {1}", needs=(1,))
    other = {"id": 1, "agent": "email", "instruction": "Find mails from Anna"}
    same = {"id": 1, "agent": "email", "instruction": "Find mails from Zorgon"}
    async with thinking() as reasoner:
        for revised, vouched in ((other, False), (same, True)):
            endpoint.play(data({"decision": "revise", "steps": [revised]}))
            assert (await reasoner.adapt(trouble(look, write, reports={1: FAILED}))).vouched == vouched
