"""By which words a person is known, and where texts are in what is stored."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from assistant.pipeline.state import FlowState
from assistant.running.forgetting import typed
from assistant.running.forgetting.people import Person, meant, people_of, words_of
from assistant.running.forgetting.redaction import STRUCTURE, Redaction
from assistant.running.thinning import LASTING, without_texts
from integrations.actions import Receipt
from risk.preview import Preview

WILL = Redaction(*words_of(Person(emails=("will@example.org",), names=("Will Smith",)), "will@example.org", ()))


def test_a_name_is_found_as_a_word_and_an_address_whole():
    redaction = Redaction(["anna@x.org", "Anna Berg", "Anna"])
    assert redaction.of("Anna\nBerg, ANNA@x.org, anna.") == "[forgotten], [forgotten], [forgotten]."
    for other in ("Annabel", "lisa.anna@x.org", "anna@other.org", "Hanna"):
        assert redaction.of(other) == other


@pytest.mark.parametrize("text", ["WILL@example.org", "he is will  smith.", "Smith, Will", "cv_Will_Smith.pdf", "will-smith.txt"])
def test_an_address_and_a_whole_name_are_found_however_they_are_written(text):
    assert WILL.names(text) and WILL.meets({"a": [text]}) and "mith" not in WILL.of(text)


@pytest.mark.parametrize(
    "text", ["Ask Will.", "for Will's birthday", 'He met Anna, "Will" and me', "Dear Mr. Smith", "Anna & Will"]
)
def test_a_part_of_a_name_is_found_as_it_is_written_within_a_sentence(text):
    assert WILL.meets(text) and not WILL.names(text)


@pytest.mark.parametrize(
    "text", ["I will be there; it will rain.", "Will you come?", "Ok. Will do.", "Re: Will it rain?", "x will@other.org"]
)
def test_a_word_that_is_spelt_like_a_part_of_a_name_is_none(text):
    assert not WILL.meets(text)


def test_what_tells_of_somebody_is_left_without_any_part_of_the_name():
    assert WILL.of("mail will. Will Smith") == "mail [forgotten]. [forgotten]"


def test_a_name_beside_an_address_goes_with_it():
    value = [{"email": "will@example.org", "name": "W."}, {"emails": ["x@x.org", "will@example.org"], "name": "Willy"}]
    assert [one["name"] for one in WILL.of_json(value)] == ["[forgotten]", "[forgotten]"]


def test_words_of_our_own_are_no_names():
    mark = Redaction(["mark@x.org", "Mark Smith"], ["Mark", "Smith"])
    ours = {"kind": "mark", "operation": "mark", "action": "mark_mail"}
    assert mark.of_json({**ours, "name": "Mark"}) == {**ours, "name": "[forgotten]"}
    assert mark.of_json({"action": {"subject": "for Mark"}}) == {"action": {"subject": "for [forgotten]"}}


@pytest.mark.parametrize("kind", [FlowState, Preview, Receipt])
def test_every_field_whose_words_are_ours_is_known_as_such(kind):
    assert set(named_by_us(TypeAdapter(kind).json_schema())) <= STRUCTURE


def named_by_us(schema: Any, name: str = "") -> Iterator[str]:
    """The fields that hold one of certain words."""
    if isinstance(schema, list):
        for inner in schema:
            yield from named_by_us(inner, name)
    elif isinstance(schema, dict):
        if name and any(isinstance(word, str) and word for word in (*schema.get("enum", ()), schema.get("const"))):
            yield name
        for key, inner in schema.items():
            if key in ("properties", "$defs"):
                for field, of in inner.items():
                    yield from named_by_us(of, field if key == "properties" else "")
            else:
                yield from named_by_us(inner, name)


def test_part_of_a_name_that_others_bear_is_not_looked_for_by_itself():
    helena, braun = Person(emails=("h@x",), names=("Helena Fischer",)), Person(emails=("b@x",), names=("Helena Braun",))
    words = words_of(helena, "h@x", [braun])
    assert words == (("h@x", "Helena Fischer", "Fischer, Helena"), ("Fischer",))


@pytest.mark.parametrize(
    ("name", "names", "parts"),
    [
        ("Fischer, Helena", {"Fischer, Helena", "Helena Fischer"}, {"Helena", "Fischer"}),
        ("Dr. May van Berg (Acme)", {"Dr. May van Berg (Acme)", "May van Berg", "Berg, May van"}, {"Berg"}),
        ("will o'neil", {"will o'neil", "o'neil, will"}, {"Will", "O'Neil"}),
        ("Will", set(), {"Will"}),
        ("李雷", {"李雷"}, set()),
    ],
)
def test_a_name_is_looked_for_in_its_forms_and_parts(name, names, parts):
    found = words_of(Person(emails=("x@x",), names=(name,)), "x@x", ())
    assert set(found.names) == {"x@x", *names} and set(found.parts) == parts


def test_who_shares_an_address_or_a_name_is_one():
    people = people_of([("a@x", "Ann Lee"), ("b@x", "Ann Lee"), ("b@x", "A. Lee"), ("c@x", "")])
    assert people == (Person(emails=("a@x", "b@x"), names=("Ann Lee", "A. Lee")), Person(emails=("c@x",)))
    assert meant("lee ann", people) == (people[0],) and meant("c@x", people) == (people[1],) and meant("Le", people) == ()


def test_what_was_typed_is_kept_but_for_what_is_forgotten(tmp_path):
    path = tmp_path / typed.NAME
    path.write_text("\n# 1\n+first\n+line\n\n# 2\n+second\n")
    assert typed.rewritten(path, lambda text: None if text == "second" else text, really=True) == 1
    assert path.read_text() == "\n# 1\n+first\n+line\n"
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_thinned_flow_has_all_that_a_flow_must_have():
    required = {name for name, field in FlowState.model_fields.items() if field.is_required()}
    assert required <= LASTING


def test_a_text_is_removed_wherever_a_mail_stands():
    mail = {"subject": "Hi", "body": "secret", "snippet": "secret"}
    value = {"reports": {"1": {"data": {"mails": [mail], "proposals": [{"before": mail}]}}}, "encloses": {"text": "secret"}}
    assert "secret" not in str(without_texts(value)) and "Hi" in str(without_texts(value))
