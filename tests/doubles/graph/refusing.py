"""Errors of the authorisation server."""

from datetime import UTC, datetime

from doubles.emulating.wire import told

OF_THE_CLIENT = ("invalid_request", "invalid_scope", "unsupported_grant_type", "redirect_uri_mismatch")
"""What no careful client meets."""


class Refused(Exception):
    """`error` as OAuth names it, `number` as Microsoft does (AADSTS70008). `foreseen` where the client can't help it."""

    def __init__(
        self, error: str, number: int, about: str, *, status: int = 400, suberror: str = "", foreseen: bool = False
    ) -> None:
        super().__init__(f"{error}: AADSTS{number}: {about}")
        self.complaint = error in OF_THE_CLIENT and not foreseen
        named = "invalid_request" if error == "redirect_uri_mismatch" else error
        body = {"error": named, "error_description": f"AADSTS{number}: {about}", "error_codes": [number]}
        more = {"suberror": suberror} if suberror else {}
        self.answer = told({**body, **more, "timestamp": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%SZ}"}, status)
