"""One agent that writes alone."""

import asyncio
from dataclasses import dataclass, field

from assistant.drafting.accounting import Books, PriceOf, unknown
from assistant.drafting.base import Answer, Deliberation, Task, Tell, Told, View
from assistant.drafting.options import Options
from assistant.drafting.session import Problems, Seat, Session, none
from assistant.errors import DraftingError, ModelError


@dataclass(frozen=True)
class Single:
    """Implements Strategy."""

    seat: Seat
    options: Options = field(default_factory=Options)
    price: PriceOf = unknown
    problems: Problems = none
    rules: bool = False

    async def run(self, task: Task, tell: Tell) -> Deliberation:
        books = Books(self.price)
        participant = self.seat(Session(self.options, books, tell, self.problems))
        agent = participant.id
        tell(Told(kind="working", agent=agent, text=f"{agent} is working."))
        try:
            async with asyncio.timeout(self.options.agent_timeout):
                answer = await participant.act(View(task=task, agents=(agent,)), lambda: True)
        except (ModelError, TimeoutError) as error:
            why = str(error) or f"no answer within {self.options.agent_timeout:g} seconds"
            raise DraftingError(f"No draft was written: {why}") from error
        if not isinstance(answer, Answer):
            raise DraftingError("No draft was written.")
        tell(Told(kind="answered", agent=agent, text=f"{agent} answered.", data={"answer": answer.text}))
        return Deliberation(
            strategy="single", text=answer.text, winner=agent, answers=(answer,), spent=books.spent, rules=self.rules
        )
