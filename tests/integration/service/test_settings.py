"""What a user has set for themselves, over HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from doubles.service import Running, serving

from storage import users


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Running]:
    async with serving(tmp_path / "home", zone="Europe/Berlin") as service:
        yield service


@pytest.fixture
async def me(service: Running) -> httpx2.AsyncClient:
    return await service.sign_in()


async def test_at_first_everything_is_as_the_house_has_it(me):
    told = (await me.get("/api/settings")).json()
    assert {told[name] for name in ("recipients", "undo_window", "day_starts", "day_ends", "zone")} == {None}
    assert told["house"]["undo_window"] == 10 and told["house"]["day_starts"] == "09:00:00"


async def test_what_is_changed_is_kept_and_the_rest_stays(me):
    await me.put("/api/settings", json={"undo_window": 30, "day_starts": "08:30"})
    told = (await me.put("/api/settings", json={"name": " Eva  Klein "})).json()
    assert (told["name"], told["undo_window"], told["day_starts"]) == ("Eva Klein", 30, "08:30:00")
    assert (await me.put("/api/settings", json={"undo_window": None})).json()["undo_window"] is None


async def test_recipients_are_kept_in_one_spelling(me):
    wanted = ["Anna@X.Example", "@xn--mnchen-3ya.example", "*.Work.Example", "anna@x.example "]
    told = (await me.put("/api/settings", json={"recipients": wanted})).json()
    assert told["recipients"] == ["anna@x.example", "@münchen.example", "*.work.example"]
    assert (await me.put("/api/settings", json={"recipients": []})).json()["recipients"] == []
    assert (await me.put("/api/settings", json={"recipients": None})).json()["recipients"] is None


async def test_a_mail_to_somebody_who_is_not_on_the_list_is_refused(service, me):
    await me.put("/api/settings", json={"recipients": ["@x.example"]})
    assistant = await service.household.of("owner")
    turn = await assistant.say("c", 'Send a mail to tom@elsewhere.example with the subject "Hi" saying "Hello."')
    assert not turn.previews and "tom@elsewhere.example is not on your list of recipients" in turn.reply


REFUSED = (
    ({"recipients": ["anna"]}, "“anna” is neither an address"),
    ({"recipients": ["@"]}, "is neither an address"),
    ({"recipients": ["x@y.example"] * 1001}, "1000 entries are the most"),
    ({"undo_window": -1}, "between 0 and 3600"),
    ({"undo_window": 3601}, "between 0 and 3600"),
    ({"day_starts": "9"}, "times such as 09:00"),
    ({"day_starts": "19:00"}, "must start (19:00) before it ends (18:00)"),
    ({"zone": "Mars/Base"}, "There is no time zone 'Mars/Base'"),
    ({"zone": "../etc/passwd"}, "There is no time zone"),
    ({"name": " "}, "Give the name"),
    ({"name": "a\u0000b"}, "no invisible characters"),
)


async def test_what_can_not_be_is_refused_in_one_sentence_and_nothing_changes(me):
    before = (await me.get("/api/settings")).json()
    for given, says in REFUSED:
        refused = await me.put("/api/settings", json=given)
        assert refused.status_code in (400, 422) and says in refused.json()["detail"], given
        assert (await me.get("/api/settings")).json() == before


async def test_the_undo_window_takes_effect_at_once(me):
    await me.put("/api/settings", json={"undo_window": 77})
    assert (await me.get("/api/me")).json()["undo_window"] == 77


async def test_settings_are_each_users_own(service, me):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=service.household.clock()))
    tom = await service.sign_in("tom")
    await me.put("/api/settings", json={"undo_window": 30})
    assert (await tom.get("/api/settings")).json()["undo_window"] is None
    assert (await tom.get("/api/settings")).json()["name"] == "Tom"


async def test_a_name_that_somebody_has_is_refused(service, me):
    await service.household.database.write(lambda s: users.add(s, "tom", name="Tom", at=service.household.clock()))
    refused = await me.put("/api/settings", json={"name": "tom"})
    assert refused.status_code == 400 and "There is somebody called tom already" in refused.json()["detail"]
