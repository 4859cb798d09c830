"""Runs a coordination: its agents at work side by side, what they come to, and the time they have."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from assistant.drafting.base import Overtaken, Participant, Tell, Told, View
from assistant.drafting.coordination import Coordination, Fallen, Outcome, Stopped
from assistant.drafting.options import Options
from assistant.errors import ModelError

log = logging.getLogger(__name__)


class Coordinated(NamedTuple):
    """`time_up`: it did not come to its end."""

    state: Coordination
    time_up: bool


class Coordinating:
    """One coordination under way. `view` is that of its beginning, `out` are those who take no part in it."""

    def __init__(
        self,
        participants: Iterable[Participant],
        view: View,
        options: Options,
        tell: Tell,
        out: Mapping[str, Fallen] | None = None,
    ) -> None:
        self._participants = {participant.id: participant for participant in participants}
        self._view, self._options, self._tell = view, options, tell
        self._tasks: dict[str, asyncio.Task[Outcome]] = {}
        self._over = False
        self._begun: set[str] = set()
        self.state = Coordination(
            agents=tuple(self._participants),
            max_answers=options.max_answers,
            novelty=options.novelty,
            patient=options.patient,
            at_once=options.at_once,
            out=dict(out or {}),
        )

    async def run(self) -> Coordinated:
        try:
            async with asyncio.timeout(self._options.timeout) as limit:
                patient_until = asyncio.get_running_loop().time() + self._options.timeout / 2
                while not self.state.ended:
                    self._begin()
                    await self._wait(patient_until)
                    self._land()
        except TimeoutError:
            if not limit.expired():
                raise
            await asyncio.sleep(0)  # what comes in the tick in which the time is up is not lost
            self._land()
        finally:
            self._over = True
            await self._stop()
        return Coordinated(self.state, time_up=not self.state.ended)

    async def _wait(self, patient_until: float) -> None:
        """Whoever waits for one that hangs would never vote, so patience ends at that time of the loop."""
        left = max(0.0, patient_until - asyncio.get_running_loop().time()) if self.state.patient else None
        done, _ = await asyncio.wait(self._tasks.values(), timeout=left, return_when=asyncio.FIRST_COMPLETED)
        if not done:
            self.state = replace(self.state, patient=False)

    def _begin(self) -> None:
        free = self.state.free
        self.state = self.state.begun(free)
        for agent in free:
            anew = agent in self._begun
            words = f"{agent} begins anew: {len(self.state.answers)} answers are there." if anew else f"{agent} is working."
            self._tell(Told(kind="restarting" if anew else "working", agent=agent, text=words))
            self._begun.add(agent)
            self._tasks[agent] = asyncio.create_task(self._turn(agent, self._seen_by(agent)), name=agent)

    def _seen_by(self, agent: str) -> View:
        shown = self.state.shown
        return self._view.model_copy(update={"answers": shown, "may_answer": self.state.may_answer(agent)})

    async def _turn(self, agent: str, view: View) -> Outcome:
        seconds = self._options.agent_timeout
        try:
            async with asyncio.timeout(seconds) as limit:
                return await self._participants[agent].act(view, lambda: not self._over and self.state.up_to_date(agent))
        except Overtaken:
            return Stopped(agent=agent)
        except ModelError as error:
            return Fallen(agent=agent, why=str(error).rstrip("."), timed_out=error.kind == "timeout", spent=error.kind == "budget")
        except TimeoutError as error:
            if limit.expired():
                return Fallen(agent=agent, why=f"no answer within {seconds:g} seconds", timed_out=True)
            return self._broken(agent, error)
        except Exception as error:  # whatever one agent runs into, the others' answers stand
            return self._broken(agent, error)

    def _broken(self, agent: str, error: Exception) -> Fallen:
        log.exception("%s failed", agent, exc_info=error)
        return Fallen(agent=agent, why=f"an error: {error}".rstrip("."))

    def _land(self) -> None:
        """All that completed since the last time are of one tick."""
        done = [agent for agent, task in self._tasks.items() if task.done()]
        self.state, told = self.state.after([self._tasks.pop(agent).result() for agent in done])
        for one in told:
            log.info("%s", one.text)
            self._tell(one)

    async def _stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
