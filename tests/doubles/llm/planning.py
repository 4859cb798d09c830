"""A model that always takes the right step, for twelve everyday requests over the account of tests/e2e/sentences: what it plans was
written by hand for each, what it tells is worded from the data that the prompt holds."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from doubles.llm.answers import Answerer, Call, Reply, calls, data, says
from doubles.llm.requests import RequestSeen
from doubles.llm.scenarios import asked, framed, plan, question_of

Worded = Callable[[list[str]], str]
"""The answer of the lines of the reports."""
STEP = re.compile(r"\d+\. (?:email|calendar|contacts): ")


@dataclass(frozen=True)
class Everyday:
    """A request, what a good model plans for it, how it tells what was found, and what it writes where a mail is to be written."""

    text: str
    plan: Mapping[str, Any]
    tells: Worded | None = None
    mail: Mapping[str, Any] | None = None


def reads(*steps: Mapping[str, Any], goal: str) -> dict[str, Any]:
    return plan(*steps, goal=goal, request="read", output="answer")


def writes(*steps: Mapping[str, Any], goal: str, risks: tuple[str, ...]) -> dict[str, Any]:
    return plan(*steps, goal=goal, request="write", output="draft_proposal", risks=list(risks))


def look(agent: str, instruction: str, success: str, expects: str = "answer") -> dict[str, Any]:
    return {"agent": agent, "instruction": instruction, "success": success, "expects": expects}


def address_of(name: str) -> dict[str, Any]:
    return look("contacts", f"Find {name}'s email address", f"one address of {name}", "one")


def proposal(agent: str, instruction: str, success: str, *needs: int) -> dict[str, Any]:
    return {"agent": agent, "instruction": instruction, "success": success, "expects": "proposal", "needs": list(needs)}


def all_of_it(lines: list[str]) -> str:
    return "\n".join(lines)


def under(title: str) -> Worded:
    return lambda lines: "\n".join([title, *lines])


def line_with(pattern: str, otherwise: str) -> Worded:
    """The one line that answers the question."""
    return lambda lines: next((line.strip() for line in lines if re.search(pattern, line)), otherwise)


CALENDAR = Everyday(
    "What's on my calendar tomorrow?",
    reads(
        look("calendar", "What's on my calendar tomorrow?", "tomorrow's events are listed"),
        goal="know what is on tomorrow's calendar",
    ),
    under("This is on your calendar tomorrow:"),
)
MAILS = Everyday(
    "Find the mails from Omar about the budget last week",
    reads(
        look("email", "Find mails from Omar about the budget last week", "Omar's mails about the budget are listed", "items"),
        goal="see what Omar wrote about the budget last week",
    ),
    under("This is what Omar wrote about the budget last week:"),
)
FREE = Everyday(
    "Am I free Thursday at 3?",
    reads(
        look("calendar", "Am I free on Thursday at 3?", "it is known whether Thursday at 3 is free"),
        goal="know about Thursday at 3",
    ),
    all_of_it,
)
PHONE = Everyday(
    "What is Helena's phone number?",
    reads(look("contacts", "What is Helena's phone number?", "one phone number of Helena"), goal="have Helena's phone number"),
    line_with(r"\+49", "No phone number of Helena is known."),
)
UNREAD = Everyday(
    "Summarise my unread mail",
    reads(look("email", "Summarise my unread mail", "every unread mail is summed up"), goal="know what the unread mails say"),
    under("This is what your unread mails say:"),
)
NEXT_AND_LAST = Everyday(
    "When is my next meeting with Omar, and what did he last write?",
    reads(
        look("calendar", "When is my next meeting with Omar?", "the next meeting with Omar is found"),
        look("email", "What did Omar last write?", "Omar's last mail is shown"),
        goal="know the next meeting with Omar and his last mail",
    ),
    all_of_it,
)
SEND = Everyday(
    "Send Helena a mail saying I'll be ten minutes late",
    writes(
        address_of("Helena"),
        proposal("email", 'Email {1} saying "I\'ll be ten minutes late"', "a mail to Helena is prepared", 1),
        goal="tell Helena about being ten minutes late",
        risks=("a mail reaches somebody else than Helena Ortiz",),
    ),
    mail={"subject": "Ten minutes late", "body": "Hi Helena,\n\nI'll be ten minutes late.\n\nMira", "gaps": []},
)
MOVE = Everyday(
    "Move my 3pm to 4pm",
    writes(
        proposal("calendar", "Move my 3pm today to 4pm", "the move of the one event at 3pm is prepared"),
        goal="have today's 3pm event at 4pm",
        risks=("guests are told of the new time",),
    ),
)
REPLY = Everyday(
    "Reply to Felix's last mail: Tuesday at 10 suits me",
    writes(
        proposal("email", 'Reply to the last mail from Felix saying "Tuesday at 10 suits me"', "a reply to Felix is prepared"),
        goal="accept Felix's proposal of Tuesday at 10",
        risks=("the reply commits the user to a visit",),
    ),
)
THREE = Everyday(
    "Set up 30 minutes with Lena and Omar next week",
    writes(
        address_of("Lena"),
        address_of("Omar"),
        proposal("calendar", "Create a 30-minute meeting with {1} and {2} next week", "an event in a time free for all", 1, 2),
        goal="meet Lena and Omar for 30 minutes next week",
        risks=("both are invited",),
    ),
)
CANCEL = Everyday(
    "Cancel my Friday meetings",
    writes(
        proposal("calendar", "Cancel my meetings on Friday", "the cancelling of each meeting on Friday is prepared"),
        goal="have no meetings on Friday",
        risks=("guests are told", "more is cancelled than was meant"),
    ),
)
ATTENTION = Everyday(
    "What needs my attention today?",
    reads(
        look("email", "What needs my attention today?", "what matters today is listed with reasons"), goal="know what matters today"
    ),
    under("This needs your attention today:"),
)
EVERYDAY = (CALENDAR, MAILS, FREE, PHONE, UNREAD, NEXT_AND_LAST, SEND, MOVE, REPLY, THREE, CANCEL, ATTENTION)
PLAIN_READS = (CALENDAR, MAILS, FREE, PHONE)

UNSURE = Everyday(
    "Winnow whatever Omar penned of late, and fathom my engagements with Lena",
    reads(
        look("email", "Winnow whatever Omar penned of late", "Omar's last mails are found"),
        look("calendar", "Fathom my engagements with Lena", "events with Lena are found"),
        goal="see Omar's last mails and the events with Lena",
    ),
    all_of_it,
)
"""Two look-ups whose instructions the grammar can't read, so that both sub-agents ask the model."""
CHOSEN = {
    "Winnow whatever Omar penned of late": Call(
        "look_at_mails", {"which": {"people": [{"who": "Omar", "role": "from"}], "when": "last week"}, "want": "find"}
    ),
    "Fathom my engagements with Lena": Call(
        "look_at_events", {"which": {"people": [{"who": "Lena", "role": "with"}], "when": "this week"}, "want": "find"}
    ),
}
_BY_TEXT = {one.text: one for one in (*EVERYDAY, UNSURE)}


