"""By which words a person is known, and where texts are in what is stored."""

from assistant.pipeline.state import FlowState
from assistant.running.forgetting import typed
from assistant.running.forgetting.people import Person, meant, people_of, words_of
from assistant.running.forgetting.redaction import Redaction
from assistant.running.thinning import LASTING, without_texts


def test_a_name_is_found_as_a_word_and_an_address_whole():
    redaction = Redaction(["anna@x.org", "Anna Berg", "Anna"])
    assert redaction.of("Anna\nBerg, ANNA@x.org, anna.") == "[forgotten], [forgotten], [forgotten]."
    for other in ("Annabel", "lisa.anna@x.org", "anna@other.org", "Hanna"):
        assert redaction.of(other) == other


def test_words_of_our_own_are_no_names():
    assert Redaction(["Mark"]).of_json({"kind": "mark", "name": "Mark"}) == {"kind": "mark", "name": "[forgotten]"}


def test_part_of_a_name_that_others_bear_is_not_looked_for_by_itself():
    helena, braun = Person(emails=("h@x",), names=("Helena Fischer",)), Person(emails=("b@x",), names=("Helena Braun",))
    words = words_of(helena, "h@x", [braun])
    assert "Fischer" in words and "Fischer, Helena" in words and "Helena" not in words


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
