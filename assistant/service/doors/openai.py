"""The door for chat clients that speak OpenAI's protocol. What comes through it is another program's text: it approves nothing, and
nothing is done unasked because of it. It needs a token that may read and propose."""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Depends, Header, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field

from assistant.facade import Assistant, Turn
from assistant.pipeline import consent
from assistant.service.callers import Caller, Chatting, Served, as_program
from assistant.service.doors import cards
from assistant.service.live import EventStream
from assistant.service.posting import Posting, posting_of
from assistant.service.problems import Problem, problem_of
from storage import continuations

MODEL = "personal-assistant"
CHARACTERS = 4
"""Of one token, roughly; nothing here counts tokens."""
PIECE = 400
"""Characters of one chunk."""
TEXTS = ("text", "input_text", "output_text")
"""Parts of a message that can be read here."""
SAID = ("user", "assistant", "tool", "function")
"""Roles of messages that were said; the others instruct a model."""
KINDS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
NOT_HERE = "Nothing that is said here approves anything. Approve it on your own page:"
NOTHING_SAID = "This was interrupted before it came to an answer; ask again."


class Part(BaseModel):
    type: str
    text: str | None = None


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Without what is no text: an image that was refused stands in every history that is sent after it."""
        if isinstance(self.content, list):
            return "\n".join(part.text or "" for part in self.content if part.type in TEXTS)
        return self.content or ""

    @property
    def is_text(self) -> bool:
        return not isinstance(self.content, list) or all(part.type in TEXTS for part in self.content)


class StreamOptions(BaseModel):
    include_usage: bool | None = None


class Chat(BaseModel):
    """Whatever else a client sends is left aside: there is nothing to set about who thinks here."""

    model: str | None = Field(None, max_length=200)
    messages: list[Message] = Field(min_length=1, max_length=10_000)
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    metadata: dict[str, Any] | None = None
    n: int | None = None


class Shaped(APIRoute):
    """Errors in the form that these clients read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def shaped(request: Request) -> Response:
            try:
                return await handle(request)
            except Exception as error:
                problem = problem_of(error)
                return JSONResponse(_error(problem), problem.status, headers=problem.headers)

        return shaped


router = APIRouter(prefix="/v1", include_in_schema=False, route_class=Shaped)


async def by_token(served: Chatting) -> Served:
    as_program(served.caller)
    return served


Program = Annotated[Served, Depends(by_token)]


@router.get("/models")
async def models(served: Program) -> dict[str, object]:
    return {"object": "list", "data": [_model(MODEL)]}


@router.get("/models/{name:path}")
async def model(served: Program, name: str) -> dict[str, object]:
    if name != MODEL:
        raise Problem(404, f"There is one model here: {MODEL}.")
    return _model(name)


class Asked(NamedTuple):
    """A message with what stood before it. `digest` tells the history from others of this token."""

    assistant: Assistant
    caller: Caller
    history: tuple[tuple[str, str], ...]
    text: str
    model: str
    page: str

    def digest(self, *more: tuple[str, str]) -> str:
        told = [self.caller.token, *([role, " ".join(text.split())] for role, text in (*self.history, *more))]
        return hashlib.sha256(json.dumps(told).encode("utf-8", "surrogatepass")).hexdigest()


class Answered(NamedTuple):
    conversation: str
    flow: str
    text: str


@router.post("/chat/completions")
async def complete(
    request: Request, served: Program, chat: Chat, x_conversation: Annotated[str, Header(max_length=200)] = ""
) -> Response:
    """Any name of a model is taken. System messages give no rights, and are left aside. The conversation is that of the header
    X-Conversation or of `metadata.conversation`, else the one in which the client was told the history that it sends again."""
    asked = _asked(request, served, chat)
    named = x_conversation or str((chat.metadata or {}).get("conversation") or "")[:200]
    conversation = named or await _continued(asked) or await asked.assistant.begin()
    answering = await _begun(posting_of(request), asked, conversation)
    headers = {"X-Conversation": conversation} if conversation.isascii() and conversation.isprintable() else {}
    if chat.stream:
        usage = chat.stream_options is not None and bool(chat.stream_options.include_usage)
        return EventStream(_chunks(asked, answering, usage=usage), headers=headers, retry=False)
    answered = await answering()
    choice = {"index": 0, "message": {"role": "assistant", "content": answered.text}, "finish_reason": "stop", "logprobs": None}
    body = _head(asked, answered.flow, "chat.completion") | {"choices": [choice], "usage": _usage(asked, answered.text)}
    return JSONResponse(body, headers=headers)


