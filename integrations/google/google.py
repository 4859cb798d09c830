"""One Google account over HTTP. The client library blocks, so that everything goes through threads of the account's own."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import count
from typing import Any, TypeVar

from googleapiclient import discovery_cache
from googleapiclient.discovery import build_from_document

from integrations.common.remote import Unauthorized, Unreadable
from integrations.common.retrying import passes, pause_before_another, read_again
from integrations.errors import IntegrationError, InvalidResponse, RateLimited, Unavailable
from integrations.google.errors import Asked, translated
from integrations.google.tokens import Tokens
from integrations.google.transport import Signed, Transport
from integrations.registry import Secrets

R = TypeVar("R")
Answer = dict[str, Any]

THREADS = 16
IN_A_BATCH, BATCHES = {"gmail": 100, "calendar": 50, "people": 50}, 2
"""The most requests that each API takes in one batch, and batches at a time: Gmail soon asks for a pause."""
PAGES = 1000
"""More pages than any listing has."""


class Resources:
    """What the client library builds requests with. It makes `users().messages()` anew at every call, which takes longer than
    all the rest of a request; here it is made once."""

    def __init__(self, resource: Any) -> None:
        self._resource = resource

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._resource, name)
        if getattr(member, "__is_resource__", False):
            nested = Resources(member())

            def member() -> Resources:
                return nested

        setattr(self, name, member)
        return member


class Apis:
    """Builds requests, from the documents that come with the client library; sends none, so that all accounts share one."""

    @cached_property
    def gmail(self) -> Any:
        return self._built("gmail", "v1")

    @cached_property
    def calendar(self) -> Any:
        return self._built("calendar", "v3")

    @cached_property
    def people(self) -> Any:
        return self._built("people", "v1")

    def _built(self, name: str, version: str) -> Any:
        document = json.loads(discovery_cache.get_static_doc(name, version))
        document.pop("mtlsRootUrl", None)
        return Resources(build_from_document(document, http=Transport(keep_alive=False)))


APIS = Apis()
Build = Callable[[Apis], Any]
"""Makes one request: `lambda api: api.gmail.users().labels().list(userId="me")`."""


class Google:
    """`endpoint` is the root of all three APIs where they are not Google's own. Raises the errors of `integrations.errors` only."""

    def __init__(self, account: str, *, secrets: Secrets, endpoint: str = "") -> None:
        self.account = account
        self._reading, self._writing = Transport(keep_alive=True), Transport(keep_alive=False)
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="google")
        self._endpoint = endpoint.rstrip("/")
        self._tokens = Tokens(account, secrets, self._writing, self._in_thread)
        self._batches = asyncio.Semaphore(BATCHES)

    async def read(self, build: Build) -> Answer:
        """Sent again, a few times, where Google is out of reach or asks for a pause."""
        return await read_again(lambda: self._signed(self._reading, lambda http: self._one(build, http)))

    async def write(self, build: Build, headers: Mapping[str, str] | None = None) -> Answer:
        """Sent once. Only where the token was refused, and so the request with it, it is sent with a new one."""
        return await self._signed(self._writing, lambda http: self._one(build, http), headers)

    async def pages(self, build: Callable[[Apis, str | None], Any]) -> list[Answer]:
        """All pages of a listing; `build` is given the page token, None for the first."""
        answers: list[Answer] = []
        token: str | None = None
        for _ in range(PAGES):
            answers.append(await self.read(lambda api, token=token: build(api, token)))  # type: ignore[misc]
            following = answers[-1].get("nextPageToken")
            if not following:
                return answers
            if following == token:
                break
            token = following
        raise InvalidResponse("Google's listing has no end.", self.account)

    async def batch(self, builds: Sequence[Build]) -> list[Answer | IntegrationError]:
        """Reads of one API, answered in order; what goes wrong with one is its answer. AuthExpired is raised."""
        if not builds:
            return []
        size = await self._in_thread(lambda: IN_A_BATCH[Asked(self.account, builds[0](APIS).methodId).api])
        chunks = [builds[at : at + size] for at in range(0, len(builds), size)]
        answers = await asyncio.gather(*map(self._chunk, chunks))
        return [answer for chunk in answers for answer in chunk]

    async def close(self) -> None:
        await self._tokens.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reading.close()
        self._writing.close()

    async def _chunk(self, builds: Sequence[Build]) -> list[Answer | IntegrationError]:
        answers: dict[int, Answer | IntegrationError] = {}
        waiting = list(range(len(builds)))
        for attempt in count(1):
            async with self._batches:
                got = await self._together([builds[at] for at in waiting])
            answers.update(zip(waiting, got, strict=True))
            failed = {at: answer for at, answer in answers.items() if isinstance(answer, IntegrationError) and passes(answer)}
            pause = pause_before_another(attempt, *failed.values()) if failed else None
            if pause is None:
                break
            waiting = list(failed)
            await asyncio.sleep(pause)
        return [answers[at] for at in range(len(builds))]

    async def _together(self, builds: Sequence[Build]) -> list[Answer | IntegrationError]:
        try:
            return await self._signed(self._reading, lambda http: self._several(builds, http))
        except (RateLimited, Unavailable, InvalidResponse) as error:
            return [error] * len(builds)

    async def _signed(self, transport: Transport, send: Callable[[Signed], R], headers: Mapping[str, str] | None = None) -> R:
        token = await self._tokens.current()
        try:
            return await self._in_thread(lambda: send(Signed(transport, token, headers or {}, self._endpoint)))
        except Unauthorized:
            fresh = await self._tokens.other_than(token)
            return await self._in_thread(lambda: send(Signed(transport, fresh, headers or {}, self._endpoint)))

    async def _in_thread(self, work: Callable[[], R]) -> R:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def _one(self, build: Build, http: Signed) -> Answer:
        request = build(APIS)
        asked = Asked(self.account, request.methodId)
        try:
            answer = request.execute(http=http)
        except Exception as error:
            raise translated(error, asked) from error
        return self._checked(answer, asked)

    def _several(self, builds: Sequence[Build], http: Signed) -> list[Answer | IntegrationError]:
        requests = [build(APIS) for build in builds]
        asked = [Asked(self.account, request.methodId) for request in requests]
        answers: dict[str, Answer | IntegrationError] = {}

        def take(id: str, answer: Any, error: Exception | None) -> None:
            try:
                answers[id] = translated(error, asked[int(id)]) if error else self._checked(answer, asked[int(id)])
            except IntegrationError as unreadable:
                answers[id] = unreadable

        batch = getattr(APIS, asked[0].api).new_batch_http_request(callback=take)
        for at, request in enumerate(requests):
            batch.add(request, request_id=str(at))
        try:
            batch.execute(http=http)
        except Exception as error:
            raise translated(error, asked[0]) from error
        found = [answers[str(at)] for at in range(len(requests))]
        refused = next((answer for answer in found if isinstance(answer, Unauthorized)), None)
        if refused is not None:
            raise refused
        return found

    def _checked(self, answer: Any, asked: Asked) -> Answer:
        """An answer without content stands for an empty one."""
        if answer in (None, "", b""):
            return {}
        if not isinstance(answer, dict):
            raise Unreadable(f"{asked.thing} gave an answer that can't be read.", self.account)
        return answer
