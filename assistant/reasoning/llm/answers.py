"""The JSON that a model answers with, and the values that come of it. What does not hang together is refused with a reason."""

import re
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator

from assistant.reasoning.base import Adaptation, Analysis, Draft, Intent, Missing, Request
from assistant.reasoning.llm.honesty import false_claims, faults, invented
from assistant.reasoning.llm.links import unlinked
from assistant.reasoning.llm.notes import BY_ITSELF, NOT_KEPT, of_notes
from assistant.reasoning.llm.schedules import NOT_READ, Wish
from assistant.reasoning.llm.visible import FromModel, one_line
from assistant.values import (
    AgentName,
    CancelFlow,
    Choice,
    ContextBox,
    Criterion,
    OwnCommand,
    Plan,
    Question,
    ResumeFlow,
    ShowBriefing,
    ShowOutbox,
    ShowSchedules,
    Step,
    Undo,
    When,
)

REFERENCE = re.compile(r"\{(\d+)\}")
MOST_STEPS, MOST_CHOICES, MOST_LINES = 12, 6, 40
GOAL, TOLD, CHOICE = 200, 300, 200
"""Characters of the user's message that stand for a goal, of a line that tells about a plan, and of a wording to choose."""
SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code|wort|wd)s?|kennw[oö]rt(?:er)?|mot de passe|contraseñas?|pin|tan|otp|2fa|cvv|cvc|iban"
    r"|credentials|(?:log|sign)[- ]?in|(?:user|log-?in|online)[- ]?(?:name|id)s?|benutzername"
    r"|(?:credit |debit |bank |id )?cards?|banking|wallet|maiden|m[aä]dchenname"
    r"|(?:bank )?account (?:number|details|data)|(?:sort|routing|bank|swift) (?:code|number)|kontonummer|geheimzahl"
    r"|(?:seed|recovery|backup|mnemonic|secret|security|pass)[- ](?:phrase|words?|keys?|codes?|questions?|answers?|numbers?)"
    r"|(?:private|api|access|secret|encryption) (?:keys?|tokens?)|authenticator|digits|texted"
    r"|(?:verification|one-time|sms|access|activation|confirmation|log-?in|unlock|reset) (?:code|number|answer|link)"
    r"|social security|national insurance|(?:tax|insurance|passport|driving licen[cs]e|driver'?s licen[cs]e|id|identity) "
    r"(?:id|numbers?)|your (?:date of birth|birth ?da(?:te|y)))\b",
    re.IGNORECASE,
)
"""What a stranger would have the user asked for; the assistant needs none of it."""
CANT_SAY = "I can't answer that without looking; tell me what I shall look at."


Line = Annotated[str, Field(max_length=1000)]
Name = Annotated[str, Field(max_length=60)]
Words = Annotated[str, Field(max_length=4000)]
Asked = Annotated[str, Field(max_length=400)]
"""A question to the user."""
Instructed = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=10_000)]
"""What may hold a whole message of the user's."""
Lines = Annotated[list[Line], Field(max_length=MOST_LINES)]
Number = Annotated[int, Field(ge=0, le=9999)]


class Answer(FromModel):
    model_config = ConfigDict(extra="ignore")


class Condition(Answer):
    step: Number
    holds: bool


class PlannedStep(Answer):
    id: Number
    agent: AgentName
    instruction: Instructed
    success: Line = ""
    expects: Literal["answer", "items", "one", "proposal"] = "answer"
    needs: Annotated[list[Number], Field(max_length=MOST_LINES)] = []
    only_if: Condition | None = None

    def as_step(self) -> Step:
        named = [int(n) for n in REFERENCE.findall(self.instruction)]
        inputs = dict.fromkeys([*self.needs, *named, *([self.only_if.step] if self.only_if else [])])
        write = self.expects == "proposal"
        return Step(
            id=self.id,
            agent=self.agent,
            instruction=self.instruction,
            criterion=Criterion(words=self.success or "it brings what was asked for", expects=self.expects),
            priority=6 if write else 3,
            needs=tuple(inputs),
            when=When(step=self.only_if.step, holds=self.only_if.holds) if self.only_if else None,
        )


class Gap(Answer):
    what: Annotated[str, Field(pattern=r"^[a-z_]+$", max_length=60)]
    question: Annotated[Asked, Field(min_length=1)]


OF_NOTES = ("remember", "show_notes", "forget_note")


