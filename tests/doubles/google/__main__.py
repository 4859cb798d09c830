"""Runs the emulated Google by hand until it is interrupted. From the folder `tests`:

python -m doubles.google [--port N] [--user EMAIL]… [--lifetime SECONDS]

Prints the JSON of an OAuth client; what was wrong with the requests is told at the end. It speaks plain HTTP, so whoever signs
in needs OAUTHLIB_INSECURE_TRANSPORT=1.
"""

import argparse
import json
import signal
import threading

from doubles.google.emulator import GoogleEmulator

DESCRIPTION = "Gmail, Calendar and People on the loopback, by plain HTTP: sign in with OAUTHLIB_INSECURE_TRANSPORT=1."


def main() -> None:
    given = _parser().parse_args()
    stopped = threading.Event()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, lambda *_: stopped.set())
    with GoogleEmulator(port=given.port, lifetime=given.lifetime) as google:
        for email in given.user or ["me@gmail.example"]:
            google.account(email)
        print(google.url)
        print(json.dumps(google.client, indent=2), flush=True)
        stopped.wait()
    for complaint in google.complaints:
        print(complaint)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m doubles.google", description=DESCRIPTION)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--user", action="append", help="the first one signs in")
    parser.add_argument("--lifetime", type=int, default=3599, help="of access tokens, in seconds")
    return parser


if __name__ == "__main__":
    main()
