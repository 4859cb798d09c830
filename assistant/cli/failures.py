"""How errors are told: one sentence and what to do, never a traceback."""

import os
import sys
import tempfile
import traceback
from pathlib import Path

from assistant.errors import AssistantError
from integrations.errors import IntegrationError, Unavailable
from storage.errors import StorageError

FAILED, OUT_OF_REACH = 1, 4
HINTS = {Unavailable: "Try again in a while."}


def report(error: Exception) -> int:
    """The exit status."""
    if isinstance(error, AssistantError):
        return _tell(str(error), error.code)
    if isinstance(error, IntegrationError | StorageError):
        hint = next((words for kind, words in HINTS.items() if isinstance(error, kind)), "")
        return _tell(f"{error} {hint}".rstrip(), OUT_OF_REACH)
    if isinstance(error, OSError):
        return _tell(of_the_disk(error), OUT_OF_REACH)
    words = " ".join(str(error).split())[:200]
    return _tell(f"Something unexpected went wrong ({type(error).__name__}: {words}).{_kept(error)}", FAILED)


def _tell(sentence: str, status: int) -> int:
    print(f"assistant: {sentence}", file=sys.stderr)
    return status


def of_the_disk(error: OSError) -> str:
    why = error.strerror or str(error)
    return f"The file {error.filename} can't be used: {why}." if error.filename else f"The machine refused that: {why}."


def _kept(error: Exception) -> str:
    """Where the details were written down, if anywhere."""
    try:
        handle, name = tempfile.mkstemp(prefix="assistant-", suffix=".log")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            traceback.print_exception(error, file=file)
    except OSError:
        return ""
    return f" Details are in {Path(name)}."
