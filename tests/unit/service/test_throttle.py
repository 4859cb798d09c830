"""How long somebody who guesses passwords has to wait; the clock is the test's."""

from datetime import UTC, datetime, timedelta

import pytest

from assistant.service.entering.throttle import CLIENT, MOST, PAIR, Throttle
from assistant.service.problems import Problem


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 11, 18, 10, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def throttle(clock: Clock) -> Throttle:
    return Throttle(clock)


def wait(throttle: Throttle, name: str = "eva", client: str = "10.0.0.1") -> int:
    """Seconds that the next attempt has to wait; 0 where it was made."""
    try:
        throttle.attempt(name, client)
    except Problem as problem:
        assert problem.status == 429
        return int(problem.headers["Retry-After"])
    return 0


def guess(throttle: Throttle, clock: Clock, times: int, name: str = "eva", client: str = "10.0.0.1") -> None:
    for _ in range(times):
        while seconds := wait(throttle, name, client):
            clock.pass_(seconds)


def test_a_few_mistakes_cost_nothing(throttle: Throttle):
    assert [wait(throttle) for _ in range(PAIR.free)] == [0] * PAIR.free


def test_then_the_wait_doubles_up_to_a_bound(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free)
    found = []
    for _ in range(12):
        found.append(wait(throttle))
        clock.pass_(found[-1])
        assert wait(throttle) == 0
    assert found[:4] == [1, 2, 4, 8] and found[-1] == PAIR.longest


def test_an_attempt_that_comes_too_early_does_not_lengthen_the_wait(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free + 3)
    assert [wait(throttle) for _ in range(20)] == [8] * 20


def test_attempts_that_come_at_once_count_before_they_are_checked(throttle: Throttle):
    assert [wait(throttle) for _ in range(50)].count(0) == PAIR.free


def test_success_forgets_the_mistakes(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free - 1)
    throttle.attempt("eva", "10.0.0.1")
    throttle.succeeded("eva", "10.0.0.1")
    assert [wait(throttle) for _ in range(PAIR.free)] == [0] * PAIR.free


def test_an_hour_later_they_are_forgotten(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free + 5)
    clock.pass_(3601)
    assert wait(throttle) == 0


def test_the_spelling_of_a_name_makes_no_difference(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free, "Eva ")
    assert wait(throttle, "eVA") > 0


def test_somebody_who_guesses_elsewhere_keeps_nobody_out(throttle: Throttle, clock: Clock):
    for number in range(200):
        guess(throttle, clock, 10, client=f"10.0.1.{number}")
    assert wait(throttle, client="10.0.0.1") == 0


def test_one_address_that_tries_many_names_is_slowed_down(throttle: Throttle, clock: Clock):
    for number in range(CLIENT.free):
        assert wait(throttle, name=f"user {number}") == 0
    assert wait(throttle, name="another") > 0


def test_an_attacker_with_an_account_does_not_win_free_guesses_by_signing_in(throttle: Throttle, clock: Clock):
    for number in range(CLIENT.free):
        assert wait(throttle, name=f"user {number}") == 0
    clock.pass_(2)
    throttle.attempt("mallory", "10.0.0.1")
    throttle.succeeded("mallory", "10.0.0.1")
    assert wait(throttle, name="another") > 0


def test_addresses_of_one_ipv6_network_count_as_one(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free, client="2001:db8::1")
    assert wait(throttle, client="2001:db8::ffff") > 0
    assert wait(throttle, client="2001:db8:0:1::1") == 0


def test_an_ipv4_address_spelt_as_one_of_ipv6_counts_for_itself(throttle: Throttle, clock: Clock):
    guess(throttle, clock, PAIR.free, client="::ffff:10.0.0.1")
    assert wait(throttle, client="::ffff:10.0.0.2") == 0
    assert wait(throttle, client="10.0.0.1") > 0


def test_what_is_remembered_is_bounded_and_the_newest_stays(throttle: Throttle):
    for number in range(MOST + 10):
        throttle.attempt("eva", f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}")
    assert len(throttle._failures) == MOST
