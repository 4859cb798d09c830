"""A mail from its brief: written once, or several times and voted on."""

from collections.abc import Sequence

from assistant.drafting import letter, rules
from assistant.drafting.asks import asks_of
from assistant.drafting.base import Deliberation, Tell, Told
from assistant.drafting.choosing import Choice
from assistant.drafting.rubric import Desk, notes
from assistant.drafting.table import Table
from assistant.errors import DraftingError, ModelError
from assistant.reasoning.base import Draft, Reasoner, Setting
from assistant.reasoning.offline.saying.items import one_line
from assistant.values import Brief
from integrations.types import Mail
from risk.versions import Ballot, Post, Version, Written

UNSAID = ("DECISION", "WAITING", "CLEANED")
"""Posts that weigh nothing up."""
NOBODY = "None of those who were to draft it came to an answer"


async def write(
    brief: Brief,
    setting: Setting,
    choice: Choice,
    table: Table,
    reasoner: Reasoner,
    tell: Tell,
    earlier: Sequence[Mail] = (),
) -> Written:
    """`earlier` are mails of the thread that are unanswered too, oldest first. Raises ModelError."""
    if choice.strategy == "single":
        return _alone(await _single(brief, setting, table, reasoner, earlier), brief, table)
    known = letter.known_to(brief, setting, earlier)
    asks = asks_of(*earlier, *([brief.answering] if brief.answering else []))

    def problems(text: str) -> Sequence[str]:
        return letter.problems(text, brief, known)

    if choice.strategy == "blackboard" and table.minds:
        strategy = table.blackboard(problems)
    else:
        strategy = table.coordination(rules.seats(brief, setting, asks), problems)
    posts: list[Post] = []

    def heard(told: Told) -> None:
        if told.kind == "posted" and told.data["type"] not in UNSAID and not letter.is_mail(told.data["content"]):
            posts.append(Post(by=told.agent, type=told.data["type"], text=told.data["content"]))
        tell(told)

    try:
        deliberation = await strategy.run(letter.task_for(brief, setting, asks, earlier), heard)
    except DraftingError as error:
        raise ModelError(f"{NOBODY}: {str(error).rstrip('.')}.", error.kind) from error
    return _versions(deliberation, brief, choice).model_copy(update={"posts": tuple(posts)})


async def _single(brief: Brief, setting: Setting, table: Table, reasoner: Reasoner, earlier: Sequence[Mail]) -> Draft:
    asks = asks_of(*earlier, *([brief.answering] if brief.answering else []))
    if table.by_rules and asks and not (brief.about or brief.template):
        return rules.drafted("thorough", Desk(brief, setting, asks))  # nothing was said: each point is a gap
    return await reasoner.draft(brief, setting)


def _alone(draft: Draft, brief: Brief, table: Table) -> Written:
    version = _version("the assistant", draft)
    return Written(
        strategy="single", kind=brief.kind, about=brief.about, template=brief.template, versions=(version,), rules=table.by_rules
    )


def _versions(deliberation: Deliberation, brief: Brief, choice: Choice) -> Written:
    """What was presented stands in the place of the winner's own answer. What was only thought on a blackboard is no version."""
    thinks = deliberation.strategy == "blackboard"
    given = (answer for answer in deliberation.answers if not thinks or letter.is_mail(answer.text))
    texts = {answer.agent: answer.text for answer in given} | {deliberation.winner: deliberation.text}
    versions = tuple(_version(agent, letter.read(text, brief)) for agent, text in texts.items())
    costs = [spent.cost for spent in deliberation.spent]
    return Written(
        strategy=deliberation.strategy,
        kind=brief.kind,
        about=brief.about,
        template=brief.template,
        versions=versions,
        chosen=list(texts).index(deliberation.winner),
        votes=tuple(Ballot(voter=v.voter, candidate=v.candidate, reason=one_line(v.reason)) for v in deliberation.votes),
        reasons=choice.reasons,
        notes=(*(notes(brief) if deliberation.rules else ()), *deliberation.notes, *_fallen(deliberation)),
        tokens=sum(spent.usage.prompt + spent.usage.completion for spent in deliberation.spent),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
        rules=deliberation.rules,
    )


def _version(by: str, draft: Draft) -> Version:
    return Version(by=by, subject=draft.subject, body=draft.body, gaps=draft.gaps)


def _fallen(deliberation: Deliberation) -> tuple[str, ...]:
    return tuple(f"{agent} is out: {why.rstrip('.')}." for agent, why in deliberation.out.items())
