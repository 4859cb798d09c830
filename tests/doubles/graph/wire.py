"""Graph's way of writing errors."""

import base64
import hashlib
from datetime import UTC, datetime
from typing import Any

from doubles.emulating.wire import Answer, told
from doubles.graph.calls import GraphError

LOGIN = "https://login.microsoftonline.com/common/oauth2/authorize"
REALM = f'Bearer realm="", authorization_uri="{LOGIN}", client_id="00000003-0000-0000-c000-000000000000"'


def refused(error: GraphError) -> Answer:
    headers = {"www-authenticate": REALM} if error.status == 401 else {}
    return told({"error": _written(error)}, error.status, {**headers, **error.headers})


def _written(error: GraphError) -> dict[str, Any]:
    number = hashlib.md5(str(error).encode(), usedforsecurity=False).hexdigest()
    request = f"{number[:8]}-{number[8:12]}-{number[12:16]}-{number[16:20]}-{number[20:]}"
    inner = {"date": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}", "request-id": request, "client-request-id": request}
    return {"code": error.code, "message": error.message, "innerError": inner}


def opaque(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def read_opaque(token: str) -> str:
    """ValueError where it is none of ours."""
    return base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
