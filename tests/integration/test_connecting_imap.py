"""Connecting an account at real mail, calendar and contact servers by command, and its end."""

import contextlib
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from doubles.naming import Zone, naming
from servers import Servers, User

from assistant import open_assistant
from assistant.bootstrap import open_database, seal_of, settings_for
from assistant.cli import connecting
from assistant.cli.connecting_imap import Told, add_imap
from assistant.errors import AssistantError, UserError
from integrations.standards.discovery.naming import Names
from storage.sealing import KEY_FILE
from storage.secrets import Vault

ANNA = "anna@home.example"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def anna(servers: Servers) -> User:
    return servers.user(ANNA, name="Anna Berg")


@pytest.fixture
def connect(home: Path, anna: User, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """With the password on the standard input."""

    async def connected(named: dict[str, str], *, password: str = "", name: str = "imap", address: str = ANNA, **more: Any) -> int:
        monkeypatch.setattr("sys.stdin", io.StringIO(f"{password or anna.password}\n"))
        trusted = more.pop("trusted", named.get("trusted", ""))
        told = Told(address, named, trusted=trusted, password_file="-", **more)
        return await add_imap(home, name, told, None)

    return connected


@pytest.fixture
def listed(home: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[], Any]:
    async def accounts() -> list[dict[str, Any]]:
        capsys.readouterr()
        await connecting.list_accounts(home, json=True)
        found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
        return [one for one in found if not one["sample"]]

    return accounts


async def kept(home: Path, account: str = "imap") -> str | None:
    """Its secret, as another process would read it."""
    settings = settings_for(home)
    database = open_database(settings)
    try:
        return await Vault(database, seal_of(settings), lambda: pytest.fail("nothing is written")).load(account)
    finally:
        await database.close()


def stored(home: Path) -> bytes:
    """All that lies on disk but the key."""
    return b"".join(file.read_bytes() for file in home.rglob("*") if file.is_file() and file.name != KEY_FILE)


async def test_an_account_is_connected_and_used(connect, anna, home, capsys):
    anna.mailbox.append(b"From: Ben <ben@home.example>\r\nTo: anna@home.example\r\nSubject: Plans\r\n\r\nHello\r\n")
    assert await connect(anna.settings, address=f"Anna Berg <{ANNA}>") == 0
    told = capsys.readouterr().out
    assert f"Connected imap ({ANNA})." in told
    for words in ("signed in; 1 folder", "signed in; no mail was sent", "1 calendar", "1 address book"):
        assert words in told
    async with open_assistant(home) as assistant:
        turn = await assistant.say("c", "what is in my inbox?")
    assert "Plans" in turn.reply


async def test_over_tls_with_an_authority_of_ones_own(connect, anna, listed):
    await connect(anna.secure_settings)
    (account,) = await listed()
    assert account["settings"]["trusted"] == anna.secure_settings["trusted"]
    assert account["settings"]["imap"].startswith("imaps://localhost:")


async def test_over_starttls(connect, anna, listed):
    await connect(anna.starttls_settings)
    (account,) = await listed()
    assert account["settings"]["smtp"].startswith("smtp+starttls://")


async def test_the_password_is_stored_sealed_and_nowhere_else(connect, anna, home, capsys):
    await connect(anna.settings)
    assert json.loads(await kept(home) or "") == {"password": anna.password}
    assert anna.password.encode() not in stored(home)
    assert anna.password not in capsys.readouterr().out


async def test_a_wrong_password_is_refused_once_and_stores_nothing(connect, anna, listed, servers, capsys):
    with pytest.raises(AssistantError, match="does not take this password"):
        await connect(anna.settings, password="wrong", username=ANNA)
    assert "not tried, since the password was refused" in capsys.readouterr().out
    assert await listed() == [] and servers.dav.requests == []
    assert sum(b"LOGIN" in line or b"AUTHENTICATE" in line for line in servers.imap.lines) <= 2


async def test_a_certificate_for_another_name_gets_no_password(connect, anna, listed, servers):
    with pytest.raises(AssistantError, match="certificate of localhost is for another name"):
        await connect(servers.wrong_name_settings(anna))
    assert await listed() == [] and not servers.imap.lines and not servers.smtp.commands


async def test_a_certificate_by_nobody_known_is_told_with_what_helps(connect, anna, capsys):
    with pytest.raises(AssistantError, match="nobody that this machine trusts"):
        await connect(anna.secure_settings, trusted="")
    assert "--trusted FILE" in capsys.readouterr().out


async def test_a_file_without_certificates_is_told(connect, anna, tmp_path):
    (tmp_path / "empty.pem").write_text("nothing")
    for file, words in ((tmp_path / "empty.pem", "holds no certificates"), (tmp_path / "none.pem", "No such file")):
        with pytest.raises(Exception, match=words):
            await connect(anna.secure_settings, trusted=str(file))


async def test_without_encryption_nothing_leaves_this_machine(connect):
    with pytest.raises(UserError, match="not on this machine, so nothing is sent to it without encryption"):
        await connect({"imap": "imap://mail.home.example"})


async def test_what_can_be_reached_is_stored_and_the_rest_is_told(connect, anna, listed, capsys):
    await connect({**anna.settings, "caldav": "https://localhost:1/"})
    told = capsys.readouterr().out
    assert "Nothing listens at localhost, port 1" in told and "Not for calendars" in told
    (account,) = await listed()
    assert set(account["settings"]) == {"imap", "smtp", "carddav"}


async def test_without_mail_nothing_is_stored_unless_that_is_wanted(connect, anna, listed):
    with pytest.raises(AssistantError, match="Mail can't be read, so nothing was connected"):
        await connect({**anna.settings, "imap": "imaps://localhost:1"})
    assert await listed() == []
    await connect({**anna.dav_settings, "imap": "none", "smtp": "none"})
    (account,) = await listed()
    assert account["settings"]["imap"] == "" and account["settings"]["caldav"]


async def test_connecting_again_keeps_what_is_not_told_anew(connect, anna, servers, listed, home, capsys):
    await connect(anna.settings, address=f"Anna Berg <{ANNA}>")
    servers.change_password(anna, "another one")
    await connect({}, address="", password="another one")
    assert "again" in capsys.readouterr().out
    (account,) = await listed()
    assert account["owner"] == "Anna Berg" and account["settings"]["imap"] == anna.settings["imap"]
    assert json.loads(await kept(home) or "") == {"password": "another one"}


async def test_a_server_that_is_down_just_now_stays_with_the_account(connect, anna, servers, listed):
    await connect(anna.settings)
    servers.radicale.stop()
    try:
        await connect({}, address="")
    finally:
        servers.radicale.start()
    (account,) = await listed()
    assert account["settings"]["caldav"] == anna.settings["caldav"]


async def test_a_newly_named_server_that_fails_leaves_the_old_one_and_says_so(connect, anna, listed, capsys):
    await connect(anna.settings)
    await connect({"caldav": "https://localhost:1/"}, address="")
    told = capsys.readouterr().out
    assert f"For calendars the account keeps {anna.settings['caldav']}" in told and "Not for calendars" not in told
    (account,) = await listed()
    assert account["settings"]["caldav"] == anna.settings["caldav"]


async def test_a_file_of_certificates_is_dropped_again(connect, anna, listed):
    await connect(anna.secure_settings)
    with pytest.raises(AssistantError, match="nobody that this machine trusts"):
        await connect({}, address="", trusted="none")
    await connect(anna.settings, address="", trusted="none")
    (account,) = await listed()
    assert "trusted" not in account["settings"]


async def test_another_address_is_another_account(connect, anna):
    await connect(anna.settings)
    with pytest.raises(UserError, match=r"choose another name for that of ben@home\.example"):
        await connect(anna.settings, address="ben@home.example")
    with pytest.raises(UserError, match="connected already, as imap"):
        await connect(anna.settings, name="more")


async def test_calendars_elsewhere_are_a_second_account_of_the_address(connect, anna, listed):
    await connect({**anna.mail_settings, "caldav": "none", "carddav": "none"})
    await connect({**anna.dav_settings, "imap": "none", "smtp": "none"}, name="dates")
    assert {one["name"] for one in await listed()} == {"dates", "imap"}


async def test_a_script_reads_json(connect, anna, capsys):
    await connect(anna.settings, json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["connected"] and {line["which"]: line["works"] for line in told["lines"]} == dict.fromkeys(anna.settings, True)


async def test_an_account_is_listed_with_its_servers(connect, anna, home, capsys):
    await connect(anna.settings)
    capsys.readouterr()
    await connecting.list_accounts(home, json=False)
    told = capsys.readouterr().out
    assert "connected" in told and f"may send mail at {anna.settings['smtp']}" in told


async def test_disconnecting_deletes_the_password(connect, anna, home, capsys):
    await connect(anna.settings)
    await connecting.remove(home, "imap")
    assert "Disconnected imap. Its password was deleted here" in capsys.readouterr().out
    assert await kept(home) is None


# --- asked in a terminal


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def typed(home: Path, anna: User, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """With somebody who types these lines, and the password when asked for it."""

    async def connected(named: dict[str, str], *lines: str, address: str = "", trusted: str = "") -> int:
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))
        monkeypatch.setattr("assistant.cli.connecting_imap.getpass", lambda question: anna.password)
        return await add_imap(home, "imap", Told(address, named, trusted=trusted), None)

    return connected


async def test_the_address_is_asked_for_with_the_name_before_it(typed, anna, listed, capsys):
    await typed(anna.settings, f"Anna Berg <{ANNA}>")
    assert "Your mail address, with your name if you like (Eva Klein <eva@example.org>): " in capsys.readouterr().out
    (account,) = await listed()
    assert (account["owner"], account["address"]) == ("Anna Berg", ANNA)


async def test_an_empty_address_is_asked_for_again(typed, anna, listed, capsys):
    await typed(anna.settings, "", " ", ANNA)
    assert capsys.readouterr().out.count("Your mail address") == 3
    (account,) = await listed()
    assert account["address"] == ANNA


async def test_where_nothing_is_typed_any_more_nothing_is_connected(typed, anna, listed):
    with pytest.raises(UserError, match="Nothing was typed"):
        await typed(anna.settings, "")
    assert await listed() == []


async def test_an_account_that_is_there_is_not_connected_again_unsaid(typed, anna, capsys):
    await typed(anna.settings, ANNA)
    assert "--name NAME" not in capsys.readouterr().out
    await typed({})
    told = capsys.readouterr().out
    assert f"imap ({ANNA}) is connected already and will be connected again" in told and "--name NAME" in told


async def test_where_no_server_is_agreed_to_it_does_not_say_that_none_was_found(typed, anna, found_by, servers, listed):
    async with naming(zone_of(anna)) as names:
        found_by(names)
        with pytest.raises(UserError, match="No server is left to which your password may go"):
            await typed({}, "n", address=ANNA, trusted=anna.secure_settings["trusted"])
    assert await listed() == [] and not servers.smtp.commands


# --- refused before anything is looked for


@pytest.fixture
def unsearched(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Why a command is refused, which has to be before servers are looked for."""

    async def refused(told: Told) -> str:
        monkeypatch.setattr("sys.stdin", io.StringIO())
        with pytest.raises(UserError) as why:
            await add_imap(home, "imap", told, None)
        assert "Looking for" not in capsys.readouterr().out
        return str(why.value)

    return refused


async def test_a_file_without_a_password_is_refused_at_once(unsearched, tmp_path):
    (tmp_path / "empty").write_text("\n")
    assert "No such file" in await unsearched(Told(ANNA, password_file=str(tmp_path / "none")))
    assert "Give the password" in await unsearched(Told(ANNA, password_file=str(tmp_path / "empty")))
    assert "Give the password" in await unsearched(Told(ANNA, password_file="-"))


async def test_where_nobody_can_be_asked_for_the_password_it_says_so_at_once(unsearched):
    assert "--password-file FILE" in await unsearched(Told(ANNA))


async def test_where_all_servers_are_left_out_it_says_so(unsearched):
    assert "All servers are left out" in await unsearched(Told(ANNA, dict.fromkeys(("imap", "smtp", "caldav", "carddav"), "none")))


@pytest.mark.parametrize("named", [{}, dict.fromkeys(("imap", "smtp", "caldav", "carddav"), "")])
async def test_a_service_that_takes_no_password_is_told_before_one_is_asked_for(unsearched, named):
    assert "takes no password" in await unsearched(Told("anna@outlook.com", named))


@pytest.mark.parametrize("password", ["", "a\rb", "a\x00b", "a\udcffb", "x" * 2000])
async def test_what_is_no_password_goes_nowhere(connect, anna, servers, password):
    with pytest.raises(UserError):
        await connect(anna.settings, password=password or "\n")
    assert not servers.imap.lines


async def test_what_is_no_username_goes_nowhere(connect, anna, servers):
    for username in ("a\nb", "a\udcffb"):
        with pytest.raises(UserError, match="no username"):
            await connect(anna.settings, username=username)
    assert not servers.imap.lines


# --- found by the address alone


@pytest.fixture
def found_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Names], None]:
    """Puts a DNS server of the test's own in place of the machine's."""
    return lambda names: monkeypatch.setattr("assistant.connecting.imap.Names", lambda: names)


def zone_of(anna: User, host: str = "localhost.") -> Zone:
    ports = {which: int(url.rstrip("/").rpartition(":")[2]) for which, url in anna.secure_settings.items() if which != "trusted"}
    return {
        ("_imaps._tcp.home.example", "SRV"): [f"0 1 {ports['imap']} {host}"],
        ("_submissions._tcp.home.example", "SRV"): [f"0 1 {ports['smtp']} {host}"],
        ("_caldavs._tcp.home.example", "SRV"): [f"0 1 {ports['caldav']} {host}"],
        ("_caldavs._tcp.home.example", "TXT"): ['"path=/"'],
        ("_carddavs._tcp.home.example", "SRV"): [f"0 1 {ports['carddav']} {host}"],
        ("_carddavs._tcp.home.example", "TXT"): ['"path=/"'],
    }


async def test_an_address_alone_is_enough(connect, anna, found_by, listed):
    async with naming(zone_of(anna)) as names:
        found_by(names)
        await connect({}, trusted=anna.secure_settings["trusted"], yes=True)
    (account,) = await listed()
    assert account["settings"] == {**anna.secure_settings, "scheduling": ""}


async def test_servers_of_another_domain_get_no_password_unless_that_is_said(connect, anna, found_by, servers, listed):
    async with naming(zone_of(anna)) as names:
        found_by(names)
        with pytest.raises(UserError, match="Whether the password may go to localhost has to be said"):
            await connect({}, trusted=anna.secure_settings["trusted"])
    assert await listed() == [] and not servers.smtp.commands


async def test_the_local_part_is_tried_where_the_address_is_refused(connect, anna, found_by, servers, listed):
    servers.user("anna", password=anna.password)
    servers.change_password(anna, "of the address")
    async with naming(zone_of(anna)) as names:
        found_by(names)
        await connect({"caldav": "none", "carddav": "none"}, trusted=anna.secure_settings["trusted"], yes=True)
    (account,) = await listed()
    assert account["settings"]["username"] == "anna"


@pytest.mark.parametrize("address", ["anna@tuta.com", "anna@outlook.com"])
async def test_a_service_that_takes_no_password_is_not_given_one(connect, capsys, address):
    with pytest.raises(UserError, match=r"(no IMAP|takes no password)"):
        await connect({}, address=address)
    assert "Signing in" not in capsys.readouterr().out


async def test_the_domains_own_server_takes_a_password_though_such_a_service_takes_in_its_mail(connect, anna, found_by, listed):
    for zone, connected in (({}, []), (zone_of(anna), ["imap"])):
        async with naming({**zone, ("home.example", "MX"): ["10 home-example.mail.protection.outlook.com."]}) as names:
            found_by(names)
            with contextlib.nullcontext() if connected else pytest.raises(UserError, match="takes no password here"):
                await connect(dict.fromkeys(anna.settings, ""), trusted=anna.secure_settings["trusted"], yes=True)
        assert [account["name"] for account in await listed()] == connected


async def test_where_nothing_is_found_it_says_what_to_name(connect, found_by, listed):
    async with naming({("_imaps._tcp.home.example", "SRV"): ["0 0 0 ."]}) as names:
        found_by(names)
        with pytest.raises(UserError, match=r"--imap imaps://mail\.home\.example"):
            await connect({"smtp": "none", "caldav": "none", "carddav": "none"})
    assert await listed() == []
