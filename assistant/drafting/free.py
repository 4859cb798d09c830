"""A task of its own that is deliberated on, apart from any mailbox."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from pydantic import Field

from assistant.drafting import rules
from assistant.drafting.base import Deliberation, Strategy, StrategyName, Task, Tell
from assistant.drafting.blackboard import PromptProfile
from assistant.drafting.model import Agent, ModelSeat
from assistant.drafting.options import Options, ProfileName
from assistant.drafting.rubric import STATED
from assistant.drafting.rules import RuleSeat
from assistant.drafting.session import Seat
from assistant.drafting.single import Single
from assistant.drafting.table import Table
from assistant.errors import UserError
from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call, Person
from assistant.reasoning.offline.planning.effort import without_effort
from assistant.reasoning.offline.reading.grammar import read
from assistant.reasoning.offline.saying.writing import TITLES, is_text, language_for, usual_voice
from assistant.values import Brief
from integrations.types import Address, Mail, Value

MOST = 12
"""Agents that may take part."""
NEEDS_A_MODEL = "set llm.base_url or llm.api_key in config.toml, or ASSISTANT_LLM__BASE_URL"
ONLY_MAILS = (
    f'By rules, without a language model, I only write mails and replies: say "write a mail to Anna saying …", or {NEEDS_A_MODEL}.'
)
NO_BLACKBOARD = f"A blackboard needs a language model: {NEEDS_A_MODEL}; the strategies coordination and single also work by rules."

ANSWERED = re.compile(r"\b(?:reply|answer|respond|response|back)\s+(?:to\s+)?", re.IGNORECASE)
"""Behind it stands who is answered."""
PASTED = re.compile(
    r"(?:\w+\s+){0,4}?(?:reply|answer|respond|response)\s+(?:to\s+)?(?:the following\b[^:\n]*:|this\b[^:\n]*:[ \t]*\n)",
    re.IGNORECASE,
)
"""Behind it stands the mail that is answered, and not what the answer says."""
AND = re.compile(r"(?:\s*,)?\s*(?:\band\b|&)?\s*", re.IGNORECASE)


class Terms(Value):
    """How a task is deliberated on; None: as it is configured. `agents`: how many take part, at a blackboard how many experts there
    are at most. `profile`: how they are asked, of a coordination or of a blackboard. `restarts`: how often all may begin again;
    `judged`: whether before or after it is presented."""

    strategy: StrategyName = "coordination"
    agents: int | None = Field(default=None, ge=1, le=MOST)
    profile: ProfileName | PromptProfile | None = None
    restarts: int | None = Field(default=None, ge=0, le=10)
    judged: Literal["before", "after"] | None = None


@dataclass(frozen=True)
class Free:
    """`setting` is asked anew each time; it needs no names."""

    table: Table
    setting: Callable[[], Setting]

    async def deliberate(self, task: str, terms: Terms, tell: Tell) -> Deliberation:
        """Raises UserError for terms that can't be met, DraftingError where nobody came to an answer."""
        _check(terms)
        by_rules = self.table.by_rules
        strategy = self._by_rules(task, terms) if by_rules else self._by_models(terms)
        deliberation = await strategy.run(Task(text=task), tell)
        return deliberation.model_copy(update={"notes": (STATED, *deliberation.notes)}) if by_rules else deliberation

    def _by_models(self, terms: Terms) -> Strategy:
        seats = some(self.table.seats, terms.agents)
        options = _options(self.table.options, terms)
        match terms.strategy:
            case "single":
                return Single(_alone(seats[0]), options, self.table.price)
            case "coordination":
                return replace(self.table, seats=seats, options=options).coordination()
            case "blackboard":
                board = next((one for one in get_args(PromptProfile) if one == terms.profile), self.table.board)
                most = {"experts": terms.agents} if terms.agents else {}
                return replace(self.table, board=board, limits=self.table.limits.model_copy(update=most)).blackboard()

    def _by_rules(self, task: str, terms: Terms) -> Strategy:
        if terms.strategy == "blackboard":
            raise UserError(NO_BLACKBOARD)
        setting = self.setting()
        seats = some(rules.seats(brief_of(task, setting), setting), terms.agents)
        options = _options(self.table.options, terms)
        if terms.strategy == "single":
            return Single(seats[0], options, rules=True)
        return replace(self.table, options=options).coordination(seats)


