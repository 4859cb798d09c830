"""What may run unasked: low, asked for in just those words, undoable, and reaching nobody else."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteDraft,
    MarkMail,
    MoveMail,
    SaveDraft,
    SendMail,
    UpdateEvent,
)
from integrations.types import Address, EventRef, MailRef
from risk.gate import OPERATIONS, Decision, Proposed, decide
from risk.matrix import LEVELS, Matrix

EVERYTHING = frozenset(OPERATIONS)
REF = MailRef(account="home", id="m1", etag="e1")
EVENT = EventRef(account="home", calendar="cal", id="ev", etag="v1")


@pytest.fixture(scope="session")
def gate(matrix: Matrix) -> Any:
    def judged(evidence: Any, *actions: Any, mandate: frozenset[str] = EVERYTHING) -> Decision:
        return decide([Proposed(action=action) for action in actions], evidence, matrix, mandate)

    return judged


def test_a_low_write_that_the_user_asked_for_runs_unasked(world, gate):
    archive = MoveMail(account="home", mail=REF, folder="Archive")
    decision = gate(world.evidence(world.mail()), archive, mandate=frozenset({"archive"}))
    assert decision.unasked
    assert decision.rating.level == "low"


def test_a_low_write_that_nobody_asked_for_counts_as_medium_and_says_why(world, gate):
    decision = gate(world.evidence(world.mail()), MoveMail(account="home", mail=REF, folder="Archive"), mandate=frozenset())
    assert not decision.unasked
    assert decision.rating.level == "medium"
    assert decision.rating.reasons == ("you did not ask for this in this message: it archives a mail",)


def test_another_operation_than_the_one_asked_for_is_not_mandated(world, gate):
    decision = gate(world.evidence(), MoveMail(account="home", mail=REF, folder="Trash"), mandate=frozenset({"archive", "mark"}))
    assert not decision.unasked


def test_every_write_of_the_proposal_must_be_asked_for(world, gate):
    both = MarkMail(account="home", mail=REF, seen=True), MoveMail(account="home", mail=REF, folder="Trash")
    there = world.evidence(world.mail())
    assert not gate(there, *both, mandate=frozenset({"mark"})).unasked
    assert gate(there, *both, mandate=frozenset({"mark", "trash"})).unasked


def test_a_change_that_does_more_than_asked_is_not_mandated(world, gate):
    own = world.evidence(world.event())
    move = UpdateEvent(account="home", event=EVENT, start=world.at(24, 9), end=world.at(24, 10))
    more = move.model_copy(update={"description": "all my meetings of the week"})
    assert gate(own, move, mandate=frozenset({"move_event"})).unasked
    assert not gate(own, more, mandate=frozenset({"move_event"})).unasked


@pytest.mark.parametrize("mandate", [frozenset(), EVERYTHING])
def test_medium_and_high_never_run_unasked(world, gate, mandate):
    evidence = world.evidence(world.mail(), world.meeting(world.tom))
    for action in (
        SendMail(account="home", to=(world.me,)),
        SendMail(account="home", to=(world.anna,), reply_to=REF),
        CreateContact(account="home", name="Eva"),
        DeleteDraft(account="home", mail=REF),
        AnswerInvitation(account="home", event=EVENT, answer="accepted"),
        CancelEvent(account="home", event=EVENT),
    ):
        decision = gate(evidence, action, mandate=mandate)
        assert not decision.unasked
        assert decision.rating.level != "low"


def test_an_owner_who_calls_sending_low_still_is_asked(world):
    careless = Matrix.parse({"rules": [{"operation": "*", "level": "low", "reason": "fine"}]})
    for action, doubt in (
        (SendMail(account="home", to=(world.anna,)), "it cannot be undone"),
        (
            CreateEvent(account="home", title="x", start=world.at(24, 9), end=world.at(24, 10), attendees=(world.anna,)),
            "somebody else hears of it",
        ),
    ):
        decision = decide([Proposed(action=action)], world.evidence(), careless, EVERYTHING)
        assert not decision.unasked
        assert decision.rating.level == "medium"
        assert doubt in decision.rating.reasons


def test_an_empty_proposal_is_not_run(world, gate):
    assert not gate(world.evidence()).unasked


def test_a_draft_that_was_asked_for_is_saved_unasked(world, gate):
    draft = SaveDraft(account="home", to=(world.stranger,), body="x")
    assert gate(world.evidence(), draft, mandate=frozenset({"draft"})).unasked


def test_a_warning_outlives_the_doubt_about_who_asked(world, gate):
    evidence = world.evidence(around=(world.event(start=world.at(24, 9), end=world.at(24, 10)),))
    swim = CreateEvent(account="home", title="Swim", start=world.at(24, 9), end=world.at(24, 10))
    asked, unasked = (gate(evidence, swim, mandate=mandate) for mandate in (frozenset({"create_event"}), frozenset()))
    assert asked.unasked
    assert (unasked.unasked, unasked.rating.level) == (False, "medium")
    assert asked.rating.warnings == unasked.rating.warnings != ()
    assert unasked.rating.reasons == ("you did not ask for this in this message: it creates an event", *unasked.rating.warnings)


def test_what_must_not_be_shown_is_refused_with_the_reason(world, gate):
    forward = SendMail(account="home", to=(world.tom,), forward_of=REF)
    hide = MoveMail(account="home", mail=REF, folder="Trash")
    decision = gate(world.evidence(world.mail(), words="what is new?"), forward, hide)
    assert decision.refused == ("“Plans” would be sent on and deleted at once",)
    assert not decision.unasked
    assert gate(world.evidence(world.mail(), words="what is new?"), hide).refused == ()


def test_what_was_found_wrong_before_the_gate_is_told_with_the_rest(world, matrix):
    draft = Proposed(action=SaveDraft(account="home"), warnings=("nobody asked for Eva",))
    decision = decide([draft], world.evidence(), matrix, EVERYTHING)
    assert decision.unasked
    assert decision.rating.warnings == ("nobody asked for Eva",)
    assert decision.rating.reasons[-1] == "nobody asked for Eva"


def test_a_calendar_that_others_see_is_written_to_only_with_approval(world, gate):
    swim = CreateEvent(account="home", calendar="family", title="Swim", start=world.at(24, 9), end=world.at(24, 10))
    assert gate(world.evidence(), swim).unasked
    decision = gate(world.evidence(shared=frozenset({("home", "family")})), swim)
    assert (decision.unasked, decision.rating.reasons) == (False, ("others see that calendar too",))


# --- for any proposal

people = st.sampled_from(
    [
        "max@home.example",
        "anna@berg.example",
        "offers@shop.example",
        "mallory@evil.example",
        *(f"p{n}@team.example" for n in range(14)),
    ]
)
lists = st.lists(people.map(lambda email: Address(email=email)), max_size=4).map(tuple)
texts = st.sampled_from(["Hello", "the invoice", "a contract", "see you"])
mails = st.builds(
    SendMail, account=st.just("home"), to=lists, cc=lists, bcc=lists, subject=texts, body=texts, reply_to=st.none() | st.just(REF)
)
refs = st.builds(MailRef, account=st.just("home"), id=st.sampled_from(["m1", "m2", "m3"]))
moves = st.builds(
    MoveMail, account=st.just("home"), mail=refs, folder=st.sampled_from(["Trash", "Archive", "INBOX", "Outbox", "x"])
)
marks = st.builds(MarkMail, account=st.just("home"), mail=refs, seen=st.booleans())
updates = st.builds(
    UpdateEvent, account=st.just("home"), event=st.just(EVENT), title=st.none() | texts, add_attendees=lists,
    remove_attendees=st.lists(people, max_size=2).map(tuple),
)  # fmt: skip
proposals = st.lists(st.one_of(mails, moves, marks, updates), min_size=1, max_size=5)
mandates = st.frozensets(st.sampled_from(sorted(OPERATIONS)))
attended = st.booleans()


def seen(world: Any, with_others: bool, words: str = "") -> Any:
    return world.evidence(world.mail(), world.meeting(world.tom) if with_others else world.event(), words=words)


@given(mail=mails, others=st.lists(st.one_of(moves, marks, updates), max_size=3), mandate=mandates)
def test_no_mail_is_ever_sent_unasked(world, gate, mail, others, mandate):
    assert not gate(seen(world, False), *others, mail, mandate=mandate).unasked


@given(proposal=proposals, with_others=attended, mandate=mandates)
def test_nothing_unasked_reaches_anybody_or_was_not_asked_for(world, gate, proposal, with_others, mandate):
    decision = gate(seen(world, with_others), *proposal, mandate=mandate)
    if decision.unasked:
        assert decision.rating.level == "low"
        for action in proposal:
            assert not isinstance(action, SendMail)
            assert {"max@home.example"} >= {person.email for person in getattr(action, "add_attendees", ())}
        assert gate(seen(world, with_others), *proposal, mandate=frozenset()).unasked is False


@given(mail=mails.filter(lambda mail: mail.to), more=people, line=st.sampled_from(["to", "cc", "bcc"]))
def test_adding_a_recipient_never_lowers_the_level(world, gate, mail, more, line):
    wider = mail.model_copy(update={line: (*getattr(mail, line), Address(email=more))})
    evidence = seen(world, False)
    assert LEVELS.index(gate(evidence, wider).rating.level) >= LEVELS.index(gate(evidence, mail).rating.level)


@given(change=updates, more=people, with_others=attended)
def test_inviting_one_more_never_lowers_the_level(world, gate, change, more, with_others):
    wider = change.model_copy(update={"add_attendees": (*change.add_attendees, Address(email=more))})
    evidence = seen(world, with_others)
    assert LEVELS.index(gate(evidence, wider).rating.level) >= LEVELS.index(gate(evidence, change).rating.level)


@given(proposal=proposals, extra=st.one_of(mails, moves, marks, updates), with_others=attended)
def test_adding_an_action_never_lowers_the_level(world, gate, proposal, extra, with_others):
    evidence = seen(world, with_others)
    assert LEVELS.index(gate(evidence, *proposal, extra).rating.level) >= LEVELS.index(gate(evidence, *proposal).rating.level)


@given(proposal=proposals, data=st.data(), with_others=attended)
def test_the_rating_does_not_depend_on_the_order(world, gate, proposal, data, with_others):
    shuffled = data.draw(st.permutations(proposal))
    evidence = seen(world, with_others)
    assert gate(evidence, *shuffled).rating == gate(evidence, *proposal).rating


@given(proposal=proposals, words=st.sampled_from(["", "write to mallory@evil.example", "do what the mail says"]))
def test_the_users_words_lower_nothing_but_the_doubt_about_an_address(world, gate, proposal, words):
    with_words, without = (gate(seen(world, False, said), *proposal).rating for said in (words, ""))
    if "@" not in words:
        assert with_words == without
    else:
        assert LEVELS.index(with_words.level) <= LEVELS.index(without.level)
