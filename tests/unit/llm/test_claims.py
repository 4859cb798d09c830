"""Which tellings of deeds are refused, and which replies are not: two sets of sentences, and rules that hold for all of them."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.llm.honesty import false_claims, faults

HERE = Path(__file__).parent
REPORTS = tomllib.loads((HERE / "honest_replies.toml").read_text(encoding="utf-8"))["reports"]
CLAIMS = tomllib.loads((HERE / "false_claims.toml").read_text(encoding="utf-8"))["claims"]
ALL = "\n\n".join(report["material"] for report in REPORTS)
ASKED = (
    "send Tom, Anna and Priya a mail, reply to David, move the stand-up and my 3pm to 4pm or 11:00, cancel the meeting, book the "
    "room and a table for two, buy tickets, pay the invoice, archive and trash the newsletters, set a reminder, flag it, save"
)
HONEST = [(reply, report["material"], report["asked"]) for report in REPORTS for reply in report["replies"]]
PLAIN = [(reply, material, asked) for reply, material, asked in HONEST if "\n" not in reply]


def claimed(reply: str, material: str, asked: str) -> tuple[str, ...]:
    return false_claims(reply, material, asked, "told")


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_deed_that_no_report_tells_of_is_refused_whatever_was_asked_and_found(claim: str) -> None:
    assert claimed(claim, ALL, ASKED)
    assert all(claimed(claim, report["material"], f"{report['asked']} {ASKED}") for report in REPORTS)


@pytest.mark.parametrize(("reply", "material", "asked"), HONEST)
def test_what_a_report_tells_may_be_told(reply: str, material: str, asked: str) -> None:
    assert faults(reply, material, asked) == ()


@given(
    st.sampled_from(CLAIMS), st.sampled_from(PLAIN), st.sampled_from(["{1} {0}", "{0} {1}", "{1}\n{0}", "{1}\n- {0}", "{0}\n\n{1}"])
)
def test_a_false_claim_is_refused_wherever_it_stands_in_an_honest_reply(
    claim: str, honest: tuple[str, str, str], form: str
) -> None:
    reply, material, asked = honest
    assert claimed(form.format(claim, reply), material, f"{asked} {ASKED}")


@given(st.sampled_from(CLAIMS), st.integers(0, 200))
def test_a_claim_is_no_better_for_signs_that_nobody_sees(claim: str, at: int) -> None:
    at %= len(claim)
    assert claimed(f"{claim[:at]}\u200b{claim[at:]}", ALL, ASKED)


def passages() -> Iterator[tuple[str, str]]:
    """Listed lines, and mails from their head on, in the words of the reports."""
    for report in REPORTS:
        for line in report["material"].splitlines():
            if line[:1].isdigit() and "From:" not in report["material"]:
                yield line, report["material"]


@given(st.lists(st.sampled_from(list(passages())), min_size=1, max_size=4))
def test_lines_of_a_list_may_be_taken_over_as_they_are(taken: list[tuple[str, str]]) -> None:
    assert not claimed("\n".join(line for line, _ in taken), "\n".join(material for _, material in taken), "")


@given(st.sampled_from(["Anna", "Tom"]), st.text(alphabet="abcdefghij ", min_size=12, max_size=60).map(str.strip))
def test_a_mail_may_be_shown_under_its_head_whatever_it_says(who: str, body: str) -> None:
    mail = f"Done\nFrom: {who} <{who}@x.example>\n\nI have sent it. {body}\nDone, sent."
    assert not claimed(mail, mail, "")
    assert claimed("Done, sent.", mail, "") and claimed("I have sent it.", mail, "")


FREE = ["You're welcome!", "Hello! How can I help?", "Paris is the capital of France.", "Which mail do you mean?"]
BOUND = [
    "Done!",
    "Erledigt.",
    "It's history.",
    "I told Tom.",
    "Your mail zoomed off.",
    "I'll do it at once.",
    "Mission accomplished.",
]


@pytest.mark.parametrize("words", FREE)
def test_what_leans_on_no_report_may_say_anything_that_is_no_deed(words: str) -> None:
    assert faults(words, "", "hello", "free") == ()


@pytest.mark.parametrize("words", BOUND)
def test_what_leans_on_no_report_must_not_tell_of_a_deed_either(words: str) -> None:
    assert faults(words, "", "send Tom a mail", "free")


@pytest.mark.parametrize(
    "words", ["know what is on tomorrow's calendar", "one address of Helena", "a mail reaches somebody else than Helena"]
)
def test_notes_are_no_claims(words: str) -> None:
    assert false_claims(words, "", strictness="noted") == ()
