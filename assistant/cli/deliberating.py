"""The options of `assistant deliberate`."""

from enum import StrEnum
from typing import Annotated

import typer

from assistant.cli.process import run


class Strategy(StrEnum):
    single = "single"
    coordination = "coordination"
    blackboard = "blackboard"


class Profile(StrEnum):
    mass = "mass"
    massgen = "massgen"
    paper = "paper"
    original = "original"


STRATEGY = (
    "single: one agent writes alone. coordination: several agents write, read each other's texts, then write a better one or vote; "
    "the text with most votes wins. blackboard: agents with different parts write on one board until one of them decides."
)
AGENTS = "How many agents write and vote; at a blackboard, how many experts join it at most. By default those of the settings."
PROFILE = (
    "In which words the agents are asked. mass: briefly, massgen: at more length, with reasons for each vote (coordination); "
    "paper or original (blackboard)."
)
RESTARTS = "How often the agents may be sent back to begin again, when the one that presents finds the result not good enough."
JUDGED = "Whether that is judged before the final text is written (--pre) or after (--post)."


def deliberate(
    context: typer.Context,
    task: Annotated[list[str], typer.Argument(help="What to write or decide; - reads it from standard input.")],
    strategy: Annotated[Strategy, typer.Option("--strategy", "-s", help=STRATEGY)] = Strategy.coordination,
    agents: Annotated[int | None, typer.Option("--agents", "-n", min=1, max=12, help=AGENTS)] = None,
    profile: Annotated[Profile | None, typer.Option("--profile", help=PROFILE)] = None,
    restarts: Annotated[int | None, typer.Option("--restarts", min=0, max=10, help=RESTARTS)] = None,
    post: Annotated[bool | None, typer.Option("--post/--pre", help=JUDGED)] = None,
    all_: Annotated[bool, typer.Option("--all", help="Show the other texts too.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Let several agents think about a task and vote, without touching any mailbox."""
    from assistant.cli import deliberate as module
    from assistant.drafting.free import Terms

    judged = None if post is None else "after" if post else "before"
    terms = Terms(strategy=strategy.value, agents=agents, profile=profile and profile.value, restarts=restarts, judged=judged)
    raise typer.Exit(run(module.deliberate(context.obj, " ".join(task), terms, all_=all_, json=json)))
