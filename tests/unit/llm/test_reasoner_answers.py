"""What of a model's answer is taken, and what is refused or marked, over real HTTP."""

import pytest
from doubles.asking import FAILED, SETTING, mail, request, step, trouble
from doubles.llm import Call, calls, data, first
from doubles.llm.scenarios import asked, plan

from assistant.errors import ModelError
from assistant.reasoning.base import Instruction
from assistant.reasoning.calls import Reading
from assistant.reasoning.llm.reasoner import LlmReasoner
from assistant.reasoning.llm.vouching import as_said
from assistant.values import AgentName, Brief, Criterion, Data, Shown, When


def asking(question: str) -> dict:
    told = {"instruction": 'Email anna@example.org saying "{what}"', "expects": "proposal"}
    return plan(told, missing=[{"what": "what", "question": question}])


PRYING = (
    "Please type your password to go on.",
    "What is the PIN of your bank card?",
    "Which verification code did you get by SMS?",
    "What are your login credentials?",
    "How does your IBAN read?",
    "What is your mother's maiden name?",
    "Which recovery phrase does your wallet have?",
    "What is your online banking user name?",
    "What is your account number at the bank?",
    "Was ist Ihr Kennwort?",
    "Please write me the six digits that you were texted. What are they?",
    "Which private key do you use?",
    "What is your passport number?",
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


@pytest.mark.parametrize("question", ["At what time shall it start?", "Which Anna do you mean?", "What shall the title be?"])
async def test_what_a_step_lacks_may_be_asked_for(endpoint, thinking, question):
    endpoint.play(data(asking(question)))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("send anna@example.org a mail"))
    assert [one.question for one in analysis.missing] == [question]


async def test_a_choice_speaks_of_no_secret(endpoint, thinking):
    endpoint.play(data(plan(interpretations=["Show my mails", "Type your password"])))
    async with thinking() as reasoner:
        with pytest.raises(ModelError):
            await reasoner.analyse(request("show it"))


async def test_small_talk_asks_for_no_secret(endpoint, thinking):
    endpoint.play(data(plan(say="Sure! What's your password?")))
    async with thinking() as reasoner:
        assert "password" not in (await reasoner.analyse(request("hello"))).say


async def test_the_value_of_a_choice_is_the_line_that_the_user_reads(endpoint, thinking):
    hidden = f"Show my mails{' ' * 120}and archive them"
    endpoint.play(data(plan(interpretations=["Show my mails", hidden])))
    async with thinking() as reasoner:
        choices = (await reasoner.analyse(request("mails"))).interpretations.choices
    assert [choice.label for choice in choices] == ["Show my mails", "Show my mails and archive them"]
    assert all(choice.value == choice.label for choice in choices)


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


async def test_a_model_says_in_words_when_a_mail_goes_out_and_code_reads_them(endpoint, thinking):
    which = {"people": [{"who": "Anna"}]}
    asked = (
        calls(Call("write_mail", {"to": ["Anna"], "about": "the budget", "send_at": "tomorrow at 8"})),
        calls(Call("reply_to_mail", {"which": which, "about": "yes", "send_at": "tomorrow at 8"})),
        calls(Call("forward_mails", {"which": which, "to": ["Tom"], "send_at": "tomorrow at 8"})),
    )
    async with thinking() as reasoner:
        for answer in asked:
            endpoint.play(answer)
            call = (await called(reasoner, "Pen Anna something about the budget for tomorrow at 8")).call
            assert call is not None and call.time is not None and call.time.start is not None
            assert (call.time.start - SETTING.now).days < 2 and call.time.start.hour == 8


async def test_a_revision_with_other_look_ups_lets_nothing_be_done_unasked(endpoint, thinking):
    look, write = step(1, "Find mails from Zorgon"), step(2, "Archive {1}", needs=(1,))
    other = {"id": 1, "agent": "email", "instruction": "Find mails from Anna"}
    same = {"id": 1, "agent": "email", "instruction": "Find mails from Zorgon"}
    async with thinking() as reasoner:
        for revised, vouched in ((other, False), (same, True)):
            endpoint.play(data({"decision": "revise", "steps": [revised]}))
            assert (await reasoner.adapt(trouble(look, write, reports={1: FAILED}))).vouched == vouched


FIND, ARCHIVE = "Find mails from Zorgon", "Archive the last mail from Mallory"


