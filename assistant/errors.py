"""What can go wrong in the assistant itself. `str(error)` is one sentence for people, and says what to do."""

from typing import Literal


class AssistantError(Exception):
    """`code` is the exit status of a command that ends with it."""

    code = 1


class UserError(AssistantError):
    """What was asked for can't be done as it was put: unknown id, bad value, missing file."""

    code = 2


class Unknown(UserError):
    """What was named is not there, or is somebody else's."""


ModelTrouble = Literal[
    "unreachable", "timeout", "denied", "rate_limited", "rejected", "server", "invalid", "truncated", "refused", "budget"
]


class ModelError(AssistantError):
    """The language model could not be used. `kind`: unreachable (no connection, or it broke off), timeout, denied (key or rights),
    rate_limited, rejected (the endpoint refuses the request as it is), server (its own fault), invalid (an answer that is none,
    also when shown its error), truncated, refused (the model declines), budget (what may be spent is spent)."""

    code = 4

    def __init__(self, words: str, kind: ModelTrouble = "server") -> None:
        super().__init__(words)
        self.kind = kind


class FlowError(AssistantError):
    """A flow or preview is not in a state that allows this."""

    code = 3


class Unreadable(FlowError):
    """A flow's snapshot is damaged, or another version of the program has saved it."""


class DraftingError(AssistantError):
    """A deliberation came to no answer at all; `kind` as of a ModelError."""

    code = 4

    def __init__(self, words: str, kind: ModelTrouble = "server") -> None:
        super().__init__(words)
        self.kind = kind
