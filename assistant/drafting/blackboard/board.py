"""The blackboard: what agents have posted, as the others read it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from integrations.types import Value

PostType = Literal["PLAN", "DECISION", "CRITIQUE", "CLEANED", "CONFLICT", "RESOLUTION", "ANALYSIS", "WAITING", "NOTE"]
EMPTY = "The blackboard is empty."
_FURTHER = "\n    | "


class Post(Value):
    """`number` stays its own when others are removed; `content` is as the agent wrote it."""

    number: int
    round: int
    type: PostType
    agent: str
    content: str

    def line(self, longest: int | None = None) -> str:
        """Only its first line begins like a post: further ones are marked, or a post could hold what looks like another."""
        return f"{self.number}. [{self.type}] {self.agent}: {marked(_shortened(self.content, longest))}"

    def read_as(self, longest: int | None) -> frozenset[str]:
        """All that a reader of the board may quote as this post."""
        line = self.line(longest)
        _, _, named = line.partition("] ")
        return frozenset(one.strip() for one in (line, line.partition(". ")[2], named, named.partition(": ")[2]))


@dataclass
class Board:
    """`longest` is how many characters are shown of a post, `size` of the whole board, its newest posts first of all."""

    size: int | None = None
    longest: int | None = None
    posts: list[Post] = field(default_factory=list)
    removed: list[Post] = field(default_factory=list)
    _written: int = 0

    def post(self, round: int, type: PostType, agent: str, content: str) -> Post:
        self._written += 1
        self.posts.append(Post(number=self._written, round=round, type=type, agent=agent, content=content))
        return self.posts[-1]

    def remove(self, texts: Sequence[str]) -> list[Post]:
        """Those that a text matches exactly, but for blanks around it; a decision never."""
        matched = {
            post.number for text in texts if text.strip() for post in self._matching(text.strip()) if post.type != "DECISION"
        }
        removed = [post for post in self.posts if post.number in matched]
        self.posts = [post for post in self.posts if post.number not in matched]
        self.removed += removed
        return removed

    def _matching(self, text: str) -> list[Post]:
        """By content where there is such a post, so that one can't pass for another's line; else as the board shows it."""
        exact = [post for post in self.posts if post.content.strip() == text]
        return exact or [post for post in self.posts if text in post.read_as(self.longest)]

    def shown(self) -> str:
        if not self.posts:
            return EMPTY
        kept = self._fitting()
        lines = [f"({len(self.posts) - len(kept)} earlier messages are not shown.)"] if len(kept) < len(self.posts) else []
        round = 0
        for post in kept:
            if post.round != round:
                round = post.round
                lines.append(f"Round {round}:")
            lines.append(post.line(self.longest))
        return "\n".join(lines)

    def _fitting(self) -> list[Post]:
        """The newest that fit, at least one."""
        kept: list[Post] = []
        used = 0
        for post in reversed(self.posts):
            used += len(post.line(self.longest)) + 1
            if kept and self.size is not None and used > self.size:
                break
            kept.append(post)
        return kept[::-1]


def marked(content: str) -> str:
    """By every sign that ends a line somewhere, not by the newline alone."""
    return _FURTHER.join(content.splitlines())


def _shortened(content: str, longest: int | None) -> str:
    if longest is None or len(content) <= longest:
        return content
    return f"{content[:longest]} (… {len(content) - longest:,} characters more)"