def planning(seen: RequestSeen) -> Reply:
    """Answers the questions that these requests lead to; another fails, and counts as a complaint."""
    answers: Mapping[str, Answerer] = {
        "analyse": lambda seen: data(_BY_TEXT[_after(seen, "MESSAGE\n")].plan),
        "choose_calls": lambda seen: calls(CHOSEN[framed(seen)["INSTRUCTION"]]),
        "draft": lambda seen: data(SEND.mail),
        "reply": lambda seen: says(_told(seen)),
        "summarise": lambda seen: says(_summed_up(framed(seen)["MAILS"])),
    }
    return answers[question_of(seen)](seen)


def _after(seen: RequestSeen, head: str) -> str:
    return asked(seen).rpartition(head)[2]


def _told(seen: RequestSeen) -> str:
    tells = _BY_TEXT[_after(seen, "THE USER ASKED\n")].tells
    lines = [line for line in framed(seen)["REPORTS"].splitlines() if line.strip() and not STEP.match(line)]
    assert tells is not None
    return tells(lines)


MAIL = re.compile(
    r"Subject: (?P<subject>[^\n]+)\nFrom: (?P<sender>[^\n<]+) <.*?\nNewly written:\n(?P<body>(?:  [^\n]*(?:\n|\Z))*)", re.DOTALL
)


def _summed_up(mails: str) -> str:
    """A line for each mail, with the paragraph that says most."""
    return "\n".join(f"- {one['sender']}, {one['subject']}: {_gist(one['body'])}" for one in MAIL.finditer(mails))


def _gist(body: str) -> str:
    return " ".join(max(re.split(r"\n\s*\n", body), key=len).split())