class Command(Wish):
    model_config = ConfigDict(extra="ignore")

    kind: Literal[
        "cancel_flow", "resume_flow", "undo", "show_outbox",
        "create_schedule", "show_schedules", "manage_schedule", "show_briefing", "remember", "show_notes", "forget_note",
    ]  # fmt: skip
    flow: Name = ""

    def read(self, request: Request) -> OwnCommand | None:
        """Only over flows that are there; an unknown id is none."""
        if self.kind in ("cancel_flow", "resume_flow"):
            there = self.flow in {paused.flow for paused in request.paused}
            return (CancelFlow if self.kind == "cancel_flow" else ResumeFlow)(flow=self.flow) if there else None
        if self.kind == "create_schedule":
            return self.created(request)
        if self.kind == "manage_schedule":
            return self.managed(request)
        if self.kind in OF_NOTES:
            return of_notes(self.kind, self.what, request)
        plain: dict[str, OwnCommand] = {
            "undo": Undo(), "show_outbox": ShowOutbox(), "show_schedules": ShowSchedules(), "show_briefing": ShowBriefing(),
        }  # fmt: skip
        return plain[self.kind]


class Planned(Answer):
    """Steps 1 to 6 as the prompt asks for them."""

    context: Line = ""
    risks: Lines = []
    goal: Line
    request: Literal["read", "write", "both", "command", "talk", "unknown"]
    missing: Annotated[list[Gap], Field(max_length=MOST_STEPS)] = []
    output: Literal["answer", "draft_proposal", "execute_and_confirm"] = "answer"
    entities: Lines = []
    constraints: Lines = []
    notes: Lines = []
    interpretations: Annotated[list[Line], Field(max_length=MOST_CHOICES)] = []
    steps: Annotated[list[PlannedStep], Field(max_length=MOST_STEPS)] = []
    command: Command | None = None
    replaces: bool = False
    say: Words = ""

    @model_validator(mode="after")
    def _hangs_together(self) -> "Planned":
        _check_order(self.steps, frozenset())
        gaps = {gap.what for gap in self.missing}
        held = {name for step in self.steps for name in re.findall(r"\{([a-z_]+)\}", step.instruction)}
        if unknown := held - gaps - {"shown", "proposal"}:
            raise ValueError(f"{{{min(unknown)}}} in an instruction stands for nothing in `missing`")
        if unheld := gaps - held:
            raise ValueError(f"no instruction holds {{{min(unheld)}}}, so the answer would go nowhere")
        if any(len(text) > CHOICE or "\n" in text for text in self.interpretations):
            raise ValueError(f"an interpretation is one line of at most {CHOICE} characters")
        if not (self.steps or self.command or self.say or self.interpretations):
            raise ValueError("there are neither steps nor a command nor something to say")
        return self

    def made_up(self, known: str, said: str) -> tuple[str, ...]:
        """What stands nowhere in `known` among all that is carried out or asked; secrets are not asked for at all."""
        words = (*(step.instruction for step in self.steps), *(gap.question for gap in self.missing), *self.interpretations)
        asked = [gap.question for gap in self.missing]
        lies = (fault for question in asked for fault in false_claims(question, known, strictness="free"))
        pries = (fault for line in (*asked, *self.interpretations) for fault in prying(line, said))
        return (*invented("\n".join(words), known), *lies, *pries)

    def vouched(self, request: Request, known: str) -> "Planned":
        """Without what only tells, and tells what stands nowhere."""
        told = f"{known}\n{request.text}"

        def kept(lines: list[str]) -> list[str]:
            short = (one_line(line, TOLD) for line in lines)
            return [line for line in short if not (invented(line, told) or false_claims(line, told))]

        lists = {name: kept(getattr(self, name)) for name in ("risks", "entities", "constraints", "notes")}
        steps = [step if kept([step.success]) else step.model_copy(update={"success": ""}) for step in self.steps]
        goal = next(iter(kept([self.goal])), "") or request.text[:GOAL]
        wrong = self.say and (faults(self.say, known, request.text, "free") or prying(self.say, request.text))
        say = CANT_SAY if wrong else unlinked(self.say)
        context = next(iter(kept([self.context])), "")
        return self.model_copy(update={**lists, "steps": steps, "goal": goal, "context": context, "say": say})

    def as_analysis(self, request: Request) -> Analysis:
        schedules = self.command is not None and self.command.kind == "create_schedule"
        steps = () if schedules else tuple(step.as_step() for step in self.steps)
        noting = self.command is not None and self.command.kind in OF_NOTES
        command = self.command.read(request) if self.command and not (noting and steps) else None
        unread = NOT_READ if schedules else NOT_KEPT if noting and not steps else ""
        box = ContextBox(
            goal=self.goal,
            entities=tuple(self.entities),
            constraints=tuple(self.constraints),
            progress=("Intent determined",),
            notes=tuple(self.notes),
        )
        return Analysis(
            context=self.context,
            risks=tuple(self.risks),
            intent=Intent(goal=self.goal, request=self.request),
            missing=tuple(Missing(what=gap.what, question=unlinked(gap.question)) for gap in self.missing),
            interpretations=self._choice() if len(self.interpretations) > 1 else None,
            output=self.output,
            box=box,
            plan=Plan(steps=steps),
            command=command,
            say=unread if unread and command is None else "" if steps else self.say,
            instead=self.replaces and bool(request.proposal and steps),
            limitations=(BY_ITSELF,) if noting and steps and self.command and self.command.read(request) else (),
        )

    def _choice(self) -> Question:
        lines = (one_line(text, CHOICE) for text in self.interpretations)
        choices = tuple(Choice(id=str(n), label=unlinked(text), value=text) for n, text in enumerate(lines, 1))
        words = "That can mean more than one thing. Which do you mean?"
        return Question(id="interpretations", text=words, trigger="interpretations", entity="request", choices=choices)


