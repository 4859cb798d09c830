"""A briefing as Markdown: what others wrote shows as they wrote it, and does nothing."""

import re

import pytest
from doubles.briefings import MORNING, briefing, event, line, mail, section
from markdown_it import MarkdownIt

from assistant.briefing.markdown import escaped, written

HOSTILE = [
    "[Click](https://evil.example)", "![](https://evil.example/pixel.png)", "<img src=x onerror=alert(1)>", "# Heading", "1. one",
    "- item", "> quote", "**bold** _it_ ~~gone~~ `code`", "https://evil.example/login", "www.evil.example", "a](https://evil.example)[b",
    "mail me@evil.example", "&lt;b&gt;", "a\\", "\\[x](y)", "| a | b |", "[x]: https://evil.example",
    "+ plus", "Title\n=====", "$x$",
]  # fmt: skip


def rendered(markdown: str) -> str:
    return MarkdownIt("gfm-like", {"linkify": False}).render(markdown)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_stranger_writes_is_text(text):
    html = rendered(written(briefing(section("answer", line(mail("m", text, message_id=""), 1, text)))))
    assert set(re.findall(r"<(\w+)", html)) <= {"h1", "h2", "ul", "li", "strong", "em", "p"}
    assert html.count("<h1") == html.count("<h2") == html.count("<li") == 1


@pytest.mark.parametrize("text", HOSTILE)
def test_it_reads_as_it_was_written(text):
    words = " ".join(text.split())
    shown = re.sub(r"<[^>]+>", "", rendered(f"x {escaped(words)} x")).strip()
    for entity, char in {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&"}.items():
        shown = shown.replace(entity, char)
    assert shown == f"x {words} x"


def test_nothing_that_links_itself_is_left():
    for text in ("https://evil.example", "www.evil.example", "me@evil.example", "mailto:x@evil.example"):
        assert text not in escaped(text)


def test_lines_lead_to_the_page_where_its_address_is_known():
    told = written(MORNING, "https://assistant.example/")
    assert "](<https://assistant.example/#/mail/desk/m1>)" in told and "](<https://assistant.example/#/event/desk/main/e1>)" in told


def test_without_a_page_mails_lead_to_the_mail_program_and_events_nowhere():
    told = written(MORNING)
    assert "](<mid:m1@example.com>)" in told and "Dentist”]" not in told


def test_an_id_is_no_way_out_of_its_link():
    evil = mail("a>)[x](https://evil.example)<b", "Hi", message_id="<x>) <script>")
    for told in (
        written(briefing(section("answer", line(evil, 1)))),
        written(briefing(section("answer", line(evil, 1))), "https://a.example"),
    ):
        assert re.findall(r'href="([^":]*:)', rendered(told)) in (["mid:"], ["https:"])
        assert "evil.example)" not in re.sub(r"%\w\w", "", told).replace("](<https://a.example", "")


def test_an_instance_of_a_series_is_led_to_by_its_time():
    one = event("e", "Sync", recurrence=event("e", "Sync").start)
    told = written(briefing(section("agenda", line(one, 1))), "https://a.example")
    assert "#/event/desk/main/e?recurrence=2026-11-18T10%3A00%3A00%2B01%3A00" in told


def test_plain_words_and_times_are_left_alone():
    assert escaped("10:00-11:00 Well-known review, room 4. Soon!") == "10:00-11:00 Well-known review, room 4\\. Soon!"
