"""Gmail, Calendar and People on the loopback, held to the discovery documents that ship with Google's client library."""

from doubles.google.calls import ApiError, Call, GoogleUser
from doubles.google.emulator import GoogleEmulator

__all__ = ["ApiError", "Call", "GoogleEmulator", "GoogleUser"]
