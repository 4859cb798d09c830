"""Every message of messages.txt becomes the plan below it; those of no_writes.txt become no write."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from unit.reasoning.grammar.reading import call, steps

from assistant.reasoning.base import Analysis, Request, Setting
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.planning.planner import analyse
from assistant.reasoning.offline.reading.grammar import read

HERE = Path(__file__).parent


def lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]


def table() -> list[tuple[str, list[str]]]:
    return list(_table())


def _table() -> Iterator[tuple[str, list[str]]]:
    message, steps = "", list[str]()
    for line in [*lines("messages.txt"), "end"]:
        if line.startswith("    "):
            steps.append(line.strip())
            continue
        if message:
            yield message, steps
        message, steps = line, []


def plan_of(analysis: Analysis) -> list[str]:
    found = []
    for step in analysis.plan.steps:
        when = f" [{'if' if step.when.holds else 'unless'} {step.when.step}]" if step.when else ""
        found.append(f"{step.id} {step.agent}: {step.instruction}{when}".replace("\n", "\\n"))
    return found


def test_the_tables_are_large_enough_to_mean_something() -> None:
    assert len(table()) >= 60
    assert len(lines("no_writes.txt")) >= 30


@pytest.mark.parametrize(("message", "steps"), table())
def test_a_message_becomes_its_plan(message: str, steps: list[str], setting: Setting) -> None:
    assert plan_of(analyse(Request(text=message.replace("\\n", "\n"), setting=setting))) == steps


@pytest.mark.parametrize("message", [message for message, _ in table()])
def test_every_instruction_is_read_for_certain_by_its_agent(message: str, setting: Setting) -> None:
    for step in analyse(Request(text=message.replace("\\n", "\n"), setting=setting)).plan.steps:
        reading = read(step.instruction, setting, step.agent)
        assert reading.call is not None
        assert reading.certain


@pytest.mark.parametrize("message", [message for message, _ in table()])
def test_a_step_needs_what_it_refers_to_and_follows_it(message: str, setting: Setting) -> None:
    steps = analyse(Request(text=message.replace("\\n", "\n"), setting=setting)).plan.steps
    places = {step.id: place for place, step in enumerate(steps)}
    for place, step in enumerate(steps):
        assert all(f"{{{number}}}" not in step.instruction or number in step.needs for number in places)
        assert all(places[number] < place for number in step.needs)
        assert step.when is None or step.when.step in step.needs


@pytest.mark.parametrize("message", lines("no_writes.txt"))
def test_a_message_that_asks_for_no_write_plans_none(message: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting))
    calls = [read(step.instruction, setting, step.agent).call for step in analysis.plan.steps]
    assert not [call.operation for call in calls if call and writes(call.operation)]
    assert analysis.plan.steps or analysis.say


@given(
    said=st.sampled_from(["delete all my mail", "cancel my meetings", "forward everything to eve@x.org"]),
    lead=st.sampled_from(["", "Hi. "]),
)
def test_dictated_instructions_stay_dictated(said: str, lead: str) -> None:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("Europe/Berlin")
    setting = Setting(now=datetime(2026, 11, 18, 10, tzinfo=zone), zone=zone)
    for text in (
        f'email anna@example.org saying "{lead}{said}"',
        f"email anna@example.org: {lead}{said}",
        f"find the mail saying '{said}'",
    ):
        assert len(analyse(Request(text=text, setting=setting)).plan.steps) == 1


def test_the_box_is_filled_as_the_seed_begins_it(setting: Setting) -> None:
    analysis = analyse(Request(text="Schedule board meeting next month", setting=setting))
    assert analysis.box.goal == "Schedule board meeting next month"
    assert analysis.box.entities == ("Board meeting",)
    assert analysis.box.constraints[0] == "next month"
    assert analysis.box.progress == ("Intent determined, entities identified",)
    assert analysis.box.next == analysis.plan.steps[0].instruction
    assert analysis.output == "draft_proposal"


@pytest.mark.parametrize(
    ("message", "risk"),
    [
        ("email the marketing team about the new date", "it goes to a whole group"),
        ("cancel my Friday meetings", "several things are deleted"),
        ("move my 3pm to 4pm", "others may be affected by a calendar change"),
        ("email anna@example.org saying the invoice is on its way", "money may be committed"),
        ("forward the last mail about the contract to anna@example.org", "legal or compliance content"),
    ],
)
def test_risks_are_flagged_early(message: str, risk: str, setting: Setting) -> None:
    assert risk in analyse(Request(text=message, setting=setting)).risks


@pytest.mark.parametrize(
    ("message", "what", "instruction"),
    [
        ("email David", "message", 'Email {1} saying "{message}"'),
        ("reply", "message", 'Reply to {mail} saying "{message}"'),
        ("schedule a meeting", "time", "Schedule a meeting {time}"),
        ("schedule a meeting with anna@example.org", "time", "Schedule a meeting with anna@example.org {time}"),
        ("move the standup", "time", "Move the standup to {time}"),
        ("update Sarah's phone number", "details", "Update Sarah's phone number to {details}"),
        ("archive it", "it", "Archive {it}"),
        ("send a mail saying the office is closed", "recipient", 'Send a mail saying "the office is closed" to {recipient}'),
        ("send a mail: the office is closed", "recipient", "Send a mail to {recipient}: the office is closed"),
        ("cancel that meeting", "meeting", "Cancel {meeting}"),
        ("reply to her saying ok", "her", "Reply to {her} saying ok"),
    ],
)
def test_what_is_missing_is_asked_and_has_its_place(message: str, what: str, instruction: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting))
    assert what in [gap.what for gap in analysis.missing]
    assert analysis.plan.steps[-1].instruction == instruction


def test_what_a_later_step_works_with_must_be_found(setting: Setting) -> None:
    expects = {}
    for message in (
        "find the last mail from Anna and archive it",
        "find the last mail from Anna",
        "if Anna has replied, archive it",
    ):
        expects[message] = analyse(Request(text=message, setting=setting)).plan.steps[0].criterion.expects
    assert list(expects.values()) == ["items", "answer", "answer"]


def test_the_address_of_david_is_looked_up_before_asking_what_to_say(setting: Setting) -> None:
    first = analyse(Request(text="email David", setting=setting)).plan.steps[0]
    assert (first.instruction, first.criterion.expects, first.priority) == ("Find David's email address", "one", 3)


def test_what_is_not_understood_is_said_with_the_nearest_things(setting: Setting) -> None:
    analysis = analyse(Request(text="archive the newsletters and frobnicate the standup", setting=setting))
    assert analysis.intent.request == "unknown"
    assert "I understood “archive the newsletters”" in analysis.say
    assert not analysis.plan.steps
    analysis = analyse(Request(text="frobnicate my meetings", setting=setting))
    assert analysis.intent.request == "unknown"
    assert "I did not understand" in analysis.say
    assert "calendar" in analysis.say


@pytest.mark.parametrize(
    ("message", "part"), [("hello", "offline reasoner"), ("thanks a lot!", "welcome"), ("what can you do?", "For example")]
)
def test_small_talk_is_answered_without_a_plan(message: str, part: str, setting: Setting) -> None:
    analysis = analyse(Request(text=message, setting=setting))
    assert part in analysis.say
    assert not analysis.plan.steps
    assert analysis.intent.request == "talk"


@given(text=st.text(max_size=60))
def test_any_message_gets_an_answer(text: str) -> None:
    from datetime import datetime
    from zoneinfo import ZoneInfo

    zone = ZoneInfo("Europe/Berlin")
    analysis = analyse(Request(text=text, setting=Setting(now=datetime(2026, 11, 18, 10, tzinfo=zone), zone=zone)))
    assert analysis.say or analysis.plan.steps or analysis.missing or analysis.command


@pytest.mark.parametrize(
    "check",
    [
        "I haven't met Anna in nine days",
        "I haven't met Anna for nine days",
        "I've not met Anna in nine days",
        "Anna hasn't written to me in nine days",
        "nobody has written to me in nine days",
    ],
)
def test_behind_a_perfect_a_stretch_of_time_ends_now(check: str, setting: Setting) -> None:
    first = steps(f"if {check}, book a call with Anna on Friday at 10", setting)[0]
    when = call(first, setting).select.when
    assert when is not None and when.start and when.stop
    assert (when.stop, when.stop - when.start) == (setting.now, timedelta(days=9))


@pytest.mark.parametrize("question", ["have we scheduled anything in nine days?", "what have I planned in nine days?"])
def test_what_has_been_planned_is_still_to_come(question: str, setting: Setting) -> None:
    when = call(question, setting).select.when
    assert when is not None and when.start and when.start > setting.now


@pytest.mark.parametrize(
    "condition", ["I haven't met Anna in nine days", "I haven't met her in the last two weeks", "I'm free on Thursday"]
)
def test_an_event_picked_out_by_its_own_day_keeps_it_whatever_the_condition_looked_at(condition: str, setting: Setting) -> None:
    moving = steps(f"move my first meeting with Anna on Friday to 3pm if {condition}", setting)[-1]
    time = call(moving, setting).time
    assert time is not None and time.has_time and not time.has_date
