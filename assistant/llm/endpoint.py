"""A chat client for any endpoint that speaks OpenAI's chat completions. The SDK is imported when it is first asked."""

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, aclosing, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, SecretStr

from assistant.errors import ModelError
from assistant.llm import wire
from assistant.llm.attempts import attempted
from assistant.llm.catalogue import Offered, offered
from assistant.llm.dialect import Dialect
from assistant.llm.messages import Completion, Prompt
from assistant.llm.parsing import Gathered, completion
from assistant.llm.thoughts import Listening, spoken, unopened
from assistant.llm.troubles import Refused, mapped
from integrations.common import certificates
from integrations.types import Value

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI


T = TypeVar("T")
DEFAULT_MODEL = "gpt-5-mini"
OPENAI = "https://api.openai.com/v1"
CONNECTING = 10.0
"""Seconds, at most, until there is a connection."""
STREAMING = 10
"""Times the timeout that a streamed answer may take in all."""


class Endpoint(Value):
    """`model` empty: the usual one, or the first that the endpoint has. `base_url` empty: OpenAI's own. With `azure_version` it is
    an Azure resource, and `model` the deployment's name. `timeout` in seconds, of one attempt; `retries` are further ones after a
    failed one, after the endpoint's Retry-After where it names one. `longest` in tokens, of an answer whose prompt doesn't say;
    `effort` is sent as reasoning_effort."""

    model: str = ""
    base_url: str = Field(default="", repr=False)
    api_key: SecretStr = SecretStr("")
    azure_version: str = ""
    timeout: float = 60.0
    retries: int = 2
    longest: int = 8000
    effort: str = ""

    @property
    def place(self) -> str:
        return shown_url(self.base_url) if self.base_url else "OpenAI"


def shown_url(url: str) -> str:
    """Scheme, host, port and path: what else an address holds may be secret."""
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/") if separator else url.partition("/")
    shown = authority.rpartition("@")[2] + slash + path
    return (f"{scheme}://" if separator else "") + shown.partition("?")[0].partition("#")[0]


def _apart(url: str) -> tuple[str, str]:
    """The address, and what a user and a password in it come to as a header: beside a key they can't stand in the address."""
    from aiohttp import BasicAuth
    from yarl import URL

    try:
        credentials = BasicAuth.from_url(URL(url))
    except ValueError:  # no usable address, which is told when it is asked
        return url, ""
    return (str(URL(url).with_user(None)), credentials.encode()) if credentials else (url, "")


