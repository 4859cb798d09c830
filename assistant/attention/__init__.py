"""What needs the user's attention, and why: plain rules over mails and events, for chat and briefings alike."""

from assistant.attention.events import RankedEvent, rank_events
from assistant.attention.mails import Ranked, rank_mails
from assistant.attention.suspicion import suspicious

__all__ = ["Ranked", "RankedEvent", "rank_events", "rank_mails", "suspicious"]
