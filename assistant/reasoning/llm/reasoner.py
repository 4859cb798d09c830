"""The reasoner that asks a language model. What comes back is data: validated, and held against the reports."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeVar

from pydantic import BaseModel

from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Message, Prompt
from assistant.llm.structured import Structured
from assistant.reasoning.base import Account, Adaptation, Analysis, Draft, Instruction, Request, Setting, Trouble
from assistant.reasoning.calls import Reading
from assistant.reasoning.llm import telling
from assistant.reasoning.llm.answers import Adapted, Drafted, Planned
from assistant.reasoning.llm.honesty import ADDRESS, faults, invented, unfounded
from assistant.reasoning.llm.tools import TOOLS, NotPossible, tools_of
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.values import Brief, Failure, Report, Step
from integrations.types import Mail

T = TypeVar("T", bound=BaseModel)
Role = Literal["analyse", "choose_calls", "adapt", "draft", "reply", "summarise"]
ROLES: tuple[Role, ...] = ("analyse", "choose_calls", "adapt", "draft", "reply", "summarise")
LONGEST = 2000
"""Tokens of an answer."""
UNUSABLE = ("invalid", "truncated", "refused", "rejected")
"""Troubles of one answer, which the offline reasoner makes up for; the others are the endpoint's."""
SHOWN = 3000
"""Characters of one thing that the conversation showed."""


class LlmReasoner:
    """Implements the Reasoner protocol over one client for each question. Where a model's words can't be vouched for, the offline
    reasoner's take their place. Raises ModelError."""

    def __init__(self, clients: Mapping[Role, ChatClient]) -> None:
        self._clients = clients
        self._structured = {role: Structured(client) for role, client in clients.items()}
        self._offline = OfflineReasoner()

    @property
    def name(self) -> str:
        return self._clients["analyse"].model

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()

    async def analyse(self, request: Request) -> Analysis:
        setting = request.setting
        shown = [
            telling.framed(f"SHOWN {{{_place(n)}}}", telling.found(one.data, setting), SHOWN)
            for n, one in enumerate(request.shown[:3])
        ]
        paused = "\n".join(f"{one.flow}: {one.goal or one.about} ({one.status})" for one in request.paused)
        proposal = "\n".join(one.says or one.action.kind for one in request.proposal)
        talk, now = telling.talk(request.history), telling.now(setting)
        messages = telling.question(
            "analyse",
            telling.framed("HISTORY, oldest first", talk),
            *reversed(shown),
            telling.framed("PAUSED", paused),
            telling.framed("PROPOSAL, open", proposal),
            now,
            f"MESSAGE\n{request.text}",
        )
        addresses = {address for one in request.shown[:3] for address in ADDRESS.findall(one.data.model_dump_json())}
        known = "\n".join((talk, *shown, *addresses, paused, proposal, now))
        planned = await self._founded(messages, request, known)
        analysis = planned.vouched(request, known).as_analysis(request)
        return analysis.model_copy(update={"vouched": await self._read_alike(analysis, request)})

    async def _read_alike(self, analysis: Analysis, request: Request) -> bool:
        """Whether every step that writes, or that only a model can read, is one that the grammar reads in the message, too."""
        doubtful = [step for step in analysis.plan.steps if _may_write(step, request.setting)]
        if not doubtful:
            return True
        own = (await self._offline.analyse(request)).plan.steps
        calls = [read(step.instruction, request.setting, step.agent).call for step in own]
        return all(read(step.instruction, request.setting, step.agent).call in calls for step in doubtful)

    async def _founded(self, messages: Sequence[Message], request: Request, known: str) -> Planned:
        """A plan in which no address and no link is made up. It is asked for once more where one is."""
        planned = await self._structured["analyse"].ask(messages, Planned, LONGEST)
        if not (wrong := planned.made_up(f"{known}\n{request.text}")):
            return planned
        again = (*messages, Message(role="user", content=f"That can't be used: {'; '.join(wrong)}. Plan again."))
        planned = await self._structured["analyse"].ask(again, Planned, LONGEST)
        if planned.made_up(f"{known}\n{request.text}"):
            raise ModelError(f"{self.name} gave no plan that fits what you asked, also when asked again.", "invalid")
        return planned

    async def choose_calls(self, instruction: Instruction) -> Reading:
        tools = tools_of(instruction.agent)
        said = telling.framed("INSTRUCTION", instruction.text, 8000)
        messages = telling.question("choose_calls", telling.now(instruction.setting), said, agent=instruction.agent)
        for left in (1, 0):
            try:
                completion = await self._clients["choose_calls"].complete(Prompt(messages=messages, tools=tools, longest=LONGEST))
            except ModelError as error:
                if error.kind in UNUSABLE:
                    break
                raise
            try:
                return _chosen(completion, instruction)
            except ValueError as wrong:
                if left:
                    messages = (*messages, *_shown_wrong(completion, str(wrong)))
        return instruction.grammar

    async def adapt(self, trouble: Trouble) -> Adaptation:
        reports = telling.reported(trouble.steps, trouble.reports, trouble.setting)
        open_steps = "\n".join(f"{s.id}. {s.agent}: {s.instruction}" for s in trouble.steps if s.id not in trouble.reports)
        failed = ", ".join(f"step {step} {times} times" for step, times in trouble.failures.items() if times)
        messages = telling.question(
            "adapt",
            telling.framed("GOAL", trouble.box.goal),
            telling.framed("REPORTS", reports),
            telling.framed("STEPS NOT DONE", open_steps),
            f"FAILED: {failed}" if failed else "",
            telling.now(trouble.setting),
        )
        adapted = await self._usable("adapt", messages, Adapted)
        if adapted is None:
            return await self._offline.adapt(trouble)
        known = "\n".join(
            (trouble.box.goal, telling.vouched(trouble.reports.values(), trouble.setting), telling.now(trouble.setting))
        )
        if adapted.dishonest(known, "\n".join(step.instruction for step in trouble.steps)):
            return await self._offline.adapt(trouble)
        planned = any(step.criterion.expects == "proposal" for step in trouble.steps)
        try:
            adaptation = adapted.as_adaptation(frozenset(step.id for step in trouble.steps), planned)
        except ValueError:
            return await self._offline.adapt(trouble)
        before = {step.instruction for step in trouble.steps}
        if any(_may_write(step, trouble.setting) for step in adaptation.steps if step.instruction not in before):
            return await self._offline.adapt(trouble)  # another write than planned is no way around a failure
        return adaptation

    async def draft(self, brief: Brief, setting: Setting) -> Draft:
        if brief.dictated:  # only a subject is missing, and the text is nobody's to change
            return await self._offline.draft(brief, setting)
        answered = telling.mails([brief.answering], setting) if brief.answering else ""
        to, own = ", ".join(str(address) for address in brief.to), brief.voice.wording if brief.voice else ""
        messages = telling.question(
            "draft",
            telling.framed("THE MAIL THAT IS ANSWERED", answered),
            telling.framed("TEMPLATE", brief.template),
            telling.now(setting),
            telling.framed("TO", to),
            telling.framed("THE USER'S VOICE", telling.voice(brief.voice)),
            f"KIND: {brief.kind}.",
            f"WHAT IT SHALL SAY, in the user's words\n{brief.about or '(nothing was said)'}",
        )
        answer = await self._usable("draft", messages, Drafted)
        drafted = answer.as_draft() if answer else await self._offline.draft(brief, setting)
        known = "\n".join((answered, brief.template, to, own, telling.now(setting), brief.about))
        if unfounded("\n".join((drafted.subject, drafted.body, *drafted.gaps)), known):
            return await self._offline.draft(brief, setting)
        return drafted

    async def reply(self, account: Account) -> str:
        if all(_is_text(report) for report in account.reports.values()):
            return await self._offline.reply(account)
        material = telling.reported(account.steps, account.reports, account.setting)
        messages = telling.question(
            "reply",
            telling.framed("REPORTS", material),
            telling.now(account.setting),
            f"THE USER ASKED\n{account.text}",
        )
        vouched = f"{telling.vouched(account.reports.values(), account.setting)}\n{telling.now(account.setting)}"
        said = await self._honest("reply", messages, vouched, account.text)
        return said or await self._offline.reply(account)

    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        material = telling.mails(mails, setting)
        messages = telling.question("summarise", telling.framed("MAILS", material), telling.now(setting))
        said = await self._honest("summarise", messages, material, "")
        return said or await self._offline.summarise(mails, setting)

    async def _usable(self, role: Role, messages: Sequence[Message], answer: type[T]) -> T | None:
        """None where the model gives none that can be used."""
        try:
            return await self._structured[role].ask(messages, answer, LONGEST)
        except ModelError as error:
            if error.kind not in UNUSABLE:
                raise
            return None

    async def _honest(self, role: Role, messages: Sequence[Message], material: str, asked: str) -> str:
        """The model's words; empty where they hold, also when it was shown, what nobody can vouch for."""
        said = tuple(messages)
        for left in (1, 0):
            try:
                completion = await self._clients[role].complete(Prompt(messages=said, longest=LONGEST))
            except ModelError as error:
                if error.kind in UNUSABLE:
                    return ""
                raise
            text = completion.text.strip()
            if completion.finish not in ("stop", "other") or completion.refusal:
                return ""
            wrong = faults(text, material, asked) if text else ("the answer is empty",)
            if not wrong:
                return text
            if left:
                said = (*said, *_shown_wrong(completion, "; ".join(wrong)))
        return ""


