"""Characters that nobody sees are taken out, and told of where nothing honest explains them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.common.invisible import cleaned, visible

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "pay")
WALES = "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    "hidden",
    [
        TAGS,
        "\u200b\u200c\u200b\u200d",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u200e\u200f",
        "\u061c",
        "\u2060",
        "\u2063",
        "\ufeff",
        "\ufe00\ufe01",
        "\U000e0100\U000e0101",
        "\u3164",
        "\u115f",
        "\uffa0",
        "\u180e",
        "\u034f",
        "\ufff9",
        "\U0001d173",
        "\U0001bca0",
        "\u00ad\u00ad",
        "\x1b",
        "\x08",
    ],
    ids=ascii,
)
def test_what_hides_inside_of_a_word_goes_and_is_counted(hidden: str) -> None:
    assert cleaned(f"pass{hidden}word") == ("password", len(hidden), 0)


@pytest.mark.parametrize(
    "turned", ["\u202b\u05d3 pay 001\u202c", "pay\u202b\u05d3\u202c", "\u202b100-200\u202c", "\u202e\u05d3\u202c"]
)
def test_directions_that_may_move_what_is_read_are_counted(turned: str) -> None:
    assert cleaned(turned).directions == 2


@pytest.mark.parametrize("code", [*range(0x202A, 0x202F), *range(0x2066, 0x206A)], ids=hex)
def test_directions_go_and_are_counted(code: int) -> None:
    assert cleaned(f"gpj{chr(code)}.exe") == ("gpj.exe", 0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "Ärger, naïve, 東京, नमस्ते, ไทย",
        "شكرًا جزيلاً",
        "می‌خواهم",
        "שלום\u200f!",
        "2026\u200e שלום",
        "\u0915\u094d\u200d\u0937 \u0d05\u0d35\u0d28\u0d4d\u200d",
        "❤️ ☎︎ ©️ 1️⃣ #️⃣ ⁉️",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467",
        "\U0001f469\U0001f3fd\u200d\U0001f680",
        "\U0001f3f3\ufe0f\u200d\U0001f308",
        "\U0001f3f4\u200d\u2620\ufe0f",
        f"{WALES}{ENGLAND}",
        "\u1820\u180b\u1820",
        "\u2813\u2800\u2801",
        "a\tb\nc",
    ],
    ids=ascii,
)
def test_honest_scripts_and_emoji_stay_as_they_are(text: str) -> None:
    assert cleaned(text) == (text, 0, 0)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\ufeffDear Anna", "Dear Anna"),
        ("Dampf\u00adschiff", "Dampfschiff"),
        ("offers \u034f \u200c \u00ad\u034f ", "offers    "),
        ("Hi\u200b\nthere", "Hi\nthere"),
        ("call \u202a+49 30 1234\u202c now", "call +49 30 1234 now"),
        ("\u845b\U000e0100", "\u845b"),
        ("\u0e01\u200b\u0e02", "\u0e01\u0e02"),
        ("a\u2800b", "a b"),
        ("caf\x85\x9d", "caf\x85"),
        ("\u202b\u0645\u0631\u062d\u0628\u0627 \u0633\u0627\u0645\u202c", "\u0645\u0631\u062d\u0628\u0627 \u0633\u0627\u0645"),
        ("From \u2068\u05d3\u05e0\u05d4\u2069, at 10", "From \u05d3\u05e0\u05d4, at 10"),
    ],
    ids=ascii,
)
def test_what_programs_leave_behind_goes_without_a_word(text: str, seen: str) -> None:
    assert cleaned(text) == (seen, 0, 0)


def test_a_flag_hides_nothing_but_itself() -> None:
    assert cleaned(f"a{WALES}{TAGS}b") == (f"a{WALES}b", 3, 0)
    assert cleaned(f"\U0001f3f4{TAGS}\U000e007fb") == ("\U0001f3f4b", 4, 0)


@given(st.text())
def test_what_is_visible_stays_so(text: str) -> None:
    assert visible(visible(text)) == visible(text)


@given(st.text(alphabet="ab \n\u200b\u200d\u202e\ufe0f\U000e0041❤शی"))
def test_nothing_but_what_is_invisible_goes(text: str) -> None:
    hidden = "\u200b\u200d\u202e\ufe0f\U000e0041"
    assert [char for char in visible(text) if char not in hidden] == [char for char in text if char not in hidden]