def _check_order(steps: list[PlannedStep], known: frozenset[int]) -> None:
    ids = [step.id for step in steps]
    if len(set(ids)) != len(ids):
        raise ValueError("two steps have the same id")
    before = set(known)
    for step in steps:
        inputs = set(step.as_step().needs)
        if missing := inputs - before:
            raise ValueError(f"step {step.id} needs step {min(missing)}, which does not stand before it")
        before.add(step.id)


class Adapted(Answer):
    decision: Literal["revise", "continue", "ask", "exit"]
    steps: Annotated[list[PlannedStep], Field(max_length=MOST_STEPS)] = []
    question: Asked = ""
    why: Line = ""
    instead: Line = ""

    @model_validator(mode="after")
    def _is_complete(self) -> "Adapted":
        if self.decision == "revise" and not self.steps:
            raise ValueError("revise wants steps")
        if self.decision == "ask" and not self.question:
            raise ValueError("ask wants a question")
        return self

    def dishonest(self, known: str, planned: str) -> bool:
        """Also where it asks for a secret that is not about in what was `planned`."""
        words = "\n".join((self.question, self.why, self.instead))
        steps = "\n".join(step.instruction for step in self.steps)
        pries = prying(self.question, planned)
        lies = false_claims(words, known) or false_claims(self.question, known, strictness="free")
        return bool(pries or invented(words, known) or lies or invented(steps, f"{known}\n{planned}"))

    def as_adaptation(self, known: frozenset[int], writes: bool) -> Adaptation:
        """`known` are the steps there are; new writes are left out unless the plan had some (`writes`). Raises ValueError."""
        _check_order(self.steps, known)
        steps = tuple(step.as_step() for step in self.steps if writes or step.expects != "proposal")
        if self.decision == "revise" and not steps:
            return Adaptation(decision="continue", why=self.why)
        asked = (
            Question(id="adapt", text=unlinked(self.question), trigger="missing", entity="answer")
            if self.decision == "ask"
            else None
        )
        return Adaptation(
            decision=self.decision, steps=steps, question=asked, why=unlinked(self.why), instead=unlinked(self.instead)
        )


class Drafted(Answer):
    subject: Line
    body: Annotated[str, Field(min_length=1, max_length=20_000)]
    gaps: Lines = []

    def as_draft(self) -> Draft:
        """A gap is one that stands in the text."""
        gaps = (gap.strip(" []") for gap in self.gaps)
        there = tuple(dict.fromkeys(gap for gap in gaps if gap and f"[{gap}]" in self.body))
        return Draft(subject=" ".join(self.subject.split()), body=self.body.strip(), gaps=there)


def prying(question: str, said: str) -> tuple[str, ...]:
    """Secrets that it speaks of and that the user has not `said` anything about."""
    there = {found.casefold() for found in SECRET.findall(said)}
    wanted = dict.fromkeys(found for found in SECRET.findall(question) if found.casefold() not in there)
    return tuple(f"“{one}” is nothing that the user is asked for" for one in wanted)