def _may_write(step: Step, setting: Setting) -> bool:
    """By the instruction itself, whatever the model calls it."""
    reading = read(step.instruction, setting, step.agent)
    return reading.call is None or not reading.certain or writes(reading.call.operation)


def _is_text(report: Report) -> bool:
    """A summary, or the sentence of a mail that answers: worded already."""
    return not isinstance(report, Failure) and report.data.kind == "text" and bool(report.data.text)


def _place(number: int) -> str:
    return "shown" if number == 0 else f"shown{number + 1}"


def _chosen(completion: Completion, instruction: Instruction) -> Reading:
    """Raises ValueError with a reason for the model."""
    if len(completion.calls) != 1:
        raise ValueError("call exactly one tool")
    given = completion.calls[0]
    kind = TOOLS[instruction.agent].get(given.name)
    if kind is None:
        raise ValueError(f"there is no tool {given.name}; there are: {', '.join(TOOLS[instruction.agent])}")
    arguments = kind.model_validate_json(given.arguments or "{}")
    if isinstance(arguments, NotPossible):
        return Reading(unread=(arguments.why,))
    if wrong := invented("\n".join(_texts(arguments.model_dump())), instruction.text):
        raise ValueError(f"{'; '.join(wrong)}: take over only what the instruction says")
    return Reading(call=arguments.call(instruction.setting), certain=True)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)


def _shown_wrong(completion: Completion, reason: str) -> tuple[Message, ...]:
    words = f"That can't be used: {reason}. Answer again."
    if not completion.calls:
        return (completion.as_message(), Message(role="user", content=words))
    return (completion.as_message(), *(Message(role="tool", content=words, answers=call.id) for call in completion.calls))
