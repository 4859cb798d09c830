"""Questions to a folder: short ones are answered at once, all others in a thread, where they hold up nobody."""

import threading
import time
from pathlib import Path

import pytest

from integrations.errors import NotFound, Unavailable
from integrations.local import questions as module
from integrations.local.questions import Questions


class Place:
    """Answers with the thread that was asked."""

    def __init__(self) -> None:
        self.still = True
        self.works = 0.0

    def where(self) -> int:
        busy = time.thread_time() + self.works
        while time.thread_time() < busy:
            pass
        return threading.get_ident()

    def gone(self) -> None:
        raise NotFound("It is gone.")

    def refused(self) -> None:
        raise PermissionError(13, "Permission denied")


@pytest.fixture
def place() -> Place:
    return Place()


@pytest.fixture
def questions(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Questions:
    monkeypatch.setattr(module, "SHORT", 0.05)  # on a busy machine too
    return Questions("home", tmp_path, lambda: place.still)


async def test_what_has_never_been_asked_may_take_long(questions: Questions, place: Place) -> None:
    assert await questions.ask(place.where) != threading.get_ident()


async def test_what_was_short_is_answered_at_once(questions: Questions, place: Place) -> None:
    await questions.ask(place.where)
    assert await questions.ask(place.where) == threading.get_ident()


async def test_what_was_long_is_asked_in_a_thread_until_that_has_faded(questions: Questions, place: Place) -> None:
    place.works = 0.15
    await questions.ask(place.where)
    place.works = 0.0
    here = [await questions.ask(place.where) == threading.get_ident() for _ in range(6)]
    assert (here[0], here[-1]) == (False, True)


async def test_a_changed_folder_is_read_in_a_thread(questions: Questions, place: Place) -> None:
    await questions.ask(place.where)
    place.still = False
    assert await questions.ask(place.where) != threading.get_ident()


async def test_what_may_be_of_any_size_is_never_read_at_once(questions: Questions, place: Place) -> None:
    await questions.ask(place.where)
    assert await questions.ask_apart(place.where) != threading.get_ident()


async def test_each_kind_of_question_is_known_by_itself(questions: Questions, place: Place) -> None:
    await questions.ask(place.where)
    assert await questions.ask(threading.get_ident) != threading.get_ident()


@pytest.mark.parametrize("times", [1, 2], ids=["in a thread", "at once"])
async def test_what_goes_wrong_names_the_account_and_is_no_error_of_the_system(
    questions: Questions, place: Place, times: int
) -> None:
    for _ in range(times):
        with pytest.raises(NotFound) as gone:
            await questions.ask(place.gone)
        with pytest.raises(Unavailable) as refused:
            await questions.ask(place.refused)
    assert (gone.value.account, refused.value.account) == ("home", "home")
