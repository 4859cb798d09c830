"""People who are described by mails: "the sender of the last mail about the lease", "whoever wrote to me last", "everyone who
emailed me yesterday", "the person I wrote to last"."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.items import NAMED, Item, said

WROTE = frozenset({"sent", "wrote", "emailed", "mailed", "messaged", "contacted", "written", "e-mailed"})
LATELY = {("most", "recently"): "last", ("recently",): "last", ("lately",): "last", ("latest",): "last"}


@dataclass(frozen=True, slots=True)
class Authorship:
    """`length` items describe whoever wrote, or got, the mails that `words` say."""

    length: int
    words: str


def authorship(items: Sequence[Item], words: Sequence[str], at: int, now: datetime) -> Authorship | None:
    """Times that lie ahead belong to what is asked for, not to the mails."""
    small = lexicon().small
    place = at + (words[at] in small["each"])
    place += words[place : place + 1] == ["of"]
    place += place < len(words) and words[place] in ("the", "my", "those")
    if place >= len(items):
        return None
    if words[place].removesuffix("s") in small["senders"] and words[place + 1 : place + 2] == ["of"]:
        end = _mail(items, words, place + 2, now)
        return Authorship(end - at, said(items[place + 2 : end])) if end else None
    if (either := _one_of(items, words, at, place)) is not None:
        return either
    if words[place] not in small["people_heads"]:
        return None
    several = words[place] in ("everyone", "everybody", "people", "persons", "those", "anyone") or words[at] in small["each"]
    return _wrote(items, words, at, place + 1, several, now)


def _wrote(items: Sequence[Item], words: Sequence[str], begin: int, at: int, several: bool, now: datetime) -> Authorship | None:
    while at < len(words) and words[at] in ("who", "that", "whom", "has", "have"):
        at += 1
    mine = words[at : at + 1] in (["i"], ["we"])
    at += mine
    at += words[at : at + 1] in (["have"], ["had"])
    at, lately = _lately(words, at)
    if at >= len(words) or words[at] not in WROTE:
        return None
    at += 1
    at += words[at : at + 1] == ["to"]
    to_me = words[at : at + 1] in (["me"], ["us"])
    at += to_me
    if (end := _mail(items, words, at, now)) and not mine:
        return Authorship(end - begin, said(items[at:end]))
    if mine == to_me and not (lately and not mine):
        return None
    end, order, rest = _tail(items, words, at, now)
    order = order or lately
    if not order and not several:
        return None
    noun = f"{order} mail" if order else "mails"
    return Authorship(end - begin, f"the {noun} I {'sent' if mine else 'received'} {rest}".strip())


def _lately(words: Sequence[str], at: int) -> tuple[int, str]:
    """Where the verb stands behind "last", "most recently", and which mail that says."""
    phrase = next((phrase for phrase in (*LATELY, ("last",)) if tuple(words[at : at + len(phrase)]) == phrase), ())
    return at + len(phrase), "last" if phrase else ""


CHOOSING = frozenset({"whichever", "whoever", "one", "who"})


def _one_of(items: Sequence[Item], words: Sequence[str], begin: int, at: int) -> Authorship | None:
    """ "whichever of Anna and Tom wrote to me last": who wrote the last mail from one or the other."""
    if words[at] not in CHOOSING or words[at + 1 : at + 2] != ["of"]:
        return None
    end, people = at + 2, list[str]()
    while end < len(items) and (items[end].kind in NAMED or items[end].low in ("and", "or", ",", "the", "two", ":")):
        people += [items[end].text] if items[end].kind in NAMED else []
        end += 1
    if len(people) < 2:
        return None
    while end < len(words) and words[end] in ("who", "that", "has", "have"):
        end += 1
    end, before = _lately(words, end)
    if words[end : end + 1] == [] or words[end] not in WROTE:
        return None
    end += 1
    end = next((n for n in range(end, len(words)) if words[n] not in ("to", "me", "us", "in")), len(words))
    end, behind = _lately(words, end)
    return Authorship(end - begin, f"the last mail from {' or '.join(people)}") if before or behind else None


def _mail(items: Sequence[Item], words: Sequence[str], at: int, now: datetime) -> int:
    """Where "the last mail about the lease" ends; 0 where no definite mail stands."""
    if at >= len(items) or words[at] in ("a", "an", "some", "any"):
        return 0
    for n in range(at, min(len(items), at + 6)):
        noun = lexicon().nouns.at(words, n)
        if noun is not None and noun[1][0] == "mail":
            return _tail(items, words, n + int(noun[0]), now)[0]
        small = lexicon().small
        ends = items[n].kind in ("punct", "quote", "time") or words[n] in small["auxiliaries"]
        ends = ends or (n > at and words[n] in small["articles"])
        if noun is not None or ends or lexicon().markers.at(words, n):
            return 0
    return 0


def _tail(items: Sequence[Item], words: Sequence[str], at: int, now: datetime) -> tuple[int, str, str]:
    """Where the topic and the times end; "last" or "first" among them, and the rest as said."""
    order, kept, end = "", list[str](), at
    while end < len(items):
        lately = next((phrase for phrase in LATELY if tuple(words[end : end + len(phrase)]) == phrase), None)
        match = lexicon().orders.at(words, end)
        lead = end + (words[end] in ("on", "in", "during", "this") and end + 1 < len(items))
        marker = lexicon().markers.at(words, end)
        if lately is not None and not order:
            order, end = LATELY[lately], end + len(lately)
        elif (spec := items[lead].time) is not None and spec.start is not None and spec.start < now:
            kept.append(said(items[end : lead + 1]))
            end = lead + 1
        elif match is not None and not order:
            order, end = words[end], end + match[0]
        elif marker is not None and marker[1] in ("about", "on") and end + marker[0] < len(items):
            stop = _topic(items, words, end + marker[0])
            kept.append(said(items[end:stop]))
            end = stop
        elif items[end].kind == "subject":
            kept.append(f'with "{items[end].text}" in the subject')
            end += 1
        else:
            break
    return end, order, " ".join(kept)


def _topic(items: Sequence[Item], words: Sequence[str], at: int) -> int:
    if items[at].kind == "quote":
        return at + 1
    end = at
    while end < len(items) and items[end].kind in ("word", "name", "person", "number"):
        if end > at and (words[end] in ("and", "that", "an", "a", "should", "must") or lexicon().markers.at(words, end)):
            break
        end += 1
    return end
