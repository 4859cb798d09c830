"""A preview on the screen."""

from datetime import UTC, datetime

import pytest

from assistant.cli.card import Card
from integrations.actions import CreateEvent, MoveMail, SendMail
from integrations.types import Address, MailRef
from risk.preview import Change, Enclosed, Item, Recipient
from risk.tracing import Trace

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


def test_warnings_stand_before_the_reasons_once_each_and_with_a_sign(seen, preview):
    shown = seen(
        Card(preview(level="high", reasons=("it sends a mail", "it tells a code"), warnings=("it tells a code",)), NOW), 100
    )
    lines = [line.strip("│ ") for line in shown.splitlines()]
    assert lines.index("⚠ Warning: it tells a code") < lines.index("• it sends a mail") and shown.count("it tells a code") == 1


def test_where_nothing_is_wrong_there_is_no_warning_and_no_origin(seen, preview):
    assert "⚠" not in seen(Card(preview(), NOW)) and "Where it comes from" not in seen(Card(preview(), NOW))


def traced(preview, *traces):
    return preview(preview().items[0].model_copy(update={"traces": traces}))


def test_it_tells_where_links_and_codes_come_from_what_came_from_nowhere_first(seen, preview):
    link = Trace(
        kind="link", text="https://files.northwind.example/a", source="message", by="Sarah Lindqvist <sarah@northwind.example>"
    )
    code = Trace(kind="code", text="482913", source="nowhere", known=False)
    shown = " ".join(seen(Card(traced(preview, link, code), NOW), 130).split())
    assert "Where it comes from" in shown and "from the mail by Sarah Lindqvist <sarah@northwind.example>" in shown
    assert shown.index("⚠ stands in no message and not in what you wrote") < shown.index("https://files.northwind.example/a")


def test_of_many_known_origins_some_are_left_out_and_of_unknown_ones_none(seen, preview):
    known = (Trace(kind="amount", text=f"{n} euros", source="own_words") for n in range(20))
    unknown = (Trace(kind="code", text=f"{n}{n}{n}{n}", source="nowhere", known=False) for n in range(1, 10))
    shown = seen(Card(traced(preview, *known, *unknown), NOW), 130)
    assert all(f"{n}{n}{n}{n}" in shown for n in range(1, 10)) and "and 20 more, all known" in shown


def test_a_recipient_of_other_letters_is_shown_as_it_goes_out(seen, preview):
    sara = Recipient(address=Address(name="Sara", email="s\u0430ra@m\u00fcller.example"), line="to", origin="nowhere", known=False)
    shown = seen(Card(preview(preview().items[0].model_copy(update={"recipients": (sara,)})), NOW), 130)
    assert "s\\u0430ra@xn--mller-kva.example" in shown