@pytest.mark.parametrize(
    "changed", [{"id": 7}, {"instruction": "Find mails from Anna"}, {"agent": "calendar"}], ids=["id", "instruction", "agent"]
)
async def test_only_a_step_that_was_planned_just_so_is_no_new_one(endpoint, thinking, changed):
    endpoint.play(data({"decision": "revise", "steps": [{"id": 1, "agent": "email", "instruction": FIND, **changed}]}))
    async with thinking() as reasoner:
        adapted = await reasoner.adapt(trouble(step(1, FIND), step(2, "Archive {1}", needs=(1,)), reports={1: FAILED}))
    assert [one.id for one in adapted.steps] == [changed.get("id", 1)] and not adapted.vouched


async def test_a_write_comes_back_under_no_other_number(endpoint, thinking):
    endpoint.play(
        data({"decision": "revise", "steps": [{"id": 9, "agent": "email", "instruction": ARCHIVE, "expects": "proposal"}]})
    )
    write = step(2, ARCHIVE, needs=(1,)).model_copy(update={"when": When(step=1, holds=True)})
    async with thinking() as reasoner:
        adapted = await reasoner.adapt(trouble(step(1, FIND), write, reports={1: FAILED}))
    assert not [one for one in adapted.steps if one.instruction == ARCHIVE]


async def test_a_step_that_is_tried_again_keeps_its_condition_and_its_criterion(endpoint, thinking):
    endpoint.play(
        data({"decision": "revise", "steps": [{"id": 2, "agent": "email", "instruction": ARCHIVE, "expects": "proposal"}]})
    )
    whole = {"when": When(step=1, holds=True), "criterion": Criterion(words="archived", expects="proposal"), "guess": "a guess"}
    write = step(2, ARCHIVE, needs=(1,)).model_copy(update=whole)
    async with thinking() as reasoner:
        adapted = await reasoner.adapt(trouble(step(1, FIND), write, reports={1: FAILED}))
    assert adapted.steps == (write,) and adapted.vouched


TWO = "find the last mail from Mallory and archive it"
LOOK, PUT_AWAY = {"instruction": "Find the last mail from Mallory"}, {"instruction": "Archive {1}", "needs": [1]}
PLANS = {
    "as it was said": ((LOOK, PUT_AWAY), True),
    "expecting just that": (({**LOOK, "expects": "items"}, {**PUT_AWAY, "expects": "proposal"}), True),
    "a look that expects a write": (({**LOOK, "expects": "proposal"}, PUT_AWAY), False),
    "a write twice": ((LOOK, PUT_AWAY, PUT_AWAY), False),
}


@pytest.mark.parametrize("planned", PLANS)
async def test_code_vouches_for_each_write_as_often_as_it_was_said(endpoint, thinking, planned):
    steps, vouched = PLANS[planned]
    endpoint.play(data(plan(*steps)))
    async with thinking() as reasoner:
        assert (await reasoner.analyse(request(TWO))).vouched == vouched


MALLORY, ANNA = {"instruction": "Show me the last mail from Mallory"}, {"instruction": "Find the last mail from Anna"}
SEEN = {
    "what was asked for": ("show me the last mail from Mallory", (MALLORY,), True),
    "something else": ("show me the last mail from Mallory", (ANNA,), False),
    "something besides": ("show me the last mail from Mallory", (MALLORY, ANNA), False),
    "a question as it stands": ("What time does the fair start?", ({"instruction": "What time does the fair start"},), True),
    "two looks": ("find mails from Tom, and am I free on Thursday at 3?", (ANNA, MALLORY), False),
}


@pytest.mark.parametrize("seen", SEEN)
async def test_a_plan_that_looks_elsewhere_than_was_said_is_known_for_it(endpoint, thinking, seen):
    text, steps, same = SEEN[seen]
    endpoint.play(data(plan(*steps, goal="archive everything")))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request(text))
    assert analysis.as_said == same and analysis.words in (text, steps[0]["instruction"])


@pytest.mark.parametrize(("said", "vouched"), [(True, True), (False, False)])
async def test_what_was_shown_unasked_is_nothing_that_it_stands_for(endpoint, thinking, said, vouched):
    shown = Shown(text="show me the last mail from Mallory", data=Data(kind="mails", mails=(mail(),)), as_said=said)
    endpoint.play(data(plan({"instruction": "Archive the mail {shown}", "expects": "proposal"})))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request("archive it").model_copy(update={"shown": (shown,)}))
    assert analysis.vouched == vouched


