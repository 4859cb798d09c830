"""Users and tokens, made and removed by command."""

import json
from pathlib import Path

import pytest

from assistant.bootstrap import open_database, settings_for
from assistant.cli import letting_in
from assistant.errors import Unknown, UserError
from assistant.service.entering import secrets
from storage import invitations, tokens, users
from storage.session import Session
from storage.tables import OWNER


async def stored(home: Path, work):
    database = open_database(settings_for(home))
    try:
        return await database.read(work)
    finally:
        await database.close()


@pytest.fixture
async def eva(tmp_path: Path, capsys) -> str:
    await letting_in.add_user(tmp_path, "Eva  Klein", "eva@example.org", json=True)
    return str(json.loads(capsys.readouterr().out)["user"]["id"])


@pytest.mark.parametrize("url", ["", "https://assistant.example.org"])
async def test_whoever_is_added_gets_a_link_that_lets_them_in(tmp_path, capsys, monkeypatch, url):
    monkeypatch.setenv("ASSISTANT_PUBLIC_URL", url)
    await letting_in.add_user(tmp_path, "Eva", "", json=False)
    told, link = capsys.readouterr().out.splitlines()
    assert told == "Eva enters with this link, once and within 2 days:" and link.startswith(f"{url}/#/enter?token=")
    secret = link.partition("token=")[2].split()[0]

    def invited(s: Session) -> str:
        (_, user) = users.list(s)
        found = invitations.get(s, secrets.digest(secret), user.created)
        return user.name if found and found.user_id == user.id else ""

    assert await stored(tmp_path, invited) == "Eva"


async def test_a_name_is_taken_once(tmp_path, eva):
    with pytest.raises(UserError, match="Eva Klein already"):
        await letting_in.add_user(tmp_path, "EVA KLEIN", "", json=False)
    for name in ("", "x" * 81):
        with pytest.raises(UserError):
            await letting_in.add_user(tmp_path, name, "", json=False)


async def test_users_are_listed(tmp_path, eva, capsys):
    await letting_in.list_users(tmp_path, json=False)
    owner, other = capsys.readouterr().out.splitlines()
    assert owner.split()[:3] == [OWNER, "the", "owner"] and other.split()[:4] == [eva, "Eva", "Klein", "eva@example.org"]
    await letting_in.list_users(tmp_path, json=True)
    listed = json.loads(capsys.readouterr().out)
    assert [one["role"] for one in listed] == ["owner", "member"] and not any("password" in one for one in listed)


async def test_a_new_link_takes_the_place_of_the_earlier_one(tmp_path, eva, capsys):
    links = []
    for _ in range(2):
        await letting_in.invite(tmp_path, "eva klein", json=True)
        links.append(json.loads(capsys.readouterr().out)["link"].partition("token=")[2])
    (user,) = [one for one in await stored(tmp_path, users.list) if one.id == eva]

    def good(s: Session) -> list[bool]:
        return [invitations.get(s, secrets.digest(link), user.created) is not None for link in links]

    assert await stored(tmp_path, good) == [False, True]


async def test_a_user_is_removed_only_when_that_is_really_meant(tmp_path, eva, capsys):
    folder = tmp_path / "users" / eva
    folder.mkdir(parents=True)
    await letting_in.add_token(tmp_path, "script", "read", eva, None, json=True)
    capsys.readouterr()
    with pytest.raises(UserError, match="--really"):
        await letting_in.remove_user(tmp_path, eva, really=False, json=False)
    assert "This would remove Eva Klein" in capsys.readouterr().out and folder.exists()
    await letting_in.remove_user(tmp_path, eva, really=True, json=False)
    assert "Removed Eva Klein" in capsys.readouterr().out and not folder.exists()
    assert await stored(tmp_path, lambda s: (len(users.list(s)), tokens.list(s, eva))) == (1, ())
    with pytest.raises(Unknown):
        await letting_in.remove_user(tmp_path, eva, really=True, json=False)
    with pytest.raises(UserError, match="owner can't be removed"):
        await letting_in.remove_user(tmp_path, OWNER, really=True, json=False)


async def test_a_token_is_printed_once_and_kept_as_a_digest(tmp_path, eva, capsys):
    await letting_in.add_token(tmp_path, "script", "propose, read", "eva klein", 30, json=False)
    told, secret = capsys.readouterr().out.splitlines()
    assert told.startswith("The token script may read, propose for Eva Klein, until ")
    found = await stored(tmp_path, lambda s: tokens.get(s, secrets.digest(secret)))
    assert (found.user_id, found.scopes, (found.expires - found.created).days) == (eva, "read propose", 30)
    await letting_in.list_tokens(tmp_path, eva, json=True)
    listed = capsys.readouterr().out
    assert json.loads(listed)[0]["scopes"] == ["read", "propose"] and secret not in listed and found.digest not in listed


@pytest.mark.parametrize("scopes", ["", "fly", "read,fly"])
async def test_a_token_gives_only_rights_that_there_are(tmp_path, scopes):
    with pytest.raises(UserError, match="there are: read, propose, approve, manage"):
        await letting_in.add_token(tmp_path, "script", scopes, OWNER, None, json=False)


async def test_a_token_is_revoked_by_name_where_only_one_has_it(tmp_path, eva, capsys):
    for _ in range(2):
        await letting_in.add_token(tmp_path, "script", "read", OWNER, None, json=True)
    first = json.loads(capsys.readouterr().out.split("\n}\n")[0] + "}")["id"]
    with pytest.raises(UserError, match=first):
        await letting_in.revoke_token(tmp_path, "script", OWNER)
    with pytest.raises(UserError, match="no token"):
        await letting_in.revoke_token(tmp_path, first, eva)
    await letting_in.revoke_token(tmp_path, first, OWNER)
    await letting_in.revoke_token(tmp_path, "script", OWNER)
    assert await stored(tmp_path, lambda s: tokens.list(s, OWNER)) == ()
