"""How a text came about, in a line or two beneath it."""

from collections.abc import Iterator

from rich.text import Text

from assistant.cli.text import safe
from risk.versions import Written


def came_about(written: Written, body: str) -> Iterator[Text]:
    """`body` is the text as it now stands."""
    if len(written.versions) > 1:
        changed = "" if body.strip() == written.winner.body.strip() else ", changed since"
        yield safe(f"{_named(written)}{changed}{_why(written)}", "dim")
        yield safe(f"say “why this one?”, “show the others” or “use draft {_other(written) + 1}”", "dim")
    if written.tokens:
        cost = "" if written.cost is None else f", ${written.cost:.4f}"
        yield safe(f"{written.tokens:,} tokens{cost}", "dim")


def _named(written: Written) -> str:
    by = f"{written.winner.by}, by rules" if written.rules else written.winner.by
    return f"draft {written.chosen + 1} of {len(written.versions)} ({by})"


def _why(written: Written) -> str:
    """How many voted for it, and in the words of one of them why."""
    if written.picked:
        return ", your choice"
    won = [vote for vote in written.votes if vote.candidate == written.winner.by]
    if not written.votes:
        return ""
    reason = next((vote.reason for vote in won if vote.reason), "")
    return f", {len(won)} of {len(written.votes)} votes{': ' if reason else ''}{reason}"


def _other(written: Written) -> int:
    return next(place for place in range(len(written.versions)) if place != written.chosen)
