"""Requests of an office: tasks to be reminded of, times that were found or told before, what a mail says sent on."""

import pytest
from unit.reasoning.grammar.reading import call, steps

from assistant.reasoning.base import Setting
from assistant.reasoning.offline.reading.text.tokens import tokenise


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("remind me to call Tom about the lease tomorrow at 5", "Call Tom about the lease"),
        ("remind me on Friday to fetch the bike from the shop", "Fetch the bike from the shop"),
        ("set a reminder for Friday at 9 to write to Eva", "Reminder to write to Eva"),
    ],
)
def test_a_task_keeps_whom_and_what_it_names(text: str, title: str, setting: Setting) -> None:
    made = call(text, setting)
    assert (made.operation, made.title, made.to, made.location) == ("event.create", title, (), "")


@pytest.mark.parametrize("word", ["lately", "recently", "so far"])
def test_words_for_some_time_ago_narrow_nothing(word: str, setting: Setting) -> None:
    assert call(f"did Anna send me any mails {word}?", setting) == call("did Anna send me any mails?", setting)


@pytest.mark.parametrize("doing", ["happening", "going on", "taking place", "lined up"])
def test_what_is_there_is_said_in_many_ways(doing: str, setting: Setting) -> None:
    assert call(f"is there anything {doing} on Friday?", setting) == call("is there anything on Friday?", setting)


def test_mails_that_came_are_those_received(setting: Setting) -> None:
    assert call("how many mails did I receive last week?", setting).select.folder == "Received"
    assert call("which mails came to me on Monday?", setting).select.folder == "Received"


def test_the_one_of_a_profession_is_one_person(setting: Setting) -> None:
    assert call("find the manager's email address", setting).operation == "contact.address"
    assert call("find the managers' email addresses", setting).operation == "contact.find"


def test_what_is_told_may_begin_with_an_article(setting: Setting) -> None:
    told = call("tell Anna the plants are watered", setting)
    assert (told.body, [person.text for person in told.to]) == ("the plants are watered", ["Anna"])


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        ("If I'm free on Monday at 3, move the standup there, otherwise leave it as it is", ["Move the standup to Monday at 3"]),
        (
            "Find an hour on Monday and book a call with Anna then",
            ["Book a call with {1} for 60 minutes in my first free slot on Monday"],
        ),
        ("I'm away on Friday from 9 to 12. Cancel my meetings.", ["Cancel my meetings on Friday 20 November from 09:00 to 12:00"]),
        ("I'm away on Friday. Cancel everything.", ["Cancel everything on Friday 20 November"]),
        ("What would I miss if I took Friday off?", ["What do I have Friday"]),
    ],
)
def test_a_time_is_taken_from_what_was_said_before(text: str, instructions: list[str], setting: Setting) -> None:
    assert steps(text, setting)[-len(instructions) :] == instructions


def test_a_value_is_looked_up_in_the_mail_found_before(setting: Setting) -> None:
    assert "What is the order number of {1}" in steps("Read the last mail from Tom and send its order number to Anna", setting)


def test_an_order_of_events_is_kept_in_a_question(setting: Setting) -> None:
    found = call("when is my second meeting tomorrow?", setting).select
    assert (found.order, found.number) == ("nth", 2)


def test_contacts_are_selected_by_a_field(setting: Setting) -> None:
    assert call("find all contacts whose job title contains the word engineer", setting).select.title == "engineer"
    assert call("show me contacts whose company is Acme", setting).select.company == "Acme"


def test_an_apostrophe_of_several_owners_ends_no_quote() -> None:
    quotes = [token.text for token in tokenise("say 'The boys' van isn't here.' to Tom") if token.kind == "quote"]
    assert quotes == ["The boys' van isn't here."]


def test_two_quotes_stay_two() -> None:
    quotes = [token.text for token in tokenise("titled 'Notes' saying 'All good.'") if token.kind == "quote"]
    assert quotes == ["Notes", "All good."]
