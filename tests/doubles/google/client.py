"""Google's own client library at the emulator."""

import json
from collections.abc import Mapping
from typing import Any, Literal

from doubles.google.calls import GoogleUser
from doubles.google.emulator import GoogleEmulator
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc

from google.oauth2.credentials import Credentials

VERSIONS: Mapping[str, str] = {"gmail": "v1", "calendar": "v3", "people": "v1"}


def service(google: GoogleEmulator, api: Literal["gmail", "calendar", "people"], user: GoogleUser) -> Any:
    document = json.loads(get_static_doc(api, VERSIONS[api]))
    document.pop("mtlsRootUrl", None)
    document |= {"rootUrl": f"{google.url}/", "baseUrl": f"{google.url}/{document['servicePath']}"}
    kept = json.loads(google.secret(user))
    known = {name: kept[name] for name in ("token", "refresh_token", "token_uri", "client_id", "client_secret", "scopes")}
    return build_from_document(document, credentials=Credentials(**known))
