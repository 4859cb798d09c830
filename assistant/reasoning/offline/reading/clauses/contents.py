"""What a mail says: dictated words, a subject, what it is about, a template."""

import re
from collections.abc import Sequence

from assistant.reasoning.offline.reading.frames import Clause
from assistant.reasoning.offline.reading.nouns.persons import people_in
from assistant.reasoning.offline.reading.parsed import Built, verbatim
from assistant.reasoning.offline.reading.slots import Parts, Slot, Timed
from assistant.reasoning.offline.reading.text.dictation import dictation
from assistant.reasoning.offline.reading.text.items import Item

ASKED = re.compile(r"^\W*(?:hey |hi |ok |please )*(?:can|could|would|will) you\b", re.IGNORECASE)
QUESTION = re.compile(
    r"^(?:what|when|who|where|which|why|how|do|does|did|is|are|can|could|will|would|have|has|shall|should)\b", re.IGNORECASE
)


def unasked(clause: Clause, body: str) -> str:
    """ "could you tell him that I'm late?": what is asked is the request, not what is to be said."""
    own = QUESTION.match(body) or body.count("?") > 1
    return body.rstrip("? ") if body.endswith("?") and not own and ASKED.match(clause.text) else body


def take_content(clause: Clause, parts: Parts, built: Built) -> None:
    if parts.body and clause.text[: max(parts.body_begin, 0)].rstrip().lower().endswith("in which"):
        built.fields["about"] = f"that {parts.body.rstrip(' .!')}"
    elif parts.body:
        say(built, unasked(clause, parts.body))
    for slot in parts.slots:
        text = verbatim(clause, slot.items)
        quote = next((item.text for item in slot.items if item.kind == "quote"), "")
        if slot.marker in ("called", "subject") and slot.items:
            built.fields.setdefault("subject", quote or text.strip(" ,:"))
        elif slot.marker == "about" and (topic := _topic(clause, slot, parts.times)):
            built.fields["about"] = topic if not built.fields.get("about") else f"{built.fields['about']}, {topic}"
        elif slot.marker in ("cc", "bcc"):
            people = people_in([item for item in slot.items if item.low != ":"])
            built.recipients.extend(people)
            built.fields[slot.marker] = tuple(named.person for named in people)
        elif slot.marker == "with" and quote:
            built.fields.setdefault("body", quote)
        elif (slot.marker in ("using", "with") and any(item.low == "template" for item in slot.items)) or (
            slot.marker == "using" and slot.items
        ):
            built.fields["template"] = _template_name(slot.items)
        elif slot.marker == "" and quote and "body" not in built.fields:
            built.fields["body"] = quote


def say(built: Built, body: str) -> None:
    if body.startswith("ask ") and not built.fields.get("body"):
        asked = body.removeprefix("ask ")
        built.fields["about"] = asked if asked.startswith(("if ", "whether ", "to ")) else body
    else:
        built.fields["body"] = body


def _template_name(items: Sequence[Item]) -> str:
    kept = [item.text for item in items if item.kind in ("quote", "name", "person", "number", "word")]
    drop = {"template", "the", "my", "a", "called", "named", "reply", "our"}
    return " ".join(text for text in kept if text.lower() not in drop)


BEFORE_TIME = re.compile(r"(?:\s|,|'s|\u2019s|\b(?:on|at|in|for|from|this|the|around|about)\b)*", re.IGNORECASE)
ABOUT_TIME = re.compile(r"\b(?:about|regarding|concerning)\s+(?:the\s+)?$", re.IGNORECASE)


def _topic(clause: Clause, slot: Slot, times: Sequence[Timed]) -> str:
    """What a mail is about, with the time of that: "lunch tomorrow at 12", "Friday's review", "tomorrow"."""
    begin = slot.items[0].begin if slot.items else -1
    end = slot.items[-1].end if slot.items else -1
    for timed in times:
        follows = end >= 0 and timed.begin >= end and BEFORE_TIME.fullmatch(clause.text, end, timed.begin)
        leads = ABOUT_TIME.search(clause.text, 0, timed.begin) and (
            begin < 0 or (timed.end <= begin and BEFORE_TIME.fullmatch(clause.text, timed.end, begin))
        )
        begin = timed.begin if leads else begin
        end = timed.end if follows or (leads and end < 0) else end
    return clause.text[begin:end].strip() if begin >= 0 else ""


def dictated_from(clause: Clause, rest: Sequence[Item]) -> int | None:
    """Where in `rest`, the end of the clause, unquoted dictation begins."""
    stop, _ = dictation(clause.items)
    return None if stop is None else stop - (len(clause.items) - len(rest))
