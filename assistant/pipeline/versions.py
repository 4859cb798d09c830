"""The user's words about the versions of a draft that is shown: why this one, what else there was, which to use. Pure code."""

import re
from collections import Counter
from typing import Literal, NamedTuple

from assistant.pipeline.consent import approves
from assistant.pipeline.filling import filled
from assistant.pipeline.votes import changed, named, others, why
from assistant.reasoning.offline.planning.effort import without_effort
from assistant.reasoning.offline.saying.writing import GAP
from assistant.values import Brief, Proposal
from integrations.actions import SaveDraft, SendMail
from risk.preview import Item, Preview
from risk.versions import Written

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
LONGEST = 200
"""Characters of what is said about a draft."""
ONE_OF_DRAFTS = re.compile(
    rf"the other one|(?:the )?(?:other|{'|'.join(PLACES)}) (?:draft|version)|(?:the )?(?:draft|version) (?:number )?\d{{1,2}}",
    re.IGNORECASE,
)
"""With nothing else that it could be said of."""


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
SEVERAL_MAILS = "There are drafts of several mails here, to {}. Say which you mean, such as “{} for {}”."
ONLY_ONE = "There is only this one draft, so nothing was chosen. Say “give me options” to have several written and voted on."
FOR_WHOM = re.compile(
    rf"(?P<said>.+?),? (?:for|in|of|with|to) (?:(?:the|my) )?(?:{_DRAFT} )?(?:(?:to|for) )?(?P<whom>[^,.!?]+?){_TAIL}",
    re.IGNORECASE,
)
UNFILLED = "The mail still leaves open: {}. Say “fill in: …”, or “send it anyway”."
NOT_SUCH = "I can't tell which draft you mean; there are: {}."
SENDS = re.compile(
    rf"{_LEAD}(?:yes[ ,]+)?(?:send (?:it|this|that|the (?:draft|mail|reply))(?: off| out| to (?:him|her|them))?|mail it){_TAIL}",
    re.IGNORECASE,
)


def about_draft(text: str, preview: Preview) -> Answered | Changed | None:
    """What a message means for the mails that are proposed: why this text, what else there was, another one, more thought, or to
    send what was to be kept as a draft. None where it is about none of it."""
    if len(text) > LONGEST:
        return None
    if approves(text) and "anyway" not in text.lower() and (open_gaps := _gaps_that_go_out(preview)):
        return Answered(UNFILLED.format("; ".join(open_gaps)))
    if fills := _filling(text, preview):
        return fills
    mails = [place for place, item in enumerate(preview.items) if isinstance(item.action, SendMail | SaveDraft)]
    if mails and len(mails) == len(preview.items) and SENDS.fullmatch(_flat(text)):
        drafts = all(isinstance(item.action, SaveDraft) for item in preview.items)
        return Changed(tuple(_sending(item) for item in preview.items), "send what was drafted") if drafts else None
    if mails and without_effort(text) == "":
        anew = (_anew(item) if place in mails else proposal_of(item) for place, item in enumerate(preview.items))
        return Changed(tuple(anew), "think about it once more")
    places = [place for place in mails if _several(preview.items[place])]
    if not places:
        return Answered(_only_one(preview, mails)) if mails and _among_drafts(text) else None
    text, places = _narrowed(text, preview, places)
    if not (asked_about(text) or any(taken(text, _written(preview.items[place])) for place in places)):
        return None
    if len(places) > 1:
        return Answered(_which_mail(text, [_to(preview.items[place]) for place in places]))
    item = preview.items[places[0]]
    if asked := asked_about(text):
        return Answered((why if asked == "why" else others)(_written(item), _body(item)))
    return _taking(preview, places[0], taken(text, _written(item)))


def _gaps_that_go_out(preview: Preview) -> tuple[str, ...]:
    """What a drafted mail still leaves open."""
    mails = [item for item in preview.items if isinstance(item.action, SendMail) and item.written is not None]
    return tuple(f"[{gap}]" for item in mails for gap in _written(item).winner.gaps if f"[{gap}]" in _body(item))


