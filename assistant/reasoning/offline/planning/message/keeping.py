"""What is kept and what goes, said one after the other: "Keep only the first meeting on Friday and cancel the rest", "Clean up the
mails from Tom: the newest stays, the others can go"."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.lexicon import lexicon, plural
from assistant.reasoning.offline.planning.message.wishes import done
from assistant.reasoning.offline.reading.frames import strip_closers, strip_openers
from assistant.reasoning.offline.reading.slots import lows
from assistant.reasoning.offline.reading.text.items import Item
from assistant.reasoning.offline.reading.text.tokens import tokenise

GOING = frozenset({"delete", "cancel", "archive"})
KEPT = r"(?:(?:only|just) )?(?:keep|leave|retain)(?: only| just)? (?P<kept>.+?)"
STAYS = r"(?:only )?(?P<stays>(?:the|my) .+?)(?: (?:should|can|must|may|shall))? (?:stays?|remains?|is kept|be kept)"
NOUNS = r"(?:e-?mails?|mails?|messages?|meetings?|events?|appointments?)"
OTHER = r"(?:rest|others?|older|following|subsequent|later|earlier|newer|remaining|everything else|anything else)"
REST = rf"(?:all )?(?:of )?(?:(?:the|my|those|these) )?{OTHER}(?: ones?)?(?: of (?:them|these|those))?(?: {NOUNS})?"
DEED = r"(?P<verb>(?!(?:the|all|of|my|those|these)\b)[a-z]+(?: rid of| away)?) "
GOES = rf"(?:{DEED}{REST}(?P<when> .+?)?|{REST} (?P<done>(?:[a-z]+ ){{0,2}}[a-z]+))"
LEAD = (
    r"(?:(?:from|of|among|out of)|(?:tidy|clean|clear|sort) (?:up|out)|(?:there are|(?:i have|i've got|i got)(?: got)?) "
    r"(?:several|many|too many|lots of|a few|some|a lot of|plenty of|multiple)) (?P<things>.+?)"
)
JOINT = r"\s*(?:[,.;:]|,? (?:and|but)(?: then)?)(?: and| but| then)?(?: please)?\s+"
FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"(?:{LEAD}(?:{JOINT}|\s+(?=(?:only|just|keep|leave)\b)))?(?:{KEPT}|{STAYS}){JOINT}{GOES}",
        rf"{DEED}(?:all )?(?:(?:the|my) )?(?:older|other|remaining|earlier|rest of the) (?P<things>.+?){JOINT}{KEPT}",
    )
)
QUOTED = re.compile("\ue000(\\d+)\ue001")
"""What stands for quoted words, which are never looked into."""


def all_but(text: str, items: Sequence[Item]) -> str:
    """The same as one request that leaves something out; empty where nothing of the kind is said."""
    items = strip_closers(strip_openers(items, lexicon().polite["openers"])[0])
    if not KEEPING & set(lows(items)):
        return ""
    bare, quotes = _masked(text, items)
    found = next((match for form in FORMS if (match := form.fullmatch(bare)) is not None), None)
    said = found.groupdict() if found is not None else {}
    kept = said.get("kept") or said.get("stays") or ""
    verb = _deed(said.get("verb") or "", said.get("done") or "", bare)
    kept = AS_IT_IS.sub("", kept)
    if LATER.search(bare) and not FOREMOST.search(kept):
        return ""
    request = _request(verb, kept, said.get("things") or "", said.get("when") or "") if verb and kept else ""
    return QUOTED.sub(lambda at: quotes[int(at[1])], request)


AS_IT_IS = re.compile(
    r" (?:as (?:it|they) (?:is|are)|as is|as planned|alone|untouched|unchanged|(?:where|when) it is|in place)$", re.IGNORECASE
)
LATER = re.compile(r"\b(?:following|subsequent|later)\b", re.IGNORECASE)
FOREMOST = re.compile(r"\b(?:first|next|earliest|soonest)\b", re.IGNORECASE)
"""Behind what is kept all that is later goes: with any other one kept, what is before it would go as well."""
KEEPING = frozenset({"keep", "leave", "retain", "stays", "stay", "remains", "remain", "kept"})


def _masked(text: str, items: Sequence[Item]) -> tuple[str, list[str]]:
    begin, quotes, bare = items[0].begin, list[str](), ""
    for item in items:
        if item.kind == "quote":
            bare += f"{text[begin : item.begin]}\ue000{len(quotes)}\ue001"
            quotes.append(text[item.begin : item.end])
            begin = item.end
    return (bare + text[begin : items[-1].end]).strip(" .!?"), quotes


def _deed(verb: str, passive: str, text: str) -> str:
    """The verb for what goes; "" where it is not one of putting away."""
    if passive:
        words = passive.lower().split()
        if words[-1] in ("go", "goes"):
            return "cancel" if re.search(r"\b(?:meeting|event|appointment)", text, re.IGNORECASE) else "delete"
        form = done(words, len(words) - 1)
        return form.lemma if form is not None and form.verb in GOING else ""
    words = verb.lower().split()
    forms = lexicon().verbs.all_at(words, 0) if words else ()
    return verb if any(form.base and form.verb in GOING and length == len(words) for length, form in forms) else ""


def _request(verb: str, kept: str, things: str, when: str) -> str:
    tokens = tokenise(kept)
    words = [token.low for token in tokens]
    at = next((n for n in range(min(2, len(words))) if lexicon().orders.at(words, n) or words[n] in lexicon().nth), None)
    if at is None:
        return ""
    found = lexicon().orders.at(words, at)
    end = at + (found[0] if found is not None else 1)
    end += end < len(words) and (words[end] in lexicon().numbers or words[end].isdigit()) and words[end] != "one"
    ordinal = kept[: tokens[end - 1].end]
    rest = kept[tokens[end].begin :] if end < len(tokens) else ""
    if re.fullmatch(r"(?:ones?)?(?: ?of (?:them|these|those))?", rest):
        rest = ""
    elif things:
        return ""
    things = things or re.sub(r"^of (?:the |my )?", "", rest)
    several = _several(things)
    counted = ordinal[-1:].isdigit() or words[end - 1] in lexicon().numbers
    ones = _noun(several) if counted else "one"
    mine = "my " if _noun(several).removesuffix("s") in MEETINGS else ""
    return f"{verb} all {mine}{several}{when} except {ordinal} {ones}" if several else ""


MEETINGS = frozenset({"meeting", "event", "appointment"})


def _noun(things: str) -> str:
    words = [token.low for token in tokenise(things)]
    return next((words[n] for n in range(len(words)) if lexicon().nouns.at(words, n)), "")


def _several(things: str) -> str:
    """ "email from Tom" as "emails from Tom"; "" where it names neither mails nor events."""
    bare = re.sub(r"^(?:(?:all|several|many) )?(?:of )?(?:(?:the|my) )?", "", things)
    tokens = tokenise(bare)
    words = [token.low for token in tokens]
    for at, token in enumerate(tokens):
        noun = lexicon().nouns.at(words, at)
        if noun is not None and noun[1][0] in ("event", "mail"):
            length, (_, several, lemma) = noun
            said = bare[token.begin : tokens[at + length - 1].end] if several else plural(lemma)
            return f"{bare[: token.begin]}{said}{bare[tokens[at + length - 1].end :]}"
    return ""
