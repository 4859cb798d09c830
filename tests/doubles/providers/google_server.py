"""`python -m doubles.providers.google_server`: see `doubles.providers.emulated_server`."""

from doubles.google import GoogleEmulator
from doubles.google.methods import METHODS
from doubles.google.putting import deliver, put_contact, put_event
from doubles.loading import contact_in, event_in
from doubles.providers.base import OWNER
from doubles.providers.emulated_server import run

from integrations.types import DRAFTS


def stock(google: GoogleEmulator, mails: list[str], drafts: list[str], events: list[str], contacts: list[str]) -> None:
    mailbox, calendar = google.world.mail(OWNER), google.world.calendars.primary(OWNER)
    mailbox.labels.ensure("Projects")
    mailbox.keeps_message_ids = False
    for mail in mails:
        deliver(mailbox, mail.encode(), seen=True)
    for draft in drafts:
        deliver(mailbox, draft.encode(), DRAFTS, seen=True)
    for event in events:
        put_event(calendar, event_in(event))
    for contact in contacts:
        put_contact(google.world.people(OWNER), contact_in(contact))


if __name__ == "__main__":
    run(GoogleEmulator, stock, METHODS)
