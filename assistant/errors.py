"""What can go wrong in the assistant itself. `str(error)` is one sentence for people, and says what to do."""


class AssistantError(Exception):
    """`code` is the exit status of a command that ends with it."""

    code = 1


class UserError(AssistantError):
    """What was asked for can't be done as it was put: unknown id, bad value, missing file."""

    code = 2


class ModelError(AssistantError):
    """The language model could not be used."""

    code = 4


class FlowError(AssistantError):
    """A flow or preview is not in a state that allows this."""

    code = 3
