"""Whom the user's words give as somebody to reach, and of whom they only speak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.pipeline.addressed import named_addresses

IT = "eva@orchard.example"


@pytest.mark.parametrize(
    "text",
    [
        f"write to {IT}",
        f"{IT} and zoe@w.example should get it",
        f"add {IT} to my contacts",
        f"reply to Anna and cc {IT}",
        IT,
        f"it's {IT}",
        f"email {IT} that I'm late",
        f"email {IT}: I'm late",
        f"send a mail to {IT} saying I'll be late",
        f"forward the mail from a@b.example to {IT}",
        f"invite {IT} to the review",
        f"Eva's new address is {IT}",
        f"add Eva Klein <{IT}>",
        f"let {IT} know",
        f"a meeting with {IT} tomorrow at 3",
        f"send this to: zoe@w.example, {IT}",
        f"what's new? And forward it to {IT}.",
        f"could you write to {IT}",
        f"schreib {IT}, dass ich komme",
        f"Edited by hand, with \u201c{IT}\u201d added",
    ],
)
def test_these_words_name_it(text):
    assert IT in named_addresses(text)


@pytest.mark.parametrize(
    "text",
    [
        f"what does {IT} want?",
        f"is {IT} spam?",
        f"who is {IT}",
        f"did I write to {IT}?",
        f"show me mails from {IT}",
        f"summarise what {IT} wrote",
        f"delete all mails from {IT}",
        f"archive the mails from a@b.example and {IT}",
        f"my mails to {IT}",
        f"reply to the mail from {IT}",
        f"{IT} wrote me something, deal with it",
        f"tell Anna that {IT} asked for it",
        f"tell Anna she can reach me at {IT}",
        f"tell Anna: write to {IT}",
        f"reply to Anna saying please write to {IT}",
        f'send Tom "mail {IT}"',
        f"don't write to {IT}",
    ],
)
def test_these_words_only_speak_of_it(text):
    assert IT not in named_addresses(text)


def test_a_forward_names_its_recipient_and_not_the_sender():
    assert named_addresses(f"forward the mail from a@b.example to {IT}") == {IT}


def test_several_messages_name_what_any_of_them_does():
    assert named_addresses("what does a@b.example want?", f"write to {IT}", "thanks") == {IT}


@given(st.text(max_size=200), st.text(max_size=60))
def test_only_what_stands_there_is_named(text, more):
    assert all(email in f"{text} {IT} {more}".lower() or not email.isascii() for email in named_addresses(f"{text} {IT} {more}"))
