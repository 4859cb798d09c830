"""Runs the scripted endpoint by hand until it is interrupted. From the folder `tests`:

python -m doubles.llm [--port N] [--latency SECONDS] [--lacks NAME]… [--context TOKENS] [--key KEY] [--script MODULE:NAME]

A script is a reply, a function, or a list of both, such as doubles.llm.misbehaving:REFUSAL. Without one every request gets an
example of the schema it asks for, two calls where it says to use a tool, or its own last words."""

import argparse
import importlib
import signal
import threading
from typing import Any

from doubles.llm.misbehaving import obliging
from doubles.llm.server import ScriptedEndpoint


def main() -> None:
    given = _parser().parse_args()
    script = _named(given.script) if given.script else obliging
    endpoint = ScriptedEndpoint(
        script, key=given.key, latency=given.latency, lacks=given.lacks, context=given.context, port=given.port
    )
    stopped = threading.Event()
    for wanted in (signal.SIGINT, signal.SIGTERM):
        signal.signal(wanted, lambda *_: stopped.set())
    with endpoint:
        print(f"ASSISTANT_LLM__BASE_URL={endpoint.url} ASSISTANT_LLM__API_KEY={endpoint.key}", flush=True)
        stopped.wait()
    for complaint in endpoint.complaints:
        print(complaint)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m doubles.llm", description="An OpenAI-compatible endpoint that plays a script.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--lacks", action="append", default=[])
    parser.add_argument("--context", type=int, default=131_072)
    parser.add_argument("--key", default="sk-scripted")
    parser.add_argument("--script")
    return parser


def _named(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


if __name__ == "__main__":
    main()
