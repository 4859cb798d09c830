"""The user's words about what was done: why, who approved it, when, whether, and what was done on a day. Pure code."""

import re
from datetime import datetime
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from assistant.reasoning.offline.dates import read_times

Asked = Literal["why", "who", "when", "whether", "what", "level"]

LONGEST = 200
"""Characters of what is asked about something done."""

_LEAD = (
    r"(?:(?:please|ok(?:ay)?|and|so|but|hey|hm+|no|well|wait|sorry|then|actually|tell me|remind me|explain(?: to me)?|i wonder"
    r"|i(?:'d| would) like to know|(?:can|could) you (?:please )?(?:tell me|explain)(?: to me)?|do you know)[ ,]+)*"
)
_TAIL = (
    r"(?:,? (?:please|then|again|for me|yourself|on your own|at all|exactly|just now|already|anyway|in the first place))*[ .!?]*"
)
_REALLY = r"(?:(?:really|already|actually|just|ever|even|exactly|in fact) )*"

SENDING = frozenset({"send", "reply", "forward", "draft"})
VERBS: dict[str, frozenset[str]] = {
    r"do|done|did|made|make|carr(?:y|ied) (?:it |that )?out": frozenset(),
    r"sen[dt]|mail(?:ed)?|e-?mail(?:ed)?|writ(?:e|ten)|wrote": SENDING,
    r"repl(?:y|ied)(?: to)?|answer(?:ed)?|respond(?:ed)?(?: to)?": frozenset({"send", "reply", "answer_invitation"}),
    r"forward(?:ed)?": frozenset({"forward"}),
    r"draft(?:ed)?": frozenset({"draft"}),
    r"archived?|fil(?:e|ed)(?: away)?": frozenset({"archive", "move"}),
    r"delet(?:e|ed)|trash(?:ed)?|bin(?:ned)?|remov(?:e|ed)|thr(?:ow|own|ew) away|erased?|g[eo]t rid of": frozenset(
        {"trash", "delete_draft", "cancel_event", "delete_contact", "delete_template"}
    ),
    r"mov(?:e|ed)|reschedul(?:e|ed)|shift(?:ed)?|push(?:ed)?|postpon(?:e|ed)": frozenset(
        {"move", "move_event", "archive", "trash"}
    ),
    r"mark(?:ed)?|flag(?:ged)?|unflag(?:ged)?|star(?:red)?": frozenset({"mark"}),
    r"book(?:ed)?|schedul(?:e|ed)|arrang(?:e|ed)|set(?: up)?|plan(?:ned)?": frozenset({"create_event", "move_event"}),
    r"creat(?:e|ed)|add(?:ed)?|put|enter(?:ed)?": frozenset({"create_event", "create_contact", "save_template", "invite"}),
    r"invit(?:e|ed)": frozenset({"invite", "create_event"}),
    r"cancel(?:l?ed)?|call(?:ed)? off": frozenset({"cancel_event"}),
    r"chang(?:e|ed)|updat(?:e|ed)|edit(?:ed)?|renam(?:e|ed)": frozenset(
        {"move_event", "update_event", "invite", "uninvite", "update_contact", "save_template"}
    ),
    r"accept(?:ed)?|declin(?:e|ed)": frozenset({"answer_invitation"}),
    r"sav(?:e|ed)|stor(?:e|ed)": frozenset({"draft", "create_contact", "update_contact", "save_template"}),
    r"restor(?:e|ed)|take (?:it |that )?back|taken (?:it |that )?back|undo|undone": frozenset(
        {"restore", "restore_event", "restore_contact", "cancel_event", "move", "mark"}
    ),
}
"""The operations that a verb may mean; none stands for all."""
_VERB = rf"(?P<verb>{'|'.join(VERBS)})\b"
BEGINS = re.compile(rf"{_VERB}(?P<rest>.*)", re.IGNORECASE)
"""What you have done: "send that", "archive the mail from Tom"."""
ENDS = re.compile(rf"(?P<rest>.+?) (?:been |really |just )*{_VERB}", re.IGNORECASE)
"""What was done: "the mail from Tom archived"."""

