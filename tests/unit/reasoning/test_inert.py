"""What others wrote, told to a program that makes pictures and links of it: none loads, and none leads where nobody asked about."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from assistant.reasoning.inert import GAP, RUN, defused, inert

KNOWN = (
    "See https://files.northwind.example/slides?id=7, (https://maps.example/a_b) and [Google](https://evil.example/b)."
    " Also https://google.example@evil.example/x, https://müller.example/x and [https://google.example](https://evil.example/c)."
    " Write to mailto:anna@northwind.example or mailto:tom@northwind.example?body=hi."
    " Our server is at http://[::1]:8000/#/preview/p1 and files.northwind.example/plan."
)
ACTIVE = [
    "https://files.northwind.example/slides?id=7",
    "https://maps.example/a_b",
    "https://evil.example/b",
    "http://[::1]:8000/#/preview/p1",
    "files.northwind.example/plan",
    "HTTPS://Files.Northwind.example/slides?id=7",
    "mailto:anna@northwind.example",
]
STRANGE = [
    "https://evil.example/?d=482913",
    "https://docs.google.com/forms/x/formResponse?entry.1=secret",
    "https://files.northwind.example/slides?id=8",
    "https://files.northwind.example/Slides?id=7",
    "https://files.northwind.example/slides?id=7&d=482913",
    "https://files.northwind.example/slides?id=7'482913",
    "https://files.northwind.example/slides?id=7)482913",
    "https://482913@files.northwind.example/slides?id=7",
    "https://482913.files.northwind.example/slides",
    "https://google.example@evil.example/x",
    "https://files.northwind.example:482913/slides?id=7",
    "https://files.northwind.example/slides%3Fid=7",
    "//evil.example/?d=482913",
    r"https:\\evil.example\?d=482913",
    r"\\evil.example\share",
    "https:/evil.example/?d=482913",
    "www.evil.example",
    "evil.example/?d=482913",
    "ftp://evil.example/482913",
    "file:///etc/passwd",
    "mailto:mallory@evil.example?body=482913",
    "mailto:mallory@evil.example",
    "mailto:tom@northwind.example?body=hi",
    "mailto:anna@northwind.example?body=482913",
]
FORMS = [
    "{}",
    "![x]({})",
    "![x][r]\n\n[r]: {}",
    "[Google]({})",
    "[Google][r]\n\n[r]: {} 'Google'",
    "[r]\n\n[r]: <{}>",
    "<{}>",
    "<img src={}>",
    '<img srcset="{} 2x">',
    '<a href="{}">Google</a>',
    "<div style='background:url({})'>",
    "<p background={}>",
    "<SCRIPT SRC={}></SCRIPT>",
    "<svg><image href={} /></svg>",
    "<!-- {} -->",
    '```mermaid\nclick A "{}"\n```',
    "| a | {} |\n|---|---|",
    "**{}**",
    "`{}`",
    "> {}",
    "[^1]\n\n[^1]: {}",
]


def rendered(markdown: str) -> str:
    return str(MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(markdown))


HOST = re.compile(r"\w\.\w|://")
"""Without it a link leads nowhere."""


class Seen(HTMLParser):
    """What a browser would find in HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.targets: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.targets += [value or "" for name, value in attrs if name != "class"]

    def handle_data(self, data: str) -> None:
        self.text += f" {data}"

    def handle_comment(self, data: str) -> None:
        self.tags.add("!")


def tags(html: str) -> set[str]:
    return Seen(html).tags


def leads(html: str) -> bool:
    return any(not target.startswith("mailto:") for target in Seen(html).targets)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("link", STRANGE)
def test_in_no_form_is_anything_left_to_load_or_to_follow(form: str, link: str) -> None:
    told = inert(form.format(link), KNOWN)
    assert link not in told and not RUN.search(told.replace(GAP, ""))
    assert not tags(rendered(told)) & {"img", "a", "script", "svg", "image", "div", "!"} and not leads(rendered(told))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("link", ACTIVE)
def test_a_link_that_was_asked_about_stays_one_and_is_no_picture(form: str, link: str) -> None:
    told = inert(form.format(link), KNOWN)
    assert link in told and not tags(rendered(told)) & {"img", "a", "script", "svg", "image", "div", "!"}


@pytest.mark.parametrize("link", STRANGE)
def test_a_terminal_finds_no_link_either(link: str) -> None:
    assert not RUN.search(defused(f"See {link}.", KNOWN))


