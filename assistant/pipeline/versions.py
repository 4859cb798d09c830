"""The user's words about the versions of a draft that is shown: why this one, what else there was, which to use. Pure code."""

import re
from typing import Literal, NamedTuple

from assistant.reasoning.offline.planning.effort import without_effort
from assistant.reasoning.offline.saying.items import one_line
from assistant.values import Brief, Proposal
from integrations.actions import SaveDraft, SendMail
from risk.preview import Item, Preview
from risk.versions import Version, Written

Asked = Literal["why", "others"]

_LEAD = (
    r"(?:(?:please|ok(?:ay)?|and|so|hm+|no|actually|well|then|can you|could you|i(?:'d| would) like to (?:see|know|hear))[ ,]+)*"
)
_TAIL = r"(?:,? (?:please|instead|then|now|again))*[ .!?]*"
_DRAFT = r"(?:one|draft|version|text|variant|alternative|option|answer|reply|mail|letter)"
_DRAFTS = r"(?:ones|drafts|versions|texts|variants|alternatives|options|answers|suggestions|candidates)"

_THIS = rf"(?:this|that|it)(?: {_DRAFT})?"
_CHOSE = r"(?:choose|chose|chosen|pick|picked|take|took|taken|prefer|use|select|selected|vote for|voted for)"
WHY = re.compile(
    rf"{_LEAD}(?:tell me |explain(?: to me)? |i wonder )?(?:"
    rf"why(?: just| exactly)? (?:{_THIS}|the (?:first|second|third|fourth|fifth|last)(?: {_DRAFT})?)"
    rf"|why (?:did|do|have) (?:you|they) {_CHOSE} {_THIS}"
    rf"|why (?:is|was) {_THIS} (?:the best|better|chosen|picked|selected|the winner)"
    r"|how did (?:they|you|the (?:drafters|agents|models)) (?:vote|decide)|who voted (?:for what|for which|how|for it|for this)"
    rf"|(?:show me |show |what were |what are )?the votes|(?:the |your )?(?:choice|reasons?|vote)){_TAIL}",
    re.IGNORECASE,
)
_SHOWING = (
    r"(?:(?:show|give|read|list|see|let me (?:see|read|have a look at)|what (?:are|were|about)|where are|(?:can|may) i see)"
    r"(?: me)? )?"
)
OTHERS = re.compile(
    rf"{_LEAD}{_SHOWING}(?:(?:all )?(?:of )?the (?:other|rejected|remaining)(?: (?:two|three|four))?(?: {_DRAFTS})"
    rf"|the (?:others|other (?:two|three|four)|rest|alternatives|options)|all(?: of)? (?:the|those|your) {_DRAFTS}"
    rf"|(?:any |some )?(?:alternatives|other {_DRAFTS})){_TAIL}"
    rf"|{_LEAD}what else (?:is there|was there|did (?:you|they) (?:write|have)|do you have){_TAIL}",
    re.IGNORECASE,
)
TAKING = (
    r"(?:(?:let(?:'s| us) |i(?:'d| would)? (?:rather |prefer to |like to |want to )?|i(?:'ll| will) )?"
    r"(?:use|take|choose|pick|prefer|go (?:with|for)|switch to|change to|have|want|like|select)"
    r"|i(?:'d| would) rather have|make it|rather|better)"
)
TAKES = re.compile(rf"{_LEAD}(?:{TAKING} )?(?P<which>.+?){_TAIL}", re.IGNORECASE)
PLACES = {word: n for n, word in enumerate("first second third fourth fifth sixth".split())} | {
    word: n for n, word in enumerate("1st 2nd 3rd 4th 5th 6th".split())
}
NUMBERS = {"one": 0, "two": 1, "three": 2, "four": 3, "five": 4, "six": 5}
BY_PLACE = re.compile(rf"(?:the )?(?P<place>{'|'.join(PLACES)}|last)(?: {_DRAFT})?", re.IGNORECASE)
BY_NUMBER = re.compile(
    rf"(?:(?:the )?{_DRAFT} )?(?:number |no\.? ?|nr\.? ?|# ?)?(?P<number>\d{{1,2}}|{'|'.join(NUMBERS)})", re.IGNORECASE
)
BY_NAME = re.compile(rf"(?:the |that of |the one (?:by|from|of) )?(?P<name>[\w .-]+?)(?:'s)?(?: {_DRAFT})?", re.IGNORECASE)
OTHER = re.compile(rf"(?:the )?other(?: {_DRAFT})?", re.IGNORECASE)


class Answered(NamedTuple):
    """The proposal stays as it is, and this is said about it."""

    words: str


