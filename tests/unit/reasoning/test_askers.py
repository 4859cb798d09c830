"""Answers to those who asked for something."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.reasoning.base import Setting
from assistant.reasoning.calls import Call
from assistant.reasoning.offline.reading.grammar import read

ZONE = ZoneInfo("Europe/Berlin")


def call(text: str) -> Call:
    reading = read(text, Setting(now=datetime(2026, 11, 18, 10, tzinfo=ZONE), zone=ZONE, me=()))
    assert reading.certain and reading.call is not None
    return reading.call


@pytest.mark.parametrize(
    "text",
    [
        "reply to everyone who asked for the report",
        "Reply to everybody who has requested the report.",
        "answer all who still want the report",
        "reply to all mails that ask for the report",
        "reply to whoever is waiting for the report",
        "reply to each person who asked me for the report",
        "write back to those asking for the report",
    ],
)
def test_everybody_who_asked_is_answered_and_nobody_else(text):
    found = call(text)
    assert found.operation == "mail.reply" and found.field == ""
    select = found.select
    assert (select.words, select.asks, select.each, select.unanswered) == (("report",), "for", True, True)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("reply to everyone who asked for the report saying it is on its way", "it is on its way"),
        ("reply to everyone who asked for the report with 'On its way'", "On its way"),
        ("answer everyone who asked for the report: it is on its way", "it is on its way"),
        ("reply to each person who asked for the report that we send it on Friday", "we send it on Friday"),
        ("reply to everyone who asked for the report since Monday saying it is on its way", "it is on its way"),
    ],
)
def test_what_the_answer_says_is_no_part_of_what_was_asked_for(text, body):
    found = call(text)
    assert (found.body, found.select.words) == (body, ("report",))


def test_a_time_says_when_they_asked():
    found = call("reply to everyone who asked for the budget figures this week")
    assert found.select.words == ("budget", "figures") and found.select.when.text == "this week"


def test_what_was_asked_about_something_need_not_ask_for_it():
    assert call("reply to those asking about the offsite: yes").select.asks == "about"


def test_one_person_who_asked_is_the_last_who_did():
    select = call("reply to the person who asked for the report").select
    assert (select.asks, select.each, select.order) == ("for", False, "last")


@pytest.mark.parametrize("text", ["reply to everyone saying thanks", "reply to all of them saying thanks"])
def test_everyone_is_not_whoever_asked(text):
    assert not call(text).select.asks
