"""A table of agents over a scripted endpoint."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import pytest
from doubles.drafting import Table, by_agent, endpoint_for
from doubles.llm import Answerer, Reply

Laid = Callable[..., Table]


@pytest.fixture
async def table() -> AsyncIterator[Laid]:
    """Lays a table with a script for each agent; at the end no request was wrong."""
    async with AsyncExitStack() as stack:
        tables: list[Table] = []

        def laid(scripts: Mapping[str, Reply | Answerer], **more: Any) -> Table:
            endpoint = stack.enter_context(endpoint_for(by_agent(scripts), tuple(scripts), **more))
            tables.append(Table(endpoint))
            stack.push_async_callback(tables[-1].close)
            return tables[-1]

        yield laid
        assert [complaint for one in tables for complaint in one.endpoint.complaints] == []
