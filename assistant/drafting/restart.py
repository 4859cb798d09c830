"""MASS with restarts: a coordination, the final agent's decision, and again with its instructions, or the presentation."""

import asyncio
import logging
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from assistant.drafting.accounting import Books, PriceOf, unknown
from assistant.drafting.base import Decision, Deliberation, Participant, Restart, Task, Tell, Told, View, Vote
from assistant.drafting.coordinating import Coordinating
from assistant.drafting.coordination import Coordination, Fallen
from assistant.drafting.ids import anonymous, revealed
from assistant.drafting.options import Options
from assistant.drafting.profiles import PROFILES
from assistant.drafting.session import Problems, Seat, Session, none
from assistant.errors import DraftingError, ModelError, UserError

log = logging.getLogger(__name__)
T = TypeVar("T")

EXCEEDED = "Maximum orchestration restarts exceeded"


@dataclass(frozen=True)
class Orchestration:
    """Implements Strategy. `presenter` decides and presents in place of the winner; `problems` are held against every answer and
    against what is presented."""

    seats: tuple[Seat, ...]
    options: Options = field(default_factory=Options)
    presenter: Seat | None = None
    price: PriceOf = unknown
    problems: Problems = none
    rules: bool = False

    async def run(self, task: Task, tell: Tell) -> Deliberation:
        """Raises DraftingError where nobody came to an answer, UserError where two agents have the same id."""
        session = Session(self.options, Books(self.price), tell, self.problems)
        participants = tuple(seat(session) for seat in self.seats)
        if len({participant.id for participant in participants}) < len(participants):
            raise UserError("Two agents have the same name; give each one of its own.")
        running = _Running(session, task, participants, self.presenter(session) if self.presenter else None)
        return (await running.run()).model_copy(update={"rules": self.rules})


@dataclass(frozen=True)
class _Ended:
    """How an attempt ended. `text` is empty where nothing was presented."""

    state: Coordination
    view: View
    text: str = ""
    restart: Restart | None = None

    @property
    def stored(self) -> str:
        return self.state.answers[self.view.selected]