_DEED = rf"{_REALLY}(?P<deed>.+?){_TAIL}"
_THING = rf"(?P<rest>(?:that|this|it|so|the|my|our|all|these|those|them|[A-Z])\b.*?){_TAIL}"
_PASSIVE = rf"(?P<passive>.+?){_TAIL}"
_PERMITTED = r"(?:approved?|permit(?:ted)?|allow(?:ed)?|confirm(?:ed)?)(?: of)?"
_SHAPES: tuple[tuple[Asked, str], ...] = (
    ("why", rf"(?:why (?:did|have) you|(?:how come|why is it that) you(?:'ve| have)?) {_DEED}"),
    ("why", rf"(?:what made you|who (?:told|asked|allowed) you to) {_DEED}"),
    ("why", rf"why (?:was|were|has|have) {_PASSIVE}"),
    ("who", rf"(?:who|when did i|(?:did|have) i) (?:has )?{_REALLY}{_PERMITTED} {_THING}"),
    ("who", rf"on whose (?:approval|orders?|word|say-so) did you {_DEED}"),
    ("when", rf"(?:when|at what time) (?:did|have) you {_DEED}"),
    ("when", rf"when (?:was|were) {_PASSIVE}"),
    ("whether", rf"(?:did|have|didn't|haven't) you {_DEED}"),
    ("what", rf"what (?:all )?(?:did|have) you {_DEED}"),
    ("what", rf"what(?:'s| is| was) the last (?:thing|mail|event|change) (?:that )?you(?:'ve| have)? {_DEED}"),
    ("what", rf"(?:show|list|tell)(?: me)? (?:all|everything|what)(?: that)? you(?:'ve| have)? {_DEED}"),
    ("what", rf"what (?:have you been|were you) (?:doing|up to)(?P<rest>.*?){_TAIL}"),
    ("level", r"why (?:must|should|do) (?:i (?:have to |need to )?approve|you (?:need|want) (?:my|an) approval|you ask)\b.*"),
    (
        "level",
        rf"why (?:is|was|are) (?:this|that|it|they) (?:so |of |a |an )*(?:low|medium|high|risky|dangerous)(?: risk)?{_TAIL}",
    ),
)
SHAPES = tuple((asked, re.compile(f"{_LEAD}{shape}", re.IGNORECASE)) for asked, shape in _SHAPES)
POINTING = frozenset("that this it so them these those thing things do one".split())
FILLING = POINTING | frozenset(
    "a an the my our your all any some to from of about for with in on at by as and or last latest newest just yet i me you was"
    " were been have has had did mail mails email emails message messages event events meeting meetings appointment appointments"
    " contact contacts invitation invitations reply answer draft drafts preview proposal today".split()
)
NOUNS = (
    (re.compile(r"\b(?:mails?|messages?)(?: that (?:went|was sent))? to\b|\b(?:reply|replies|answers?)\b"), SENDING),
    (re.compile(r"\b(?:e-?)?mails?\b|\bmessages?\b"), frozenset({
        "send", "reply", "forward", "draft", "delete_draft", "mark", "archive", "trash", "restore", "move"})),
    (re.compile(r"\b(?:events?|meetings?|appointments?)\b"), frozenset({
        "create_event", "move_event", "update_event", "invite", "uninvite", "cancel_event", "answer_invitation", "restore_event"})),
    (re.compile(r"\bcontacts?\b"), frozenset({"create_contact", "update_contact", "delete_contact", "restore_contact"})),
)  # fmt: skip


class Wondering(NamedTuple):
    """What is asked of what was done. `operations` are those meant, none: any; `words` name the thing, none: what was done last in
    the conversation; `since` and `until` bound the time. `perhaps`: it need not be the assistant that did it."""

    asked: Asked
    operations: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    since: datetime | None = None
    until: datetime | None = None
    perhaps: bool = False


def wondered(text: str, now: datetime, zone: ZoneInfo) -> Wondering | None:
    """None where the message asks for nothing of the kind."""
    said = " ".join(text.replace("\u2019", "'").split())
    if len(said) > LONGEST:
        return None
    for asked, shape in SHAPES:
        if (found := shape.fullmatch(said)) and (deed := _deed(found.groupdict())):
            return _meant(asked, *deed, now, zone)._replace(perhaps=bool(found.groupdict().get("passive")))
    return None


def _deed(found: dict[str, str | None]) -> tuple[str, str] | None:
    """(the verb, what is said of it); None where it is nothing that the assistant does."""
    said, pattern = (found["passive"], ENDS) if found.get("passive") else (found.get("deed"), BEGINS)
    if said is None:
        return "", found.get("rest") or ""
    done = pattern.fullmatch(said)
    return (done["verb"].casefold(), done["rest"]) if done else None


def _meant(asked: Asked, verb: str, rest: str, now: datetime, zone: ZoneInfo) -> Wondering:
    operations = next((those for pattern, those in VERBS.items() if re.fullmatch(pattern, verb)), frozenset())
    for noun, those in NOUNS:
        if noun.search(rest.casefold()):
            operations = operations & those or operations or those
            break
    times = read_times(rest, now=now, zone=zone, prefer="past")
    for time in reversed(times):
        rest = rest[: time.begin] + rest[time.end :]
    since, until = (times[0].spec.start, times[0].spec.stop) if times else (None, None)
    words = frozenset(re.findall(r"[^\W_]+(?:[@.+'-][^\W_]+)*", rest.casefold())) - FILLING
    return Wondering(asked, operations, frozenset(word.removesuffix("'s").removesuffix("s") for word in words), since, until)