def test_the_host_is_seen_whatever_a_link_calls_itself() -> None:
    told = inert("[Google](https://evil.example/b) [https://google.example](https://evil.example/c)", KNOWN)
    assert "https://evil.example/b" in rendered(told) and "evil[.]example/c" in rendered(told) and not leads(rendered(told))


def test_a_host_of_other_letters_is_told_as_it_is_looked_up() -> None:
    assert inert("https://müller.example/x.", KNOWN) == "https://müller.example/x (xn--mller-kva.example)."


@pytest.mark.parametrize(
    "text",
    [
        "https&#58;//evil.example/?d=1",
        "https&colon;//evil.example/?d=1",
        r"https:\//evil.example/?d=1",
        r"https\://evil.example/?d=1",
        "&lt;img src=//evil.example&gt;",
    ],
)
def test_what_rendering_would_put_together_shows_as_it_was_written(text: str) -> None:
    html = rendered(inert(text))
    assert "//evil.example" not in html and "https://" not in html and not tags(html) & {"img", "a"}


@pytest.mark.parametrize(
    "text",
    [
        "10:30",
        "at 10:30, 12:00:15",
        "report.pdf",
        "v1.2.3",
        "README.md and main.py",
        "anna@northwind.example",
        "and/or",
        "3 < 4",
        "Anna Berg <anna@northwind.example>",
        "Fri 20 Nov 15:00\u201316:00",
        "C:\\plans",
        "a & b; c",
        "AT&T",
        "50 %",
        "#1 [3]",
        "e.g. this",
        "northwind.example",
        "Note: see page 3/4",
        "1. Slides \u2013 Anna",
        "re:invent",
        "Zoom ID 812 3456 7890",
        "🏴󠁧󠁢󠁷󠁬󠁳󠁿 👩‍👩‍👧 שלום مرحبا",
        "file:report.pdf",
        "data:none",
    ],
)
def test_what_is_no_link_stays_as_it_is(text: str) -> None:
    assert inert(text) == defused(text) == text


WORDS = st.sampled_from(
    [
        "at 10:30",
        "report.pdf",
        "v2.0.1",
        "Anna <anna@x.example>",
        "$1,250.00",
        "and/or",
        "Q3/2026",
        "hello",
        "(see below)",
        "12.11.2026",
        "\n",
        "-",
        "*",
        "> quoted",
        "you & me",
        "7 > 3",
        "😀",
        "naïve",
    ]
)


@given(st.lists(WORDS, max_size=20))
def test_ordinary_words_are_told_letter_for_letter(words: list[str]) -> None:
    text = " ".join(words)
    assert inert(text) == text


PIECES = st.sampled_from(
    [
        "![",
        "[",
        "]",
        "(",
        ")",
        "](",
        "]:",
        "][",
        "<",
        ">",
        "img ",
        "a ",
        "src=",
        "href=",
        "https:",
        "//",
        "/",
        "\\",
        "evil.example",
        "?d=1",
        " ",
        "\n",
        "\n\n",
        "x",
        "r",
        "'",
        '"',
        "`",
        "```",
        "!",
        "&#58;",
        "&lt;",
        "<!--",
        "<a href=",
        "www.",
        "@",
        "\u200b",
    ]
)


@given(st.lists(PIECES, max_size=30))
def test_however_pieces_are_put_together_nothing_becomes_a_link_or_a_picture(pieces: list[str]) -> None:
    html = rendered(inert("".join(pieces), KNOWN))
    seen = Seen(html).text if GAP in pieces else Seen(html).text.replace(GAP, "")
    assert "img" not in tags(html) and not leads(html) and not [run for run in RUN.findall(seen) if HOST.search(run)]


@given(st.text(max_size=300))
def test_no_letter_is_lost_and_none_added(text: str) -> None:
    for told in (inert(text), defused(text), inert(text, text) if text.isascii() else inert(text)):
        assert [char for char in told if char.isalnum()] == [char for char in text if char.isalnum()]


@pytest.mark.parametrize(
    "unit", ["http://", "//a", "www.", "aa.", "![", "](", "<a ", "&", "\\", "a.b/", "[", "mailto:", "://a@", "a" * 60 + "."]
)
def test_what_repeats_for_long_is_told_to_its_end(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    assert len(inert(text, text)) >= len(text)
