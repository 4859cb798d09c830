"""What goes wrong with an endpoint, as ModelErrors whose words say what can be done."""

import json
import math
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assistant.errors import ModelError, ModelTrouble
from assistant.llm.connection import Fate, fate

if TYPE_CHECKING:
    from assistant.llm.endpoint import Endpoint

BASE_URL = "check llm.base_url (ASSISTANT_LLM__BASE_URL)"
API_KEY = "llm.api_key (ASSISTANT_LLM__API_KEY)"


class Refused(Exception):
    """An error as an endpoint tells it, by its status or in the answer's place. `text` is all that it said, `words` what is meant
    for people. `after` in seconds: when to ask again."""

    def __init__(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        self.status, self.text = status, text
        told = _told(text)
        self.words, self.code = _words(told), str(told.get("code") or told.get("type") or "")
        self.page = "html" in headers.get("content-type", "")
        self.elsewhere = headers.get("location", "") if 300 <= status < 400 else ""
        self.after = _after(headers)
        self._advice = headers.get("x-should-retry", "")

    @classmethod
    def within(cls, answer: object) -> "Refused | None":
        """The error that an answer with a good status holds, as some endpoints pass on those of others."""
        if not isinstance(answer, Mapping) or not answer.get("error"):
            return None
        error = answer["error"]
        code = str(error.get("code")) if isinstance(error, Mapping) else ""
        status = int(code) if code in map(str, range(400, 600)) else 500
        return cls(status, json.dumps(answer), {})

    @property
    def passes(self) -> bool:
        """Whether the same request may do better a little later."""
        if self._advice in ("true", "false"):
            return self._advice == "true"
        return self.code != "insufficient_quota" and (self.status in (408, 409, 429) or self.status >= 500)


class Late(Exception):
    """The words say what did not come in time."""


class Oversized(Exception):
    """An answer of more bytes than any has."""


def _told(text: str) -> Mapping[str, Any]:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return {"message": text}
    if isinstance(body, list) and body:  # as Google wraps it
        body = body[0]
    error = body.get("error", body) if isinstance(body, Mapping) else body
    return error if isinstance(error, Mapping) else {"message": error if isinstance(error, str) else text}


def _words(told: Mapping[str, Any]) -> str:
    said = next((told[name] for name in ("message", "detail", "msg") if told.get(name)), "")
    return " ".join((said if isinstance(said, str) else json.dumps(said)).split())[:500]


def _after(headers: Mapping[str, str]) -> float | None:
    """Retry-After, which is a number of seconds or a date."""
    said = headers.get("retry-after", "")
    try:
        seconds = float(headers["retry-after-ms"]) / 1000 if "retry-after-ms" in headers else float(said)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - time.time()
        except (ValueError, OverflowError):
            return None
    return seconds if 0 < seconds < math.inf else None


@contextmanager
def mapped(endpoint: "Endpoint", who: str) -> Iterator[None]:
    """Whatever is raised by the SDK, its connection or the reading of an answer becomes a ModelError."""
    import openai

    try:
        yield
    except Refused as refused:
        words, kind = _refusal(refused, endpoint)
        raise ModelError(f"{who} {words}", kind) from refused
    except Late as late:
        raise ModelError(f"{who} {late}.", "timeout") from late
    except Oversized as error:
        raise ModelError(f"{who} sends more than any answer holds.", "invalid") from error
    except Exception as error:
        if told := fate(error):
            words, kind = _broken(told, endpoint)
            raise ModelError(f"{who} {words}", kind) from error
        if isinstance(error, (openai.OpenAIError, AttributeError, LookupError, TypeError, ValueError, RecursionError)):
            # a page instead of JSON, half of it, or of another shape
            raise ModelError(f"{who} does not answer as OpenAI's interface does; {BASE_URL}.", "invalid") from error
        raise


def _refusal(refused: Refused, endpoint: "Endpoint") -> tuple[str, ModelTrouble]:
    said = f": {_shown(refused.words, endpoint)}" if refused.words and not refused.page else ""
    wait = f"; it asks to wait {_span(refused.after)}" if refused.after else ""
    if refused.elsewhere:
        return f"sends on to {_place(refused.elsewhere)}; if that is right, set llm.base_url to it.", "unreachable"
    if refused.status in (401, 403):
        missing = not endpoint.api_key.get_secret_value()
        return (f"wants a key; set {API_KEY}." if missing else f"does not accept the key; check {API_KEY}."), "denied"
    if refused.page and refused.status < 500:
        return f"answers with a web page, not as OpenAI's interface does; {BASE_URL}{_ending(endpoint)}.", "invalid"
    if refused.status == 404:
        return _not_found(refused, endpoint)
    if refused.status == 402 or refused.code == "insufficient_quota":
        return f"wants to be paid first{said or '.'}", "denied" if refused.status == 402 else "rate_limited"
    if refused.status == 429:
        return f"takes no more requests for now{wait}.", "rate_limited"
    if refused.status >= 500:
        return f"answered with an error ({refused.status}){wait}{said or '.'}", "server"
    return f"refuses the request{said or f' ({refused.status}).'}", "refused" if refused.code == "content_filter" else "rejected"


def _not_found(refused: Refused, endpoint: "Endpoint") -> tuple[str, ModelTrouble]:
    said = refused.words.lower()
    if "support" in said:  # so OpenRouter says that no endpoint takes tools or a response format
        return f"refuses the request: {_shown(refused.words, endpoint)}", "rejected"
    if "model" in said or "deployment" in said:
        return "is not known there; `assistant models test` lists what is.", "denied"
    return f"has nothing at that address; {BASE_URL}{_ending(endpoint)}.", "denied"


def _ending(endpoint: "Endpoint") -> str:
    usual = endpoint.azure_version or not endpoint.base_url or urlsplit(endpoint.base_url).path.rstrip("/").endswith("/v1")
    return "" if usual else ", which ends in /v1 with most endpoints"


def _broken(told: Fate, endpoint: "Endpoint") -> tuple[str, ModelTrouble]:
    """What became of the connection."""
    if told == "unreadable":
        return f"does not answer as OpenAI's interface does; {BASE_URL}.", "invalid"
    if told == "no address" or _doubled(endpoint.base_url):
        return f"has no usable address; {BASE_URL}.", "unreachable"
    words = {
        "no tls": "can't be reached: nothing speaks https there; write http:// in llm.base_url.",
        "untrusted": "can't be reached: its certificate is not one that this machine trusts.",
        "no host": f"can't be reached: there is no such host; {BASE_URL}.",
        "nobody": "can't be reached: nobody listens there; is it running?",
        "slow": "can't be reached: there is no connection in good time.",
        "broken": "broke off instead of answering.",
    }
    return words.get(told, "can't be reached."), "unreachable"


def _doubled(base_url: str) -> bool:
    """A scheme before a scheme, as in http://https://…"""
    return urlsplit(base_url).hostname in ("http", "https")


def _place(url: str) -> str:
    """Without what a stranger may not see of it, or may have written there."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}{parts.path}"[:120] if parts.hostname else "another address"


def _shown(words: str, endpoint: "Endpoint") -> str:
    """Without the key, which some endpoints repeat."""
    key = endpoint.api_key.get_secret_value()
    words = words.replace(key, "…") if len(key) >= 8 else words
    return words[:200] + ("" if words[:200].endswith((".", "!", "?", "…")) else ".")


def _span(seconds: float) -> str:
    if seconds > 172_800:
        return "for days"
    if seconds < 120:
        return f"{math.ceil(seconds)} seconds" if seconds > 1 else "a second"
    return f"{math.ceil(seconds / 60)} minutes" if seconds < 7200 else f"{math.ceil(seconds / 3600)} hours"
