"""The calendar agent: finds events, free times and conflicts; proposes events, changes, cancellations and answers."""

from collections.abc import Mapping

from assistant.agents import agenda, answered, availability, booking, changing, combining, neighbours, ranking, taking
from assistant.agents.base import Handler, SubAgent
from assistant.agents.revise import REVISIONS
from assistant.reasoning.calls import Operation
from assistant.values import AgentName


class CalendarAgent(SubAgent):
    name: AgentName = "calendar"
    can = "list, find and count events, find free times and conflicts, create, move, rename, cancel, invite and answer invitations"
    handlers: Mapping[Operation, Handler] = {
        "event.find": agenda.find,
        "event.next": agenda.upcoming,
        "event.count": agenda.count,
        "event.check": agenda.check,
        "event.summarise": agenda.summarise,
        "event.rank": ranking.rank_events,
        "event.total": ranking.total,
        "event.guests": agenda.guests,
        "event.answers": answered.answers,
        "event.choose": availability.to_choose,
        "event.free": neighbours.free_beside,
        "event.slots": availability.slots,
        "event.clashes": availability.find_clashes,
        "event.create": taking.create,
        "event.move": combining.change,
        "event.resize": combining.change,
        "event.rename": combining.change,
        "event.relocate": combining.change,
        "event.cancel": changing.cancel,
        "event.invite": combining.change,
        "event.uninvite": combining.change,
        "event.replace": changing.replace,
        "event.swap": booking.swap,
        "event.accept": changing.accept,
        "event.decline": changing.decline,
        "event.tentative": changing.tentative,
        **REVISIONS,
    }
