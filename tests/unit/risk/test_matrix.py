"""The matrix as data: every rule does something, and what is wrong in it is said."""

from datetime import time
from pathlib import Path
from typing import Any

import pytest

from integrations.actions import (
    AnswerInvitation,
    CancelEvent,
    CreateContact,
    CreateEvent,
    DeleteContact,
    DeleteDraft,
    DeleteTemplate,
    MarkMail,
    MoveMail,
    RestoreContact,
    RestoreEvent,
    SaveDraft,
    SaveTemplate,
    SendMail,
    UpdateContact,
    UpdateEvent,
)
from integrations.types import Address, MailRef, Oddity
from risk.evidence import key_of
from risk.facts import COUNTS, FLAGS, PROVENANCE, ActionFacts, Facts, facts_of
from risk.matrix import Matrix
from risk.operations import OPERATIONS, operation_of, operations_of

LONG = "nobody knows yet that the office in Leipzig closes"
RULE: dict[str, Any] = {"operation": "send", "level": "medium", "reason": "it sends"}


def situations(world: Any) -> list[tuple[Any, list[Any]]]:
    """(evidence, actions): together they meet every condition of the shipped matrix at least once."""
    w, e, home = world, world.evidence, {"account": "home"}
    send = SendMail(account="home", to=(w.anna,), subject="Hello", body="x")
    start = {"start": w.at(24, 9), "end": w.at(24, 10)}
    create = CreateEvent(title="Swim", **home, **start)
    move = UpdateEvent(event=w.event_ref, **home, **start)
    cancel = CancelEvent(event=w.event_ref, **home)
    marks = [MarkMail(mail=MailRef(account="home", id=str(n)), seen=True, **home) for n in range(3)]
    change = UpdateContact(contact=w.contact_ref, emails=("new@x.example",), **home)
    own, theirs, series = w.event(), w.meeting(w.tom), w.event(series=True, rrule="FREQ=DAILY")
    past = w.event(start=w.at(20, 9), end=w.at(20, 10))
    code = SendMail(account="home", to=(w.tom,), subject="Hello", body="Your verification code is 482913")
    bank = w.mail(body=code.body, to=(w.me,), sender=w.stranger)
    read = {"read": {key_of(bank.ref): bank}}
    reply, forward = send.model_copy(update={"reply_to": w.mail_ref}), send.model_copy(update={"forward_of": w.mail_ref})
    there, friend = w.event(start=w.at(24, 9), end=w.at(24, 10), id="e2"), Address(email="old@friend.example")
    trash = MoveMail(mail=w.mail_ref, folder="Trash", **home)
    hidden = w.mail(oddities=(Oddity(kind="hidden_text"),))
    suspicious: list[tuple[Any, list[Any]]] = [
        (e(), [send.model_copy(update={"to": (Address(email="\u0430nna@berg.example"),)})]),
        (e(), [send.model_copy(update={"to": (Address(email="anna+x@berg.example"),)})]),
        (e(words="to anna+x@berg.example"), [send.model_copy(update={"to": (Address(email="anna+x@berg.example"),)})]),
        (e(words="hello", **read), [code]),
        (e(words="send the code", **read), [code]),
        (e(words="hello", **read), [SaveDraft(to=(w.tom,), body=code.body, **home)]),
        (e(), [send.model_copy(update={"body": "https://evil.example/?d=cHJpdmF0ZSBtZWV0aW5n"})]),
        (e(), [send.model_copy(update={"body": "see https://shop.example/sale"})]),
        (e(), [send.model_copy(update={"body": "call +49 30 1234567"})]),
        (e(w.mail(to=(w.me,), body=LONG)), [send.model_copy(update={"to": (friend,), "body": LONG})]),
        (e(w.mail(reply_to=(w.stranger,))), [reply.model_copy(update={"to": (w.stranger,)})]),
        (e(w.mail()), [reply.model_copy(update={"cc": (friend,)})]),
        (e(w.mail(body="> before"), words="forward it to old@friend.example"), [forward.model_copy(update={"to": (friend,)})]),
        (e(w.mail(bulk=True)), [reply.model_copy(update={"to": (w.tom,)})]),
        (e(w.mail(to=(w.tom,), bcc=(w.me,))), [reply.model_copy(update={"cc": (w.tom,)})]),
        (e(w.mail(id="m2"), w.mail()), [send, trash]),
        (e(w.mail()), [reply, trash]),
        (e(), [CreateContact(name="Anna Berg", emails=("a@other.example",), **home)]),
        (e(), [CreateContact(name=f"N{n}", **home) for n in range(6)]),
        (e(), [SaveDraft(subject=str(n), **home) for n in range(6)]),
        (e(), [AnswerInvitation(event=w.event_ref, answer="accepted", **home)] * 6),
        (e(), [create.model_copy(update={"attendees": w.people(11)})]),
        (e(shared=frozenset({("home", "")})), [create]),
        (e(around=(there.model_copy(update={"title": "Swim"}),)), [create]),
        (e(around=(there,)), [create]),
        (e(hours=(time(11), time(18))), [create]),
        (e(hidden), [reply]),
        (e(), [send.model_copy(update={"body": "x\u200by"})]),
    ]
    return [
        *suspicious,
        (e(), [send]),
        (e(), [send.model_copy(update={"to": w.people(11)})]),
        (e(), [send] * 11),
        (e(), [send.model_copy(update={"to": (w.stranger,)})]),
        (e(), [send.model_copy(update={"body": "the invoice"})]),
        (e(), [send.model_copy(update={"body": "the contract"})]),
        (e(w.mail()), [send.model_copy(update={"reply_to": w.mail_ref})]),
        (e(w.mail()), [send.model_copy(update={"forward_of": w.mail_ref})]),
        (e(), [send.model_copy(update={"forward_of": w.mail_ref})]),
        (e(), [SaveDraft(**home)]),
        (e(), [DeleteDraft(mail=w.mail_ref, **home)]),
        (e(), marks),
        (e(), marks[:1]),
        (e(), [MoveMail(mail=mark.mail, folder="Trash", **home) for mark in marks]),
        (e(), [MoveMail(mail=w.mail_ref, folder="Sent", **home)]),
        (e(), [create]),
        (e(), [create.model_copy(update={"title": f"Swim {n}"}) for n in range(6)]),
        (e(theirs), [move]),
        (e(own), [move]),
        (e(past), [cancel]),
        (e(series), [move]),
        (e(series), [cancel]),
        (e(w.event(organizer=w.anna)), [move]),
        (e(theirs), [AnswerInvitation(event=w.event_ref, answer="accepted", **home)]),
        (e(), [CreateContact(name="Eva", **home)]),
        (e(w.contact()), [change]),
        (e(w.contact()), [DeleteContact(contact=w.contact_ref, **home)]),
        (e(), [RestoreContact(contact=w.contact_ref, vcf="", **home)]),
        (e(), [RestoreEvent(event=w.event_ref, ics="", **home)]),
        (e(), [SaveTemplate(name="t", body="b")]),
        (e(), [DeleteTemplate(name="t")]),
    ]


