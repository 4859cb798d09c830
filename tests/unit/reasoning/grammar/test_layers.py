"""The layers below a sentence, each alone: tokens, entities, lexicon, pieces."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.lexicon import inflections, lexicon, plural
from assistant.reasoning.offline.planning.message.messages import pieces
from assistant.reasoning.offline.reading.entities import mark
from assistant.reasoning.offline.reading.text.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "lows"),
    [
        ("haven't", ["have", "not"]), ("can't", ["can", "not"]), ("won\u2019t", ["will", "not"]), ("Anna's", ["anna", "'s"]),
        ("I'll", ["i", "will"]), ("dont", ["do", "not"]), ("e-mail 3:30pm", ["e-mail", "3:30pm"]), ("R&D", ["r&d"]),
    ],
)  # fmt: skip
def test_words_are_split_from_what_clings_to_them(text: str, lows: list[str]) -> None:
    assert [token.low for token in tokenise(text)] == lows


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("saying 'I'm late'", "quote", "I'm late"), ("saying “so be it”", "quote", "so be it"),
        ("to a.b@c-d.org", "address", "a.b@c-d.org"),
        ("at +49 30 123 45 67", "phone", "+49 30 123 45 67"), ("archive {3}", "ref", "3"), ("call 555-0123", "phone", "555-0123"),
    ],
)  # fmt: skip
def test_what_belongs_together_is_one_token(text: str, kind: str, value: str) -> None:
    token = tokenise(text)[-1]
    assert (token.kind, token.text) == (kind, value)


def test_a_date_is_no_telephone_number() -> None:
    assert all(token.kind != "phone" for text in ("on 2026-11-21", "on 5/17/2026", "at 10:30") for token in tokenise(text))


@given(text=st.text(max_size=80))
def test_tokens_stand_in_order_within_the_text(text: str) -> None:
    tokens = tokenise(text)
    assert all(0 <= token.begin <= token.end <= len(text) for token in tokens)
    assert all(before.end <= after.begin for before, after in itertools.pairwise(tokens))


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("mails from anna about it", ["anna"]), ("ask Anna Berg", ["Anna Berg"]), ("who wrote to sofia rossi", ["sofia rossi"]),
        ("I will mark it", []), ("tell Mark Will", ["Mark Will"]),
        ("in the marketing team", ["marketing team"]), ("Anna Olsen wrote", ["Anna Olsen"]),
    ],
)  # fmt: skip
def test_known_people_are_found_and_plain_words_are_not(text: str, people: list[str], setting: Setting) -> None:
    assert [item.text for item in mark(text, setting) if item.kind == "person"] == people


def test_times_inside_quotes_are_not_read(setting: Setting) -> None:
    kinds = [item.kind for item in mark("email Tom saying 'tomorrow at 3pm' on Friday", setting)]
    assert kinds.count("time") == 1


def test_older_than_ends_where_the_time_begins(setting: Setting) -> None:
    (when,) = [item.time for item in mark("mails older than two weeks", setting, "past") if item.time]
    assert when.start is None
    assert when.stop is not None
    assert (setting.now - when.stop).days == 14


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("cancel", {"cancels", "canceled", "canceling"}), ("move", {"moves", "moved", "moving"}),
        ("reply", {"replies", "replied", "replying"}),
        ("push back", {"pushes back", "pushed back", "pushing back"}), 
        ("flag", {"flags", "flagged", "flagging"}),
    ],
)  # fmt: skip
def test_inflections_are_derived(verb: str, forms: set[str]) -> None:
    assert set(inflections(verb)) == forms


def test_plurals_are_derived() -> None:
    assert [plural(noun) for noun in ("mail", "reply", "inbox", "day")] == ["mails", "replies", "inboxes", "days"]


def test_every_operation_of_the_lexicon_exists_and_has_words() -> None:
    from typing import get_args

    from assistant.reasoning.calls import Operation

    lex = lexicon()
    verbs = {form.verb for rows in lex.verbs.by_first.values() for _, form in rows}
    nouns = {value[0] for rows in lex.nouns.by_first.values() for _, value in rows} | {""}
    assert set(lex.operations.values()) <= set(get_args(Operation))
    assert {verb for verb, _ in lex.operations} <= verbs
    assert {noun for _, noun in lex.operations} <= nouns


@pytest.mark.parametrize(
    ("message", "parts"),
    [
        ("archive it and then flag it", [("plain", "archive it"), ("plain", "flag it")]),
        (
            "if Tom replied, archive it, otherwise flag it",
            [("check", "check whether Tom replied"), ("if", "archive it"), ("else", "flag it")],
        ),
        ("flag it unless Tom replied", [("check", "check whether Tom replied"), ("if", "flag it")]),
        ("email Tom saying 'do this and delete that'", [("plain", "email Tom saying 'do this and delete that'")]),
        ("ask Tom and Anna if they are in", [("plain", "ask Tom and Anna if they are in")]),
        ("flag it so that I find it again", [("plain", "flag it"), ("told", "I find it again")]),
        ("delete it because it has expired", [("plain", "delete it"), ("told", "it has expired")]),
        ("archive it, I don't need it any more", [("plain", "archive it"), ("told", "I don't need it any more")]),
        ("cancel it since he is ill and flag that", [("plain", "cancel it"), ("told", "he is ill"), ("plain", "flag that")]),
        ("after archiving the mail from Tom, read it", [("plain", "archive the mail from Tom"), ("plain", "read it")]),
        ("before deleting the mail from Tom, flag that", [("plain", "flag that"), ("plain", "delete the mail from Tom")]),
        ("archive the newsletters, then calendar Monday", [("plain", "archive the newsletters"), ("plain", "calendar Monday")]),
    ],
)
def test_a_message_falls_into_its_requests(message: str, parts: list[tuple[str, str]], setting: Setting) -> None:
    assert [(piece.role, piece.text) for piece in pieces(message, setting)] == parts


@pytest.mark.parametrize(
    ("message", "negated"),
    [("if Tom hasn't replied, flag it", True), ("if I'm busy at noon, flag it", True), ("unless I'm busy at noon, flag it", False)],
)
def test_a_negated_condition_is_checked_positively(message: str, negated: bool, setting: Setting) -> None:
    check = pieces(message, setting)[0]
    assert check.negated is negated
    assert "not" not in check.text


@pytest.mark.parametrize(
    "message",
    [
        "tell Tom I can't come because I'm ill", "move the dentist so that it ends at 5", "archive the mails, no, the newsletters",
        "schedule a call with Tom at 3, we need an hour", "cancel my meetings because I'm away on Friday",
    ],
)  # fmt: skip
def test_what_may_say_more_of_a_request_is_not_told_besides_it(message: str, setting: Setting) -> None:
    assert "told" not in {piece.role for piece in pieces(message, setting)}


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("if I moved the dentist to Friday at 10, would it clash with anything?", "am I busy Friday at 10?"),
        ("would it work if I moved the dentist to Friday at 10?", "am I free Friday at 10?"),
        ("would moving the dentist to Friday at 10 be a problem?", "am I busy Friday at 10?"),
    ],
)
def test_what_is_only_supposed_asks_about_its_time(message: str, asked: str, setting: Setting) -> None:
    (piece,) = pieces(message, setting)
    assert piece.text == asked
