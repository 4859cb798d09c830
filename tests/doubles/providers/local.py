"""Plain folders: nothing serves them, so they outlive whoever writes; what took effect is seen by what lies there."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar
from zoneinfo import ZoneInfo

from doubles.providers.base import ACCOUNT, OWNER, ProviderDouble
from doubles.providers.standing import Standing
from doubles.providers.stock import Stock

from integrations.actions import Action
from integrations.registry import AccountConfig, open_account


class Folders(ProviderDouble):
    logs: ClassVar[bool] = False
    connected: ClassVar[bool] = False

    def config(self, root: Path) -> AccountConfig:
        return AccountConfig(name=ACCOUNT, kind="local", address=OWNER, settings=folders(root))

    def stock(self, root: Path, stock: Stock) -> None:
        fill(root, stock)

    async def effects(self, root: Path, writes: Sequence[tuple[str, Action]]) -> dict[str, int]:
        account = open_account(self.config(root), zone=ZoneInfo("UTC"), index=root / "index")
        try:
            standing = Standing(account.readers)
            return {key: await standing.times(action) for key, action in writes}
        finally:
            await account.close()


def folders(root: Path) -> dict[str, str]:
    return {name: str(root / name) for name in ("mail", "calendars", "contacts")}


def fill(root: Path, stock: Stock) -> None:
    for folder in ("", ".Projects", ".Drafts"):
        for part in ("cur", "new", "tmp"):
            (root / "mail" / folder / part).mkdir(parents=True)
    for folder in ("calendars/home", "contacts/home"):
        (root / folder).mkdir(parents=True)
    for number, mail in enumerate(stock.mails):
        (root / "mail" / "cur" / f"17000{number:05}.M{number}P1.host:2,S").write_text(mail, newline="")
    for number, draft in enumerate(stock.drafts):
        (root / "mail" / ".Drafts" / "cur" / f"17001{number:05}.M{number}P1.host:2,DS").write_text(draft, newline="")
    for number, event in enumerate(stock.events):
        (root / "calendars" / "home" / f"stock-{number}.ics").write_text(event, newline="")
    for number, contact in enumerate(stock.contacts):
        (root / "contacts" / "home" / f"person-{number}.vcf").write_text(contact, newline="")