class Changed(NamedTuple):
    """`proposals` take its place; `goal` is a clause for people."""

    proposals: tuple[Proposal, ...]
    goal: str


class Taken(NamedTuple):
    """Which version is to be used; None where the words fit several, or none."""

    version: int | None


SUGGESTION = "this suggestion is what you want to answer"
OPEN_WORDS = "the words that I wrote are what you would say"
ONE_OF_SEVERAL = "this of the drafts is the one that you want"
LEFT_OPEN = "left open for you: "
SEVERAL_MAILS = "There are drafts of several mails here. Tell me with the words of the mail itself what to change."
NOT_SUCH = "I can't tell which draft you mean; there are: {}."
SENDS = re.compile(
    rf"{_LEAD}(?:yes[ ,]+)?(?:send (?:it|this|that|the (?:draft|mail|reply))(?: off| out| to (?:him|her|them))?|mail it){_TAIL}",
    re.IGNORECASE,
)


def about_draft(text: str, preview: Preview) -> Answered | Changed | None:
    """What a message means for the mails that are proposed: why this text, what else there was, another one, more thought, or to
    send what was to be kept as a draft. None where it is about none of it."""
    mails = [place for place, item in enumerate(preview.items) if isinstance(item.action, SendMail | SaveDraft)]
    if mails and len(mails) == len(preview.items) and SENDS.fullmatch(_flat(text)):
        drafts = all(isinstance(item.action, SaveDraft) for item in preview.items)
        return Changed(tuple(_sending(item) for item in preview.items), "send what was drafted") if drafts else None
    thinks = without_effort(text) == ""
    places = mails if thinks else [place for place in mails if _several(preview.items[place])]
    if not places or not (thinks or asked_about(text) or any(taken(text, _written(preview.items[place])) for place in places)):
        return None
    if len(places) > 1:
        return Answered(SEVERAL_MAILS)
    item = preview.items[places[0]]
    if thinks:
        return _with(preview, places[0], _anew(item), "think about the draft once more")
    written = _written(item)
    if asked := asked_about(text):
        return Answered(why(written) if asked == "why" else others(written))
    return _taking(preview, places[0], taken(text, written))


def _taking(preview: Preview, place: int, version: "Taken | None") -> Answered | Changed:
    item = preview.items[place]
    written = _written(item)
    if version is None or version.version is None:
        return Answered(NOT_SUCH.format(", ".join(_named(written, n) for n in range(len(written.versions)))))
    if version.version == written.chosen and getattr(item.action, "body", "") == written.winner.body:
        return Answered(f"This is {_named(written, written.chosen)}.")
    changed = taking(proposal_of(item), use(written, version.version))
    return _with(preview, place, changed, f"use {_named(written, version.version)}")


def proposal_of(item: Item) -> Proposal:
    return Proposal(action=item.action, says=item.says, guesses=item.guesses, notes=item.notes, written=item.written)


def _with(preview: Preview, place: int, proposal: Proposal, goal: str) -> Changed:
    proposals = [proposal_of(item) for item in preview.items]
    proposals[place] = proposal
    return Changed(tuple(proposals), goal)


def _several(item: Item) -> bool:
    return item.written is not None and len(item.written.versions) > 1


def _written(item: Item) -> Written:
    assert item.written is not None
    return item.written


def _anew(item: Item) -> Proposal:
    """The same mail, to be written once more with more thought."""
    action = item.action
    assert isinstance(action, SendMail | SaveDraft)
    kind = "reply" if action.reply_to else "forward" if action.forward_of else "mail"
    about = item.written.about if item.written else action.body
    brief = Brief(kind=kind, about=about, to=action.to, thought=True)
    return proposal_of(item).model_copy(update={"brief": brief, "written": None})


def _sending(item: Item) -> Proposal:
    assert isinstance(item.action, SaveDraft)
    action = SendMail(**item.action.model_dump(exclude={"kind"}))
    return proposal_of(item).model_copy(update={"action": action, "says": ""})


def taking(proposal: Proposal, written: Written) -> Proposal:
    """The proposal with the version that is chosen. What the user did not say, or may want otherwise, is a guess."""
    action, version = proposal.action, written.winner
    assert isinstance(action, SendMail | SaveDraft)
    keeps = action.subject if proposal.brief and proposal.brief.kind != "mail" else ""
    changes = {"subject": keeps or action.subject or version.subject, "body": version.body}
    several = len(written.versions) > 1 and not written.picked
    guess = ONE_OF_SEVERAL if several else "" if written.about else OPEN_WORDS
    guess = SUGGESTION if proposal.brief and proposal.brief.sides else guess
    kept = tuple(guess for guess in proposal.guesses if guess not in (SUGGESTION, OPEN_WORDS, ONE_OF_SEVERAL))
    notes = tuple(note for note in proposal.notes if not note.startswith(LEFT_OPEN))
    return proposal.model_copy(
        update={
            "action": action.model_copy(update=changes),
            "brief": None,
            "written": written,
            "guesses": (*kept, *filter(None, (guess,))),
            "notes": (*notes, *(f"{LEFT_OPEN}{gap}" for gap in version.gaps)),
        }
    )