class _Running:
    def __init__(self, session: Session, task: Task, participants: tuple[Participant, ...], presenter: Participant | None) -> None:
        self._session, self._task, self._participants, self._presenter = session, task, participants, presenter
        self._options, self._tell = session.options, session.tell
        self._names = anonymous((one.id for one in participants), PROFILES[session.options.profile]().name)
        self._notes: list[str] = []
        self._spent = False

    @property
    def _attempts(self) -> int:
        return self._options.max_orchestration_restarts + 1

    async def run(self) -> Deliberation:
        attempt, restart, before = 1, None, None
        out: Mapping[str, Fallen] = {}
        while True:
            ended = await self._attempt(attempt, restart, out)
            if ended is None:
                return self._fallen_back(before, attempt)
            if ended.restart is None or attempt == self._attempts:
                return self._deliberation(ended, attempt)
            self._restarting(attempt, ended.restart)
            out = {agent: fallen for agent, fallen in ended.state.out.items() if fallen.timed_out}
            attempt, restart, before = attempt + 1, ended.restart, ended

    def _fallen_back(self, before: _Ended | None, attempt: int) -> Deliberation:
        """To what the attempt before had."""
        if before is None:
            words = f"No draft was written: no successful agents. {' '.join(self._notes)}".rstrip()
            raise DraftingError(words, "budget" if self._spent else "server")
        self._notes.append(f"Attempt {attempt} came to no answer; this is what attempt {attempt - 1} came to.")
        return self._deliberation(before, attempt)

    async def _attempt(self, attempt: int, restart: Restart | None, out: Mapping[str, Fallen]) -> _Ended | None:
        """None where there is no answer."""
        agents = tuple(participant.id for participant in self._participants)
        view = View(task=self._task, agents=agents, attempt=attempt, restart=restart)
        self._say("started", "🚀 Starting multi-agent coordination...")
        coordinated = await Coordinating(self._participants, view, self._options, self._pass_on, out).run()
        state, time_up = coordinated
        if time_up:
            self._note(f"The time of {self._options.timeout:g} seconds was up before all had voted.")
        winner = state.winner(time_up)
        if not winner:
            self._spent = any(fallen.spent for fallen in state.out.values())
            self._notes += _whys(state)
            return None
        log.info("Final agent selected: %s", winner)
        self._say("selected", f"{winner}'s answer was selected.", winner)
        return await self._concluded(state, view.model_copy(update={"answers": state.shown, "selected": winner}), time_up)

    async def _concluded(self, state: Coordination, view: View, time_up: bool) -> _Ended:
        final = self._final_agent(state, view.selected)
        votes = state.cast
        if final is None:  # who has failed is asked nothing more
            return _Ended(state, view)
        judged = not time_up and self._options.max_orchestration_restarts > 0
        if judged and self._options.enable_post_presentation_evaluation:
            text = await self._presented(final, view, votes)
            restart = await self._evaluated(final, view, votes, text or state.answers[view.selected])
            return _Ended(state, view, text, restart)
        restart = await self._decided(final, view, votes) if judged else None
        if restart is not None and view.attempt < self._attempts:
            return _Ended(state, view, restart=restart)
        return _Ended(state, view, await self._presented(final, view, votes))

    def _final_agent(self, state: Coordination, winner: str) -> Participant | None:
        if self._presenter is not None:
            return self._presenter
        return next((one for one in self._participants if one.id == winner and winner not in state.out), None)

    async def _decided(self, final: Participant, view: View, votes: tuple[Vote, ...]) -> Restart | None:
        self._say("evaluating", f"{final.id} reviews the answers.", final.id)
        decision = await self._in_time(final, "decide", final.judge(view, votes, ""), Decision())
        head = f"🔄 Final agent {final.id} chose to RESTART orchestration"
        return self._ruled(final, view, decision, head, f"Final agent {final.id} chose to submit")

    async def _evaluated(self, final: Participant, view: View, votes: tuple[Vote, ...], presented: str) -> Restart | None:
        log.info("🔍 Starting post-presentation evaluation")
        log.info("🔍 Post-presentation evaluation by %s", final.id)
        self._say("evaluating", f"{final.id} judges what was presented.", final.id)
        decision = await self._in_time(final, "judge", final.judge(view, votes, presented), Decision())
        head = f"🔄 Post-evaluation: {final.id} requests RESTART"
        return self._ruled(final, view, decision, head, f"Post-evaluation: {final.id} submits")

    def _ruled(self, final: Participant, view: View, decision: Decision, restarts: str, submits: str) -> Restart | None:
        if decision.restart is None:
            log.info("%s", submits)
            self._say("submitted", f"{final.id} is content.", final.id)
            return None
        log.info("%s\n   Reason: %s\n   Instructions: %s", restarts, decision.restart.reason, decision.restart.instructions)
        reason = revealed(decision.restart.reason, self._names)
        words = f"🔄 Orchestration restart requested by final agent\n\nReason: {reason}\n\n---"
        self._say("restart_requested", words, final.id)
        if view.attempt == self._attempts:
            log.error(EXCEEDED)
            self._notes.append(f"{EXCEEDED}: {reason}")
            self._say("exhausted", EXCEEDED)
        return decision.restart

    def _restarting(self, attempt: int, restart: Restart) -> None:
        log.info("🔄 Handling orchestration restart (attempt %d -> %d)", attempt, attempt + 1)
        head = f"🔄 Orchestration Restart - Attempt {attempt + 1}/{self._attempts}"
        why = f"Reason: {restart.reason}\n\nInstructions: {restart.instructions}"
        self._say("restarting", f"{head}\n\n{revealed(why, self._names)}\n\n---")

    async def _presented(self, final: Participant, view: View, votes: tuple[Vote, ...]) -> str:
        """Empty where the stored answer is better taken as it is."""
        log.info("🎤 [%s] presenting final answer", final.id)
        self._say("presenting", f"{final.id} presents the final answer.", final.id)
        text = (await self._in_time(final, "present", final.present(view, votes), "")).strip()
        if text and (problems := self._session.problems(text)):
            self._note(f"What {final.id} presented was not used: {' '.join(problems)}")
            return ""
        return text

    async def _in_time(self, final: Participant, what: str, work: Awaitable[T], otherwise: T) -> T:
        try:
            async with asyncio.timeout(self._options.agent_timeout):
                return await work
        except Exception as error:  # whatever it runs into, there is an answer
            if not isinstance(error, ModelError | TimeoutError):
                log.exception("%s failed", final.id)
            self._note(f"{final.id} did not {what}: {str(error) or 'its time was up'}")
            return otherwise

    def _pass_on(self, told: Told) -> None:
        """Who votes speaks of others by the names that it was shown."""
        if told.kind == "voted":
            data = {**told.data, "reason": revealed(told.data["reason"], self._names)}
            told = told.model_copy(update={"text": revealed(told.text, self._names), "data": data})
        self._tell(told)

    def _for_people(self, vote: Vote) -> Vote:
        return vote.model_copy(update={"reason": revealed(vote.reason, self._names)})

    def _note(self, words: str) -> None:
        log.warning("%s", words)
        self._notes.append(words)

    def _say(self, kind: str, text: str, agent: str = "") -> None:
        self._tell(Told.model_validate({"kind": kind, "text": text, "agent": agent}))

    def _deliberation(self, ended: _Ended, attempts: int) -> Deliberation:
        state = ended.state
        return Deliberation(
            strategy="coordination",
            text=ended.text or ended.stored,
            winner=ended.view.selected,
            answers=state.shown,
            votes=tuple(self._for_people(vote) for vote in state.cast),
            out={agent: fallen.why for agent, fallen in state.out.items()},
            attempts=attempts,
            spent=self._session.books.spent,
            notes=tuple(self._notes),
        )


def _whys(state: Coordination) -> list[str]:
    """A line for each reason, with all whom it concerns."""
    by_reason: dict[str, list[str]] = {}
    for agent in filter(state.out.__contains__, state.agents):
        by_reason.setdefault(state.out[agent].why, []).append(agent)
    return [f"{', '.join(agents)}: {why}." for why, agents in by_reason.items()]