def _filling(text: str, preview: Preview) -> Changed | None:
    """The first mail with a gap that the words fill."""
    for place, item in enumerate(preview.items):
        action = item.action
        if isinstance(action, SendMail | SaveDraft) and (body := filled(text, action.body)) is not None:
            notes = tuple(one for one in item.notes if not one.startswith(LEFT_OPEN) or f"[{one.removeprefix(LEFT_OPEN)}]" in body)
            changes = {"action": action.model_copy(update={"body": body}), "notes": notes}
            return _with(preview, place, proposal_of(item).model_copy(update=changes), "fill a gap of the draft")
    return None


def _narrowed(text: str, preview: Preview, places: list[int]) -> tuple[str, list[int]]:
    """Of several mails the one to whom the words end with: "use draft 2 for Tom", "why this one in the reply to Emily?"."""
    found = FOR_WHOM.fullmatch(_flat(text)) if len(places) > 1 else None
    if found is None:
        return text, places
    whom = set(found["whom"].casefold().split())
    meant = [place for place in places if whom <= _names(preview.items[place])]
    return (found["said"], meant) if len(meant) == 1 else (text, places)


def _names(item: Item) -> set[str]:
    assert isinstance(item.action, SendMail | SaveDraft)
    return {word for one in item.action.to for word in (*one.name.casefold().split(), one.email)}


def _to(item: Item) -> str:
    assert isinstance(item.action, SendMail | SaveDraft)
    return ", ".join(one.name or one.email for one in item.action.to)


def _which_mail(text: str, to: list[str]) -> str:
    such = "use draft 2" if asked_about(text) is None else _flat(text).rstrip(" .!?")
    return SEVERAL_MAILS.format("; ".join(to), such, to[0])


def _taking(preview: Preview, place: int, version: "Taken | None") -> Answered | Changed:
    item = preview.items[place]
    written = _written(item)
    if version is None or version.version is None:
        return Answered(NOT_SUCH.format(", ".join(named(written, n) for n in range(len(written.versions)))))
    if version.version == written.chosen and not changed(written, _body(item)):
        return Answered(f"This is {named(written, written.chosen)}.")
    other = taking(proposal_of(item), use(written, version.version))
    return _with(preview, place, other, f"use {named(written, version.version)}")


def proposal_of(item: Item) -> Proposal:
    told = item.warnings
    return Proposal(action=item.action, says=item.says, guesses=item.guesses, notes=item.notes, written=item.written, warnings=told)


def _with(preview: Preview, place: int, proposal: Proposal, goal: str) -> Changed:
    proposals = [proposal_of(item) for item in preview.items]
    proposals[place] = proposal
    return Changed(tuple(proposals), goal)


def _several(item: Item) -> bool:
    return item.written is not None and len(item.written.versions) > 1


def _written(item: Item) -> Written:
    assert item.written is not None
    return item.written


def _body(item: Item) -> str:
    return item.action.body if isinstance(item.action, SendMail | SaveDraft) else ""


def _only_one(preview: Preview, mails: list[int]) -> str:
    """Where several were to be written, what became of it."""
    written = [one for place in mails if (one := preview.items[place].written) and one.strategy != "single"]
    return why(written[0], written[0].winner.body) if len(written) == 1 else ONLY_ONE


def _among_drafts(text: str) -> bool:
    """Whether the words ask about one draft among several, or take one."""
    which = TAKES.fullmatch(_flat(text))
    return asked_about(text) is not None or (which is not None and ONE_OF_DRAFTS.fullmatch(which["which"].strip()) is not None)


