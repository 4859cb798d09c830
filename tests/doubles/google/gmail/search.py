"""What a listing finds."""

from collections.abc import Mapping
from typing import Any

from doubles.google.gmail.mailbox import Mailbox
from doubles.google.gmail.matching import matches
from doubles.google.gmail.message import Message
from doubles.google.gmail.query import Condition, asked_for, read

_HIDDEN = ("TRASH", "SPAM")
_REACHING = {"trash": "TRASH", "bin": "TRASH", "spam": "SPAM"}


def search(box: Mailbox, params: Mapping[str, Any]) -> list[Message]:
    """Newest first. Trash and Spam are left out unless `includeSpamTrash` or the query itself asks for them."""
    wanted = set(params.get("labelIds") or ())
    box.labels.refuse_unknown(sorted(wanted))
    query = (params.get("q") or "").strip()
    condition = read(query)
    hidden = set() if params.get("includeSpamTrash") else set(_HIDDEN) - _reached(condition)
    return box.newest_first(
        message
        for message in box.everything
        if wanted <= message.labels
        and (message.indexed or not query)
        and not hidden & message.labels
        and matches(box, condition, message)
    )


def _reached(condition: Condition) -> set[str]:
    places = {term.value.lower() for term in asked_for(condition) if term.field in ("in", "label")}
    return set(_HIDDEN) if "anywhere" in places else {_REACHING[place] for place in places & _REACHING.keys()}
