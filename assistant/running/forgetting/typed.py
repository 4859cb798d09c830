"""What was typed in the chat, in the file that prompt_toolkit keeps of it: each entry is a line "# time" and lines that begin with
"+"."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

NAME = "chat_history"


def rewritten(path: Path, change: Callable[[str], str | None], *, really: bool) -> int:
    """How many entries `change` gives another text, or none; only with `really` the file is changed."""
    if not path.is_file():
        return 0
    entries = _entries(path.read_text(encoding="utf-8", errors="replace"))
    changed = [(head, change(text)) for head, text in entries]
    number = sum(old[1] != new[1] for old, new in zip(entries, changed, strict=True))
    if really and number:
        _replace(path, "".join(_as_entry(head, text) for head, text in changed if text is not None))
    return number


def _entries(content: str) -> list[tuple[str, str]]:
    found: list[tuple[str, list[str]]] = []
    for line in content.splitlines():
        if line.startswith("+") and found:
            found[-1][1].append(line[1:])
        elif line.startswith("#"):
            found.append((line, []))
    return [(head, "\n".join(lines)) for head, lines in found]


def _as_entry(head: str, text: str) -> str:
    return f"\n{head}\n" + "".join(f"+{line}\n" for line in text.split("\n"))


def _replace(path: Path, content: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content)
    Path(name).replace(path)
