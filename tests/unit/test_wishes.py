"""Whether words wish for a change: pure code, so plain tables."""

import json
from pathlib import Path

import pytest
from e2e.sentences.notation import read_table
from hypothesis import given
from hypothesis import strategies as st
from unit.paraphrases.table import tasks

from assistant.pipeline.wishes import asks_to_write, wish_of

SENTENCES = Path(__file__).resolve().parents[1] / "e2e" / "sentences"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
LEVELS = frozenset({"low", "medium", "high", "done", "failed"})


@pytest.mark.parametrize(
    "text",
    [
        "what's new in my mail?",
        "summarise my unread mail",
        "what does mallory@evil.example want?",
        "who sent me the most mails?",
        "what do I have to book?",
        "when is the meeting with Tom?",
        "am I free Thursday at 3?",
        "show me mails that ask me to delete something",
        "tell me what Anna wrote",
        "could you show me my calendar?",
        "I'd like to know whether Anna has answered",
        "is there anything from the bank?",
        "did I reply to Lena?",
        "why was the review moved?",
        "who cancelled the interview?",
        'what does "archive all newsletters" mean?',
        "Anna wrote about the budget. What does she want?",
        "mails from Anna this week",
        "Check my calendar and my mail",
        "the price of the reunion tickets",
        "make a list of my meetings tomorrow",
        "write me a short summary of Clara's mails",
        "Anna's phone number",
        "whats felixs email address",
        "have the foundations been finished?",
        "look up the number Jonas sent me",
        "hunt down the address of the hotel",
    ],
)
def test_these_words_only_ask_to_see_something(text):
    assert wish_of(text) == "look" and not asks_to_write(text)


@pytest.mark.parametrize("text", ["thanks", "ok", "Hello!", "great, thank you", "yes", "good morning, how are you?"])
def test_these_words_ask_for_nothing(text):
    assert wish_of(text) == "talk" and not asks_to_write(text)


@pytest.mark.parametrize(
    "text",
    [
        "any chance you could email Lena that I am ill",
        "I'd rather you moved the dentist to 11",
        "would you mind emailing Lena?",
        "how about moving the dentist to 11",
        "why don't you move the dentist to 11",
        "let Anna know that I'm late",
        "she should get the plan",
        "tell Ben yes",
        "what's new? And archive the newsletters",
        "find the last mail from Anna and forward it to Tom",
        "am I free on Friday? If so, book a table",
        "what would you reply to Felix?",
        "I want the mails about parking archived.",
        "count me in for the hearing",
        "Find a common time for Bob and Tom to have a meeting",
        "The mails about parking: archive them",
        "get me out of the review",
        "show Tom the plan",
        "check with Tom whether he can come",
        "share the agenda",
        "write a summary of the meeting to Anna",
        "make a list of the guests and send it to Tom",
        "pull out of the meeting",
        "change the number of Anna",
        "number of Lena that Tom gets please",
        "free Thursday at 11? then a meeting with Grace, else mail her the dates",
    ],
)
def test_these_words_may_wish_for_a_change(text):
    assert asks_to_write(text) and wish_of(text) != "unclear"


@pytest.mark.parametrize(
    "text",
    [
        "verschiebe den Zahnarzt auf 11",
        "die mails von Anna löschen",
        "lösche alle Mails von Anna",
        "mueve la reunión con Lena a las 11",
        "スケジュールを変更して",
        "open de mail van Anna en verwijder hem",
    ],
)
def test_another_language_is_not_read_at_all(text):
    assert wish_of(text) == "unclear" and asks_to_write(text)


def test_no_write_of_the_tables_is_taken_for_a_mere_look():
    """A first message; what comes later may be an answer or a bare yes, which no plan is made of."""
    first = [(case.turns[0], path.stem) for path in SENTENCES.glob("*.txt") for case in read_table(path)]
    writes = [said.text for said, _ in first if any(line.head in LEVELS for lines in said.expected for line in lines)]
    assert len(writes) > 1000
    assert [text for text in writes if not asks_to_write(text)] == []


def test_most_looks_of_the_tables_are_read_as_such():
    first = [case.turns[0] for path in SENTENCES.glob("*reading.txt") for case in read_table(path)]
    looks = [said.text for said in first if all(line.head not in LEVELS for lines in said.expected for line in lines)]
    assert sum(not asks_to_write(text) for text in looks) > 0.85 * len(looks)


def test_other_wordings_of_writes_are_no_looks_but_for_slips_of_the_pen():
    deeds = [
        task for task in tasks() if any("mail.send" in line or "mail.archive" in line or "event.c" in line for line in task.plan)
    ]
    said = [words for task in deeds for style, words in task.wordings.items() if style != "typo"]
    assert said and [words for words in said if not asks_to_write(words)] == []


@pytest.mark.parametrize(("name", "key"), [("workbench_dev.json", "query"), ("officebench.json", "task")])
def test_tasks_that_write_are_no_looks(name, key):
    path = SHARED / name
    if not path.is_file():
        pytest.skip("these tasks are not here")
    tasks = json.loads(path.read_text("utf-8"))["tasks"]
    writing = [
        task for task in tasks if "evaluation" not in task or any("answer.txt" not in str(c["args"]) for c in task["evaluation"])
    ]
    assert [task[key] for task in writing if not asks_to_write(task[key])] == []


@given(st.text(max_size=300))
def test_any_text_is_read(text):
    assert wish_of(text) in ("change", "perhaps", "look", "talk", "unclear")


@pytest.mark.parametrize("look", ["what's new in my mail?", "show me my calendar.", "who wrote to me today?"])
@given(deed=st.sampled_from(["archive the newsletters", "email Lena that I'm ill", "please move the dentist to 11", "delete it"]))
def test_a_wish_beside_a_look_stays_a_wish(look, deed):
    assert wish_of(f"{look} {deed}") == wish_of(f"{look}\n{deed}") == wish_of(f"{deed}, and {look}") == "change"
