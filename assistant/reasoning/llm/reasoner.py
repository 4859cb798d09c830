"""The reasoner that asks a language model. What comes back is data: validated, and held against the reports."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from functools import wraps
from itertools import takewhile
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from pydantic import BaseModel

from assistant.errors import ModelError
from assistant.llm.client import ChatClient
from assistant.llm.messages import Completion, Message, Prompt
from assistant.llm.structured import Structured
from assistant.reasoning.asked import asked_about
from assistant.reasoning.base import Account, Adaptation, Analysis, Draft, Instruction, Request, Setting, Trouble
from assistant.reasoning.calls import Call, Reading
from assistant.reasoning.llm import telling
from assistant.reasoning.llm.advice import advises
from assistant.reasoning.llm.answers import Adapted, Drafted, Planned
from assistant.reasoning.llm.choosing import chosen
from assistant.reasoning.llm.honesty import ADDRESS, faults, read_ahead, unfounded
from assistant.reasoning.llm.links import unlinked
from assistant.reasoning.llm.tools import tools_of
from assistant.reasoning.llm.visible import one_line, visible
from assistant.reasoning.llm.vouching import alike, as_said, doubted, looks, may_write, reads, warned
from assistant.reasoning.offline.criteria import writes
from assistant.reasoning.offline.planning.mailbox_settings import not_offered
from assistant.reasoning.offline.planning.scheduling.analysed import scheduled
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.reasoner import OfflineReasoner
from assistant.reasoning.offline.saying.summary import left_out
from assistant.values import Brief, CreateSchedule, Failure, Report, Step
from integrations.types import Mail

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)
Role = Literal["analyse", "choose_calls", "adapt", "draft", "reply", "summarise"]
ROLES: tuple[Role, ...] = ("analyse", "choose_calls", "adapt", "draft", "reply", "summarise")
UNUSABLE = ("invalid", "truncated", "refused", "rejected")
"""Troubles of one answer, which the offline reasoner makes up for; the others are the endpoint's."""
PATIENCE = 3
"""How many times the timeout of a call one question may take, with all that is tried for it."""
ASKED = 0.02
"""Seconds in which a question is on its way to the model."""
SHOWN, BRIEFED = 3000, 8000
"""Characters of one thing that the conversation showed, and of a briefing."""
BATCHES = 4
"""How many questions one summary may take, asked side by side."""