def _anew(item: Item) -> Proposal:
    """The same mail, to be written once more with more thought."""
    action = item.action
    assert isinstance(action, SendMail | SaveDraft)
    kind = "reply" if action.reply_to else "forward" if action.forward_of else "mail"
    written = item.written
    if written is None or changed(written, action.body):
        about, template = action.body, ""
    else:
        about, template = written.about, written.template
    if written is not None and kind == "mail" and action.subject == written.winner.subject:
        action = action.model_copy(update={"subject": ""})
    brief = Brief(kind=kind, about=about, template=template, to=action.to, thought=True)
    return proposal_of(item).model_copy(update={"action": action, "brief": brief, "written": None})


def _sending(item: Item) -> Proposal:
    assert isinstance(item.action, SaveDraft)
    action = SendMail(**item.action.model_dump(exclude={"kind"}))
    return proposal_of(item).model_copy(update={"action": action, "says": ""})


def taking(proposal: Proposal, written: Written) -> Proposal:
    """The proposal with the version that is chosen. What the user did not say, or may want otherwise, is a guess."""
    action = proposal.action
    assert isinstance(action, SendMail | SaveDraft)
    if proposal.brief and action.subject:
        written = _under(action.subject, written)
    version = written.winner
    before = proposal.written.winner.subject if proposal.written else ""
    subject = version.subject if action.subject in ("", before) else action.subject
    changes = {"subject": subject, "body": version.body}
    several = len(written.versions) > 1 and not written.picked
    guess = ONE_OF_SEVERAL if several else "" if written.about else OPEN_WORDS
    guess = SUGGESTION if proposal.brief and proposal.brief.sides else guess
    return proposal.model_copy(
        update={
            "action": action.model_copy(update=changes),
            "brief": None,
            "written": written,
            "guesses": (*_without_doubts(proposal), *filter(None, (guess,))),
            "notes": _noting(proposal, version.gaps),
        }
    )


def _under(subject: str, written: Written) -> Written:
    """All versions with the subject that is given."""
    versions = tuple(version.model_copy(update={"subject": subject}) for version in written.versions)
    return written.model_copy(update={"versions": versions})


def as_it_stands(proposal: Proposal) -> Proposal:
    """Without what was told of a text that the user has changed since."""
    written, body = proposal.written, getattr(proposal.action, "body", "")
    if written is None or not changed(written, body):
        return proposal
    guesses = proposal.guesses if written.winner.body in body else _without_doubts(proposal)
    return proposal.model_copy(update={"guesses": guesses, "notes": _noting(proposal, tuple(dict.fromkeys(GAP.findall(body))))})


def _without_doubts(proposal: Proposal) -> tuple[str, ...]:
    return tuple(guess for guess in proposal.guesses if guess not in (SUGGESTION, OPEN_WORDS, ONE_OF_SEVERAL))


def _noting(proposal: Proposal, gaps: tuple[str, ...]) -> tuple[str, ...]:
    notes = tuple(note for note in proposal.notes if not note.startswith(LEFT_OPEN))
    return (*notes, *(f"{LEFT_OPEN}{gap}" for gap in gaps))


def asked_about(text: str) -> Asked | None:
    said = _flat(text)
    return "why" if WHY.fullmatch(said) else "others" if OTHERS.fullmatch(said) else None


def taken(text: str, written: Written) -> Taken | None:
    """None where the words take no version. "The other one" of several is the one with the next most votes, of equals the first."""
    said = _flat(text)
    found = TAKES.fullmatch(said)
    if found is None or len(written.versions) < 2:
        return None
    which = found["which"].strip()
    explicit = re.match(rf"{_LEAD}{TAKING} ", said, re.IGNORECASE) is not None
    if OTHER.fullmatch(which):
        votes = Counter(vote.candidate for vote in written.votes)
        others = [n for n in range(len(written.versions)) if n != written.chosen]
        return Taken(max(others, key=lambda n: votes[written.versions[n].by]))
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


def use(written: Written, version: int) -> Written:
    return written.model_copy(update={"chosen": version, "picked": True})
