"""What a model's tool calls come to: an answer, a vote, or what it is told so that it tries again."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assistant.drafting.base import Answer, View, Vote
from assistant.drafting.novelty import same, too_like
from assistant.drafting.profiles import ANSWER_TOOLS, VOTE, Profile
from assistant.drafting.session import Session
from assistant.llm.messages import Completion, Message, ToolCall
from integrations.common.invisible import visible


@dataclass(frozen=True)
class Rejected:
    """`messages` follow what was asked: what the model said, what its tools answered, what it shall do."""

    why: str
    messages: tuple[Message, ...]


class Wrong(Exception):
    """A call can't be taken; its words are for the model."""


@dataclass(frozen=True)
class Reader:
    """Reads what one agent's model said to one view."""

    agent: str
    view: View
    profile: Profile
    session: Session

    def read(self, completion: Completion) -> Answer | Vote | Rejected:
        if not self.profile.answer_tool:
            return self._written(completion)
        calls = [call for call in completion.calls if call.name in (self.profile.answer_tool, VOTE)]
        if not calls:
            return reminded(completion, self.profile.error, self.profile.reminder)
        try:
            self._refuse_foreign(completion.calls)
            return self._taken(calls)
        except Wrong as wrong:
            return Rejected(str(wrong), refused(completion, self.profile.error, {call.name: str(wrong) for call in calls}))

    def _refuse_foreign(self, calls: Sequence[ToolCall]) -> None:
        """Whoever calls the other profile's tool too may mean either."""
        foreign = ANSWER_TOOLS - {self.profile.answer_tool}
        if name := next((call.name for call in calls if call.name in foreign), ""):
            raise Wrong(f"This call was not taken, since you called `{name}` beside it.")

    def _written(self, completion: Completion) -> Answer | Rejected:
        """Of a profile without tools."""
        if completion.calls or not completion.text.strip():
            return reminded(completion, self.profile.error, self.profile.reminder)
        try:
            return self._answer(visible(completion.text))
        except Wrong as wrong:
            told = Message(role="user", content=str(wrong))
            return Rejected(str(wrong), (*_said(completion), told))

    def _taken(self, calls: Sequence[ToolCall]) -> Answer | Vote:
        tool = self.profile.answer_tool
        if len({call.name for call in calls}) > 1:
            raise Wrong(f"Call either `{VOTE}` or `{tool}`, not both.")
        if len(calls) > 1:
            raise Wrong(f"Call `{calls[0].name}` only once.")
        arguments = arguments_of(calls[0])
        if arguments is None:
            raise Wrong(f"The arguments of `{calls[0].name}` are not a JSON object.")
        return self._vote(arguments) if calls[0].name == VOTE else self._answer(arguments.get("content"))

    def _answer(self, text: object) -> Answer:
        if not self.view.may_answer:
            raise Wrong("You can give no further answer. Use the `vote` tool.")
        if not isinstance(text, str) or not text.strip():
            raise Wrong("The answer is empty.")
        names = self.profile.names(self.view)
        if agent := same(text, self.view.answers):
            raise Wrong(f"This is {names[agent]}'s answer already. Give a better one, or vote for it.")
        if agent := too_like(text, self.view.answers, self.session.options.novelty):
            raise Wrong(f"This says nearly the same as {names[agent]}'s answer. Give a different one, or vote for it.")
        if problems := self.session.problems(text):
            raise Wrong(" ".join(["This answer can't be used.", *problems]))
        return Answer(agent=self.agent, text=text.strip())

    def _vote(self, arguments: dict[str, Any]) -> Vote:
        candidates = self.profile.candidates(self.view)
        if not candidates:
            raise Wrong(f"There is no answer to vote for yet. Use the `{self.profile.answer_tool}` tool.")
        given, reason = str(arguments.get("agent_id", "")), arguments.get("reason", "")
        if given.strip() not in candidates:
            raise Wrong(f"Invalid agent_id '{given}'. Valid agents: {', '.join(candidates)}")
        chosen = candidates[given.strip()]
        return Vote(voter=self.agent, candidate=chosen, reason=reason.strip() if isinstance(reason, str) else "")


def arguments_of(call: ToolCall) -> dict[str, Any] | None:
    """None where they are no JSON object."""
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        return None
    return _seen(arguments) if isinstance(arguments, dict) else None


def _seen(arguments: dict[str, Any]) -> dict[str, Any]:
    """A model's words hold only what can be seen."""
    return {name: visible(value) if isinstance(value, str) else value for name, value in arguments.items()}


def reminded(completion: Completion, error: str, reminder: str) -> Rejected:
    """What was said and called is kept, and the reminder follows as the user's."""
    return Rejected(reminder, (*refused(completion, error, {}), Message(role="user", content=reminder)))


def refused(completion: Completion, error: str, why: dict[str, str]) -> tuple[Message, ...]:
    """What was said, and an answer to each of its calls: `why` by the tool's name, for others that there is none of that name."""
    said = _said(completion)
    calls = said[0].calls if said else ()
    answers = [error + why.get(call.name, f"There is no tool `{call.name}` here.") for call in completion.calls]
    told = [Message(role="tool", content=words, answers=call.id) for words, call in zip(answers, calls, strict=True)]
    return (*said, *told)


_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def _said(completion: Completion) -> tuple[Message, ...]:
    """As endpoints take it back: calls with ids of their own, names of letters and arguments that are JSON; nothing for nothing."""
    text = completion.text or completion.refusal
    calls = tuple(
        ToolCall(
            id=f"{call.id or 'call'}_{n}",
            name=call.name if _NAME.fullmatch(call.name) else "unknown",
            arguments="{}" if arguments_of(call) is None else call.arguments or "{}",
        )
        for n, call in enumerate(completion.calls)
    )
    return (Message(role="assistant", content=text, calls=calls),) if text or calls else ()
