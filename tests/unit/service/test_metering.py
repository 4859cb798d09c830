"""What the service tells Prometheus."""

import asyncio
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from assistant.service.metering import Measured, Meter
from storage.figures import Asked, Figures, Number

NOTHING = Figures(flows=(), previews=(), outbox=(), calls=())


def told(meter: Meter, figures: Figures = NOTHING) -> dict[tuple[str, ...], float]:
    """Values by name and labels, the labels in the order of their names."""
    families = text_string_to_metric_families(meter.told(figures).decode())
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels))): sample.value
        for family in families
        for sample in family.samples
    }


async def ask(meter: Meter, app: Any, method: str = "GET") -> None:
    async def nothing(*_: Any) -> None:
        pass

    await Measured(app, meter)({"type": "http", "method": method}, nothing, nothing)


def test_what_is_stored_is_told_as_it_stands():
    asked = Asked(model="small", number=3, failed=1, prompt=30, completion=10, cost=0.5)
    outbox = (Number(status="unknown", number=2),)
    found = told(Meter(), NOTHING._replace(outbox=outbox, calls=(asked,)))
    assert found["assistant_outbox_rows", "unknown"] == 2
    assert found["assistant_model_calls", "small", "answered"] == 2 and found["assistant_model_calls", "small", "failed"] == 1
    assert found["assistant_model_tokens", "prompt", "small"] == 30 and found["assistant_model_cost_dollars", "small"] == 0.5


async def test_methods_that_nobody_knows_are_counted_as_one():
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 405, "headers": []})

    meter = Meter()
    for method in ("BREW", "STEEP"):
        await ask(meter, app, method)
    assert told(meter)["assistant_requests_total", "other", "none", "405"] == 2


async def test_a_stream_counts_as_open_until_it_ends_or_its_client_goes():
    meter, opened = Meter(), asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        opened.set()
        await asyncio.Event().wait()

    asking = asyncio.create_task(ask(meter, app))
    await opened.wait()
    assert told(meter)["assistant_open_streams",] == 1
    asking.cancel()
    await asyncio.wait([asking])
    assert told(meter)["assistant_open_streams",] == 0
