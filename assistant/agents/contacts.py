"""The contacts agent: finds people, addresses and groups; proposes new cards and changes to them."""

from collections.abc import Mapping

from assistant.agents import cards
from assistant.agents.base import Handler, SubAgent
from assistant.agents.revise import REVISIONS
from assistant.reasoning.calls import Operation
from assistant.values import AgentName


class ContactsAgent(SubAgent):
    name: AgentName = "contacts"
    can = "find people by name, company, title or group, give their details, and add, change and delete contacts"
    handlers: Mapping[Operation, Handler] = {
        "contact.find": cards.find,
        "contact.address": cards.address,
        "contact.count": cards.count,
        "contact.group": cards.group,
        "contact.add": cards.add,
        "contact.update": cards.update,
        "contact.delete": cards.delete,
        **REVISIONS,
    }
