"""What a program has approved and what it was told, kept in a file that outlives it."""

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


class Notes:
    """Every note is one line, there for certain once `note` has returned, whoever is killed then."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(self, what: str, **more: object) -> None:
        os.write(self._file, json.dumps({"what": what, **more}).encode() + b"\n")


@dataclass
class Noted:
    """`approving`: the previews whose approval was begun, with the number of their writes; `told`: the statuses told, by key;
    `counts`: how often everything else was noted."""

    approving: dict[str, int] = field(default_factory=dict)
    told: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    troubles: list[str] = field(default_factory=list)


def noted(path: Path) -> Noted:
    all = Noted()
    for line in path.read_text().splitlines():
        note = json.loads(line)
        match note["what"]:
            case "approving":
                all.approving[note["preview"]] = note["writes"]
            case "told":
                all.told[note["key"]] = note["status"]
            case "trouble":
                all.troubles.append(note["says"])
            case what:
                all.counts[what] += 1
    return all
