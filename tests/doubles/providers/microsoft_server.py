"""`python -m doubles.providers.microsoft_server`: see `doubles.providers.emulated_server`."""

from doubles.graph import GraphEmulator
from doubles.graph.calendar.putting import put_event
from doubles.graph.contacts.putting import put_contact
from doubles.graph.mail.putting import deliver
from doubles.graph.methods import METHODS
from doubles.loading import contact_in, event_in
from doubles.providers.base import OWNER
from doubles.providers.emulated_server import run

from integrations.types import DRAFTS


def stock(graph: GraphEmulator, mails: list[str], drafts: list[str], events: list[str], contacts: list[str]) -> None:
    mailbox, calendar = graph.world.mail(OWNER), graph.world.calendars(OWNER).default
    mailbox.folder("Projects")
    for mail in mails:
        deliver(mailbox, mail.encode(), seen=True)
    for draft in drafts:
        deliver(mailbox, draft.encode(), DRAFTS, seen=True)
    for event in events:
        put_event(calendar, event_in(event))
    for contact in contacts:
        put_contact(graph.world.people(OWNER), contact_in(contact))


if __name__ == "__main__":
    run(GraphEmulator, stock, METHODS)
