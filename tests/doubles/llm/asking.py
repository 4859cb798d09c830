"""The project's own client before the scripted endpoint."""

from typing import Any

from doubles.llm.server import ScriptedEndpoint

from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.llm.messages import Completion, Message, Prompt

HELLO = Prompt(messages=(Message(role="user", content="hello"),))


def client_of(endpoint: ScriptedEndpoint, **options: Any) -> EndpointClient:
    given = {"model": "scripted", "base_url": endpoint.url, "api_key": endpoint.key, "retries": 0, "timeout": 5, **options}
    return EndpointClient(Endpoint.model_validate(given))


async def told(client: EndpointClient, prompt: Prompt = HELLO) -> tuple[list[str], Completion]:
    """The pieces of a streamed answer, and the whole."""
    *pieces, last = [piece async for piece in client.stream(prompt)]
    assert isinstance(last, Completion)
    return [str(piece) for piece in pieces], last
