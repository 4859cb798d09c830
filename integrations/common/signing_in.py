"""What signing in by consent has in common, whoever is asked for it."""

import secrets
from collections.abc import Mapping, Sequence
from urllib.parse import parse_qs, urlsplit

from integrations.errors import IntegrationError
from integrations.types import Address, Value

ELSEWHERE = "That is not the answer to this sign-in, but perhaps to an earlier one in another window; sign in once more."


class NotConnected(IntegrationError):
    """Signing in came to nothing."""

    kind = "not_connected"


class SignedIn(Value):
    """`owner` is whose account it is, with the name that its mail carries; `troubles` say what can't be used yet, and why."""

    owner: Address
    troubles: tuple[str, ...] = ()


class Held:
    """One secret, in memory alone."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    async def load(self, account: str) -> str | None:
        return self.secret

    async def save(self, account: str, secret: str) -> None:
        self.secret = secret


def told_in(answer: str, state: str) -> Mapping[str, str]:
    """What an authorisation server tells in the address that the browser was sent to. Raises NotConnected where it is the answer to
    something else."""
    told = {name: values[0] for name, values in parse_qs(urlsplit(answer).query).items()}
    if not secrets.compare_digest(told.get("state", "").encode(), state.encode()):
        raise NotConnected(ELSEWHERE)
    return told


def listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if words[:-1] else "") + words[-1]
