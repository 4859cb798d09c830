"""What needs the user's attention, and why: plain rules over mails and events, for chat and briefings alike."""

from assistant.attention.events import RankedEvent, rank_events
from assistant.attention.mails import Ranked, by_machine, is_answered, is_machine, rank_mails
from assistant.attention.preparing import lacks
from assistant.attention.suspicion import suspicious
from assistant.attention.travel import Rush, rushes
from assistant.attention.wishes import Wish, asking_sentence, wish_of

__all__ = [
    "Ranked",
    "RankedEvent",
    "Rush",
    "Wish",
    "asking_sentence",
    "by_machine",
    "is_answered",
    "is_machine",
    "lacks",
    "rank_events",
    "rank_mails",
    "rushes",
    "suspicious",
    "wish_of",
]
