"""A PostgreSQL server for the tests that want one; compiled modules for all processes of a run; and how many tests each line of
the specification of deliberation has."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from doubles.postgres import NotInstalled, Server
from hypothesis import HealthCheck, settings
from servers import Servers, installed, shared
from spec_lines import LINES

TESTS = pytest.StashKey[Counter[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """No property fails for being slow to test: machines are shared. Each process of a run, also each that a test starts, would
    compile all of it again, where the environment says to keep nothing."""
    settings.register_profile("patient", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("patient")
    os.environ.pop("PYTHONDONTWRITEBYTECODE", "")
    sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def each_read_once() -> Iterator[None]:
    from doubles.read_once import remember

    with pytest.MonkeyPatch.context() as patch:
        remember(patch.setattr)
        yield


@pytest.fixture
def heeded_signals() -> Iterator[None]:
    """Where the suite runs in the background of a shell, what ends a program is ignored, also by what it starts."""
    ways = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        ways[signal.SIGHUP] = signal.SIG_DFL
    before = {one: signal.signal(one, way) for one, way in ways.items()}
    yield
    for one, way in before.items():
        signal.signal(one, way)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    try:
        server = Server()
    except NotInstalled as missing:
        pytest.skip(str(missing))
    with server:
        yield server


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """A database of its own for each test, with its tables."""
    url = postgres.fresh()
    yield url
    postgres.drop(url)


@pytest.fixture
def servers() -> Iterator[Servers]:
    """Where one of them is not installed, the test is skipped."""
    servers = shared()
    try:
        servers.dovecot, servers.radicale  # noqa: B018
    except installed.NotInstalled as missing:
        pytest.skip(str(missing))
    yield servers
    servers.reset()


def named(item: pytest.Item) -> Iterator[str]:
    for mark in item.iter_markers("spec"):
        yield from mark.args


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[TESTS] = Counter(name for item in items for name in set(named(item)))
    if unknown := set(config.stash[TESTS]) - set(LINES):
        raise pytest.UsageError(f"No such lines of the specification: {', '.join(sorted(unknown))}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where several processes share the tests, each has collected all of them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["spec"] = dict(session.config.stash.get(TESTS, Counter()))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[TESTS] = Counter(getattr(node, "workeroutput", {}).get("spec", {}))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    tests = config.stash.get(TESTS, Counter())
    if not tests:
        return
    terminalreporter.section("deliberation: lines of the specification and their tests")
    here = [name for name in LINES if tests[name]]
    for name in here:
        terminalreporter.write_line(f"{name:15} {LINES[name]:72} {tests[name]:>5}")
    terminalreporter.write_line(f"{len(LINES)} lines, {len(here)} of them with tests here, which name them {tests.total()} times")
