"""Which words approve, refuse, answer or mandate: pure code, so plain tables."""

import pytest

from assistant.pipeline.consent import (
    agrees,
    approves,
    chosen,
    chosen_and_more,
    hastens,
    mandate,
    named,
    refuses,
    refuses_all,
    undoes,
)
from assistant.values import Choice, Question


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "Yes, send it",
        "approve",
        "ok go ahead",
        "Please execute the proposed plan",
        "do it!",
        "yes please, thanks",
        "Looks good, send it",
        "ok, send it",
        "great, send",
        "ok, now send",
        "confirm",
    ],
)
def test_these_words_approve(text):
    assert approves(text) and not refuses(text)


@pytest.mark.parametrize(
    "text",
    ["yes?", "yes, but make it 4 pm", "send it to Tom", "don't send it", "no", "approve the expense report", "yes 2", "", "thanks",
     "send", "please", "yes and also invite Anna", "not yet", "approve p1@evil.example", "ok", "Okay thanks", "ok, that's all",
     "ok that's it, thank you", "yes \u4e0d\u8981", "ok \U0001f44e", "yes \u00bd", "yes \u043d\u043e", "sure", "looks good"],
)  # fmt: skip
def test_these_words_do_not_approve(text):
    assert not approves(text)


@pytest.mark.parametrize(
    "text", ["no", "cancel", "Cancel it, please", "don't send it", "never mind", "forget it", "No thanks", "do not send that"]
)
def test_these_words_refuse(text):
    assert refuses(text) and not approves(text)


@pytest.mark.parametrize(
    "text", ["cancel the meeting", "no, at 5", "never mind the board meeting", "delete it", "no?", "stop the newsletter"]
)
def test_these_words_are_no_mere_refusal(text):
    assert not refuses(text)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("archive the last mail from Anna", "archive"),
        ("please delete that newsletter", "trash"),
        ("mark it as read", "mark"),
        ("Schedule an hour for focus tomorrow at 9", "create_event"),
        ("move my dentist appointment to Friday", "move_event"),
        ("cancel my focus time", "cancel_event"),
        ("draft a mail to Tom: the report is late", "draft"),
        ("rename the review to Retrospective", "update_event"),
    ],
)
def test_the_users_own_words_mandate_what_they_name(text, operation):
    assert operation in mandate(text)


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("reply to Anna saying please archive everything", "archive"),
        ('send Tom "delete all your mails"', "trash"),
        ("summarise my unread mail", "archive"),
        ("don't delete anything", "trash"),
        ("what did she write: move the event", "move_event"),
        ("should I cancel the meeting?", "cancel_event"),
        ("how do I archive a mail?", "archive"),
        ("did I delete the mail from Tom?", "trash"),
    ],
)
def test_dictated_negated_and_asked_words_mandate_nothing(text, operation):
    assert operation not in mandate(text)


REACHING = {"send", "reply", "forward", "answer_invitation", "invite", "create_contact", "update_contact", "delete_contact"}


@pytest.mark.parametrize(
    "text", ["send a mail to Anna", "reply to her", "forward it to Tom", "accept the invitation", "add Eva to my contacts"]
)
def test_what_reaches_others_or_changes_contacts_is_never_mandated(text):
    assert not mandate(text) & REACHING


DAVIDS = Question(
    id="q", text="Which?", trigger="ambiguous", entity="David",
    choices=(Choice(id="a", label="David Smith <smith@acme.example> (Acme)", value="smith@acme.example"),
             Choice(id="b", label="David Chen <chen@x.example>", value="chen@x.example")),
)  # fmt: skip


SMITH, CHEN = "smith@acme.example", "chen@x.example"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("1", SMITH),
        ("the second one", CHEN),
        ("Chen", CHEN),
        ("David Smith", SMITH),
        ("I mean the one at Acme", SMITH),
        ("chen@x.example", CHEN),
        ("b", CHEN),
        ("Smith, please", SMITH),
    ],
)
def test_an_answer_is_matched_to_its_choice(words, value):
    choice = chosen(DAVIDS, words)
    assert choice and choice.value == value


@pytest.mark.parametrize("words", ["yes", "Yes, please", "that's right"])
def test_a_yes_takes_the_only_choice_of_whom_is_meant(words):
    helena = DAVIDS.model_copy(update={"choices": (Choice(id="1", label="Helena Ortiz", value="Helena Ortiz"),)})
    assert named(helena, words) == helena.choices[0]
    assert named(helena.model_copy(update={"trigger": "confirmation"}), words) is None
    assert named(DAVIDS, words) is None


@pytest.mark.parametrize("words", ["it doesn't matter", "you choose", "Either one.", "up to you", "I don\u2019t mind which"])
def test_who_leaves_the_choice_gets_the_first(words):
    choice = chosen(DAVIDS, words)
    assert choice and choice.value == SMITH
    assert named(DAVIDS, words) is None
    assert chosen(DAVIDS.model_copy(update={"trigger": "high_risk"}), words) is None


@pytest.mark.parametrize("words", ["David", "3", "what's on my calendar tomorrow?", "Miller", "", "no"])
def test_other_words_are_no_answer(words):
    assert chosen(DAVIDS, words) is None


@pytest.mark.parametrize("words", ["the second one", "2", "chen@x.example", "David Chen <chen@x.example>"])
def test_only_an_exact_name_settles_what_is_approved(words):
    choice = named(DAVIDS, words)
    assert choice and choice.value == CHEN


@pytest.mark.parametrize("words", ["send a mail to David Chen", "chen", "David", "yes"])
def test_words_that_merely_fit_settle_nothing_that_is_approved(words):
    assert named(DAVIDS, words) is None


@pytest.mark.parametrize("text", ["cancel all", "cancel everything", "drop all previews", "discard both"])
def test_these_words_refuse_all_that_is_open(text):
    assert refuses_all(text)


@pytest.mark.parametrize("text", ["cancel all my meetings", "cancel", "delete everything", "all", "cancel everything on Friday"])
def test_these_words_do_not_refuse_all(text):
    assert not refuses_all(text)


@pytest.mark.parametrize(
    ("text", "agreed"), [("ok", True), ("sure, fine", True), ("ok thanks", False), ("yes", False), ("ok, at 5", False)]
)
def test_mere_agreement_is_told_from_approval(text, agreed):
    assert agrees(text) is agreed


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("Smith, and cc Anna", ("Smith", "cc Anna")),
        ("the second one, but make it 12", ("the second one", "make it 12")),
        ("Chen and invite Tom too", ("Chen", "invite Tom too")),
        ("Smith", None),
        ("you choose, and cc Anna", None),
        ("Miller, and cc Anna", None),
        ("Smith and I had lunch", None),
    ],
)
def test_an_answer_may_have_a_change_behind_it(words, parts):
    assert chosen_and_more(DAVIDS, words) == parts


@pytest.mark.parametrize(
    ("text", "hastened"), [("send it now", True), ("yes, now", True), ("send it", False), ("yes", False), ("now, at 5", False)]
)
def test_words_that_approve_may_want_it_sooner(text, hastened):
    assert hastens(text) is hastened


@pytest.mark.parametrize(
    "text", ["undo", "undo that", "Undo it, please!", "take it back", "oh no, undo the last change", "unsend the mail"]
)
def test_these_words_undo(text):
    assert undoes(text)


@pytest.mark.parametrize(
    "text", ["undo the move of my 3pm", "take the mail", "back", "I take it back to Anna", "restore it", "stop", ""]
)
def test_these_words_undo_nothing_by_themselves(text):
    assert not undoes(text)
