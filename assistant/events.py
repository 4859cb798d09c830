"""What a flow tells while it runs: numbered, stored with its snapshot, and streamed."""

from datetime import datetime
from typing import Any

from integrations.types import Value

STEPS = {
    "1": "Judge past message context",
    "2": "Safety and risk pre-assessment",
    "3": "Determine intent",
    "4": "Identify missing context",
    "5": "Define output strategy",
    "6": "Create workflow steps",
    "7": "Iteration limit check",
    "7.5": "Check for user interruptions",
    "8": "Check for user input needed",
    "9": "Delegate to domain sub-agents",
    "10": "Process sub-agent response",
    "11": "Update context box",
    "12": "Completion check",
    "12.1": "Handle partial success",
    "13": "Plan adaptation",
    "14": "Loop completion check",
    "15": "Final output",
}
"""The numbered steps of the master agent's chart."""


class FlowEvent(Value):
    """`seq` counts from 1 within its flow; `step` is a key of STEPS; `text` is for people; `data` is JSON."""

    flow: str
    seq: int
    at: datetime
    step: str
    text: str
    data: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return STEPS[self.step]
