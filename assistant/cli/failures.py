"""How errors are told: one sentence and what to do, never a traceback."""

import os
import sys
import tempfile
import traceback
from pathlib import Path

from assistant.errors import AssistantError
from integrations.errors import AuthExpired, IntegrationError, Unavailable
from storage.errors import StorageError

OUT_OF_REACH = 4
HINTS = {
    AuthExpired: "Connect the account again.",
    Unavailable: "Try again in a while.",
}


def report(error: Exception) -> int:
    """The exit status."""
    if isinstance(error, AssistantError):
        print(f"assistant: {error}", file=sys.stderr)
        return error.code
    if isinstance(error, IntegrationError | StorageError):
        hint = next((words for kind, words in HINTS.items() if isinstance(error, kind)), "")
        print(f"assistant: {error} {hint}".rstrip(), file=sys.stderr)
        return OUT_OF_REACH
    path = _kept(error)
    print(f"assistant: Something unexpected went wrong ({type(error).__name__}: {error}). Details are in {path}.", file=sys.stderr)
    return 1


def _kept(error: Exception) -> Path:
    handle, name = tempfile.mkstemp(prefix="assistant-", suffix=".log")
    with os.fdopen(handle, "w") as file:
        traceback.print_exception(error, file=file)
    return Path(name)
