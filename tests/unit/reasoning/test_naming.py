"""Instructions as people read them: no reference is left in them, and what stands in its place fits the sentence."""

from datetime import UTC, datetime

import pytest

from assistant.reasoning.naming import named
from assistant.values import Data
from integrations.types import Address, Contact, Event, Mail

AT = datetime(2026, 11, 18, 10, tzinfo=UTC)
CLARA, TOM = Address(email="clara@home.example", name="Clara"), Address(email="tom@work.example")


def mail(subject: str, sender: Address = CLARA) -> Mail:
    return Mail(account="local", id=subject, etag="1", folder="INBOX", subject=subject, sender=sender, date=AT)


def mails(*subjects: str) -> Data:
    return Data(kind="mails", mails=tuple(map(mail, subjects)))


SYNC = Event(account="local", id="e", uid="e", etag="1", calendar="c", title="Sync", start=AT, end=AT)
RESULTS = {
    "shown": mails("Lunch"),
    "shown1": mails("Lunch", "Tea"),
    "shown2": Data(kind="events", events=(SYNC,)),
    "line3": mails("Rent"),
    "1": Data(kind="addresses", addresses=(CLARA, TOM)),
    "2": mails("Lunch"),
}


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("flag the mail {shown}", "flag the mail “Lunch” from Clara"),
        ("archive the mails {shown1}", "archive the mails “Lunch” from Clara and “Tea” from Clara"),
        ("Archive {shown}", "Archive “Lunch” from Clara"),
        ("move the event {shown2} to Friday", "move the event “Sync” to Friday"),
        ("delete the second mail of {shown1}", "delete the second mail of what was shown"),
        ("cancel the event {shown}", "cancel the event that was shown"),
        ("archive the mails {shown3}", "archive the mails that were shown"),
        ("archive the mail {line3}", "archive the mail “Rent” from Clara"),
        ("write to {1}", "write to Clara and tom@work.example"),
        ("archive {2}", "archive it"),
        ("make {proposal} longer", "make the proposal longer"),
        ("write to Tom saying {message}", "write to Tom saying …"),
    ],
)
def test_names_stand_in_the_place_of_references(words, read):
    assert named(words, RESULTS) == read


def test_of_many_the_first_are_named_on_one_line():
    many = {"shown": mails("a\nb", "x" * 99, "c", "d", "e")}
    assert named("archive the mails {shown}", many) == (
        f"archive the mails “a b” from Clara, “{'x' * 59}…” from Clara, “c” from Clara and 2 more"
    )


def test_a_name_is_not_read_for_references():
    assert named("flag the mail {shown}", {"shown": mails("{shown1}"), "shown1": mails("Tea")}).count("Tea") == 0


def test_a_contact_is_named_as_it_is():
    shown = Data(kind="contacts", contacts=(Contact(account="local", id="c", uid="c", etag="1", name="Clara"),))
    assert named("delete the contact {shown}", {"shown": shown}) == "delete the contact Clara"
