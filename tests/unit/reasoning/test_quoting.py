"""The layers of a mail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.reasoning.quoting import LONGEST, layers

PIECES = [
    "Hello",
    "",
    "> quoted",
    "--",
    "Best regards,",
    "Anna",
    "On Mon, 2 Nov 2026 Tom wrote:",
    "From: a@x.example",
    "Sent: now",
    "To: me",
]


def test_new_text_signature_and_history_are_told_apart() -> None:
    assert layers("Yes.\n\nCheers,\nAnna\n\nOn Mon, 2 Nov 2026 Tom wrote:\n> Coming?") == (
        "Yes.",
        "Cheers,\nAnna",
        "On Mon, 2 Nov 2026 Tom wrote:\n> Coming?",
    )


@pytest.mark.parametrize(
    "history",
    [
        "> Coming?",
        "-----Original Message-----\nComing?",
        "---------- Forwarded message ----------\nFrom: Tom\n\nComing?",
        "From: Tom\nSent: Monday\nTo: Anna\nSubject: Party\n\nComing?",
        "Am 2.11.2026 um 10:00 schrieb Tom:\n> Coming?",
        "Em seg., 2 de nov. de 2026 às 10:00, Tom <t@x.example> escreveu:\n\nComing?",
        "Den mån 2 nov. 2026 kl 10:00 skrev Tom <t@x.example>:\n\nComing?",
        "W dniu 2.11.2026 o 10:00, Tom pisze:\n\nComing?",
        "2 ноября 2026, 10:00, Tom <t@x.example>:\n\nComing?",
        "2026年11月2日(月) 10:00 Tom <t@x.example>:\n\nComing?",
        "Tom <t@x.example> 于2026年11月2日周一 写道\uff1a\n\nComing?",
        "---- On Mon, 02 Nov 2026 10:00:00 +0100 Tom wrote ----\nComing?",
        "差出人: Tom\n送信日時: 2026年11月2日\n宛先: Anna\n件名: Party\n\nComing?",
        "发件人\uff1a张三\n发送时间\uff1a2026年11月2日\n收件人\uff1a李四\n主题\uff1a你好\n\nComing?",
        "Från: Tom\nSkickat: måndag\nTill: Anna\nÄmne: Fest\n\nComing?",
    ],
)
def test_history_is_known_however_a_program_begins_it(history: str) -> None:
    assert layers(f"Yes.\n\n{history}") == ("Yes.", "", history)


@pytest.mark.parametrize(
    "line", ["Write to me at 030 1234 <a@x.example>:", "Do: call Tom", "Til: nine", "Den here:", "From: me to you", "2026: <b>:"]
)
def test_a_line_that_only_looks_like_its_beginning_is_new(line: str) -> None:
    assert layers(f"Yes.\n\n{line}\nComing?") == (f"Yes.\n\n{line}\nComing?", "", "")


def test_a_quotation_that_is_answered_below_stays_with_its_answer() -> None:
    assert layers("> Coming?\nYes.\n> And Tom?\nNo.\n> Fine.") == ("> Coming?\nYes.\n> And Tom?\nNo.", "", "> Fine.")


def test_a_bare_forward_has_nothing_new() -> None:
    assert layers("---------- Forwarded message ----------\nFrom: Tom\n\nHello").new == ""


@given(st.lists(st.sampled_from(PIECES), max_size=15).map("\n".join))
def test_nothing_of_a_text_is_lost_and_nothing_added(text: str) -> None:
    told = "\n".join(layers(text, "Anna")).split("\n")
    assert [line for line in told if line.strip()] == [line for line in text.split("\n") if line.strip()]


def test_a_very_long_text_is_kept_whole() -> None:
    text = "word " * LONGEST
    assert layers(text).new == text
