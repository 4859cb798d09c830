"""What a user wants remembered: kept from their own words alone, with where they said it, and taken away again by them."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from assistant.errors import Unknown
from assistant.pipeline.state import FlowState
from assistant.reasoning.offline.planning.remembering import fits, significant
from assistant.reasoning.remembering import LONGEST, asked_to_remember
from assistant.values import Choice, ForgetNote, Question, Remember, ShowNotes
from integrations.types import Value
from storage import notes
from storage.database import Database
from storage.session import Session
from storage.tables import StoredNote

MOST = 200
"""Notes of one user."""
SAID = 1000
"""Characters of the message that are kept beside a note."""
TOLD = 2000
"""Characters of notes that a reasoner is told, the newest first."""
SURE = "forget all notes"
NONE = "I remember nothing yet. Say, for instance: remember that I prefer short mails."
NOT_YOURS = "I only remember what you say yourself, in your own words, so I kept nothing."
TOO_LONG = f"That is too long for a note ({LONGEST} characters are the most), so I kept nothing of it. Say it in short."
NO_SECRETS = "I keep no passwords, PINs or keys in notes, since they are not locked away there, so I kept nothing."
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code|wort)s?|pin|puk|tan|cvv|cvc|(?:private|secret|api|access|recovery|security)"
    r" (?:key|code|token)s?)\b.{0,60}?(?:\b(?:is|are)\b|=|:)\s*\S",
    re.IGNORECASE,
)
FULL = f"I remember {MOST} things already, which is the most, so I did not keep “{{}}”. Say “forget note” with a number first."
KEPT_IN_MIND = "I keep this in mind when I plan and write."
KEPT_ONLY = "Without a language model I only keep this for you; “what do you remember?” shows it."


class Note(Value):
    """`text` is the user's own; `said` is the message that they said it in, `conversation` where that was."""

    number: int
    text: str
    said: str
    conversation: str
    at: datetime