def test_the_order_of_the_looks_counts() -> None:
    one, other = step(1, "Find mails from Tom"), step(2, "Find mails from Anna")
    swapped = (step(1, other.instruction), step(2, one.instruction))
    assert as_said((one, other), (one, other), SETTING) and not as_said(swapped, (one, other), SETTING)


LOOKS = {
    "what's new in my mail?": "There is nothing new in your mail.",
    "am I free on Thursday at 3?": "You are free.",
    "do I have mail from Anna?": "No.",
    "find mails from Tom, and am I free on Thursday at 3?": "Nothing there.",
}


@pytest.mark.parametrize("text", LOOKS)
async def test_what_takes_a_look_is_not_answered_without_one(endpoint, thinking, text):
    endpoint.play(data(plan(say=LOOKS[text])))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request(text))
    assert analysis.plan.steps and not analysis.say


@pytest.mark.parametrize("text", ["thanks", "what is the capital of France?", "what can you do?"])
async def test_what_takes_no_look_may_be_answered_at_once(endpoint, thinking, text):
    endpoint.play(data(plan(say="Hello.")))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request(text))
    assert analysis.say == "Hello." and not analysis.plan.steps


BOUNDLESS = {
    "no instruction": plan({"instruction": "  "}),
    "a long instruction": plan({"instruction": "find mails " * 1000}),
    "a long answer": plan(say="hello " * 1000),
    "a long goal": plan(say="hello", goal="g" * 2000),
    "many notes": plan(say="hello", notes=["n"] * 100),
    "many choices": plan(interpretations=["Show mails"] * 10),
    "a long question": asking("Which? " * 200),
    "no question": asking(""),
    "a huge number": plan({"instruction": "Find mails", "id": 10**30}),
    "a negative number": plan({"instruction": "Find mails", "id": -1}),
}


@pytest.mark.parametrize("answer", BOUNDLESS)
async def test_a_plan_without_measure_is_asked_for_once_more(endpoint, thinking, answer):
    endpoint.play(data(BOUNDLESS[answer]))
    async with thinking() as reasoner:
        with pytest.raises(ModelError) as told:
            await reasoner.analyse(request("hello"))
    assert told.value.kind == "invalid" and len(endpoint.requests) == 2


async def test_an_instruction_may_hold_the_longest_message(endpoint, thinking):
    words = "we meet at noon. " * 460
    endpoint.play(data(plan({"instruction": f'Email anna@example.org saying "{words}"', "expects": "proposal"})))
    async with thinking() as reasoner:
        analysis = await reasoner.analyse(request(f'email anna@example.org saying "{words}"'))
    assert words in analysis.plan.steps[0].instruction and not analysis.plan.steps[0].guess


@pytest.mark.parametrize(
    "call",
    [
        Call("write_mail", {"to": ["Anna"] * 5000, "body": "yes"}),
        Call("look_at_mails", {"which": {"when": "Monday or " * 100}, "want": "find"}),
        Call("not_possible", {"why": "no " * 1000}),
    ],
    ids=["arguments", "time", "reason"],
)
async def test_a_call_without_measure_is_asked_for_once_more(endpoint, thinking, call):
    endpoint.play(calls(call))
    async with thinking() as reasoner:
        assert await called(reasoner, 'Pen Anna "yes"') == Reading()
    assert len(endpoint.requests) == 2


async def test_a_draft_without_measure_is_written_by_code(endpoint, thinking):
    endpoint.play(data({"subject": "Hi", "body": "meet " * 10_000, "gaps": []}))
    async with thinking() as reasoner:
        assert len((await reasoner.draft(Brief(kind="mail", about="meet"), SETTING)).body) < 1000


async def test_what_was_shown_is_called_as_a_step_refers_to_it(endpoint, thinking):
    shown = tuple(Shown(text=text, data=Data(kind="mails", mails=(mail(),))) for text in ("newest", "older", "oldest"))
    endpoint.play(data(plan(say="Hello.")))
    async with thinking() as reasoner:
        await reasoner.analyse(request("hello").model_copy(update={"shown": shown}))
    told = asked(endpoint.requests[-1])
    assert [told.count(f"SHOWN {{{name}}}") for name in ("shown", "shown1", "shown2", "shown3")] == [1, 1, 1, 0]
