"""Runs the emulated Microsoft by hand until it is interrupted. From the folder `tests`:

python -m doubles.graph [--port N] [--user EMAIL]… [--personal] [--lifetime SECONDS]

Prints the JSON of a registered application; what was wrong with the requests is told at the end. It speaks plain HTTP, and
answers as login.microsoftonline.com as well.
"""

import argparse
import json
import signal
import threading

from doubles.graph.emulator import GraphEmulator

DESCRIPTION = "Outlook's mail, calendar and contacts over Graph on the loopback, by plain HTTP."


def main() -> None:
    given = _parser().parse_args()
    stopped = threading.Event()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, lambda *_: stopped.set())
    with GraphEmulator(port=given.port, lifetime=given.lifetime) as graph:
        for email in given.user or ["me@outlook.example"]:
            graph.account(email, kind="personal" if given.personal else "work")
        print(graph.url)
        print(json.dumps(graph.client, indent=2), flush=True)
        stopped.wait()
    for complaint in graph.complaints:
        print(complaint)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m doubles.graph", description=DESCRIPTION)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user", action="append", help="the first one signs in")
    parser.add_argument("--personal", action="store_true", help="accounts of outlook.com")
    parser.add_argument("--lifetime", type=int, default=3599, help="of access tokens, in seconds")
    return parser


if __name__ == "__main__":
    main()
