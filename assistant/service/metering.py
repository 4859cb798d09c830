"""What the service tells Prometheus: requests as they are answered, and what is stored as it stands."""

import time
from collections.abc import Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from storage.figures import Figures

STREAM = b"text/event-stream"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)
"""Seconds; a message that a model answers takes the longest."""


class Meter:
    """Of one application."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        where = ["method", "route", "status"]
        self.requests = Counter("assistant_requests", "Requests answered.", where, registry=self._registry)
        self.seconds = Histogram(
            "assistant_request_seconds", "Until the answer began.", ["method", "route"], buckets=BUCKETS, registry=self._registry
        )
        self.streams = Gauge("assistant_open_streams", "Event streams that are open.", registry=self._registry)
        self.sign_in_failures = Counter("assistant_sign_in_failures", "Attempts to sign in that failed.", registry=self._registry)

    def told(self, figures: Figures) -> bytes:
        """All of it in Prometheus's text format."""
        own = CollectorRegistry()
        own.register(_Stored(figures))
        return generate_latest(self._registry) + generate_latest(own)


class _Stored:
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterator[Metric]:
        kept = self._figures
        yield _gauge("flows", "Flows by status.", ["status"], (((one.status,), one.number) for one in kept.flows))
        levels = (((one.level, one.status), one.number) for one in kept.previews)
        yield _gauge("previews", "Previews by level and by what became of them.", ["level", "status"], levels)
        yield _gauge("outbox_rows", "Approved writes by state.", ["status"], (((one.status,), one.number) for one in kept.outbox))
        results = ((one.model, {"answered": one.number - one.failed, "failed": one.failed}) for one in kept.calls)
        calls = (((model, result), number) for model, counted in results for result, number in counted.items())
        yield _gauge("model_calls", "Calls to language models.", ["model", "result"], calls)
        tokens = (((one.model, kind), getattr(one, kind)) for one in kept.calls for kind in ("prompt", "completion"))
        yield _gauge("model_tokens", "Tokens of language models.", ["model", "kind"], tokens)
        costs = (((one.model,), one.cost) for one in kept.calls)
        yield _gauge("model_cost_dollars", "What calls to language models cost, where prices are known.", ["model"], costs)


def _gauge(name: str, words: str, labels: list[str], samples: Iterable[tuple[tuple[str, ...], float]]) -> Metric:
    """What is stored may become less, as it is thinned and forgotten."""
    family = GaugeMetricFamily(f"assistant_{name}", words, labels=labels)
    for values, number in samples:
        family.add_metric(values, number)
    return family


class Measured:
    """Counts every request by the route that took it."""

    def __init__(self, app: ASGIApp, meter: Meter) -> None:
        self._app, self._meter = app, meter

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, streams = time.perf_counter(), False

        async def counting(message: Message) -> None:
            nonlocal streams
            if message["type"] == "http.response.start":
                self._count(scope, message["status"], time.perf_counter() - begun)
                streams = any(name == b"content-type" and value.startswith(STREAM) for name, value in message["headers"])
                self._meter.streams.inc(streams)
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            self._meter.streams.dec(streams)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._meter.requests.labels(method, route, str(status)).inc()
        self._meter.sign_in_failures.inc(route in ENTERING and status in REFUSED)
        self._meter.seconds.labels(method, route).observe(seconds)


ENTERING = frozenset({"/api/sign-in", "/api/sign-in/passkey", "/api/first-run"})
REFUSED = frozenset({400, 401, 403, 404, 429})
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
