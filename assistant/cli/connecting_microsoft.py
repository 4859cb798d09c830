"""Connecting an account at Microsoft from a terminal."""

from collections.abc import Mapping
from pathlib import Path

from assistant.cli.connecting_by_consent import add, consented, finish
from assistant.connecting import microsoft
from assistant.connecting.consented import NoClient
from assistant.connecting.kept import Kept, check_provider
from assistant.connecting.microsoft import Connecting
from assistant.errors import UserError
from integrations.common.loopback import Loopback

MICROSOFT = "Microsoft"
NO_CLIENT = (
    "Give the Application (client) ID of your registration with --client-id ID; docs/microsoft.md tells, click by click, how to "
    "get one."
)


async def add_microsoft(
    home: Path | None, name: str, told: Mapping[str, str], *, browser: bool = True, device: bool = False
) -> int:
    """`told` has the registration's `client_id`, perhaps a `tenant`; empty, it is that of another account. With `device` a code is
    shown, to be typed in a browser of any machine."""
    check_provider(microsoft.KIND)
    return await add(home, lambda kept: _add(kept, name, told, browser=browser, device=device))


async def _add(kept: Kept, name: str, told: Mapping[str, str], *, browser: bool, device: bool) -> None:
    try:
        connecting = await microsoft.begin(kept, name, microsoft.client_of(dict(told), trusted=True) if told else None)
    except NoClient as none:
        raise UserError(NO_CLIENT) from none
    if device:
        secret = await _by_code(connecting)
    else:
        secret = await consented(connecting, Loopback("localhost"), MICROSOFT, browser=browser)
    await finish(connecting, secret, MICROSOFT)


async def _by_code(connecting: Connecting) -> str:
    consent = await connecting.device_consent()
    print(f"Open this address in a browser of any machine:\n\n{consent.address}\n\nand type this code there:\n\n{consent.code}\n")
    print(f"Waiting until you have allowed it there; the code serves for {consent.minutes} minutes …", flush=True)
    return await consent.granted()
