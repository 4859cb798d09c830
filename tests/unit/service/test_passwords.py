"""Hashing passwords: how many at a time, and which are good enough."""

import asyncio
import threading

import argon2
import pytest

from assistant.service.entering.passwords import AT_ONCE, WAITING, Passwords, check_new, nobodys
from assistant.service.problems import Problem


class Held:
    """Stands in for a hasher whose hashes are done when the test says so."""

    def __init__(self) -> None:
        self.now = self.most = 0
        self.done, self._lock = threading.Event(), threading.Lock()

    def verify(self, given: str, hashed: str) -> bool:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)
        self.done.wait()
        with self._lock:
            self.now -= 1
        return True


async def test_only_a_few_are_hashed_at_a_time_and_not_too_many_wait(monkeypatch: pytest.MonkeyPatch):
    passwords, held = Passwords(), Held()
    monkeypatch.setattr(passwords, "_hash", held)
    asked = [asyncio.create_task(passwords.fits("a password", "a hash")) for _ in range(WAITING + 5)]
    refused, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
    held.done.set()
    came = await asyncio.gather(*asked, return_exceptions=True)
    told = [one for one in came if isinstance(one, Problem)]
    assert refused and len(told) == 5 and {one.status for one in told} == {429} and told[0].headers["Retry-After"]
    assert came.count(True) == WAITING and held.most <= AT_ONCE


async def test_a_hash_is_salted_and_of_argon2():
    passwords = Passwords()
    first, second = await passwords.hashed("four quiet lamps"), await passwords.hashed("four quiet lamps")
    assert first != second and first.startswith("$argon2id$")
    assert await passwords.fits("four quiet lamps", first) and not await passwords.fits("four quiet lamp", first)


async def test_where_there_is_no_hash_it_costs_as_much_to_say_no():
    hashed = await Passwords().hashed("four quiet lamps")
    assert argon2.extract_parameters(nobodys()) == argon2.extract_parameters(hashed)
    assert not await Passwords().fits("four quiet lamps", "")


async def test_a_lone_surrogate_is_no_accident():
    passwords = Passwords()
    assert not await passwords.fits("\ud800" * 10, "")


@pytest.mark.parametrize("password", ["x" * 9, "", "x" * 1001])
def test_one_that_will_not_do_is_told(password: str):
    with pytest.raises(Problem):
        check_new(password)


@pytest.mark.parametrize("password", ["x" * 10, "x" * 1000])
def test_anything_else_will(password: str):
    check_new(password)
