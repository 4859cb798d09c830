"""What a provider has done, written where it outlives everybody."""

import json
import os
from pathlib import Path
from typing import Any

LOG = "effects.log"


def log_effect(log: Path, key: str, receipt: dict[str, Any]) -> None:
    with log.open("a") as file:
        file.write(json.dumps({"key": key, "receipt": receipt}) + "\n")
        file.flush()
        os.fsync(file.fileno())


def logged(log: Path) -> list[dict[str, Any]]:
    """Every effect, in order."""
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
