"""A reasoner and sub-agents that do as a test says, under the real ones' interfaces."""

import asyncio
from collections.abc import Callable, Sequence

from assistant.agents.base import Desk
from assistant.reasoning.base import Account, Adaptation, Analysis, Draft, Instruction, Intent, Missing, Request, Setting, Trouble
from assistant.reasoning.calls import Reading
from assistant.values import AgentName, Brief, ContextBox, Criterion, Data, Plan, Question, Report, Step, Success, When
from integrations.types import Mail


def step(
    id: int,
    instruction: str,
    agent: AgentName = "email",
    *,
    needs: tuple[int, ...] = (),
    expects: str = "answer",
    priority: int = 3,
    when: When | None = None,
    weight: float = 1.0,
) -> Step:
    criterion = Criterion.model_validate({"words": f"{instruction} is done", "expects": expects})
    return Step(
        id=id, agent=agent, instruction=instruction, criterion=criterion, needs=needs, priority=priority, when=when, weight=weight
    )


def plan(
    *steps: Step,
    goal: str = "do it",
    request: str = "read",
    missing: tuple[Missing, ...] = (),
    interpretations: Question | None = None,
    say: str = "",
    risks: tuple[str, ...] = (),
    box: ContextBox | None = None,
) -> Analysis:
    return Analysis(
        context="",
        risks=risks,
        intent=Intent.model_validate({"goal": goal, "request": request}),
        missing=missing,
        interpretations=interpretations,
        box=box or ContextBox(goal=goal, progress=("Intent determined, entities identified",)),
        plan=Plan(steps=steps),
        say=say,
    )


class ScriptedReasoner:
    """`plans` by message; `adaptations` are given out in order, then it continues."""

    name = "scripted reasoner"

    def __init__(self, plans: dict[str, Analysis], adaptations: Sequence[Adaptation] = ()) -> None:
        self.plans, self.adaptations = plans, list(adaptations)
        self.requests: list[Request] = []
        self.troubles: list[Trouble] = []
        self.asked: list[str] = []

    async def analyse(self, request: Request) -> Analysis:
        self.requests.append(request)
        self.asked.append("analyse")
        return self.plans[request.text]

    async def choose_calls(self, instruction: Instruction) -> Reading:
        self.asked.append("choose_calls")
        return instruction.grammar

    async def adapt(self, trouble: Trouble) -> Adaptation:
        self.asked.append("adapt")
        self.troubles.append(trouble)
        return self.adaptations.pop(0) if self.adaptations else Adaptation(decision="continue")

    async def draft(self, brief: Brief, setting: Setting) -> Draft:
        self.asked.append("draft")
        return Draft(subject="Drafted", body=f"About {brief.about}.")

    async def reply(self, account: Account) -> str:
        self.asked.append("reply")
        return "; ".join(words(account.reports[s.id]) for s in account.steps)

    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        return " ".join(mail.subject for mail in mails)


def words(report: Report) -> str:
    return report.message if report.status == "error" else report.data.text


class ScriptedAgent:
    """`reports` by instruction, given out in order, the last one again and again. `gates` hold an instruction back until set."""

    def __init__(self, name: AgentName, reports: dict[str, list[Report]]) -> None:
        self.name: AgentName = name
        self._reports = reports
        self.gates: dict[str, asyncio.Event] = {}
        self.given: list[str] = []
        self.desks: list[Desk] = []
        self.on_start: Callable[[str], None] = lambda _: None

    async def run(self, instruction: str, desk: Desk) -> Report:
        self.given.append(instruction)
        self.desks.append(desk)
        self.on_start(instruction)
        if gate := self.gates.get(instruction):
            await gate.wait()
        reports = self._reports.get(instruction)
        if not reports:
            return Success(data=Data(kind="text", text=f"{instruction}: done"))
        return reports.pop(0) if len(reports) > 1 else reports[0]
