"""What a user has set for themselves."""

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from assistant import preferences
from assistant.errors import UserError
from assistant.preferences import Preferences
from assistant.service.callers import Managing, Reading, Served, household_of
from assistant.service.entering.names import Name
from assistant.service.params import WallTime
from storage import users
from storage.errors import Duplicate
from storage.session import Session

router = APIRouter(prefix="/api/settings", tags=["settings"])


class House(BaseModel):
    """What holds where the user set nothing."""

    undo_window: int
    day_starts: WallTime
    day_ends: WallTime
    zone: str


class SettingsView(BaseModel):
    """None: as the whole house has it; of `recipients`: everybody may be written to."""

    name: str
    recipients: tuple[str, ...] | None
    undo_window: int | None
    day_starts: WallTime | None
    day_ends: WallTime | None
    zone: str | None
    house: House


class Changed(BaseModel):
    """What is left out stays as it is."""

    name: Name | None = None
    recipients: list[str] | None = Field(default=None, description="Addresses, @domains and *.domains; null for everybody.")
    undo_window: int | None = Field(default=None, description="Seconds.")
    day_starts: str | None = Field(default=None, description="Such as 09:00.")
    day_ends: str | None = None
    zone: str | None = Field(default=None, description="An IANA name.")


@router.get("")
async def show_settings(request: Request, served: Reading) -> SettingsView:
    """With what holds where nothing is set."""
    return await _view(request, served)


@router.put("")
async def change_settings(request: Request, served: Managing, wanted: Changed) -> SettingsView:
    """What is null goes back to what the house has."""
    given = wanted.model_dump(exclude_unset=True)
    name = given.pop("name", None)
    if name == "":
        raise UserError("Give the name that you want to sign in with.")
    house, user = household_of(request).settings, served.caller.user

    def work(s: Session) -> bool:
        """Whether the assistant must be opened anew for it."""
        former = preferences.of(s, user)
        new = preferences.changed(former, given, (house.day_starts, house.day_ends))
        preferences.keep(s, new, user)
        if name:
            users.rename(s, name, user_id=user)
        return former.over_the_house != new.over_the_house

    try:
        anew = await served.assistant.database.write_synced(work)
    except Duplicate as there:
        raise UserError(f"There is somebody called {name} already; choose another name.") from there
    if anew:
        await household_of(request).reopen(user)
    return await _view(request, served)


async def _view(request: Request, served: Served) -> SettingsView:
    household, user = household_of(request), served.caller.user

    def work(s: Session) -> tuple[str, Preferences]:
        stored = users.get(s, user)
        return stored.name if stored else "", preferences.of(s, user)

    name, own = await served.assistant.database.read(work)
    given = household.settings.model_dump(include={"undo_window", "day_starts", "day_ends"})
    return SettingsView(name=name, **own.model_dump(), house=House(**given, zone=str(household.zone)))
