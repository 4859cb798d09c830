"""What every handler begins with."""

from base64 import urlsafe_b64decode
from typing import Any

from doubles.google.calls import ApiError, Call
from doubles.google.gmail.mailbox import Mailbox


def mailbox(call: Call) -> Mailbox:
    return call.world.mail(call.user.email)


def uploaded(call: Call, message: dict[str, Any]) -> bytes:
    """The raw message, which was sent along or as the `raw` field of `message`."""
    if call.media is not None:
        return call.media
    encoded = message.get("raw", "")
    try:
        raw = urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except ValueError:
        raise ApiError(400, "invalidArgument", "Invalid value at 'raw': Base64 decoding failed") from None
    if not raw:
        raise ApiError(
            400, "invalidArgument", "'raw' RFC822 payload message string or uploading message via /upload/* URL required"
        )
    return raw
