"""A model in an office: it takes the right steps, and where it drafts for others to vote on, each style has a script of its own."""

import re
from collections.abc import Mapping
from typing import Any

from doubles.drafting import candidates, deciding, presenting, submits
from doubles.llm import Answer, Answerer, Call, Reply, RequestSeen, calls, says
from doubles.llm.answers import replied
from doubles.llm.scenarios import QUESTIONS

from assistant.reasoning.llm import telling
from config.drafting import AGENTS

STYLE = re.compile(r"Your style: ((\w+)[^\n]*)")
OF_STYLE = {agent.style: agent.name for agent in AGENTS}


def asks_of_six(seen: RequestSeen) -> bool:
    """Whether it is a reasoner's question, not a drafter's."""
    return any(seen.system.startswith(telling.instructions(role).partition("{")[0]) for role in QUESTIONS)


def style_of(seen: RequestSeen) -> str:
    """The usual agent whose style it is, else the style's first word."""
    found = STYLE.search(seen.system)
    return OF_STYLE.get(found[1].strip(), found[2]) if found else ""


def answering(seen: RequestSeen) -> str:
    """The tool by which the profile has its agents answer."""
    offered = {tool["function"]["name"] for tool in seen.body.get("tools", ())}
    return "new_answer" if "new_answer" in offered else "update_answer"


def writes(text: str, vote: int = 0, reason: str = "") -> Answerer:
    """Gives its text while nobody has written, and votes for the candidate of that number when somebody has."""

    def answer(seen: RequestSeen) -> Reply:
        if deciding(seen):
            return submits()
        if presenting(seen):
            return says(text)
        if found := candidates(seen):
            given: dict[str, Any] = {"agent_id": found[vote % len(found)], "reason": reason}
            return calls(Call("vote", given))
        return calls(Call(answering(seen), {"content": text}))

    return answer


class Office:
    """An answerer. `steps` answers a reasoner's questions, `drafters` theirs by style; whoever has no script says nothing of use.
    `seen` is what drafters were asked, by style."""

    def __init__(self, steps: Answerer, drafters: Mapping[str, Reply | Answerer]) -> None:
        self.steps, self.drafters = steps, dict(drafters)
        self.seen: list[tuple[str, RequestSeen]] = []

    def __call__(self, seen: RequestSeen) -> Reply:
        if asks_of_six(seen):
            return self.steps(seen)
        style = style_of(seen)
        self.seen.append((style, seen))
        return replied(self.drafters.get(style, Answer(text="?")), seen)
