"""What a model takes for a wish to remember or forget, held against the user's own words: none stands that these do not say."""

import re

from assistant.reasoning.base import Request
from assistant.reasoning.offline.planning.remembering import significant
from assistant.reasoning.remembering import asked_to_remember
from assistant.values import ForgetNote, OwnCommand, Remember, ShowNotes

BY_ITSELF = "I did not note anything: say “remember that …” in a message of its own."
NOT_KEPT = "I only remember what you ask me to in your own words. Say “remember that …”, and I note just that."
_SPOKEN_OF = re.compile(r"\bnotes?\b|\bremember\w*|\bforget (?:that|what) i\b", re.IGNORECASE)


def of_notes(kind: str, what: str, request: Request) -> OwnCommand | None:
    """None unless every word of it is the user's, and these ask for it; all at once is never forgotten this way."""
    text = " ".join(what.split()).strip(" .")
    if kind == "remember":
        return Remember(texts=(text,)) if asked_to_remember(text, request.text) else None
    words, there = significant(what), set(significant(request.text))
    if not set(words) <= there:
        return None
    if kind == "show_notes":
        return ShowNotes(words=words)
    if not words or not _SPOKEN_OF.search(request.text):
        return None
    numbers = tuple(int(word) for word in words if word.isdecimal() and len(word) < 5)
    return ForgetNote(numbers=numbers) if numbers else ForgetNote(words=words)
