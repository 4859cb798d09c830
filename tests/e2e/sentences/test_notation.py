"""The tables are worth something only if what they don't name counts as wrong."""

from pathlib import Path

import pytest
from e2e.sentences.checking import complaints
from e2e.sentences.notation import Said, read_table
from e2e.sentences.playing import tables

from assistant.facade import Turn
from assistant.values import Data, Outcome, Question, Step, Success
from integrations.actions import MoveMail, SendMail
from integrations.types import Address, Mail, MailRef

LENA, OMAR = Address(email="lena.vogt@hollin.example"), Address(email="omar@hollin.example")


def expected(tmp_path: Path, *lines: str) -> Said:
    table = tmp_path / "table.txt"
    table.write_text("a message\n" + "".join(f"    {line}\n" for line in lines))
    return read_table(table)[0].turns[0]


def turn(*actions: SendMail | MoveMail, **more: object) -> Turn:
    outcomes = tuple(Outcome(action=action, status="done") for action in actions)
    return Turn(flow="f", status="done", reply="Done.", outcomes=outcomes).model_copy(update=more)


def sent(*to: Address, **more: object) -> SendMail:
    return SendMail(account="local", to=to, body="The room has changed.").model_copy(update=more)


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("nothing", sent(LENA)),
        ("mails none", sent(LENA)),
        ("done send", sent(LENA)),
        ("done send to=omar", sent(LENA)),
        ("done send to=lena", sent(LENA, OMAR)),
        ("done send to=lena", sent(LENA, bcc=(OMAR,))),
        ("medium send to=lena", sent(LENA)),
        ("done reply visit to=lena", sent(LENA)),
        ("done send to=lena body=hello", sent(LENA)),
        ("done archive lunch", MoveMail(account="local", mail=MailRef(account="local", id="1.photos.suite"), folder="Archive")),
    ],
)
def test_a_write_that_differs_from_what_is_expected_is_wrong(line: str, action: SendMail | MoveMail, tmp_path: Path) -> None:
    assert complaints(expected(tmp_path, line), turn(action), tmp_path)


def test_a_second_write_that_is_not_expected_is_wrong(tmp_path: Path) -> None:
    said = expected(tmp_path, "done send to=lena")
    assert complaints(said, turn(sent(LENA)), tmp_path) == []
    assert complaints(said, turn(sent(LENA), sent(OMAR)), tmp_path)


def test_a_question_that_is_not_expected_is_wrong(tmp_path: Path) -> None:
    question = Question(id="q", text="Which?", trigger="ambiguous", entity="it")
    assert complaints(expected(tmp_path, "nothing"), turn(question=question), tmp_path)
    assert complaints(expected(tmp_path, "asks missing"), turn(question=question), tmp_path)
    assert complaints(expected(tmp_path, "asks ambiguous"), turn(question=question), tmp_path) == []


@pytest.mark.parametrize(
    ("line", "right"), [("mails lunch", True), ("mails lunch todo", False), ("mails none", False), ("mails- lunch", False)]
)
def test_what_is_found_must_be_just_what_is_expected(line: str, right: bool, tmp_path: Path) -> None:
    mail = Mail.model_validate({"account": "a", "id": "1.lunch.suite", "etag": "", "folder": "INBOX", "date": "2026-11-18T08:15Z"})
    step = Step.model_validate({"id": 1, "agent": "email", "instruction": "find", "criterion": {"words": "found"}})
    read = turn(steps=(step,), reports={1: Success(data=Data(kind="mails", mails=(mail,)))})
    assert (complaints(expected(tmp_path, line), read, tmp_path) == []) is right


def test_any_of_the_alternatives_will_do(tmp_path: Path) -> None:
    said = expected(tmp_path, "nothing", "or", "done send to=lena")
    assert complaints(said, turn(), tmp_path) == complaints(said, turn(sent(LENA)), tmp_path) == []


def test_the_tables_are_large_enough_to_mean_something() -> None:
    cases = [case for table in tables() for case in read_table(table)]
    conversations = [case for case in cases if 3 <= len(case.turns) <= 8]
    assert len(cases) >= 300
    assert len(conversations) >= 20
    assert len([case for case in cases if case.table == "no_writes"]) >= 50