@dataclass(frozen=True)
class Notes:
    """Of one user. `thinks`: a language model plans and writes, which is told them; `also` tells what else a user has set."""

    database: Database
    user: str
    clock: Callable[[], datetime]
    zone: ZoneInfo
    also: Callable[[Session, str], tuple[str, ...]]
    thinks: bool = False

    async def list(self) -> tuple[Note, ...]:
        """The oldest first."""
        return tuple(_note(row) for row in await self.database.read(lambda s: notes.every(s, user_id=self.user)))

    async def forget(self, number: int) -> Note:
        """Raises Unknown."""
        found = [one for one in await self.list() if one.number == number]
        if not found or not await self._removed([number]):
            raise Unknown(f"There is no note {number}.")
        return found[0]

    async def forget_all(self) -> int:
        """How many there were."""
        return await self._removed([one.number for one in await self.list()])

    async def told(self) -> tuple[str, ...]:
        """What a reasoner is told: the newest first, as far as there is room."""
        texts, room = [], TOLD
        for one in reversed(await self.list()):
            room -= len(one.text)
            if room < 0:
                break
            texts.append(one.text)
        return tuple(texts)

    async def settings(self) -> tuple[str, ...]:
        """What the user has set for themselves besides, in one sentence each."""
        return await self.database.read(lambda s: self.also(s, self.user))

    # --- what is said of them in the chat

    async def carry_out(self, command: Remember | ShowNotes | ForgetNote, state: FlowState) -> FlowState:
        """What can't be done is told in the reply. A command that is carried out anew after a crash does nothing twice."""
        match command:
            case Remember():
                return state.but(reply=await self._remembered(command, state))
            case ShowNotes():
                return state.but(reply=await self._shown(command))
            case ForgetNote():
                return await self._forgotten(command, state)

    async def _remembered(self, command: Remember, state: FlowState) -> str:
        if any(len(text) > LONGEST for text in command.texts):
            return TOO_LONG
        if not _is_theirs(command, state):
            return NOT_YOURS
        if any(_SECRET.search(text) for text in command.texts):
            return NO_SECRETS
        use = KEPT_IN_MIND if self.thinks and not state.offline else KEPT_ONLY
        told, new = [], False
        for text in command.texts:
            words, added = await self.database.write(partial(self._keep, text=text, state=state))
            told.append(words)
            new = new or added
        return " ".join([*told, use] if new else told)

    def _keep(self, s: Session, text: str, state: FlowState) -> tuple[str, bool]:
        """What is answered, and whether it is kept from now on."""
        there = next((one for one in notes.every(s, user_id=self.user) if _alike(one.text, text)), None)
        if there is not None and there.flow_id != state.id:
            return f"I know that already: “{there.text}” (note {there.number}).", False
        said, conversation = state.text[:SAID], state.conversation
        kept = there or notes.add(
            s, text, said=said, conversation=conversation, flow_id=state.id, at=self.clock(), most=MOST, user_id=self.user
        )
        return (f"Noted: “{kept.text}” (note {kept.number}).", True) if kept else (FULL.format(text), False)

    async def _shown(self, command: ShowNotes) -> str:
        every = await self.list()
        found = [one for one in every if fits(command.words, one.text)] if command.words else every
        also = await self.settings() if not command.words else ()
        if not every:
            return "\n".join([NONE, *also])
        if not found:
            return f"I remember nothing about {' '.join(command.words)}. Say “what do you remember?” for all of it."
        return "\n".join(["What you asked me to remember:", *map(self._line, found), *also])

    def _line(self, note: Note) -> str:
        return f"{note.number}. {note.text} ({origin(note, self.zone)})"

    async def _forgotten(self, command: ForgetNote, state: FlowState) -> FlowState:
        every = await self.list()
        if not every:
            return state.but(reply="There are no notes to forget.")
        if command.every:
            return await self._all_forgotten(len(every), state)
        wanted = command.numbers
        found = [one for one in every if (one.number in wanted if wanted else fits(command.words, one.text))]
        if not found:
            which = f"no note {_listed(map(str, wanted))}" if wanted else f"no note about {' '.join(command.words)}"
            return state.but(reply=f"There is {which}; “what do you remember?” shows what there is.")
        if len(found) > 1 and not wanted and (exact := [one for one in found if set(significant(one.text)) == set(command.words)]):
            found = exact[:1]
        if len(found) > 1 and not wanted:
            lines = [f"{one.number}. {one.text}" for one in found]
            return state.but(reply="\n".join(["Several notes fit; say “forget note” with its number:", *lines]))
        await self._removed([one.number for one in found])
        left = [str(number) for number in wanted if number not in {one.number for one in found}]
        missing = f" There is no note {_listed(left)}." if left else ""
        return state.but(reply=f"Forgotten: {_listed(f'“{one.text}”' for one in found)}.{missing}")

    async def _all_forgotten(self, number: int, state: FlowState) -> FlowState:
        """Only when it was asked about."""
        if SURE not in state.bindings:
            return state.but(question=_sure(number, state))
        return state.but(reply=f"Forgotten: {_counted(await self.forget_all())}.")

    async def _removed(self, numbers: Iterable[int]) -> int:
        numbers = tuple(numbers)
        return await self.database.write(lambda s: notes.remove(s, numbers, user_id=self.user))


def _is_theirs(command: Remember, state: FlowState) -> bool:
    """Whatever thought of it: said in this turn by the user themselves, in these words."""
    own = state.own_words and not state.background and state.door == "say"
    return own and bool(command.texts) and all(asked_to_remember(text, state.text) for text in command.texts)


def _sure(number: int, state: FlowState) -> Question:
    forget = Choice(id="1", label=f"Forget {_counted(number)}", value="yes")
    text = f"Shall I forget {_counted(number)} for good?"
    return Question(id=f"{state.id}-q1", text=text, trigger="confirmation", entity=SURE, choices=(forget,))


def origin(note: Note, zone: ZoneInfo) -> str:
    """ "you said so on 12 Nov 2026 in “…”"; a message that was little but the note is not told twice."""
    on = note.at.astimezone(zone)
    beside = "" if len(note.said) <= len(note.text) + 30 else f" in “{_short(note.said)}”"
    return f"you said so on {on.day} {on:%b %Y}{beside}"


def _alike(one: str, other: str) -> bool:
    return " ".join(one.casefold().split()).strip(" .!") == " ".join(other.casefold().split()).strip(" .!")


def _note(row: StoredNote) -> Note:
    return Note(number=row.number, text=row.text, said=row.said, conversation=row.conversation, at=row.at)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:79]}…"


def _counted(number: int) -> str:
    return "the one note" if number == 1 else f"all {number} notes"


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
