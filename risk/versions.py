"""What stood to choose when a text was written: shown with the preview, and no part of what is approved."""

from typing import Literal

from integrations.types import Value


class Version(Value):
    """One text that was written, by a drafter's name."""

    by: str
    subject: str
    body: str
    gaps: tuple[str, ...] = ()


class Ballot(Value):
    """One vote among the versions; `voter` and `candidate` are drafters' names."""

    voter: str
    candidate: str
    reason: str = ""


class Post(Value):
    """What somebody wrote on the blackboard: `type` is what it was, "PLAN" or "CRITIQUE"."""

    by: str
    type: str
    text: str


class Written(Value):
    """How a text came about. `chosen` is the place of the one that is proposed among `versions`; `about`, `template` and `kind` are
    what was to be written, in the user's words; `reasons` say why it was thought about so; `notes` are for people; `tokens` and
    `cost` (US dollars, None where no price is known) are those of all who took part; `rules`: no model wrote it."""

    strategy: Literal["single", "coordination", "blackboard"]
    kind: Literal["mail", "reply", "forward"]
    about: str = ""
    template: str = ""
    versions: tuple[Version, ...] = ()
    chosen: int = 0
    votes: tuple[Ballot, ...] = ()
    posts: tuple[Post, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    tokens: int = 0
    cost: float | None = None
    rules: bool = False
    picked: bool = False
    """The user took this one."""

    @property
    def winner(self) -> Version:
        return self.versions[self.chosen]
