"""What the entries under one permit are told as."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from assistant.running.stories import FORGOTTEN, story
from storage.tables import AuditEntry

AT = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)
ASKED: dict[str, Any] = {
    "conversation": "c", "words": "go", "door": "say", "course": "plan", "own_words": True, "background": False,
}  # fmt: skip
SAYS = ("mail Anna", "archive it")
ACTIONS = [{"says": says, "operation": "send", "action": {"kind": "send_mail", "account": "work"}, "guesses": []} for says in SAYS]
PROPOSED = {**ASKED, "level": "medium", "reasons": ["it sends a mail"], "actions": ACTIONS, "fingerprint": "v1:0123456789abcdef"}
APPROVED = {**ASKED, "words": "yes", "course": "approve", "fingerprint": PROPOSED["fingerprint"]}
STARTED = {"operation": "send", "action": ACTIONS[0]["action"]}
DONE = {"receipt": {"note": "Sent.", "id": "1"}, "error": "", "found": False}


def entries(*noted: tuple[str, Mapping[str, Any] | None, int | None]) -> list[AuditEntry]:
    """(kind, content, position); without a content they are forgotten."""
    made = []
    for number, (kind, content, position) in enumerate(noted):
        placed = content and {**content, **({} if position is None else {"position": position})}
        columns = {
            "seq": number + 1,
            "at": AT + timedelta(minutes=number),
            "kind": kind,
            "flow_id": f"f{number}",
            "preview_id": "p",
        }
        key = "" if position is None else f"key{position}"
        made.append(AuditEntry.model_construct(**columns, key=key, content=json.dumps(placed) if placed else None))
    return made


def test_each_of_several_writes_has_its_own_result():
    failed = {"receipt": None, "error": "The mail is gone.", "found": False}
    told = story(
        entries(
            ("proposed", PROPOSED, None),
            ("approved", APPROVED, None),
            ("started", STARTED, 0),
            ("done", DONE, 0),
            ("started", STARTED, 1),
            ("failed", failed, 1),
        )
    )
    assert [(deed.says, deed.status, deed.note) for deed in told.deeds] == [
        ("mail Anna", "done", "Sent."),
        ("archive it", "failed", "The mail is gone."),
    ]
    assert told.result == "1 done, 1 failed" and told.flow == "f1" and told.at == AT + timedelta(minutes=5)
    assert [line.text for line in told.lines[-2:]] == [
        "archive it: Begun in the account work, under the key key1.",
        "archive it: It was refused, so it is not done. The mail is gone.",
    ]


def test_what_is_not_begun_yet_waits_and_what_was_taken_back_says_so():
    begun = [("proposed", PROPOSED, None), ("approved", APPROVED, None)]
    assert story(entries(*begun)).result == "not begun"
    told = story(entries(*begun, ("withdrawn", {"why": "It was taken back before it went out.", "words": "undo"}, 0)))
    assert told.result == "1 given up, 1 not begun"
    assert told.lines[-1].text == "mail Anna: It was taken back before it went out. You said: “undo”."


def test_guesses_are_told():
    guessing = {**PROPOSED, "actions": [{**ACTIONS[0], "guesses": ["the subject"]}]}
    told = story(entries(("proposed", guessing, None)))
    assert told.lines[1].text == "Proposed: mail Anna (it rests on a guess: the subject)." and told.result == "open"


def test_a_schedule_and_another_program_are_not_the_user():
    for changed, words in (
        ({"background": True, "own_words": False}, "A schedule asked: “go”."),
        ({"own_words": False}, "Another program asked: “go”."),
    ):
        assert story(entries(("proposed", {**PROPOSED, **changed}, None))).lines[0].text == words


def test_what_is_forgotten_is_told_as_that_and_the_rest_remains():
    told = story(entries(("proposed", None, None), ("approved", APPROVED, None), ("started", STARTED, 0), ("done", None, 0)))
    assert [line.text for line in told.lines if line.text == FORGOTTEN] == [FORGOTTEN] * 2
    assert told.approved == "by you: “yes”" and told.deeds[0].operation == "send"
    gone = story(entries(("proposed", None, None), ("cancelled", None, None)))
    assert (gone.says, gone.result, gone.words) == ("forgotten", "", "")


def test_a_write_approved_before_there_was_a_journal_is_told_as_far_as_it_goes():
    told = story(entries(("started", STARTED, 0), ("done", DONE, 0)))
    assert (told.result, told.approved, told.approval) == ("done", "", "The journal does not tell who approved it.")
    assert told.deeds[0].key == "key0"
