"""What an approval changes itself is no conflict: a later write of it goes by the etag that an earlier one of it has left."""

from collections.abc import Iterable

from integrations.actions import Action, Receipt
from integrations.types import ContactRef, EventRef, MailRef

Ref = MailRef | EventRef | ContactRef
Key = tuple[str, ...]


def as_left(action: Action, done: Iterable[tuple[Action, Receipt]]) -> Action:
    """`action` with the etags that `done`, the earlier writes under the same permit, have left behind. A thing whose etag was not
    the one that they found keeps its own, so that what somebody else has changed in between stays a conflict."""
    found: dict[Key, set[str]] = {}
    left: dict[Key, str] = {}
    for earlier, receipt in done:
        now = {_key(ref): ref.etag for ref in receipt.changed}
        for ref in refs_of(earlier).values():
            key = _key(ref)
            etag = now.get(key) or (receipt.etag if receipt.id == ref.id else "")
            if etag and (ref.etag in found.get(key, {ref.etag})):
                found.setdefault(key, set()).update((ref.etag, etag))
                left[key] = etag
    renewed = {
        name: ref.model_copy(update={"etag": left[_key(ref)]})
        for name, ref in refs_of(action).items()
        if ref.etag in found.get(_key(ref), ())
    }
    return action.model_copy(update=renewed) if renewed else action


def refs_of(action: Action) -> dict[str, Ref]:
    """The things that were there before it, by the action's field."""
    return {name: value for name, value in action if isinstance(value, MailRef | EventRef | ContactRef)}


def keys_of(action: Action) -> frozenset[Key]:
    """Names of the things that were there before it, the same whatever their etag."""
    return frozenset(_key(ref) for ref in refs_of(action).values())


def _key(ref: Ref) -> Key:
    """A series and its instances are one thing: they share an etag."""
    return (type(ref).__name__, ref.account, ref.calendar if isinstance(ref, EventRef) else "", ref.id)
