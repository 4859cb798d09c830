"""What somebody who follows a conversation is told, as events of a stream."""

from pydantic import BaseModel

from assistant.events import FlowEvent
from assistant.facade import Followed, Rested, Said, WentOut
from assistant.running.following import CaughtUp
from assistant.running.outgoing import News
from assistant.service.live import event
from assistant.service.views import message_of, step_of, turn_of
from assistant.values import Outcome
from integrations.types import Value


class Departed(Value):
    """What became of a write that had been held, waited or was uncertain. `flow` shows it again, where it could not be done."""

    outcome: Outcome
    flow: str


def told(followed: Followed) -> bytes:
    name, data = _told(followed.item)
    return event(name, data, followed.cursor)


def _told(item: Said | FlowEvent | Rested | WentOut | CaughtUp) -> tuple[str, BaseModel | dict[str, object]]:
    match item:
        case Said(message):
            return "message", message_of(message)
        case Rested(turn):
            return "turn", turn_of(turn)
        case WentOut(news):
            return "went_out", departed(news)
        case CaughtUp(running):
            return "caught_up", {"running": running or None}
        case _:
            return "step", step_of(item)


def departed(news: News) -> Departed:
    return Departed(outcome=news.outcome, flow=news.flow)
