"""What `assistant users` and `assistant tokens` do."""

import json as jsonlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli.text import counted, on_one_line
from assistant.connecting import accounts
from assistant.connecting.kept import Kept
from assistant.errors import Unknown, UserError
from assistant.running.forgetting.leaving import Leaving
from assistant.service.entering import links, secrets
from assistant.service.entering.names import Name
from assistant.service.scopes import SCOPES
from storage import tokens, users
from storage.database import Database
from storage.errors import Duplicate
from storage.leaving import Belongings
from storage.sealing import Seal
from storage.session import Session
from storage.tables import OWNER, StoredToken, StoredUser

NAME: TypeAdapter[str] = TypeAdapter(Name)
COUNTED = {
    "accounts": ("connected account", "connected accounts"),
    "conversations": ("conversation", "conversations"),
    "messages": ("message", "messages"),
    "tasks": ("task", "tasks"),
    "previews": ("preview", "previews"),
    "writes": ("write in the outbox", "writes in the outbox"),
    "templates": ("reply template", "reply templates"),
    "schedules": ("schedule", "schedules"),
    "notes": ("note", "notes"),
    "journal": ("entry of the journal, whose hash stays", "entries of the journal, whose hashes stay"),
}
UNTOUCHED = "Not touched: mailboxes, calendars and address books, and backups. What was to go out does not."


class Opened(NamedTuple):
    """`url`: where people reach the service, empty where that is not set."""

    home: Path
    url: str
    database: Database
    seal: Seal


@asynccontextmanager
async def _opened(home: Path | None) -> AsyncIterator[Opened]:
    settings = settings_for(home)
    database = open_database(settings)
    try:
        yield Opened(settings.home, settings.public_url, database, seal_of(settings))
    finally:
        await database.close()


def _now() -> datetime:
    return datetime.now(UTC)


def _print(value: object) -> None:
    print(jsonlib.dumps(value, indent=2, default=str))


# --- users


async def add_user(home: Path | None, name: str, email: str, *, json: bool) -> int:
    name, made = _name(name), secrets.public_id()
    async with _opened(home) as opened:
        try:
            user = await opened.database.write(lambda s: users.add(s, made, name=name, at=_now(), email=email.strip()))
        except Duplicate as there:
            raise UserError(str(there)) from there
        return await _invited(opened, user, json=json)


async def invite(home: Path | None, who: str, *, json: bool) -> int:
    async with _opened(home) as opened:
        return await _invited(opened, await _user(opened.database, who), json=json)


async def _invited(opened: Opened, user: StoredUser, *, json: bool) -> int:
    link = links.link(opened.url, await links.make(opened.database, user.id, _now()))
    if json:
        _print({"user": _as_json(user), "link": link})
        return 0
    print(f"{_called(user)} enters with this link, once and within {counted(links.LASTS.days, 'day')}:")
    print(link if opened.url else f"{link}   (behind the address at which your service is reached)")
    return 0


async def list_users(home: Path | None, *, json: bool) -> int:
    async with _opened(home) as opened:
        found = await opened.database.read(users.list)
    if json:
        _print([_as_json(user) for user in found])
        return 0
    for user in found:
        rest = (on_one_line(user.email), "may not enter" if user.disabled else "", f"since {user.created:%d %b %Y}")
        print("  ".join((user.id.ljust(16), _called(user), *filter(None, rest))))
    return 0


async def remove_user(home: Path | None, who: str, *, really: bool, json: bool) -> int:
    async with _opened(home) as opened:
        user = await _user(opened.database, who)
        leaving = Leaving(opened.database, _now, user.id, opened.home / "users" / user.id)
        given = await accounts.permissions(Kept(opened.database, opened.seal, leaving.folder / "index", _now, user.id))
        gone = await (leaving.run() if really else leaving.would())
        says = await accounts.take_back(given) if really else ()
    if json:
        _print({"user": _as_json(user), "removed": really, **gone.model_dump(), "says": says})
        return 0
    print(f"{'Removed' if really else 'This would remove'} {_called(user)}{_with(gone)}.")
    for one in says:
        print(on_one_line(one))
    print(UNTOUCHED)
    if not really:
        raise UserError("Nothing was removed; add --really to do it.")
    return 0


