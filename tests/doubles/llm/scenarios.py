"""A model that always takes the right step: it answers each of the six questions as the offline reasoner understands them, put into
the JSON, the calls and the words that a model would give."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from doubles.llm.answers import Answerer, Call, Reply, calls, data, says
from doubles.llm.requests import RequestSeen
from doubles.thinking import ScriptedReasoner

from assistant.reasoning.base import Adaptation, Analysis, Instruction, Request, Setting, Trouble
from assistant.reasoning.llm import telling
from assistant.reasoning.llm.reasoner import LlmReasoner, Role
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import Brief, Step
from integrations.types import Mail

QUESTIONS: tuple[Role, ...] = ("analyse", "choose_calls", "adapt", "draft", "reply", "summarise")
DATA = re.compile(r"(?P<title>[^\n]*)\nBEGIN (?P<mark>\w+)\n(?P<content>.*?)\nEND (?P=mark)", re.DOTALL)


def wants_lead(seen: RequestSeen) -> bool:
    """Whether a reply is to be the beginning of a briefing."""
    return seen.system == telling.instructions("lead")


def question_of(seen: RequestSeen) -> Role:
    """Which of the six it is, by its prompt."""
    if wants_lead(seen):
        return "reply"
    begun = {role: telling.instructions(role).partition("{")[0] for role in QUESTIONS}
    return next(role for role in QUESTIONS if seen.system.startswith(begun[role]))


def framed(seen: RequestSeen) -> dict[str, str]:
    """The data of a question by title."""
    return {found["title"]: found["content"] for found in DATA.finditer(asked(seen))}


def asked(seen: RequestSeen) -> str:
    return str(seen.messages[1]["content"])


def by_question(answerers: Mapping[Role, Answerer | Reply], otherwise: Answerer) -> Answerer:
    """Some questions answered in ways of their own."""

    def answer(seen: RequestSeen) -> Reply:
        found = answerers.get(question_of(seen), otherwise)
        return found(seen) if callable(found) else found

    return answer


class RightSteps:
    """An answerer. What the prompts tell in words is handed to it as values too: `hear` patches LlmReasoner with a test's
    `setattr`, so that it overhears the questions on their way out."""

    def __init__(self) -> None:
        self._offline = OfflineReasoner()
        self._requests: list[Request] = []
        self._instructions: list[Instruction] = []
        self._troubles: list[Trouble] = []
        self._briefs: list[tuple[Brief, Setting]] = []
        self._mails: list[tuple[Mail, ...]] = []

    def hear(self, setattr: Callable[[type, str, Any], None]) -> None:
        heard: Mapping[str, Callable[..., None]] = {
            "analyse": self._requests.append,
            "choose_calls": self._instructions.append,
            "adapt": self._troubles.append,
            "draft": lambda *both: self._briefs.append(both),
            "summarise": lambda mails, setting: self._mails.append(mails),
        }
        for name, hears in heard.items():
            setattr(LlmReasoner, name, _overheard(getattr(LlmReasoner, name), hears))

    def __call__(self, seen: RequestSeen) -> Reply:
        role = question_of(seen)
        text = asked(seen)
        if role == "analyse":
            request = next(one for one in reversed(self._requests) if text.endswith(f"MESSAGE\n{one.text}"))
            return data(planned(_run(self._offline.analyse(request))))
        if role == "choose_calls":
            instruction = next(one for one in reversed(self._instructions) if one.text.strip() in text)
            return _not_possible(instruction)
        if role == "adapt":
            return data(adapted(_run(self._offline.adapt(self._troubles[-1]))))
        if role == "draft":
            brief, setting = next(one for one in reversed(self._briefs) if one[0].about.strip() in text)
            drafted = _run(self._offline.draft(brief, setting))
            return data({"subject": drafted.subject, "body": drafted.body, "gaps": list(drafted.gaps)})
        if role == "summarise":
            return says(_run(self._offline.summarise(self._mails[-1], self._requests[-1].setting)))
        return says(framed(seen)["AS IT WOULD BEGIN"] if wants_lead(seen) else worded(framed(seen)["REPORTS"]))


def _overheard(asks: Callable[..., Any], hears: Callable[..., None]) -> Callable[..., Any]:
    async def listening(reasoner: LlmReasoner, *what: Any) -> Any:
        hears(*what)
        return await asks(reasoner, *what)

    return listening


def _run(answer: Any) -> Any:
    """The offline reasoner never waits; a thread has no loop running in which it could."""
    try:
        answer.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the offline reasoner waited")


def _not_possible(instruction: Instruction) -> Reply:
    why = "; ".join(instruction.grammar.unread) or f"nothing fits “{instruction.text}”"
    return calls(Call("not_possible", {"why": why}))


def planned(analysis: Analysis) -> dict[str, Any]:
    """An analysis as the JSON that the prompt asks for."""
    held = " ".join(step.instruction for step in analysis.plan.steps)
    return {
        "context": analysis.context,
        "risks": list(analysis.risks),
        "goal": analysis.intent.goal,
        "request": analysis.intent.request,
        "missing": [{"what": m.what, "question": m.question} for m in analysis.missing if f"{{{m.what}}}" in held],
        "output": analysis.output,
        "entities": list(analysis.box.entities),
        "constraints": list(analysis.box.constraints),
        "notes": list(analysis.box.notes),
        "interpretations": [c.value for c in analysis.interpretations.choices] if analysis.interpretations else [],
        "steps": [planned_step(step) for step in analysis.plan.steps],
        "command": _command(analysis),
        "say": analysis.say,
    }


def planned_step(step: Step) -> dict[str, Any]:
    return {
        "id": step.id,
        "agent": step.agent,
        "instruction": step.instruction,
        "success": step.criterion.words,
        "expects": step.criterion.expects,
        "needs": list(step.needs),
        "only_if": {"step": step.when.step, "holds": step.when.holds} if step.when else None,
    }


def _command(analysis: Analysis) -> dict[str, str] | None:
    command = analysis.command
    return {"kind": command.kind, "flow": getattr(command, "flow", "")} if command else None


def adapted(adaptation: Adaptation) -> dict[str, Any]:
    return {
        "decision": adaptation.decision,
        "steps": [planned_step(step) for step in adaptation.steps],
        "question": adaptation.question.text if adaptation.question else "",
        "why": adaptation.why,
        "instead": adaptation.instead,
    }


REPORT = re.compile(r"\d+\. (?:email|calendar|contacts): ")


def worded(reports: str) -> str:
    """What the reports say, without the instructions that they answer."""
    return "\n".join(line for line in reports.splitlines() if not REPORT.match(line)).strip() or "Nothing was found."


def plan(*steps: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """The JSON of a plan; steps are numbered in order where they have no id."""
    numbered = [{"id": n, "agent": "email", **step} for n, step in enumerate(steps, 1)]
    return {"goal": "what was asked", "request": "read", "steps": numbered, **fields}


def thinking_as(reasoner: ScriptedReasoner) -> Answerer:
    """A model that gives the plans and adaptations of a scripted reasoner; `asked` is kept as that one would."""

    def answer(seen: RequestSeen) -> Reply:
        role = question_of(seen)
        reasoner.asked.append(role)
        if role == "analyse":
            return data(planned(reasoner.plans[asked(seen).rpartition("MESSAGE\n")[2]]))
        if role == "adapt":
            return data(adapted(reasoner.adaptations.pop(0) if reasoner.adaptations else Adaptation(decision="continue")))
        if role == "draft":
            return data({"subject": "Drafted", "body": "As you said.", "gaps": []})
        return says(framed(seen)["AS IT WOULD BEGIN"] if wants_lead(seen) else worded(framed(seen)["REPORTS"]))

    return answer
