"""A chat client for any endpoint that speaks OpenAI's chat completions. The SDK is imported when it is first asked."""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assistant.errors import ModelError, ModelTrouble
from assistant.llm.messages import Completion, Finish, Prompt, ToolCall, Usage
from integrations.types import Value

if TYPE_CHECKING:
    from ssl import SSLContext

    from openai import AsyncOpenAI
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletion, ChatCompletionChunk


DEFAULT_MODEL = "gpt-5-mini"


class Endpoint(Value):
    """`model` empty: the usual one, or the first that the endpoint has. `base_url` empty: OpenAI's own. With `azure_version` it is
    an Azure resource, and `model` the deployment's name. Times in seconds; `retries` are further attempts after a failed one, after
    the endpoint's Retry-After where it names one."""

    model: str = ""
    base_url: str = ""
    api_key: str = ""
    azure_version: str = ""
    timeout: float = 60.0
    retries: int = 2


class EndpointClient:
    """Implements ChatClient. `http` is an httpx2.AsyncClient in place of the SDK's own."""

    def __init__(self, endpoint: Endpoint, http: Any = None) -> None:
        self.endpoint = endpoint
        self._http = http
        self._idle: list[AsyncOpenAI] = []
        self._busy: set[AsyncOpenAI] = set()
        self._streams_usage, self._limits_old = True, True
        self._chosen = endpoint.model

    @property
    def model(self) -> str:
        return self._chosen or (urlsplit(self.endpoint.base_url).netloc if self.endpoint.base_url else DEFAULT_MODEL)

    async def _choose(self, sdk: "AsyncOpenAI") -> None:
        """Where no model is named: the usual one if the endpoint has it, or cannot tell; else the first that it has."""
        from openai import APIStatusError

        if self._chosen:
            return
        try:
            offered = [model.id async for model in sdk.models.list()] if self.endpoint.base_url else []
        except APIStatusError:
            offered = []  # not every endpoint lists its models
        self._chosen = self._chosen or (DEFAULT_MODEL if DEFAULT_MODEL in offered or not offered else offered[0])

    @contextmanager
    def _sdk(self) -> Iterator["AsyncOpenAI"]:
        """A client of the SDK for one call: one that many calls share looks at the connections of all of them at each."""
        sdk = self._idle.pop() if self._idle else self._made()
        self._busy.add(sdk)
        try:
            yield sdk
        finally:
            self._busy.discard(sdk)
            self._idle.append(sdk)

    @cached_property
    def _tls(self) -> "SSLContext":
        """For all of them: to make one takes longer than anything else about a client."""
        from httpx2 import create_ssl_context

        return create_ssl_context()

    def _made(self) -> "AsyncOpenAI":
        from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAsyncHttpx2Client

        given = self.endpoint
        # Endpoints on one's own machine want no key, the SDK wants one all the same.
        common: dict[str, Any] = {
            "api_key": given.api_key or "none",
            "timeout": given.timeout,
            "max_retries": given.retries,
            "http_client": self._http or DefaultAsyncHttpx2Client(verify=self._tls),
        }
        if given.azure_version:
            return AsyncAzureOpenAI(azure_endpoint=given.base_url, api_version=given.azure_version, **common)
        return AsyncOpenAI(base_url=given.base_url or None, **common)

    async def complete(self, prompt: Prompt) -> Completion:
        with _mapped(self.endpoint), self._sdk() as sdk:
            answer = await self._asked(sdk, prompt)
            return _completion(answer)

    async def stream(self, prompt: Prompt) -> AsyncIterator[str | Completion]:
        gathered = _Gathered()
        with _mapped(self.endpoint), self._sdk() as sdk:
            async with await self._asked(sdk, prompt, stream=True) as opened:
                async for chunk in opened:
                    if piece := gathered.take(chunk):
                        yield piece
        if not gathered.begun:
            raise ModelError("The model's answer is empty.", "invalid")
        if gathered.finish is None:
            raise ModelError(f"{_name(self.endpoint)} broke off in the middle of its answer.", "unreachable")
        yield gathered.completion()

    async def _asked(self, sdk: "AsyncOpenAI", prompt: Prompt, stream: bool = False) -> Any:
        """By the SDK's `post`: `create` would look at every part of what is sent, which takes as long as all the rest."""
        from openai import AsyncStream, BadRequestError, UnprocessableEntityError
        from openai.types.chat import ChatCompletion, ChatCompletionChunk

        await self._choose(sdk)
        sent = {"model": self.model, **self._sent(prompt)}
        if stream:
            sent |= {"stream": True, **({"stream_options": {"include_usage": True}} if self._streams_usage else {})}
        pieces = AsyncStream[ChatCompletionChunk]
        try:
            return await sdk.post("/chat/completions", cast_to=ChatCompletion, body=sent, stream=stream, stream_cls=pieces)
        except (BadRequestError, UnprocessableEntityError) as refused:
            if not self._learns(str(refused), sent):
                raise
            return await self._asked(sdk, prompt, stream)

    def _learns(self, refusal: str, sent: Mapping[str, Any]) -> bool:
        """Whether the request can be put differently: not every endpoint knows stream_options, reasoning models no max_tokens."""
        if "stream_options" in sent and "stream_options" in refusal:
            self._streams_usage = False
            return True
        if "max_tokens" in sent and "max_completion_tokens" in refusal:
            self._limits_old = False
            return True
        return False

    def _sent(self, prompt: Prompt) -> dict[str, Any]:
        sent = _sent(prompt)
        if prompt.longest is not None:
            sent["max_tokens" if self._limits_old else "max_completion_tokens"] = prompt.longest
        return sent

    async def models(self) -> tuple[str, ...]:
        """The names of the models that the endpoint offers."""
        with _mapped(self.endpoint), self._sdk() as sdk:
            return tuple([model.id async for model in sdk.models.list()])

    async def close(self) -> None:
        for sdk in {*self._idle, *self._busy}:
            await sdk.close()
        self._idle.clear()