def _asked(request: Request, served: Served, chat: Chat) -> Asked:
    told = [message for message in chat.messages if message.role in SAID]
    if not told or told[-1].role != "user":
        raise Problem(400, "The last message must be the user's.")
    if not told[-1].is_text:
        raise Problem(400, "Only text can be sent here.")
    if chat.n not in (None, 1):
        raise Problem(400, "There is one answer to a message; leave n out.")
    said = [(message.role, message.text) for message in told if message.role in ("user", "assistant")]
    page = request.app.state.entrance.page(request)
    return Asked(served.assistant, served.caller, tuple(said[:-1]), said[-1][1], chat.model or MODEL, page)


async def _continued(asked: Asked) -> str | None:
    """What was said since the last answer came to nothing, and is not part of what was told."""
    answers = [place for place, (role, _) in enumerate(asked.history, start=1) if role == "assistant"]
    if not answers:
        return None
    assistant, digest = asked.assistant, asked._replace(history=asked.history[: answers[-1]]).digest()
    found = await assistant.database.read(lambda s: continuations.find(s, digest, user_id=assistant.user))
    return found if found and await assistant.is_known(found) else None


async def _begun(posting: Posting, asked: Asked, conversation: str) -> Callable[[], Awaitable[Answered]]:
    """The message is under way; it runs on when the client goes."""
    assistant = asked.assistant
    if reminder := await _approving(asked, conversation):
        return lambda: _kept(asked, Answered(conversation, "", reminder))
    posted = await posting.post(assistant, conversation, asked.text, own_words=False)

    async def answered() -> Answered:
        turn = await posted.turn(assistant)
        return await _kept(asked, Answered(conversation, turn.flow, _words(turn, asked.page)))

    return answered


async def _approving(asked: Asked, conversation: str) -> str:
    """What to say to a "yes" that can't be one here."""
    previews = await asked.assistant.open_previews(conversation) if consent.approves(asked.text) else ()
    if not previews or any(turn.conversation == conversation for turn in await asked.assistant.questions()):
        return ""
    return "\n".join((NOT_HERE, *(cards.link(preview, asked.page) for preview in previews)))


def _words(turn: Turn, page: str) -> str:
    return cards.told(turn, page) or NOTHING_SAID


async def _kept(asked: Asked, answered: Answered) -> Answered:
    """So that the conversation goes on when the client sends the history with this answer."""
    assistant, at = asked.assistant, asked.assistant.clock()
    digest = asked.digest(("user", asked.text), ("assistant", answered.text))
    user, conversation = assistant.user, answered.conversation
    await assistant.database.write(lambda s: continuations.put(s, digest, conversation, at, user_id=user))
    return answered


async def _chunks(asked: Asked, answering: Callable[[], Awaitable[Answered]], *, usage: bool) -> AsyncIterator[bytes]:
    head = _head(asked, "", "chat.completion.chunk")

    def chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
        return _data(head | {"choices": [{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}]})

    yield chunk({"role": "assistant", "content": ""})
    try:
        text = (await answering()).text
    except Exception as error:
        yield _data(_error(problem_of(error)))
    else:
        for start in range(0, len(text), PIECE):
            yield chunk({"content": text[start : start + PIECE]})
        yield chunk({}, "stop")
        if usage:
            yield _data(head | {"choices": [], "usage": _usage(asked, text)})
    yield b"data: [DONE]\n\n"


def _data(body: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(body)}\n\n".encode()


def _head(asked: Asked, flow: str, kind: str) -> dict[str, Any]:
    id = flow or hashlib.sha256(asked.digest(("user", asked.text)).encode()).hexdigest()[:12]
    return {"id": f"chatcmpl-{id}", "object": kind, "created": int(asked.assistant.clock().timestamp()), "model": asked.model}


def _usage(asked: Asked, text: str) -> dict[str, Any]:
    prompt, completion = (
        max(1, sum(map(len, texts)) // CHARACTERS) for texts in ([*(said for _, said in asked.history), asked.text], [text])
    )
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, "estimated": True}


def _model(name: str) -> dict[str, object]:
    return {"id": name, "object": "model", "created": 0, "owned_by": MODEL}


def _error(problem: Problem) -> dict[str, Any]:
    kind = KINDS.get(problem.status) or ("invalid_request_error" if problem.status < 500 else "server_error")
    code = "invalid_api_key" if problem.status == 401 else None
    return {"error": {"message": problem.detail, "type": kind, "param": None, "code": code}}
