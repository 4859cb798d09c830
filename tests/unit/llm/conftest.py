from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from doubles.llm import ScriptedEndpoint
from doubles.llm.asking import client_of

from assistant.llm.endpoint import Endpoint, EndpointClient
from assistant.reasoning.llm.reasoner import ROLES, LlmReasoner

Thinking = Callable[..., AbstractAsyncContextManager[LlmReasoner]]


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as endpoint:
        yield endpoint
        assert not endpoint.complaints


@pytest.fixture
async def client(endpoint: ScriptedEndpoint) -> AsyncIterator[EndpointClient]:
    made = client_of(endpoint)
    yield made
    await made.close()


@pytest.fixture
def thinking(endpoint: ScriptedEndpoint) -> Thinking:
    """A reasoner that asks the scripted endpoint; `patience` in seconds."""

    @asynccontextmanager
    async def enter(patience: float = 30.0) -> AsyncIterator[LlmReasoner]:
        client = EndpointClient(Endpoint(base_url=endpoint.url, api_key=endpoint.key, model="scripted", retries=0))
        try:
            yield LlmReasoner(dict.fromkeys(ROLES, client), patience)
        finally:
            await client.close()

    return enter