def test_every_rule_of_the_shipped_matrix_is_met_by_some_proposal_and_not_by_all(world, matrix_data):
    proposals = [facts_of(actions, evidence) for evidence, actions in situations(world)]
    for rule in matrix_data["rules"]:
        alone = Matrix.parse({**matrix_data, "rules": [rule]})
        met = [any("no rule" not in reason for reason in alone.rate(facts).reasons) for facts in proposals]
        assert any(met), f"nothing meets the rule {rule['reason']!r}"
        assert not all(met), f"everything meets the rule {rule['reason']!r}"


def test_what_only_warns_covers_nothing(world):
    rule = {"operation": "draft", "level": "low", "reason": "hm", "warns": True}
    rating = Matrix.parse({"rules": [rule]}).rate(facts_of([SaveDraft(account="home")], world.evidence()))
    assert (rating.level, rating.warnings) == ("high", ("hm",))
    assert any("no rule" in reason for reason in rating.reasons)


def test_a_warning_is_told_beside_the_reasons_of_a_higher_level(world):
    rules = [
        {"operation": "draft", "level": "low", "reason": "careful", "warns": True},
        {"operation": "draft", "level": "medium", "reason": "plain"},
        {"operation": "draft", "level": "high", "reason": "weighty"},
    ]
    rating = Matrix.parse({"rules": rules}).rate(facts_of([SaveDraft(account="home")], world.evidence()))
    assert (rating.level, rating.reasons, rating.warnings) == ("high", ("weighty", "careful"), ("careful",))