def in_time(
    ask: Callable[Concatenate["LlmReasoner", P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["LlmReasoner", P], Coroutine[Any, Any, R]]:
    """A question that has an end, whatever repairs, retries and other models are tried for it."""

    @wraps(ask)
    async def asked(self: "LlmReasoner", /, *what: P.args, **named: P.kwargs) -> R:
        bound = asyncio.timeout(self.patience)
        try:
            async with bound:
                return await ask(self, *what, **named)
        except TimeoutError as late:
            if not bound.expired():
                raise
            words = f"{self.name} did not come to an answer within {self.patience:g} seconds, with all that was tried."
            raise ModelError(words, "timeout") from late

    return asked


class LlmReasoner:
    """Implements the Reasoner protocol over one client for each question. Where a model's words can't be vouched for, the offline
    reasoner's take their place. `patience` in seconds for each question. Raises ModelError."""

    def __init__(self, clients: Mapping[Role, ChatClient], patience: float) -> None:
        self.patience = patience
        self._clients = clients
        self._structured = {role: Structured(client) for role, client in clients.items()}
        self._offline = OfflineReasoner()

    @property
    def name(self) -> str:
        return self._clients["analyse"].model

    async def close(self) -> None:
        for client in self._clients.values():
            await client.close()

    @in_time
    async def analyse(self, request: Request) -> Analysis:
        if (length := len(request.text)) > telling.OWN:
            return await self._read_without(request, length)
        if (own_command := scheduled(request)) is not None:
            return own_command  # code reads it, and nobody else may
        if not_offered(request.text):
            return await self._offline.analyse(request)
        setting = request.setting
        shown = [
            telling.framed(f"SHOWN {{{_place(n)}}}", telling.shown(one, setting), BRIEFED if one.lines else SHOWN)
            for n, one in enumerate(request.shown)
        ]
        talk, paused, proposal = telling.talk(request.history), telling.paused(request), telling.proposal(request)
        now, notes = telling.now(setting), telling.notes(setting)
        messages = telling.question(
            "analyse",
            telling.framed(telling.NOTES, notes),
            telling.framed("HISTORY, oldest first", talk, talk=True),
            *reversed(shown),
            telling.framed("PAUSED", paused),
            telling.framed("PROPOSAL, open", proposal),
            now,
            telling.own("MESSAGE", request.text),
        )
        addresses = {address for one in request.shown for address in ADDRESS.findall(one.data.model_dump_json())}
        known = visible("\n".join((talk, *shown, *addresses, paused, proposal, notes, now)))
        planned, own = await asyncio.gather(self._founded(messages, request, known), self._own_steps(request, known))
        analysis = planned.vouched(request, known).as_analysis(request)
        if _only_talks(analysis) and looks(own, setting):
            looked = await self._offline.analyse(request)
            if looks(looked.plan.steps, setting):  # what is there is not told without a look
                return looked
        if isinstance(analysis.command, CreateSchedule) and own:
            return await self._offline.analyse(_trusting(request))  # code reads something else there, an event or a question
        steps = tuple(doubted(step, request) for step in analysis.plan.steps)
        if isinstance(own, Call) and any(may_write(step, setting) for step in steps):
            own = (await self._offline.analyse(_trusting(request))).plan.steps
        steps = warned(steps, own, request)
        said = as_said(steps, own, setting)
        vouching = {
            "plan": analysis.plan.model_copy(update={"steps": steps}),
            "vouched": alike(steps, () if isinstance(own, Call) else own, setting),
            "as_said": said,
            "words": steps[0].instruction if said and len(steps) == 1 else request.text,
            "own": reads(own, setting),
        }
        return analysis.model_copy(update=vouching)

    async def _read_without(self, request: Request, length: int) -> Analysis:
        """What would have to be cut is read whole by code instead: it may be the text of a mail."""
        analysis = await self._offline.analyse(request)
        words = (
            f"Your message is too long for {self.name} ({length:,} characters; {telling.OWN:,} are the most), so I read it offline."
        )
        return analysis.model_copy(update={"limitations": (*analysis.limitations, words)})

    async def _own_steps(self, request: Request, known: str) -> tuple[Step, ...] | Call:
        """What the grammar reads in the message; the call alone where that looks like a mere read. Read while the model thinks,
        once it has been asked."""
        await asyncio.sleep(ASKED)
        read_ahead(f"{known}\n{request.text}", request.text)
        reading = read(request.text, request.setting)
        if reading.call is not None and reading.certain and not writes(reading.call.operation):
            return reading.call
        return (await self._offline.analyse(_trusting(request))).plan.steps

    async def _founded(self, messages: Sequence[Message], request: Request, known: str) -> Planned:
        """A plan in which no address and no link is made up. It is asked for once more where one is."""
        planned = await self._structured["analyse"].ask(messages, Planned)
        if not (wrong := planned.made_up(f"{known}\n{request.text}", request.text)):
            return planned
        again = (*messages, Message(role="user", content=f"That can't be used: {'; '.join(wrong)}. Plan again."))
        planned = await self._structured["analyse"].ask(again, Planned)
        if planned.made_up(f"{known}\n{request.text}", request.text):
            raise ModelError(f"{self.name} gave no plan that fits what you asked, also when asked again.", "invalid")
        return planned

    @in_time
    async def choose_calls(self, instruction: Instruction) -> Reading:
        if len(instruction.text) > telling.OWN:
            return instruction.grammar
        tools = tools_of(instruction.agent)
        said = telling.framed("INSTRUCTION", instruction.text)
        messages = telling.question("choose_calls", telling.now(instruction.setting), said, agent=instruction.agent)
        for left in (1, 0):
            try:
                completion = await self._clients["choose_calls"].complete(Prompt(messages=messages, tools=tools))
            except ModelError as error:
                if error.kind in UNUSABLE:
                    break
                raise
            try:
                return chosen(completion, instruction)
            except ValueError as wrong:
                if left:
                    messages = (*messages, *_shown_wrong(completion, str(wrong)))
        return instruction.grammar

    @in_time
    async def adapt(self, trouble: Trouble) -> Adaptation:
        reports = telling.reported(trouble.steps, trouble.reports, trouble.setting)
        open_steps = telling.listed(f"{s.id}. {s.agent}: {s.instruction}" for s in trouble.steps if s.id not in trouble.reports)
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
        before = {(step.id, step.agent, step.instruction): step for step in trouble.steps}
        steps = tuple(before.get((step.id, step.agent, step.instruction), step) for step in adaptation.steps)
        new = [step for step in steps if step not in trouble.steps]
        if any(may_write(step, trouble.setting) for step in new):
            return await self._offline.adapt(trouble)  # another write than planned is no way around a failure
        return adaptation.model_copy(update={"steps": steps, "vouched": not new})

    @in_time
    async def draft(self, brief: Brief, setting: Setting) -> Draft:
        if brief.dictated or len(brief.about) > telling.OWN:  # only a subject is missing, or what must not be cut would be
            return await self._offline.draft(brief, setting)
        answered = telling.mails([brief.answering], setting) if brief.answering else ""
        notes = telling.notes(setting)
        to, own = telling.people(brief.to), brief.voice.wording if brief.voice else ""
        messages = telling.question(
            "draft",
            telling.framed("THE MAIL THAT IS ANSWERED", telling.mails_apart([brief.answering], setting) if brief.answering else ""),
            telling.framed("TEMPLATE", brief.template),
            telling.now(setting),
            telling.framed("TO", to),
            telling.framed("THE USER'S VOICE", telling.voice(brief.voice)),
            telling.framed(telling.NOTES, notes),
            f"KIND: {brief.kind}.",
            telling.own("WHAT IT SHALL SAY, in the user's words", brief.about or "(nothing was said)"),
        )
        answer = await self._usable("draft", messages, Drafted)
        drafted = answer.as_draft() if answer else await self._offline.draft(brief, setting)
        known = "\n".join((answered, brief.template, to, own, notes, telling.now(setting), brief.about))
        if unfounded("\n".join((drafted.subject, drafted.body, *drafted.gaps)), known):
            return await self._offline.draft(brief, setting)
        return drafted

    @in_time
    async def reply(self, account: Account) -> str:
        if account.lead:
            return await self._led(account) or account.lead
        if all(_is_text(report) for report in account.reports.values()):
            return await self._offline.reply(account)
        material = telling.reported(account.steps, account.reports, account.setting)
        if len(material) > telling.MATERIAL:  # an answer out of a part would not say what it leaves out
            return await self._offline.reply(account)
        messages = telling.question(
            "reply",
            telling.framed("REPORTS", material),
            telling.now(account.setting),
            telling.own("THE USER ASKED", account.text, telling.ASKED),
        )
        vouched = f"{telling.vouched(account.reports.values(), account.setting)}\n{telling.now(account.setting)}"
        said = await self._honest("reply", messages, vouched, account.text, named=_named(account))
        return said or await self._offline.reply(account)

    async def _led(self, account: Account) -> str:
        """Empty where nobody can vouch for it."""
        facts, now = telling.vouched(account.reports.values(), account.setting), telling.now(account.setting)
        messages = telling.question("lead", telling.framed("FACTS", facts), telling.framed("AS IT WOULD BEGIN", account.lead), now)
        return await self._honest("reply", messages, f"{facts[: telling.MATERIAL]}\n{account.lead}\n{now}", "")

    @in_time
    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        newest = sorted(mails, key=lambda mail: mail.date, reverse=True)
        parts = telling.batches(newest, setting)
        told = await _side_by_side(self._summed_up(part, setting) for part in parts[:BATCHES])
        older = sum(map(len, parts[BATCHES:]))
        cut = sum(telling.is_long(mail, setting) for part in parts[:BATCHES] for mail in part)
        only = f"(of {cut} long mail{'' if cut == 1 else 's'} only the beginning was read)" if cut else ""
        return "\n".join(filter(None, [*told, only, *left_out(older, 0)]))

    async def _summed_up(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        material = telling.mails(mails, setting)
        told = telling.framed("MAILS", telling.mails_apart(mails, setting))
        messages = telling.question("summarise", told, telling.now(setting))
        said = await self._honest("summarise", messages, material, "")
        return said or await self._offline.summarise(mails, setting)

    async def _usable(self, role: Role, messages: Sequence[Message], answer: type[T]) -> T | None:
        """None where the model gives none that can be used."""
        try:
            return await self._structured[role].ask(messages, answer)
        except ModelError as error:
            if error.kind not in UNUSABLE:
                raise
            return None

    async def _honest(self, role: Role, messages: Sequence[Message], material: str, asked: str, named: str | None = None) -> str:
        """The model's words; empty where they hold, also when it was shown, what nobody can vouch for. `named`: the part of the
        material from which links and addresses may be told, None for all of it."""
        said = tuple(messages)
        reading = asyncio.get_running_loop().call_later(ASKED, read_ahead, material, asked)
        for left in (1, 0):
            try:
                completion = await self._clients[role].complete(Prompt(messages=said))
            except ModelError as error:
                if error.kind in UNUSABLE:
                    return ""
                raise
            finally:
                reading.cancel()
            text = visible(completion.text).strip()
            if completion.finish not in ("stop", "other") or completion.refusal:
                return ""
            wrong = _wrong(text, material, asked, named)
            if not wrong:
                return unlinked(text)
            if left:
                said = (*said, *_shown_wrong(completion, "; ".join(wrong)))
        return ""


async def _side_by_side(questions: Iterable[Awaitable[R]]) -> list[R]:
    """The answers in the questions' order. All are waited for before one that failed is told."""
    answers = await asyncio.gather(*questions, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return [answer for answer in answers if not isinstance(answer, BaseException)]


def _is_text(report: Report) -> bool:
    """A summary, or the sentence of a mail that answers: worded already."""
    return not isinstance(report, Failure) and report.data.kind == "text" and bool(report.data.text)


def _wrong(text: str, material: str, asked: str, named: str | None) -> tuple[str, ...]:
    """What stands in the way of showing a model's words."""
    if not text:
        return ("the answer is empty",)
    own = (f"“{one_line(one, 120)}” is what somebody else wants: say who" for one in advises(text))
    return (*faults(text, material, asked, asked=named), *own)


def _named(account: Account) -> str | None:
    """What the user's own words ask for, where a model has planned to look at more; None where it has not."""
    if account.as_said:
        return None
    named = telling.vouched(asked_about(account.reports, account.text).values(), account.setting)
    return f"{named}\n{telling.now(account.setting)}"


def _place(number: int) -> str:
    return f"shown{number or ''}"


def _only_talks(analysis: Analysis) -> bool:
    return not (analysis.plan.steps or analysis.command or analysis.interpretations)


def _trusting(request: Request) -> Request:
    """Without what was shown though it had not been asked for, and all before it: "it" is none of that to code."""
    return request.model_copy(update={"shown": tuple(takewhile(lambda one: one.as_said, request.shown))})


def _shown_wrong(completion: Completion, reason: str) -> tuple[Message, ...]:
    words = f"That can't be used: {reason}. Answer again."
    if not completion.calls:
        return (completion.as_message(), Message(role="user", content=words))
    return (completion.as_message(), *(Message(role="tool", content=words, answers=call.id) for call in completion.calls))
