"""What the six questions are asked about, in little."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from assistant.reasoning.base import Request, Setting, Trouble
from assistant.values import AgentName, ContextBox, Criterion, Failure, Report, Step
from integrations.types import Address, Mail

NOW = datetime(2026, 11, 18, 9, tzinfo=UTC)
SETTING = Setting(now=NOW, zone=ZoneInfo("Europe/Berlin"), me=(Address(email="me@example.org", name="Mira Lund"),))
FAILED = Failure(type="not_found", message="There is no Zorgon.")


def mail(n: int = 0, body: str = "Hello.", subject: str = "s", sender: str = "Anna Berg") -> Mail:
    """The higher `n`, the newer."""
    at = datetime(2026, 11, 1, n // 60, n % 60, tzinfo=UTC)
    who = Address(email=f"p{n}@example.org", name=sender)
    return Mail(account="a", id=str(n), etag="", folder="INBOX", date=at, sender=who, subject=subject, body=body)


def step(id: int, instruction: str, agent: AgentName = "email", needs: tuple[int, ...] = ()) -> Step:
    return Step(id=id, agent=agent, instruction=instruction, criterion=Criterion(words="done"), needs=needs)


def request(text: str, history: tuple[str, ...] = ()) -> Request:
    return Request(text=text, setting=SETTING, history=history)


def trouble(*steps: Step, reports: dict[int, Report]) -> Trouble:
    return Trouble(box=ContextBox(goal="g"), steps=steps, reports=reports, failures={}, setting=SETTING)
