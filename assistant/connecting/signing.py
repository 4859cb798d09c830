"""How an account stands with who signs it in."""

from typing import NamedTuple


class SignIn(NamedTuple):
    """`scopes` it signs in for, with what each allows (`may`); `why` it does not sign in, and what `helps` at a terminal."""

    state: str = "connected"
    scopes: tuple[str, ...] = ()
    why: str = ""
    helps: str = ""
    may: tuple[str, ...] = ()

    @property
    def trouble(self) -> str:
        return "; ".join(filter(None, (self.why, self.helps)))