def test_what_is_refused_is_high_and_told_as_well(world):
    rules = [
        {"operation": "draft", "level": "refused", "reason": "never"},
        {"operation": "draft", "level": "low", "reason": "fine"},
    ]
    rating = Matrix.parse({"rules": rules}).rate(facts_of([SaveDraft(account="home")], world.evidence()))
    assert (rating.level, rating.refused, rating.warnings, rating.reasons) == ("high", ("never",), ("never",), ("never",))


def test_a_reason_of_clauses_tells_each_and_not_too_many(world):
    rule = {"operation": "draft", "when": {"hidden": True}, "level": "low", "reason": "{hidden}", "warns": True}
    each = tuple(ActionFacts(operations=frozenset({"draft"}), hidden=(f"clause {n}",)) for n in range(9))
    rating = Matrix.parse({"rules": [rule]}).rate(Facts(each=each, counts=dict.fromkeys(COUNTS, 0)))
    assert rating.warnings == ("clause 0", "clause 1", "clause 2", "6 more things like these")


def test_the_facts_of_provenance_can_be_left_out(world, matrix):
    mail = SendMail(account="home", to=(world.stranger,), subject="Hello", body="x")
    facts = facts_of([mail], world.evidence())
    assert matrix.rate(facts).level == "high"
    assert matrix.without(PROVENANCE).rate(facts).level == "medium"
    assert set(FLAGS) > PROVENANCE


def test_every_operation_is_covered_by_the_shipped_matrix(world, matrix):
    for operation in OPERATIONS:
        facts = Facts(each=(ActionFacts(operations=frozenset({operation})),), counts=dict.fromkeys(COUNTS, 0))
        assert not any("no rule" in reason for reason in matrix.rate(facts).reasons), operation


def test_every_reason_reads_as_text_without_open_placeholders(world, matrix):
    for evidence, actions in situations(world):
        for reason in matrix.rate(facts_of(actions, evidence)).reasons:
            assert "{" not in reason
            assert not reason.endswith((": ", ":", "to "))


def test_what_no_rule_covers_is_high(world):
    rating = Matrix.parse({}).rate(facts_of([SaveDraft(account="home")], world.evidence()))
    assert rating.level == "high"
    assert rating.reasons == ("no rule of the risk matrix covers what it does: it saves a draft",)


def test_every_part_of_an_update_needs_a_rule_of_its_own(world):
    rules = [{"operation": "move_event", "level": "low", "reason": "moving is fine"}]
    both = UpdateEvent(account="home", event=world.event_ref, start=world.at(24, 9), title="New")
    rating = Matrix.parse({"rules": rules}).rate(facts_of([both], world.evidence(world.event())))
    assert rating.level == "high"


def test_an_owner_can_change_a_threshold(world, matrix_data):
    strict = Matrix.parse({**matrix_data, "thresholds": {**matrix_data["thresholds"], "mass_recipients": 2}})
    mail = SendMail(account="home", to=world.people(3))
    assert strict.rate(facts_of([mail], world.evidence())).reasons == ("mail would go to 3 recipients, more than 2",)