def some(seats: Sequence[Seat], number: int | None) -> tuple[Seat, ...]:
    """So many of them; where there are fewer, again and again under further names."""
    number = number or len(seats)
    return tuple(_again(seats[n % len(seats)], n // len(seats) + 1) for n in range(number))


def _again(seat: Seat, time: int) -> Seat:
    match seat:
        case ModelSeat() if time > 1:
            return replace(seat, agent=seat.agent.model_copy(update={"id": f"{seat.agent.id} {time}"}))
        case RuleSeat() if time > 1:
            return replace(seat, id=f"{seat.id} {time}")
        case _:
            return seat


def _alone(seat: Seat) -> Seat:
    """Whoever writes alone is no longer one of several styles."""
    if not isinstance(seat, ModelSeat):
        return seat
    return replace(seat, agent=Agent(id="assistant", system=seat.agent.system), alone=True)


def brief_of(task: str, setting: Setting) -> Brief:
    """The mail or reply that a task wants written. Raises UserError where it is neither, or a mail of which nothing is said."""
    task = _without_pasted(without_effort(task) or task)
    call = read(task, setting).call
    if call is not None and (call.operation == "mail.reply" or (call.operation == "mail.draft" and call.field == "reply")):
        return _addressed(Brief(kind="reply", about=_about(call), to=_answered(task, call), answering=_unseen(setting)), setting)
    if call is None or call.operation not in ("mail.send", "mail.draft") or not (call.body or call.about):
        raise UserError(ONLY_MAILS)
    return _addressed(Brief(kind="mail", about=_about(call), to=_named(call.to)), setting)


def _without_pasted(task: str) -> str:
    found = PASTED.match(task.lstrip())
    return found[0].rstrip(": \t\n") if found else task


def _about(call: Call) -> str:
    return _said(call.body) if call.body else call.about


def _said(body: str) -> str:
    """A clause that is to stand in a mail as a sentence."""
    return body if is_text(body) else f"that {body}"


def _unseen(setting: Setting) -> Mail:
    """What is answered: no mailbox is read, so that its subject is a gap."""
    return Mail(account="", id="", etag="", folder="", subject="[subject]", date=setting.now)


def _answered(task: str, call: Call) -> tuple[Address, ...]:
    people = tuple(one for one in call.select.people if one.role in ("from", "any") and (one.text or one.email))
    return _named(people or tuple(Person(text=name) for name in _strangers(task, call.select.words)))


def _strangers(task: str, words: Sequence[str]) -> Iterator[str]:
    """Names that nobody knows are read as topics: those right behind "reply to"."""
    rest = "".join(ANSWERED.split(task, maxsplit=1)[1:])
    for word in words:
        if not rest.startswith(word):
            return
        yield word
        rest = AND.sub("", rest.removeprefix(word), count=1)


def _named(people: Sequence[Person]) -> tuple[Address, ...]:
    """ "Anna" is a name to greet by, "landlord" is none."""
    return tuple(Address(email=one.email, name=one.text if one.text[:1].isupper() else "") for one in people)


def _addressed(brief: Brief, setting: Setting) -> Brief:
    """Who is named with a title is greeted with it."""
    if len(brief.to) != 1 or brief.to[0].name.partition(" ")[0].rstrip(".").casefold() not in TITLES:
        return brief
    return brief.model_copy(update={"voice": usual_voice(brief.to, setting.me, language_for(brief), "formal")})


def _check(terms: Terms) -> None:
    if terms.strategy == "single" and terms.agents not in (None, 1):
        raise UserError("With the strategy single one agent writes alone; for several take coordination or blackboard.")
    there: tuple[str, ...] = get_args(PromptProfile if terms.strategy == "blackboard" else ProfileName)
    if terms.profile is not None and terms.profile not in there:
        raise UserError(f"The strategy {terms.strategy} has no profile {terms.profile}; there are: {', '.join(there)}.")


def _options(options: Options, terms: Terms) -> Options:
    given = {
        "profile": next((one for one in get_args(ProfileName) if one == terms.profile), None),
        "max_orchestration_restarts": terms.restarts,
        "enable_post_presentation_evaluation": terms.judged and terms.judged == "after",
    }
    return options.model_copy(update={name: value for name, value in given.items() if value is not None})
