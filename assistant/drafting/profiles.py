"""How a view is put into words for a model: the two profiles of a coordination, and the plain one of a single draft."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from assistant.drafting.base import Restart, View
from assistant.drafting.ids import anonymous, lettered, numbered
from assistant.drafting.options import ProfileName, Sensitivity
from assistant.llm.messages import Message, Tool

VOTE = "vote"
NO_ANSWERS = "(no answers available yet)"
ONLY_VOTE = "You can give no further answer. Use the `vote` tool."
HIGHER: dict[Sensitivity, str] = {
    "lenient": "",
    "balanced": " Say YES only if it answers every part correctly.",
    "strict": " Say YES only if it is correct, complete and well put, and you could not make it clearly better.",
}
"""What is added to the question whether an answer is good enough."""

ATTEMPT = """\
## Previous Orchestration Attempts

This is attempt {attempt} to solve the task. The final agent from the previous
attempt was not satisfied and requested a restart.

**Why the restart was requested:**
{reason}

**Instructions for improvement:**
{instructions}

Please take these insights into account as you work on providing a better answer."""


class Profile(ABC):
    """`answer_tool` empty: the text itself is the answer. `error` begins what a tool says of a call that is refused."""

    answer_tool: str
    answer_description: str
    vote_description: str
    error = ""
    reminder: str

    @abstractmethod
    def name(self, n: int) -> str:
        """Under which the n-th agent is shown, from 0."""

    @abstractmethod
    def system(self, view: View, sensitivity: Sensitivity) -> str: ...

    @abstractmethod
    def shown(self, view: View, mark: str = "") -> str:
        """Talk, task and answers; `mark` stands at the answer that was selected."""

    def question(self, sensitivity: Sensitivity) -> str:
        """What the user's message ends with."""
        return ""

    def names(self, view: View) -> dict[str, str]:
        return anonymous(view.agents, self.name)

    def candidates(self, view: View) -> dict[str, str]:
        """Real ids by shown name, of those who can be voted for."""
        names = self.names(view)
        return {names[agent]: agent for agent in sorted(answer.agent for answer in view.answers)}

    def messages(self, view: View, custom: str, sensitivity: Sensitivity) -> tuple[Message, ...]:
        asked = [self.shown(view), self.question(sensitivity), "" if view.may_answer else ONLY_VOTE, restarted(view)]
        return (
            Message(role="system", content=joined(custom, self.system(view, sensitivity))),
            Message(role="user", content=joined(*asked)),
        )

    def tools(self, view: View) -> tuple[Tool, ...]:
        answer = _tool(self.answer_tool, self.answer_description, content={"type": "string"})
        vote = _tool(VOTE, self.vote_description, **self.vote_arguments(view))
        return (answer, vote) if view.may_answer else (vote,)

    def vote_arguments(self, view: View) -> dict[str, Any]:
        candidates = list(self.candidates(view))
        return {"agent_id": {"type": "string", **({"enum": candidates} if candidates else {})}}


class Mass(Profile):
    answer_tool = "update_answer"
    answer_description = "Do additional work and create an improved answer."
    vote_description = "Vote for best agent to present final answer"
    error = "Error: "
    reminder = (
        "Please use either the `vote` tool to select the best agent, or the `update_answer` tool to provide a better solution."
    )

    def name(self, n: int) -> str:
        return lettered(n)

    def system(self, view: View, sensitivity: Sensitivity) -> str:
        return "You are evaluating answers for final presentation."

    def shown(self, view: View, mark: str = "") -> str:
        names = self.names(view)
        marks = {view.selected: f" ({mark})" if mark else ""}
        lines = [f"- {names[one.agent]}{marks.get(one.agent, '')}: {_listed(one.text)}" for one in view.answers]
        task = joined(_listed(_talk(view)), _listed(view.task.text))
        return f"{task}\n\nCurrent answers:\n" + ("\n".join(lines) or NO_ANSWERS)

    def question(self, sensitivity: Sensitivity) -> str:
        return (
            f"Does the best available answer address the question?{HIGHER[sensitivity]}\n"
            "\n"
            "If YES, tell me the agent_id with the best available answer using the `vote` tool."
            " Don't call the `update_answer` tool.\n"
            "IF NO, do additional work first. Then give a better answer using the `update_answer` tool."
        )