def _sent(prompt: Prompt) -> dict[str, Any]:
    sent: dict[str, Any] = {"messages": [message.as_sent() for message in prompt.messages]}
    if prompt.tools:
        sent["tools"] = [tool.as_sent() for tool in prompt.tools]
    if prompt.temperature is not None:
        sent["temperature"] = prompt.temperature
    if prompt.forced:
        sent["tool_choice"] = {"type": "function", "function": {"name": prompt.forced}}
    if prompt.answering == "json_schema" and prompt.shape is not None:
        sent["response_format"] = prompt.shape.as_format()
    elif prompt.answering == "json_object":
        sent["response_format"] = {"type": "json_object"}
    return sent


def _completion(answer: "ChatCompletion") -> Completion:
    if not answer.choices:
        raise ModelError("The model's answer is empty.", "invalid")
    choice = answer.choices[0]
    called = choice.message.tool_calls or ()
    calls = tuple(
        ToolCall(id=one.id or f"call_{n}", name=one.function.name or "", arguments=_storable(one.function.arguments or ""))
        for n, one in enumerate(called)
        if one.type == "function"
    )
    return Completion(
        text=_storable(choice.message.content or ""),
        calls=calls,
        finish=_finish(choice.finish_reason),
        refusal=_storable(choice.message.refusal or ""),
        usage=_usage(answer.usage),
        model=answer.model or "",
    )