class EndpointClient:
    """Implements ChatClient."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._dialect = Dialect(limit="max_tokens" if endpoint.base_url else "max_completion_tokens")
        self._chosen = endpoint.model
        self._marks_thoughts: bool | None = None

    @property
    def model(self) -> str:
        return self._chosen or (urlsplit(shown_url(self.endpoint.base_url)).netloc if self.endpoint.base_url else DEFAULT_MODEL)

    async def named(self) -> str:
        if not self._chosen:
            with self._mapped():
                await self._attempted(self._choose)
        return self.model

    async def complete(self, prompt: Prompt) -> Completion:
        async def attempt() -> Completion | None:
            return _understood(await wire.body(await self._posted(prompt)))

        with self._mapped():
            return self._heard(await self._attempted(attempt))

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        """In one piece until an earlier answer has shown that the model marks where its thoughts begin."""
        gathered, listening = Gathered(), Listening()
        in_pieces = self._marks_thoughts
        with self._mapped():
            response = await self._attempted(lambda: self._posted(prompt, stream=True))
            async with aclosing(self._pieces(response, gathered)) as pieces:
                async for piece in pieces:
                    if in_pieces and (heard := listening.take(piece)):
                        yield heard
            if gathered.begun and not gathered.ended:
                raise ModelError(f"{self._who} broke off in the middle of its answer.", "unreachable")
            whole = self._heard(gathered.completion() if gathered.begun else None)
        if rest := listening.rest() if in_pieces else whole.text:
            yield rest
        yield whole

    async def models(self) -> tuple[Offered, ...]:
        """What the endpoint says that it has."""
        with self._mapped():
            return await self._attempted(self._offered)

    async def close(self) -> None:
        if "_sdk" in self.__dict__:
            await self._sdk.close()
            del self._sdk

    def _heard(self, answer: Completion | None) -> Completion:
        """Without thoughts. Raises ModelError where there is no answer."""
        if answer is None:
            raise ModelError("The model's answer is empty.", "invalid")
        begins_within = unopened(answer.text)
        if begins_within is not None:
            self._marks_thoughts = self._marks_thoughts is not False and not begins_within
        return answer.model_copy(update={"text": spoken(answer.text)})

    async def _pieces(self, response: "Response", gathered: Gathered) -> AsyncGenerator[str]:
        async with aclosing(wire.events(response, pace=self.endpoint.timeout, in_all=self.endpoint.timeout * STREAMING)) as events:
            async for data in events:
                if data == wire.DONE:
                    gathered.ended = gathered.begun
                    return
                chunk = wire.answer_of(data)
                if isinstance(chunk, Mapping):
                    yield gathered.take(chunk)

    async def _posted(self, prompt: Prompt, stream: bool = False) -> "Response":
        """The answer as it begins to arrive. What an endpoint refuses is put differently where that may help."""
        await self._choose()
        dialect: Dialect | None = self._dialect
        while True:
            assert dialect is not None
            put = dialect.body(prompt, longest=self.endpoint.longest, effort=self.endpoint.effort, stream=stream)
            try:
                response = await _request(self._sdk.post, "/chat/completions", body={"model": self.model, **put})
            except Refused as refused:
                dialect = dialect.after(refused, put)
                if dialect is None:
                    raise
                continue
            if not dialect.once:
                self._dialect = dialect
            return response

    async def _choose(self) -> None:
        """Where no model is named: the usual one if the endpoint has it, or cannot tell; else the first that it has."""
        if self._chosen:
            return
        names: list[str] = []
        if self.endpoint.base_url:
            with suppress(Refused, ValueError):  # not every endpoint lists its models
                names = [model.name for model in await self._offered()]
        self._chosen = self._chosen or (DEFAULT_MODEL if DEFAULT_MODEL in names or not names else names[0])

    async def _offered(self) -> tuple[Offered, ...]:
        return offered(wire.answer_of(await wire.body(await _request(self._sdk.get, "/models"))))

    async def _attempted(self, attempt: Callable[[], Awaitable[T]]) -> T:
        assert self._sdk  # before time is taken: its import takes longer than some answers
        return await attempted(attempt, retries=self.endpoint.retries, seconds=self.endpoint.timeout)

    @property
    def _who(self) -> str:
        given = self.endpoint
        return f"The model{' ' + given.model if given.model else ''} at {given.place}"

    def _mapped(self) -> AbstractContextManager[None]:
        return mapped(self.endpoint, self._who)

    @cached_property
    def _sdk(self) -> "AsyncOpenAI":
        from httpx2 import Timeout
        from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAioHttpClient

        given = self.endpoint
        hooks = {"response": [wire.turn_down]}
        # A redirect is told instead of followed: it would make a GET of a POST. Attempts are bounded and counted here.
        http = DefaultAioHttpClient(verify=certificates.usual(), event_hooks=hooks, follow_redirects=False)
        common: dict[str, Any] = {
            "api_key": given.api_key.get_secret_value() or "none",  # the SDK wants one, endpoints on one's own machine don't
            "timeout": Timeout(given.timeout, connect=min(CONNECTING, given.timeout)),
            "max_retries": 0,
            "http_client": http,
        }
        base_url, credentials = _apart(given.base_url or OPENAI)
        if credentials:
            common["default_headers"] = {"Authorization": credentials}
        if given.azure_version:
            return AsyncAzureOpenAI(azure_endpoint=base_url, api_version=given.azure_version, **common)
        return AsyncOpenAI(base_url=base_url, **common)


async def _request(ask: Callable[..., Awaitable[Any]], path: str, **given: Any) -> "Response":
    """By the SDK's plain `post` and `get`: its typed ones look at every part of what is sent and comes, which takes as long as all
    the rest, and lose what has another shape."""
    from httpx2 import Response
    from openai import AsyncStream

    response: Response = await ask(path, cast_to=Response, stream=True, stream_cls=AsyncStream[object], **given)
    return response


def _understood(text: str) -> Completion | None:
    """Some endpoints stream whether they are asked to or not."""
    if not wire.is_stream(text):
        return completion(wire.answer_of(text))
    gathered = Gathered()
    for data in wire.data_of(text):
        chunk = wire.answer_of(data) if data != wire.DONE else None
        if isinstance(chunk, Mapping):
            gathered.take(chunk)
    return gathered.completion() if gathered.begun else None
