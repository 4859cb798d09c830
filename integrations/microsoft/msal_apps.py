"""MSAL, which signs in at Microsoft. It blocks."""

import logging
import warnings
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx
import msal

from integrations.errors import InvalidResponse
from integrations.microsoft.registration import LOGIN, Client
from integrations.microsoft.transport import quiet_client

CONNECT, ANSWER = 10.0, 30.0
"""Seconds to wait for a connection, and for the next piece of an answer."""
TOO_MANY, DOWN = 429, 500
NO_TENANT = "Microsoft knows no tenant called {}; give the Directory (tenant) ID, common, organizations or consumers (--tenant)."
FOREIGN = "Microsoft names {} for signing in, which is not known to be its own."


class _Http:
    """What MSAL sends with: once, to Microsoft's sign-in alone, or to `endpoint` in its place. Redirects are not followed, since
    what is sent is secret."""

    def __init__(self, endpoint: str) -> None:
        self._endpoint = endpoint
        self._client = quiet_client(httpx.Timeout(ANSWER, connect=CONNECT))

    def get(self, url: str, *, params: Any = None, headers: Any = None, **_: Any) -> httpx.Response:
        """Of what a tenant tells about itself. Raises InvalidResponse where there is none."""
        answer = self._sent(self._client.build_request("GET", at(url, self._endpoint), params=params, headers=headers))
        if answer.is_client_error:
            raise InvalidResponse(NO_TENANT.format(urlsplit(url).path.split("/")[1]))
        return answer

    def post(self, url: str, *, params: Any = None, data: Any = None, headers: Any = None, **_: Any) -> httpx.Response:
        form = {name: value for name, value in (data or {}).items() if value is not None}
        where = at(url, self._endpoint)
        return self._sent(self._client.build_request("POST", where, params=params, data=form, headers=headers))

    def close(self) -> None:
        self._client.close()

    def _sent(self, request: httpx.Request) -> httpx.Response:
        """MSAL would remember for a minute that there was trouble, and ask nobody meanwhile."""
        answer = self._client.send(request)
        if answer.status_code == TOO_MANY or answer.status_code >= DOWN:
            answer.raise_for_status()
        return answer


def at(url: str, endpoint: str) -> str:
    """An address of Microsoft's sign-in, or the same at `endpoint`. Raises InvalidResponse for any other."""
    if endpoint and url.startswith(endpoint.rstrip("/") + "/"):
        return url
    if not url.startswith(f"{LOGIN}/"):
        raise InvalidResponse(FOREIGN.format(urlsplit(url).netloc or "nothing"))
    return endpoint.rstrip("/") + url.removeprefix(LOGIN) if endpoint else url


def cache_of(serialised: str = "") -> msal.SerializableTokenCache:
    cache = msal.SerializableTokenCache()
    cache.deserialize(serialised)
    return cache


Remembered = MutableMapping[str, Any]
"""What MSAL keeps of answers."""


@contextmanager
def application(client: Client, cache: msal.SerializableTokenCache, remembered: Remembered | None = None) -> Iterator[Any]:
    """One of MSAL's, which asks for the addresses of signing in at once unless they are `remembered`."""
    logging.getLogger("msal").setLevel(logging.CRITICAL)  # it writes codes and answers into the log
    # Microsoft's other way of answering is a form that comes without the cookie of whoever began.
    warnings.filterwarnings("ignore", message="response_mode='form_post' is recommended", category=UserWarning)
    http = _Http(client.endpoint)
    # Which hosts are Microsoft's need not be asked for, since no other is sent anything.
    given = {"authority": client.authority, "http_client": http, "instance_discovery": False, "token_cache": cache}
    given["http_cache"] = {} if remembered is None else remembered
    try:
        if client.client_secret:
            secret = client.client_secret
            yield msal.ConfidentialClientApplication(client.client_id, client_credential=secret, azure_region=False, **given)
        else:
            yield msal.PublicClientApplication(client.client_id, **given)
    finally:
        http.close()