class Massgen(Profile):
    answer_tool = "new_answer"
    answer_description = "Record a better answer to the ORIGINAL MESSAGE."
    vote_description = "Vote for the agent with the best CURRENT ANSWER."
    reminder = "Finish your work above by making a tool call of `vote` or `new_answer`. Make sure you actually call the tool."

    def name(self, n: int) -> str:
        return numbered(n)

    def system(self, view: View, sensitivity: Sensitivity) -> str:
        words = (
            "You are evaluating answers from multiple agents for final response to a message."
            f" Does the best CURRENT ANSWER address the ORIGINAL MESSAGE?{HIGHER[sensitivity]}\n"
            "\n"
            "If YES, use the `vote` tool to record your vote and skip the `new_answer` tool.\n"
            "Otherwise, do additional work first, then use the `new_answer` tool to record a better answer to the ORIGINAL MESSAGE."
            " Make sure you actually call one of the two tools."
        )
        note = (
            f"\n{' ' * 12}\n"
            "IMPORTANT: You are responding to the latest message in an ongoing conversation."
            " Consider the full conversation context when evaluating answers and providing your response."
        )
        return words + note if view.task.history else words

    def shown(self, view: View, mark: str = "") -> str:
        names = self.names(view)
        marks = {view.selected: f" ({mark})" if mark else ""}
        lines = [
            f"<{names[one.agent]}>{marks.get(one.agent, '')} {_untagged(one.text)} <end of {names[one.agent]}>"
            for one in view.answers
        ]
        talk = f"<CONVERSATION_HISTORY>\n{_untagged(_talk(view))}\n<END OF CONVERSATION_HISTORY>" if view.task.history else ""
        message = f"<ORIGINAL MESSAGE> {_untagged(view.task.text)} <END OF ORIGINAL MESSAGE>"
        answers = f"<CURRENT ANSWERS from the agents>\n{chr(10).join(lines) or NO_ANSWERS}\n<END OF CURRENT ANSWERS>"
        return joined(talk, message, answers)

    def vote_arguments(self, view: View) -> dict[str, Any]:
        return {**super().vote_arguments(view), "reason": {"type": "string"}}


class Plain(Profile):
    """Of one who writes alone."""

    answer_tool = ""
    reminder = "Please write the text itself."

    def name(self, n: int) -> str:
        return numbered(n)

    def system(self, view: View, sensitivity: Sensitivity) -> str:
        return "Do what the last message asks for. Give the text that it wants and nothing else."

    def shown(self, view: View, mark: str = "") -> str:
        return joined(_talk(view), view.task.text)

    def tools(self, view: View) -> tuple[Tool, ...]:
        return ()


PROFILES: dict[ProfileName, Callable[[], Profile]] = {"mass": Mass, "massgen": Massgen}
ANSWER_TOOLS = frozenset({Mass.answer_tool, Massgen.answer_tool})


def restarted(view: View) -> str:
    """What every agent's context ends with from the second attempt on."""
    return attempt_block(view.attempt, view.restart) if view.restart else ""


def attempt_block(attempt: int, restart: Restart) -> str:
    return ATTEMPT.format(attempt=attempt, reason=restart.reason, instructions=restart.instructions)


def joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _talk(view: View) -> str:
    return "\n".join(f"User: {turn.user}\nAssistant: {turn.assistant}" for turn in view.task.history)


def _tool(name: str, description: str, **arguments: Any) -> Tool:
    schema = {"type": "object", "properties": arguments, "required": list(arguments)}
    return Tool(name=name, description=description, parameters=schema)


_ENTRY = re.compile(r"(?:^|(?<=[\n\r\v\f\x85\u2028\u2029]))(?=[ \t]*(?:- Agent [A-Z]+\b|Current answers:))")
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:(?:end of )?agent\s*\d|(?:end of )?(?:original message|current answers|conversation_history)))", re.I
)


def _listed(text: str) -> str:
    """Lines that would pass for another agent's answer, or for where answers begin, begin with a bar."""
    return _ENTRY.sub("| ", text)


def _untagged(text: str) -> str:
    """What would pass for a tag of the message's own is none."""
    return _TAG.sub("&lt;", text)
