import pytest

from assistant.drafting.choosing import Choice, Stakes, When, choose
from integrations.types import Address

ANNA = Address(email="anna@mail.example.com", name="Anna")


def several(*reasons: str) -> Choice:
    return Choice(strategy="coordination", reasons=reasons)


def test_a_routine_reply_is_written_once():
    assert choose(Stakes(level="medium", reasons=("it goes to others",), to=(ANNA,)), When()) == Choice(strategy="single")


def test_what_the_gate_calls_high_is_deliberated_for_its_reasons():
    stakes = Stakes(level="high", reasons=("it mentions money (invoice)",), to=(ANNA,))
    assert choose(stakes, When()) == several("it mentions money (invoice)")
    assert choose(stakes, When(level="never")) == Choice(strategy="single")


@pytest.mark.parametrize(
    "important", ["anna@mail.example.com", "ANNA@mail.example.com", "mail.example.com", "example.com", "@example.com"]
)
def test_somebody_important_is_named_by_address_or_domain(important):
    assert choose(Stakes(to=(ANNA,)), When(important=(important,))) == several("Anna is important")


@pytest.mark.parametrize("other", ["com", "le.com", "anna", ""])
def test_a_part_of_a_name_makes_nobody_important(other):
    assert choose(Stakes(to=(ANNA,)), When(important=(other,))).strategy == "single"


def test_a_contact_group_makes_its_members_important():
    assert choose(Stakes(to=(ANNA,), groups=("VIP",)), When()) == several("it goes to somebody in VIP")


def test_many_recipients_low_confidence_and_the_users_wish_are_reasons_each():
    people = tuple(Address(email=f"p{n}@example.org") for n in range(5))
    reasons = choose(Stakes(to=people, confidence=60, asked=True), When()).reasons
    assert reasons == ("you asked for more thought", "it goes to 5 people", "only 60 % sure of what it rests on")


def test_a_decision_with_several_sides_goes_to_the_blackboard():
    assert choose(Stakes(sides=True), When()).strategy == "blackboard"