def _with(gone: Belongings) -> str:
    held = [f"{number} {COUNTED[name][number != 1]}" for name, number in gone.model_dump().items() if number]
    return f", with {', '.join(held)}" if held else ""


def _name(given: str) -> str:
    try:
        name = NAME.validate_python(given)
    except ValidationError as wrong:
        raise UserError(f"This name can't be used: {wrong.errors()[0]['msg']}.") from wrong
    if not name:
        raise UserError("Give a name to sign in with.")
    return name


async def _user(database: Database, who: str) -> StoredUser:
    def find(s: Session) -> StoredUser | None:
        return users.by_name(s, who.strip()) or users.get(s, who.strip())

    found = await database.read(find)
    if found is None:
        raise Unknown(f"There is no user {who}; see: assistant users list")
    return found


def _called(user: StoredUser) -> str:
    return on_one_line(user.name) or ("the owner" if user.id == OWNER else user.id)


def _as_json(user: StoredUser) -> dict[str, Any]:
    return user.model_dump(mode="json", include={"id", "name", "email", "role", "created", "disabled"})


# --- tokens


async def add_token(home: Path | None, name: str, scopes: str, user: str, days: int | None, *, json: bool) -> int:
    rights, secret, now = _scopes(scopes.split(",")), secrets.fresh(secrets.TOKEN), _now()
    name = _name(name)
    async with _opened(home) as opened:
        who = await _user(opened.database, user)

        def add(s: Session) -> StoredToken:
            made, ends = secrets.public_id(), now + timedelta(days=days) if days else None
            digest = secrets.digest(secret)
            return tokens.add(s, made, digest=digest, user_id=who.id, name=name, scopes=rights, at=now, expires=ends)

        token = await opened.database.write(add)
    if json:
        _print({**_shown(token), "token": secret})
        return 0
    print(f"The token {on_one_line(name)} may {', '.join(rights)} for {_called(who)}{_until(token)}. It is shown this once:")
    print(secret)
    return 0


async def list_tokens(home: Path | None, user: str, *, json: bool) -> int:
    async with _opened(home) as opened:
        who = await _user(opened.database, user)
        found = await opened.database.read(lambda s: tokens.list(s, who.id))
    if json:
        _print([_shown(token) for token in found])
        return 0
    for token in found:
        used = f"last used {token.used:%d %b %Y}" if token.used else "never used"
        print("  ".join((token.id, on_one_line(token.name), token.scopes.replace(" ", ","), used + _until(token))))
    if not found:
        print(f"There are no tokens for {_called(who)}.")
    return 0


async def revoke_token(home: Path | None, token: str, user: str) -> int:
    async with _opened(home) as opened:
        who = await _user(opened.database, user)

        def revoke(s: Session) -> Sequence[StoredToken]:
            meant = [one for one in tokens.list(s, who.id) if token in (one.id, one.name)]
            if len(meant) == 1:
                tokens.remove(s, meant[0].id, user_id=who.id)
            return meant

        meant = await opened.database.write(revoke)
    if len(meant) != 1:
        several = f"Several tokens are called {token}; give an id: {', '.join(one.id for one in meant)}."
        raise UserError(several if meant else f"There is no token {token}; see: assistant tokens list")
    print(f"Revoked the token {on_one_line(meant[0].name)}.")
    return 0


def _scopes(given: Iterable[str]) -> list[str]:
    asked = {scope.strip() for scope in given} - {""}
    if wrong := sorted(asked - set(SCOPES)):
        raise UserError(f"There is no right called {wrong[0]}; there are: {', '.join(SCOPES)}.")
    if not asked:
        raise UserError(f"Say which rights it gives; there are: {', '.join(SCOPES)}.")
    return [scope for scope in SCOPES if scope in asked]


def _until(token: StoredToken) -> str:
    return f", until {token.expires:%d %b %Y}" if token.expires else ""


def _shown(token: StoredToken) -> dict[str, Any]:
    shown = token.model_dump(mode="json", include={"id", "name", "created", "used", "expires"})
    return {**shown, "scopes": token.scopes.split()}
