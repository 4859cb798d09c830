"""A preview on the screen."""

from datetime import UTC, datetime

import pytest

from assistant.cli.card import Card
from integrations.actions import CreateEvent, MoveMail, SendMail
from integrations.types import Address, MailRef
from risk.preview import Change, Enclosed, Item, Recipient

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
START, END = NOW.replace(day=24, hour=12), NOW.replace(day=24, hour=13)


def archived(number: int, **fields: object) -> Item:
    action = MoveMail(account="home", mail=MailRef(account="home", id=str(number), etag="e"), folder="Archive")
    moved = Change(field="Folder", before="Inbox", after="Archive")
    return Item(action=action, says=f'archive "Letter {number}"', changes=(moved,)).model_copy(update=fields)


@pytest.mark.parametrize("columns", [130, 80, 60, 40])
def test_title_and_hint_fit_at_any_width(seen, preview, columns):
    lines = seen(Card(preview(sample=True), NOW), columns).splitlines()
    assert "Preview · medium risk" in lines[0]
    assert "approve" in lines[-1] and "cancel" in lines[-1] and "…" not in lines[-1]
    assert all(len(line) <= columns for line in lines)


def test_the_clause_stands_inside_in_full(seen, preview):
    says = "move a meeting with a rather long name that no title would hold from Monday, 9:00 to Tuesday, 10:00"
    item = preview().items[0].model_copy(update={"says": says})
    assert says in " ".join(line.strip("│ ") for line in seen(Card(preview(item), NOW)).splitlines())


def test_where_there_are_several_accounts_it_names_the_one_it_goes_through(seen, preview):
    assert "through work (me@work.example)" in seen(Card(preview(through=("work (me@work.example)",)), NOW))
    assert "through" not in seen(Card(preview(), NOW))


def test_outside_the_chat_it_says_which_command_approves(seen, preview):
    shown = seen(Card(preview(), NOW, "assistant --home here"), 100)
    assert "assistant --home here approve 0123456789ab-p1" in shown and 'say "approve"' not in shown


def test_an_address_is_never_cut_short(seen, preview):
    shown = seen(Card(preview(), NOW), 44)
    assert "…" not in next(line for line in shown.splitlines() if "anna.berg" in line)


def test_many_alike_are_one_table_and_what_is_true_of_each_is_said_once(seen, preview):
    notes = {"notes": ("4 are archived already",), "guesses": ("letters are newsletters",)}
    shown = seen(Card(preview(*(archived(n, **notes) for n in range(1, 12))), NOW))
    assert "archive 11 mails" in shown and '11.  "Letter 11"' in shown
    assert shown.count("Folder") == shown.count("4 are archived already") == shown.count("letters are newsletters") == 1


def test_what_differs_between_many_alike_is_told_of_each(seen, preview):
    other = archived(3, changes=(Change(field="Folder", before="Work", after="Archive"),), notes=("it is flagged",))
    shown = seen(Card(preview(archived(1), archived(2), other), NOW))
    assert "Inbox → Archive" in shown and "Work → Archive" in shown and "3. Note: it is flagged" in shown


def test_what_most_of_many_undergo_is_said_once_of_the_others(seen, preview):
    other = archived(9, changes=(Change(field="Folder", before="Work", after="Archive"),))
    shown = seen(Card(preview(*(archived(n) for n in range(1, 9)), other), NOW))
    assert shown.count("Inbox → Archive") == 1 and "the others: Folder Inbox → Archive" in shown and "Work → Archive" in shown


def test_several_mails_are_shown_in_full_each(seen, preview):
    mails = [
        Item(action=SendMail(account="home", to=(Address(email=f"p{n}@example.org"),), body=f"Text number {n}."), says="send")
        for n in range(4)
    ]
    shown = seen(Card(preview(*mails), NOW))
    assert all(f"Text number {n}." in shown for n in range(4))


def test_a_forward_shows_whose_text_and_which_attachments_go_along(seen, preview):
    mail = Enclosed(sender="Eva <eva@example.org>", subject="Plan", date=NOW, text="Read this.", attachments=("plan.pdf (12 kB)",))
    forward = preview().items[0].model_copy(update={"encloses": mail})
    shown = seen(Card(preview(forward), NOW))
    assert all(words in shown for words in ("goes along", "eva@example.org", "Read this.", "plan.pdf (12 kB)"))


def test_a_recurrence_is_told_in_words(seen, preview):
    event = CreateEvent(account="home", title="Lunch", start=START, end=END, rrule="FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;COUNT=5")
    shown = seen(Card(preview(Item(action=event, says="create “Lunch”")), NOW))
    assert "every 2 weeks on Tuesday, 5 times" in shown and "FREQ" not in shown


def test_the_sample_account_is_named(seen, preview):
    assert "sample account" in seen(Card(preview(sample=True), NOW))
    assert "sample account" not in seen(Card(preview(), NOW))


def test_text_of_strangers_drives_neither_terminal_nor_markup(seen, preview):
    nasty = "\x1b[2J\u202e[bold]x[/bold]"
    person = Recipient(address=Address(name=nasty, email="x@example.org"), line="to", origin=nasty, known=False)
    item = preview().items[0].model_copy(update={"says": nasty, "recipients": (person,), "notes": (nasty,)})
    shown = seen(Card(preview(item, reasons=(nasty,)), NOW))
    assert "\x1b" not in shown and "\u202e" not in shown and shown.count("[bold]x[/bold]") == 5


def test_a_mail_that_goes_out_later_says_when(seen, preview):
    later = SendMail(account="home", subject="Hi", body="b", send_at=START)
    assert "Tuesday 24 November 2026, 12:00" in seen(Card(preview(Item(action=later, says="mail Anna")), NOW))
    assert "goes out" not in seen(Card(preview(), NOW))
