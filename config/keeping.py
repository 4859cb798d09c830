"""Settings of keeping: how long what has ended is kept in full."""

from typing import Annotated

from pydantic import Field

from config.models import Part

Days = Annotated[int, Field(ge=0, le=36_500)]


class KeepSetting(Part):
    """In days after the end of a task, or since the run of a schedule; 0: for ever."""

    snapshots: Days = 180
    events: Days = 90
    mails: Days = 30
    runs: Days = 365
