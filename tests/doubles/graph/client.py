"""Microsoft's own SDK and MSAL at the emulator."""

from typing import Any

import httpx
from doubles.graph.calls import GraphUser
from doubles.graph.emulator import GraphEmulator
from doubles.graph.tokens import LOGIN


def service(graph: GraphEmulator, user: GraphUser) -> Any:
    """A GraphServiceClient."""
    from kiota_abstractions.authentication import AccessTokenProvider, AllowedHostsValidator, BaseBearerTokenAuthenticationProvider
    from msgraph.graph_request_adapter import GraphRequestAdapter
    from msgraph.graph_service_client import GraphServiceClient

    class Held(AccessTokenProvider):
        async def get_authorization_token(self, uri: str, additional_authentication_context: dict[str, Any] | None = None) -> str:
            return user.token

        def get_allowed_hosts_validator(self) -> AllowedHostsValidator:
            return AllowedHostsValidator(["127.0.0.1"])

    adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Held()))
    adapter.base_url = f"{graph.url}/v1.0"
    return GraphServiceClient(request_adapter=adapter)


class Login:
    """What MSAL may send with, to the emulator in the place of Microsoft's sign-in."""

    def __init__(self, graph: GraphEmulator) -> None:
        self._graph, self._client = graph, httpx.Client()

    def get(self, url: str, *, params: Any = None, headers: Any = None, **_: Any) -> httpx.Response:
        return self._client.get(url.replace(LOGIN, self._graph.url), params=params, headers=headers)

    def post(self, url: str, *, params: Any = None, data: Any = None, headers: Any = None, **_: Any) -> httpx.Response:
        form = {name: value for name, value in (data or {}).items() if value is not None}
        return self._client.post(url.replace(LOGIN, self._graph.url), params=params, data=form, headers=headers)

    def close(self) -> None:
        self._client.close()


def application(graph: GraphEmulator, cache: str = "", *, secret: str = "") -> Any:
    """MSAL's application, that proves itself where it has a secret."""
    import msal

    held = msal.SerializableTokenCache()
    held.deserialize(cache)
    given = {"authority": graph.client["authority"], "instance_discovery": False, "http_client": Login(graph), "token_cache": held}
    if secret:
        return msal.ConfidentialClientApplication(graph.client["client_id"], client_credential=secret, **given)
    return msal.PublicClientApplication(graph.client["client_id"], **given)
