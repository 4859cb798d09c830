"""How the text of a mail came about, and what it leaves open, beneath it on the screen."""

from collections.abc import Callable

import pytest
from rich.console import Console

from assistant.cli.card import Card
from assistant.cli.gaps import caution, marked
from integrations.actions import SendMail
from integrations.types import Address, MailRef
from risk.preview import Item, Preview
from risk.versions import Ballot, Version, Written

ANNA = Address(name="Anna Berg", email="anna.berg@northwind.example")
BODIES = ("Yes.", "Hi Anna,\n\nyes, on Monday.", "Hi Anna,\n\nyes. On Monday, at [time].")
WRITTEN = Written(
    strategy="coordination",
    kind="reply",
    versions=tuple(
        Version(by=by, subject="Re: Lunch", body=body) for by, body in zip(("brief", "warm", "thorough"), BODIES, strict=True)
    ),
    chosen=1,
    votes=(
        Ballot(voter="brief", candidate="warm"),
        Ballot(voter="warm", candidate="warm", reason="it answers both points"),
        Ballot(voter="thorough", candidate="thorough", reason="it is mine"),
    ),
    tokens=3120,
    cost=0.0042,
)


@pytest.fixture
def card(seen: Callable[..., str], preview: Callable[..., Preview]) -> Callable[..., str]:
    """A mail's preview in one line, for what its drafts are, its text and its subject."""

    def show(
        written: Written | None = WRITTEN, body: str = BODIES[1], subject: str = "Lunch", columns: int = 90, **mail: object
    ) -> str:
        action = SendMail.model_validate({"account": "home", "to": (ANNA,), "subject": subject, "body": body, **mail})
        shown = preview(Item(action=action, says="reply to Anna", written=written))
        lines = seen(Card(shown, shown.created), columns).splitlines()
        assert all(len(line) <= columns for line in lines)
        return " ".join(" ".join(lines).replace("│", " ").split())

    return show


@pytest.mark.parametrize("columns", [120, 80, 60, 40])
def test_which_of_the_drafts_it_is_and_why_and_what_can_be_said(card, columns):
    shown = card(columns=columns)
    assert "draft 2 of 3 (warm), 2 of 3 votes: it answers both points" in shown
    assert "say “why this one?”, “show the others” or “use draft 1”" in shown and "3,120 tokens, $0.0042" in shown


def test_rules_are_said_to_be_rules(card):
    assert "draft 2 of 3 (warm, by rules)" in card(WRITTEN.model_copy(update={"rules": True, "tokens": 0, "cost": None}))


def test_the_users_own_choice_is_named_so(card):
    chosen = WRITTEN.model_copy(update={"chosen": 0, "picked": True})
    shown = card(chosen, body=BODIES[0])
    assert "draft 1 of 3 (brief), your choice" in shown and "votes" not in shown and "use draft 2" in shown


def test_a_text_that_was_changed_since_is_no_longer_the_draft(card):
    assert "(warm), changed since, 2 of 3 votes" in card(body="Hi Anna,\n\nyes, on Tuesday.")


def test_where_nobody_voted_nothing_is_said_of_votes(card):
    assert "draft 2 of 3 (warm) say" in card(WRITTEN.model_copy(update={"votes": ()}))


@pytest.mark.parametrize("written", [None, Written(strategy="single", kind="mail", versions=(WRITTEN.versions[1],))])
def test_a_single_draft_has_no_others(card, written):
    shown = card(written)
    assert "draft" not in shown and "tokens" not in shown


def test_tokens_without_a_price_have_no_cost(card):
    assert "3,120 tokens" in card(WRITTEN.model_copy(update={"cost": None})) and "$" not in card(
        WRITTEN.model_copy(update={"cost": None})
    )


def test_a_gap_is_cautioned_about_in_any_mail(card):
    assert "⚠ 1 gap in square brackets: say what belongs there before it goes out" in card(None, body=BODIES[2])
    assert "⚠ 2 gaps" in card(None, body=BODIES[2], subject="[subject]") and "⚠" not in card(None)


def test_the_brackets_of_anothers_subject_are_no_gap(card):
    reply = {"reply_to": MailRef(account="home", id="1", etag="e")}
    assert "⚠" not in card(None, subject="Re: [list] Lunch", **reply) and "⚠" in card(None, body=BODIES[2], **reply)


def test_a_footnote_is_no_gap():
    assert caution("as said before [1], see [2]") is None and caution("at [time] or [2nd time]") is not None


def test_gaps_stand_out_where_there_are_colours():
    out = Console(force_terminal=True, width=60, color_system="standard")
    with out.capture() as shown:
        out.print(marked("at [time] [1]"))
    assert "\x1b[1;30;43m[time]\x1b[0m [1]" in shown.get()