def asked_about(text: str) -> Asked | None:
    said = _flat(text)
    return "why" if WHY.fullmatch(said) else "others" if OTHERS.fullmatch(said) else None


def taken(text: str, written: Written) -> Taken | None:
    """None where the words take no version."""
    said = _flat(text)
    found = TAKES.fullmatch(said)
    if found is None or len(written.versions) < 2:
        return None
    which = found["which"].strip()
    explicit = re.match(rf"{_LEAD}{TAKING} ", said, re.IGNORECASE) is not None
    if OTHER.fullmatch(which):
        others = [n for n in range(len(written.versions)) if n != written.chosen]
        return Taken(others[0] if len(others) == 1 else None)
    if place := BY_PLACE.fullmatch(which):
        word = place["place"].lower()
        return _place(len(written.versions) - 1 if word == "last" else PLACES[word], written)
    if (number := BY_NUMBER.fullmatch(which)) and (explicit or not which.isdigit()):
        word = number["number"].lower()
        return _place(NUMBERS[word] if word in NUMBERS else int(word) - 1, written)
    named = BY_NAME.fullmatch(which)
    names = [n for n, one in enumerate(written.versions) if named and one.by.casefold() == named["name"].strip().casefold()]
    return Taken(names[0]) if len(names) == 1 else None


def _place(place: int, written: Written) -> Taken:
    return Taken(place if 0 <= place < len(written.versions) else None)


def _flat(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split())


def why(written: Written) -> str:
    """Why several were written, who voted for which and why, in words."""
    if written.strategy == "blackboard":
        return _weighed(written)
    name = _named(written, written.chosen)
    lines = [f"Several drafts were written because {_listed(written.reasons)}."] if written.reasons else []
    if len(written.versions) < 2:
        return "\n".join((*lines, f"There is only {name}; nobody voted.", *written.notes))
    won = sum(vote.candidate == written.winner.by for vote in written.votes)
    lines.append(f"You took {name}." if written.picked else f"{name.capitalize()} got {won} of {len(written.votes)} votes.")
    places = {version.by: place for place, version in enumerate(written.versions)}
    for vote in written.votes:
        if vote.candidate in places:
            reason = f": {vote.reason}" if vote.reason else ""
            lines.append(f"- {vote.voter} voted for {_named(written, places[vote.candidate])}{reason}")
    return "\n".join((*lines, *written.notes))


def _weighed(written: Written) -> str:
    """What was said about it on the blackboard, where nobody votes."""
    name = _named(written, written.chosen)
    lines = [f"Several weighed it on a blackboard because {_listed(written.reasons)}."] if written.reasons else []
    lines.append(f"You took {name}." if written.picked else f"What came of it is {name}; nobody votes there.")
    shown = written.posts[-MOST_POSTS:]
    lines += [f"- {post.by} ({post.type.lower()}): {_shortened(post.text)}" for post in shown]
    return "\n".join((*lines, *written.notes))


MOST_POSTS, LONGEST_POST = 12, 300
"""Posts that are told, the last ones, and characters of each."""


def _shortened(text: str) -> str:
    line = one_line(text)
    return line if len(line) <= LONGEST_POST else f"{line[:LONGEST_POST].rstrip()}…"


def others(written: Written) -> str:
    """The versions that are not proposed, each under its number."""
    left = [place for place in range(len(written.versions)) if place != written.chosen]
    if not left:
        return "There is no other draft."
    shown = [f"{_named(written, place).capitalize()}:\n{_text(written.versions[place])}" for place in left]
    return "\n\n".join((*shown, f'Say "use draft {left[0] + 1}" to take {"it" if len(left) == 1 else "that one"} instead.'))


def use(written: Written, version: int) -> Written:
    return written.model_copy(update={"chosen": version, "picked": True})


def _text(version: Version) -> str:
    return "\n".join(f"  {line}".rstrip() for line in (f"Subject: {version.subject}", "", *version.body.splitlines()))


def _named(written: Written, place: int) -> str:
    return f"draft {place + 1} ({written.versions[place].by})"


def _listed(reasons: tuple[str, ...]) -> str:
    return " and ".join(filter(None, (", ".join(reasons[:-1]), reasons[-1])))
