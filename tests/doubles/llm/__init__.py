"""An endpoint that speaks OpenAI's chat completions over real HTTP, answers as a script says and misbehaves on demand.

with ScriptedEndpoint([rate_limited(0.01), says("Hello")]) as endpoint:
    client = AsyncOpenAI(base_url=endpoint.url, api_key=endpoint.key)
"""

from doubles.llm.answers import Answer, Answerer, Call, Counted, Failure, Raw, Reply, Reset, Script, calls, data, first, says
from doubles.llm.requests import RequestSeen
from doubles.llm.server import ScriptedEndpoint, unreachable_url

__all__ = [
    "Answer",
    "Answerer",
    "Call",
    "Counted",
    "Failure",
    "Raw",
    "Reply",
    "RequestSeen",
    "Reset",
    "Script",
    "ScriptedEndpoint",
    "calls",
    "data",
    "first",
    "says",
    "unreachable_url",
]
