"""One problem on one blackboard, from the choice of experts to the answer."""

import logging

from assistant.drafting.base import Answer, Deliberation, Tell, Told, ToldKind
from assistant.drafting.blackboard.asking import Asking
from assistant.drafting.blackboard.board import Board, PostType, marked
from assistant.drafting.blackboard.candidates import candidates, most_agreed
from assistant.drafting.blackboard.experts import GENERAL, Expert, experts
from assistant.drafting.blackboard.prompts import AGENT_GENERATION, CONFLICT, CONTROL_UNIT, PromptProfile, filled
from assistant.drafting.blackboard.reading import Conflict, Said, chosen, said
from assistant.drafting.blackboard.staff import CHECK, STAFF, Member, Pool
from assistant.drafting.session import Problems
from assistant.errors import DraftingError, ModelError

log = logging.getLogger(__name__)


class Rounds:
    def __init__(self, asking: Asking, profile: PromptProfile, problems: Problems, tell: Tell) -> None:
        self.asking, self.profile, self.problems, self.tell = asking, profile, problems, tell
        self.board = Board(asking.limits.board, asking.limits.post)
        self.pool = Pool(())
        self.out: dict[str, str] = {}
        self.round = 0

    async def play(self) -> Deliberation | None:
        """None: the rounds are over, or nobody is left, and nothing was decided."""
        self.pool = Pool(await self._experts())
        names = ", ".join(agent.name for agent in self.pool.agents)
        self._told("started", f"At the blackboard: {names}", agents=[agent.name for agent in self.pool.agents])
        while self.pool.agents and self.round < self.asking.limits.rounds:
            self.round += 1
            self.asking.left = self.asking.limits.calls
            for agent in await self._chosen():
                if agent in self.pool.agents and (decided := await self._act(agent)):
                    return decided
        return None

    async def _experts(self) -> tuple[Expert, ...]:
        most, taken = self.asking.limits.experts, [AGENT_GENERATION, CONTROL_UNIT, CHECK, *(agent.name for agent in STAFF)]
        reply = await self._asked_for_all(AGENT_GENERATION)
        return (GENERAL,) if reply is None else experts(reply, most, taken)

    async def _chosen(self) -> tuple[Member, ...]:
        """What the control unit says is data: names, of which those that are known count."""
        reply = await self._asked_for_all(CONTROL_UNIT)
        names = () if reply is None else chosen(reply)
        acting = self.pool.acting(names)
        if unknown := [name for name in names if not self.pool.known([name])]:
            log.info("The control unit named whom nobody knows: %s", unknown)
        listed = [agent.name for agent in acting]
        self._told("selected", f"Round {self.round}: {', '.join(listed)}", agents=listed)
        return acting

    async def _asked_for_all(self, name: str) -> str | None:
        """The reply to a prompt that is no agent's on the board; None: there is none, and it goes on without."""
        described = "\n".join(f"- {agent.name}: {agent.description}" for agent in self.pool.agents)
        try:
            return await self.asking.ask(name, self._prompt(name, agent_descriptions=described))
        except ModelError as error:
            self._told("failed", f"{name} gave no answer: {error}", name)
            return None

    async def _act(self, agent: Member) -> Deliberation | None:
        self._told("working", f"{agent.name} looks at the blackboard", agent.name)
        about = agent.description
        prompt = self._prompt(agent.role, role=agent.name, role_name=agent.name, description=about, roles_description=about)
        reply = await self._asked(agent, prompt)
        return None if reply is None else await self._taken(agent, said(agent.role, reply))

    async def _asked(self, agent: Member, prompt: str) -> str | None:
        """None: the agent fell out, or the round's calls are used up."""
        if self.asking.left <= 0:
            self._told("ignored", f"{agent.name} is not asked: the calls of round {self.round} are used up", agent.name)
            return None
        try:
            return await self.asking.ask(agent.name, prompt)
        except ModelError as error:
            self.pool.drop(agent)
            self.out[agent.name] = str(error)
            self._told("failed", f"{agent.name} fell out: {error}", agent.name)
            return None

    async def _taken(self, agent: Member, words: Said) -> Deliberation | None:
        if words.type == "DECISION":
            return self._decided(agent, words.content)
        removed = self._cleaned(agent, words.useless)
        if content := words.content or removed:
            self._posted(words.type, agent.name, content)
        for conflict in words.conflicts:
            await self._settled(agent, conflict)
        return None

    def _posted(self, type: PostType, agent: str, content: str) -> None:
        post = self.board.post(self.round, type, agent, content)
        shown = " ".join(content.split())
        glance = shown if len(shown) <= 100 else f"{shown[:100]}…"
        self._told("posted", f"{agent} writes: {glance}", agent, type=type, content=content, number=post.number)

    def _cleaned(self, cleaner: Member, useless: tuple[str, ...]) -> str:
        """What the blackboard shall say about it."""
        removed = self.board.remove(useless)
        for post in removed:
            log.info("Removed from the blackboard: %s", post.line())
        if not removed:
            return ""
        words = f"Removed: {', '.join(str(post.number) for post in removed)}"
        self._told("cleaned", words, cleaner.name, removed=[post.line() for post in removed])
        return words

    async def _settled(self, resolver: Member, conflict: Conflict) -> None:
        """Those in conflict reply once each, in a space that only they see; then all may read what came of it."""
        among = tuple(agent for agent in self.pool.known(conflict.agents) if agent != resolver)
        if len(among) < 2 or self.asking.left <= 0:
            log.info("No private space for %s: it takes two who are known, and calls that are left", conflict.agents)
            return
        names = ", ".join(agent.name for agent in among)
        self._told("conflict", f"{names} talk over what they disagree about", agents=[agent.name for agent in among])
        replies: list[tuple[Member, str]] = []
        for agent in among:
            reply = await self._asked(agent, self._apart(agent, names, conflict, replies))
            if reply is not None and (content := said("expert", reply).content):
                replies.append((agent, content))
        for agent, content in replies:
            self._posted("RESOLUTION", agent.name, content)

    def _apart(self, agent: Member, names: str, conflict: Conflict, replies: list[tuple[Member, str]]) -> str:
        private = Board(longest=self.asking.limits.post)
        for other, content in replies:
            private.post(self.round, "RESOLUTION", other.name, content)
        so_far = private.shown() if replies else "(nothing yet)"
        return self._prompt(CONFLICT, role_name=agent.name, agents=names, conflict=marked(conflict.about), replies=so_far)

    def _prompt(self, name: str, **given: str) -> str:
        problem = self.asking.task.text
        places = {"problem": problem, "question": problem, "blackboard_state": self.board.shown(), **given}
        return filled(self.profile, name, places)

    def _decided(self, decider: Member, answer: str) -> Deliberation | None:
        """None where it has problems: the others read them."""
        if problems := " ".join(self.problems(answer)):
            self._told("rejected", f"{decider.name} decides, but: {problems}", decider.name, content=answer)
            self._posted("CRITIQUE", CHECK, f"This answer cannot stand: {answer}\n{problems}")
            return None
        answers = (*self._alternatives(), Answer(agent=decider.name, text=answer))
        self._posted("DECISION", decider.name, answer)
        self._told("decided", f"{decider.name} decides", decider.name, content=answer)
        return self._deliberation(answer, decider.name, answers)

    def undecided(self, kind: ToldKind, why: str) -> Deliberation:
        """With the answer that agrees most with the others, one without problems where there is one. Raises DraftingError."""
        answers = self._alternatives()
        if not answers:
            reasons = " ".join(dict.fromkeys(self.out.values()))
            raise DraftingError(f"Nobody at the blackboard came to an answer. {reasons or why}")
        sound = [answer for answer in answers if not self.problems(answer.text)] or answers
        best = sound[most_agreed([answer.text for answer in sound])]
        note = f"{why} This is {best.agent}'s answer, the one that agrees most with the others."
        self._told(kind, note)
        return self._deliberation(best.text, best.agent, answers, (note, *self.problems(best.text)))

    def _alternatives(self) -> tuple[Answer, ...]:
        return candidates(self.board, self.pool.everybody)

    def _deliberation(self, text: str, winner: str, answers: tuple[Answer, ...], notes: tuple[str, ...] = ()) -> Deliberation:
        return Deliberation(
            strategy="blackboard",
            text=text,
            winner=winner,
            answers=answers,
            out=self.out,
            spent=self.asking.spent,
            notes=notes,
        )

    def _told(self, kind: ToldKind, text: str, agent: str = "", **data: object) -> None:
        self.tell(Told(kind=kind, text=text, agent=agent, data={"round": self.round, **data}))