def _storable(text: str) -> str:
    """Half a pair of surrogates, which JSON can hold and no file, becomes a question mark; a NUL is left out."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")


def _finish(reason: str | None) -> Finish:
    return reason if reason in ("stop", "length", "tool_calls", "content_filter") else "other"  # type: ignore[return-value]


def _usage(counted: "CompletionUsage | None") -> Usage:
    if counted is None:
        return Usage()
    details = counted.prompt_tokens_details
    cached = (details.cached_tokens or 0) if details else 0
    return Usage(prompt=counted.prompt_tokens or 0, cached=cached, completion=counted.completion_tokens or 0)


class _Gathered:
    """A streamed answer, put together again."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.refusal: list[str] = []
        self.calls: dict[int, list[str]] = {}
        self.begun = False
        self.finish: Finish | None = None
        self.usage = Usage()
        self.model = ""

    def take(self, chunk: "ChatCompletionChunk") -> str:
        """The text that it adds."""
        self.model = chunk.model or self.model
        if chunk.usage is not None:
            self.usage = _usage(chunk.usage)
        if not chunk.choices:
            return ""
        self.begun = True
        choice = chunk.choices[0]
        if choice.finish_reason:
            self.finish = _finish(choice.finish_reason)
        self.refusal.append(choice.delta.refusal or "")
        for part in choice.delta.tool_calls or ():
            id, name, arguments = self.calls.setdefault(part.index, ["", "", ""])
            function = part.function
            added = (function.name or "", function.arguments or "") if function else ("", "")
            self.calls[part.index] = [id or part.id or "", name + added[0], arguments + added[1]]
        piece = choice.delta.content or ""
        self.text.append(piece)
        return piece

    def completion(self) -> Completion:
        calls = tuple(
            ToolCall(id=id or f"call_{n}", name=name, arguments=_storable(arguments))
            for n, (id, name, arguments) in sorted(self.calls.items())
        )
        return Completion(
            text=_storable("".join(self.text)),
            calls=calls,
            finish=self.finish or "other",
            refusal=_storable("".join(self.refusal)),
            usage=self.usage,
            model=self.model,
        )


def _name(endpoint: Endpoint) -> str:
    return f"The model{' ' + endpoint.model if endpoint.model else ''} at {endpoint.base_url or 'OpenAI'}"


@contextmanager
def _mapped(endpoint: Endpoint) -> Iterator[None]:
    """The SDK's errors, and those of its connection, as ModelError."""
    import httpx2
    import openai

    who = _name(endpoint)
    try:
        yield
    except openai.APITimeoutError as error:
        raise ModelError(f"{who} did not answer within {endpoint.timeout:g} seconds.", "timeout") from error
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        raise ModelError(f"{who} can't be reached.", "unreachable") from error
    except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
        raise ModelError(f"{who} does not accept the key; check ASSISTANT_LLM__API_KEY.", "denied") from error
    except openai.NotFoundError as error:
        if "support" in error.message:  # so OpenRouter says that no endpoint takes tools or a response format
            raise ModelError(f"{who} refuses the request: {_short(error.message)}", "rejected") from error
        raise ModelError(f"{who} is not known there; `assistant models test` lists what is.", "denied") from error
    except openai.RateLimitError as error:
        raise ModelError(f"{who} takes no more requests for now.", "rate_limited") from error
    except openai.BadRequestError as error:
        kind: ModelTrouble = "refused" if error.code == "content_filter" else "rejected"
        raise ModelError(f"{who} refuses the request: {_short(error.message)}", kind) from error
    except openai.APIStatusError as error:
        kind = "server" if error.status_code >= 500 else "rejected"
        raise ModelError(f"{who} answered with an error ({error.status_code}): {_short(error.message)}", kind) from error
    except openai.APIError as error:
        raise ModelError(f"{who} gave no usable answer: {_short(error.message)}", "invalid") from error
    except (AttributeError, TypeError, ValueError) as error:  # a page instead of JSON, half of it, or of another shape
        raise ModelError(f"{who} does not answer as OpenAI's interface does; check ASSISTANT_LLM__BASE_URL.", "invalid") from error


def _short(words: str) -> str:
    return " ".join(words.split()).removeprefix("Error code: ").lstrip("0123456789- ")[:200]
