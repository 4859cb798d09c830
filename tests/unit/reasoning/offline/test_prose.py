import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.offline.saying.prose import sentences
from assistant.reasoning.quoting import own_words

SAID = "The offer is ready. Can you sign it by Friday?"


@pytest.mark.parametrize(
    "text",
    [
        f"Hi Anna,\n\n{SAID}\n\nBest regards,\nSofia Rossi\nRoofs & Sons\n+49 30 1234567",
        f"Dear Mr. Smith,\n{SAID}\nThanks!\n",
        f"Hello everyone and team!\n{SAID}",
        f"{SAID}\n\n-- \nSofia Rossi\nA very long line of a company's signature that nobody reads but everybody receives with it\n",
        f"{SAID}\n\nSent from my telephone",
        f"Hallo Anna,\n\n{SAID}\n\nViele Grüße\nSofia",
        f"{SAID}\n\nOn Mon, Nov 16, 2026 at 9:00 AM Anna <anna@example.org> wrote:\n> When is it ready?\n> Tell me.",
        f"{SAID}\n\nOn Monday the 16th at nine in the morning,\nAnna <anna@example.org> wrote:\n\nWhen is it ready?",
        f"{SAID}\n\n-----Original Message-----\nFrom: Anna\n\nWhen is it ready?",
        f"{SAID}\n\nFrom: Anna\nSent: Monday\nTo: Sofia\nSubject: Roof\n\nWhen is it ready?",
        f"{SAID}\r\n\r\nAm 16.11.2026 um 09:00 schrieb Anna <anna@example.org>:\r\n> Wann?",
        f"> When is it ready?\n{SAID}",
    ],
)
def test_greeting_signature_and_history_are_not_the_writers_words(text: str) -> None:
    assert own_words(text) == SAID


def test_a_greeting_on_the_first_sentences_line_is_taken_off() -> None:
    assert own_words(f"Hi Tom, {SAID}") == SAID
    assert own_words("Hi-fi prices fell.") == "Hi-fi prices fell."
    assert own_words("Hello world is a program.") == "Hello world is a program."


def test_thanks_in_the_middle_is_not_a_signature() -> None:
    text = "Thanks\n\n" + "This paragraph goes on about many things and is far too long to stand in any signature. " * 2
    assert own_words(text) == text.strip()


def test_of_a_bare_forward_the_forwarded_text_is_read() -> None:
    forward = "---------- Forwarded message ---------\nFrom: Bo\nDate: Monday\nSubject: Lease\nTo: Anna\n\nThe lease ends on 3 May."
    assert own_words(forward) == "The lease ends on 3 May."
    assert own_words(f"What do you think?\n\n{forward}") == "What do you think?"


def test_sentences_end_where_they_end() -> None:
    text = 'Dr. Kline came at 9.30 a.m. on Monday. She said: "No!" It costs $3.50, i.e. nothing. See https://x.example/a.b?c=d now'
    assert sentences(text) == (
        "Dr. Kline came at 9.30 a.m. on Monday.",
        'She said: "No!"',
        "It costs $3.50, i.e. nothing.",
        "See https://x.example/a.b?c=d now",
    )


def test_wrapped_lines_are_joined_and_list_items_stand_alone() -> None:
    text = (
        "We have talked about the roof for several weeks and\nnow it is time. Here is\n\n"
        "- tiles: 3 weeks\n- scaffolding: 2 weeks\n\nShort line\nAnother one"
    )
    assert sentences(text) == (
        "We have talked about the roof for several weeks and now it is time.",
        "Here is",
        "tiles: 3 weeks",
        "scaffolding: 2 weeks",
        "Short line",
        "Another one",
    )


def test_what_ends_in_a_colon_stays_with_what_it_introduces() -> None:
    assert sentences("Your code is:\n\n482913\n\nKeep it.") == ("Your code is: 482913", "Keep it.")


@given(st.text(alphabet=st.sampled_from("Aab .!?:\n>-*1,\"'Hi\u3002"), max_size=300))
def test_no_word_is_lost_doubled_or_moved(text: str) -> None:
    unbulleted = "".join(sentences(text)).replace(" ", "")
    rest = iter("".join(text.split()))
    assert all(character in rest for character in unbulleted)


@given(st.lists(st.from_regex(r"[A-Z][a-z]{2,8}( [a-z]{4,8}){2,6}[.!?]", fullmatch=True), max_size=8))
def test_plain_sentences_come_back_as_they_are(said: list[str]) -> None:
    assert sentences(" ".join(said)) == tuple(said)


def test_the_writers_bare_name_at_the_end_is_a_signature() -> None:
    for name in ("Sofia", "Sofia Rossi", "- Sofia"):
        assert own_words(f"{SAID}\n\n{name}\n", "Sofia Rossi") == SAID
    assert own_words(f"{SAID}\n\nBen", "Sofia Rossi") == f"{SAID}\n\nBen"
