"""Whose answer stands where nobody decided: the one that agrees most with the others."""

from collections.abc import Sequence
from math import fsum

from assistant.drafting.base import Answer
from assistant.drafting.blackboard.board import Board, Post
from assistant.drafting.blackboard.staff import Member
from assistant.drafting.novelty import likeness


def candidates(board: Board, agents: Sequence[Member]) -> tuple[Answer, ...]:
    """The last that each expert has on the board, in the order of the agents. Where no expert has anything there, what was removed
    of theirs counts, then what others wrote."""
    experts = [agent.name for agent in agents if agent.role == "expert"]
    others = [agent.name for agent in agents if agent.role != "expert"]
    return _last(board.posts, experts) or _last(board.removed, experts) or _last(board.posts, others)


def _last(posts: Sequence[Post], names: Sequence[str]) -> tuple[Answer, ...]:
    last = {post.agent: post.content for post in posts if post.type not in ("WAITING", "CLEANED", "DECISION")}
    return tuple(Answer(agent=name, text=last[name]) for name in names if name in last)


def most_agreed(texts: Sequence[str]) -> int:
    """The place of the one with the highest summed likeness to the others; the first of equals."""
    # fsum is the same in whatever order it adds, so that ties are ties
    sums = [fsum(likeness(text, other) for m, other in enumerate(texts) if m != n) for n, text in enumerate(texts)]
    return sums.index(max(sums))