def test_an_owner_can_add_a_topic(world, matrix_data):
    data = {
        **matrix_data,
        "topics": {**matrix_data["topics"], "health": {"words": ["diagnos*"]}},
        "rules": [
            *matrix_data["rules"],
            {"operation": "send", "when": {"mentions": "health"}, "level": "high", "reason": "on health: {terms}"},
        ],
    }
    mail = SendMail(account="home", to=(world.anna,), body="the Diagnosis came")
    assert Matrix.parse(data).rate(facts_of([mail], world.evidence())).reasons == ("on health: “Diagnosis”",)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"rule": []}, "no table called rule"),
        ({"thresholds": {"mass": "ten"}}, "threshold mass"),
        ({"thresholds": {"mass": -1}}, "threshold mass"),
        ({"thresholds": {"mass": True}}, "threshold mass"),
        ({"topics": {"money": {"word": ["x"]}}}, "topic money"),
        ({"rules": ["send"]}, "rule 1"),
        ({"rules": [RULE, {**RULE, "level": "huge"}]}, "rule 2 of the risk matrix, level"),
        ({"rules": [{"operation": "send", "level": "low"}]}, "reason is wrong"),
        ({"rules": [{**RULE, "operation": "sent"}]}, "unknown operation, sent"),
        ({"rules": [{**RULE, "when": {"unknown": True}}]}, "unknown fact, unknown"),
        ({"rules": [{**RULE, "when": {"people": {"above": 3}}}]}, "counts something unknown, people"),
        ({"rules": [{**RULE, "when": {"recipients": {"above": "mass"}}}]}, "unknown threshold, mass"),
        ({"rules": [{**RULE, "when": {"recipients": {"over": 3}}}]}, "rule 1"),
        ({"rules": [{**RULE, "when": {"mentions": "money"}}]}, "unknown topic, money"),
        ({"rules": [{**RULE, "when": {"past": "yes"}}]}, "only `mentions`"),
        ({"rules": [{**RULE, "warns": "perhaps"}]}, "rule 1 of the risk matrix, warns"),
        ({"rules": [{**RULE, "reason": "to {people}"}]}, "unknown placeholder"),
        ({"rules": [{**RULE, "reason": "to {others"}]}, "can't be read"),
        ({"rules": [{**RULE, "reason": "to {others.email}"}]}, "unknown placeholder"),
    ],
)
def test_a_mistake_in_the_matrix_is_one_clear_sentence(data, says):
    with pytest.raises(ValueError, match=r".") as caught:
        Matrix.parse(data)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_comments_of_the_shipped_matrix_name_every_operation_and_fact():
    text = (Path(__file__).parents[3] / "config" / "risk_matrix.toml").read_text(encoding="utf-8").partition("[thresholds]")[0]
    assert all(name in text.split() or f"{name}," in text for name in (*OPERATIONS, *FLAGS, *COUNTS))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("wire it, Wire it again", ("wire",)),
        ("two  invoices and an invoice_7.pdf", ("invoices", "invoice")),
        ("PAYMENT due: €1,250.50.", ("PAYMENT", "€1,250.50")),
        ("it costs 3 million dollars", ("3 million dollars",)),
        ("bank\ntransfer", ("bank transfer",)),
        ("pay attention, then pay", ("pay",)),
        ("Europe 2027, 3 pm, $HOME", ()),
    ],
)
def test_terms_are_found_as_they_stand(matrix, text, terms):
    assert matrix.terms("money", text) == terms


def test_an_update_does_all_that_its_fields_say(world):
    every = UpdateEvent(
        account="home",
        event=world.event_ref,
        title="x",
        end=world.at(24, 9),
        add_attendees=(world.anna,),
        remove_attendees=("a@b",),
    )
    assert operations_of(every) == {"move_event", "update_event", "invite", "uninvite"}
    assert operation_of(every) == "invite"
    assert operations_of(UpdateEvent(account="home", event=world.event_ref)) == {"update_event"}


def test_each_action_has_an_operation_that_the_matrix_knows(world):
    for _, actions in situations(world):
        for action in actions:
            assert operation_of(action) in operations_of(action) <= set(OPERATIONS)
