"""Codes that somebody enters at another device."""

import math
import time
from dataclasses import dataclass
from secrets import choice, token_urlsafe

from doubles.emulating.wire import Answer, told
from doubles.graph.calls import GraphUser
from doubles.graph.refusing import Refused

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


@dataclass
class _Device:
    user_code: str
    scope: str
    user: GraphUser | None = None
    declined: bool = False
    lapsed: bool = False
    asked: float = -math.inf


class Devices:
    """`interval` are the seconds between two questions; `hasty` makes those who ask before their time slow down. `begun` are the
    codes given so far, newest last."""

    def __init__(self) -> None:
        self.interval = 5
        self.hasty = False
        self._devices: dict[str, _Device] = {}

    @property
    def begun(self) -> list[str]:
        return [device.user_code for device in self._devices.values()]

    def begin(self, scope: str) -> Answer:
        code, device = "".join(choice(LETTERS) for _ in range(9)), token_urlsafe(48)
        self._devices[device] = _Device(code, scope)
        where = "https://microsoft.com/devicelogin"
        message = f"To sign in, use a web browser to open the page {where} and enter the code {code} to authenticate."
        known = {"user_code": code, "device_code": device, "verification_uri": where, "message": message}
        return told({**known, "expires_in": 900, "interval": self.interval})

    def approve(self, user_code: str, user: GraphUser) -> None:
        self._of(user_code).user = user

    def decline(self, user_code: str) -> None:
        self._of(user_code).declined = True

    def lapse(self, user_code: str) -> None:
        self._of(user_code).lapsed = True

    def outcome(self, device_code: str) -> tuple[GraphUser, str]:
        """Who signed in, and the scopes that were asked for. Refused as long as nobody has."""
        device = self._devices.get(device_code)
        if device is None:
            raise Refused("bad_verification_code", 70000, "The device_code is not known.")
        if device.lapsed:
            raise Refused("expired_token", 70020, "The provided value for the input parameter 'device_code' is not valid: expired.")
        if device.declined:
            raise Refused("authorization_declined", 70018, "The end user denied the authorization request.")
        self._hurried(device)
        if device.user is None:
            raise Refused("authorization_pending", 70016, "Authorization is pending. Continue polling.")
        del self._devices[device_code]
        return device.user, device.scope

    def _hurried(self, device: _Device) -> None:
        before, device.asked = device.asked, time.monotonic()
        if self.hasty and device.asked - before < self.interval:
            raise Refused("slow_down", 70016, "The device asks too often.")

    def _of(self, user_code: str) -> _Device:
        return next(device for device in self._devices.values() if device.user_code == user_code)
