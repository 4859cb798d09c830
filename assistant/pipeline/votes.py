"""The versions of a draft, told in words: why this one, and what the others say."""

from assistant.reasoning.offline.saying.items import one_line
from risk.versions import Version, Written

MOST_POSTS, LONGEST_POST = 12, 300
"""Posts that are told, the last ones, and characters of each."""


def changed(written: Written, body: str) -> bool:
    """Whether the text is another by now than the one that was chosen."""
    return body.strip() != written.winner.body.strip()


def why(written: Written, body: str) -> str:
    """Why several were written, who voted for which and why, in words. `body` is the text as it stands."""
    told = _weighed(written) if written.strategy == "blackboard" else _voted(written)
    now = f"The text has been changed since: it is not {named(written, written.chosen)} any more."
    return f"{now}\n{told}" if changed(written, body) else told


def _voted(written: Written) -> str:
    name = named(written, written.chosen)
    lines = [f"Several drafts were written because {_listed(written.reasons)}."] if written.reasons else []
    if len(written.versions) < 2:
        return "\n".join((*lines, f"There is only {name}, so that there was nothing to choose.", *written.notes))
    won = sum(vote.candidate == written.winner.by for vote in written.votes)
    voted = f"{name.capitalize()} got {won} of {len(written.votes)} votes." if written.votes else f"Nobody voted; this is {name}."
    lines.append(f"You took {name}." if written.picked else voted)
    places = {version.by: place for place, version in enumerate(written.versions)}
    for vote in written.votes:
        if vote.candidate in places:
            reason = f": {_shortened(vote.reason)}" if vote.reason else ""
            lines.append(f"- {vote.voter} voted for {named(written, places[vote.candidate])}{reason}")
    return "\n".join((*lines, *written.notes))


def _weighed(written: Written) -> str:
    """What was said about it on the blackboard, where nobody votes."""
    name = named(written, written.chosen)
    lines = [f"Several weighed it on a blackboard because {_listed(written.reasons)}."] if written.reasons else []
    lines.append(f"You took {name}." if written.picked else f"What came of it is {name}; nobody votes there.")
    shown = written.posts[-MOST_POSTS:]
    lines += [f"- {post.by} ({post.type.lower()}): {_shortened(post.text)}" for post in shown]
    return "\n".join((*lines, *written.notes))


def _shortened(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST_POST else f"{line[:LONGEST_POST].rstrip()}…"


def others(written: Written, body: str) -> str:
    """The versions other than `body`, the text as it stands, each under its number."""
    left = [place for place in range(len(written.versions)) if place != written.chosen or changed(written, body)]
    if not left:
        return "There is no other draft."
    shown = [f"{named(written, place).capitalize()}:\n{_text(written.versions[place])}" for place in left]
    return "\n\n".join((*shown, f'Say "use draft {left[0] + 1}" to take {"it" if len(left) == 1 else "that one"} instead.'))


def _text(version: Version) -> str:
    return "\n".join(f"  {line}".rstrip() for line in (f"Subject: {version.subject}", "", *version.body.splitlines()))


def named(written: Written, place: int) -> str:
    return f"draft {place + 1} ({written.versions[place].by})"


def _listed(reasons: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(reasons[:-1]), reasons[-1])))
