"""What the final agent is asked: whether the answers are good enough, and to present the one that was selected."""

import logging
from collections.abc import Sequence

from assistant.drafting.base import Decision, Restart, View, Vote
from assistant.drafting.calls import arguments_of
from assistant.drafting.profiles import Profile, joined, restarted
from assistant.llm.messages import Completion, Message, Tool

log = logging.getLogger(__name__)

PRESENT = (
    "You present the final answer. The agents have voted for the marked one. Make it better where the others are, and keep to the"
    " task. Give the final answer itself and nothing else."
)
DECIDE = (
    "The agents have voted for the marked answer. Use the `submit` tool if it does what the task asks. Use the"
    " `restart_orchestration` tool only if something that matters is missing or wrong in all of them."
)
EVALUATE = (
    "You judge a final answer. Use the `submit` tool if it does what the task asks. Use the `restart_orchestration` tool only if"
    " something that matters is missing or wrong."
)
NOT_CONFIRMED = (
    "You did not confirm. Use the `submit` tool with `confirmed` true, or the `restart_orchestration` tool if more work is needed."
)

SUBMIT = Tool(
    name="submit",
    description="The task is done.",
    parameters={"type": "object", "properties": {"confirmed": {"type": "boolean"}}, "required": ["confirmed"]},
)
RESTART = Tool(
    name="restart_orchestration",
    description="Let the agents start again.",
    parameters={
        "type": "object",
        "properties": {"reason": {"type": "string"}, "instructions": {"type": "string"}},
        "required": ["reason", "instructions"],
    },
)


def presenting(profile: Profile, agent: str, custom: str, view: View, votes: Sequence[Vote]) -> tuple[Message, ...]:
    return _asked(custom, PRESENT, _shown(profile, agent, view), _counted(profile, view, votes), restarted(view))


def deciding(profile: Profile, agent: str, custom: str, view: View, votes: Sequence[Vote]) -> tuple[Message, ...]:
    """Before the presentation."""
    return _asked(custom, DECIDE, _shown(profile, agent, view), _counted(profile, view, votes), restarted(view))


def evaluating(profile: Profile, custom: str, view: View, presented: str) -> tuple[Message, ...]:
    """After the presentation, in a context of its own."""
    task = profile.shown(view.model_copy(update={"answers": ()}))
    return _asked(custom, EVALUATE, task, f"Final answer:\n{presented}", restarted(view))


def _asked(custom: str, system: str, *parts: str) -> tuple[Message, ...]:
    return (Message(role="system", content=joined(custom, system)), Message(role="user", content=joined(*parts)))


def _shown(profile: Profile, agent: str, view: View) -> str:
    return profile.shown(view, mark="your answer, selected" if agent == view.selected else "selected")


def _counted(profile: Profile, view: View, votes: Sequence[Vote]) -> str:
    """The votes for the answer that was selected, with their reasons."""
    names = profile.names(view)
    lines = [
        f"- {names[vote.voter]}{': ' + ' '.join(vote.reason.split()) if vote.reason else ''}"
        for vote in votes
        if vote.candidate == view.selected
    ]
    return "\n".join(["Votes for it:", *lines]) if lines else "There are no votes for it."


def confirmed(completion: Completion) -> bool:
    """False only where the model submits and says that it does not confirm."""
    call = completion.calls[0] if completion.calls else None
    arguments = arguments_of(call) if call and call.name == SUBMIT.name else None
    return arguments is None or arguments.get("confirmed") is not False


def decision(completion: Completion) -> Decision:
    """The first call's; submit where there is none, or none that is known."""
    call = completion.calls[0] if completion.calls else None
    if call is not None and call.name == SUBMIT.name:
        return Decision()
    arguments = arguments_of(call) if call and call.name == RESTART.name else None
    words = [str((arguments or {}).get(key) or "").strip() for key in ("reason", "instructions")]
    if not any(words):
        log.warning("The final agent called %s: taken as submit", f"`{call.name}` unreadably" if call else "no tool")
        return Decision()
    return Decision(restart=Restart(reason=words[0], instructions=words[1]))
