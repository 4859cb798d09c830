"""The risk matrix: rules as data, from operation and facts to a level and its reasons."""

import re
from collections.abc import Iterable, Mapping, Sequence
from string import Formatter
from typing import Any, Literal, TypeAlias, TypeVar

from pydantic import ValidationError

from integrations.types import Value
from risk.facts import COUNTS, FLAGS, ActionFacts, Facts
from risk.operations import OPERATIONS

Level = Literal["low", "medium", "high"]
LEVELS: tuple[Level, ...] = ("low", "medium", "high")

V = TypeVar("V", bound=Value)

CLAUSES = frozenset(name for name, field in ActionFacts.model_fields.items() if name in FLAGS and field.annotation is not bool)
"""The facts that say themselves what is wrong."""
PLACEHOLDERS = frozenset({"others", "unknown", "subject", "folder", "operation", "terms", "limit", *COUNTS, *CLAUSES})
TOLD = 4
"""Clauses of one fact; more are counted."""
NUMBER = r"\d(?:[\d.,']{0,20}\d)?(?:\s?(?:k|m|bn|thousand|million|billion)\b)?"
NEVER = r"(?!)"

NOTHING = "nothing would be done"


class Rating(Value):
    """`reasons` are those of the level, and then all `warnings`, whatever the level of their rules; `refused` says why it may not
    even be shown for approval, empty where it may."""

    level: Level
    reasons: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class Topic(Value):
    """What a text speaks of: `words` (a star stands for any ending, plurals are found), `currencies` with an amount beside them;
    `ignore` are phrases that do not count."""

    words: tuple[str, ...] = ()
    currencies: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Above(Value):
    """A count over a number, or over a threshold by its name."""

    above: int | str


Condition: TypeAlias = bool | str | Above


class Rule(Value):
    """All of `when` must hold: a fact is true or false, a count is above a limit, `mentions` a topic. What a rule with `warns` says
    is told whatever the level of the whole, and it covers no operation. Level "refused": not even to be shown for approval."""

    operation: tuple[str, ...]
    when: Mapping[str, Condition] = {}
    level: Literal["low", "medium", "high", "refused"]
    reason: str
    warns: bool = False


class Matrix:
    """Parsed, checked rules with their word lists compiled."""

    def __init__(self, rules: Sequence[Rule], thresholds: Mapping[str, int], topics: Mapping[str, Topic]) -> None:
        self.rules = tuple(rules)
        self.thresholds = dict(thresholds)
        self.topics = dict(topics)
        self._ignored = {name: _phrases(topic.ignore) for name, topic in topics.items()}
        self._terms = {name: re.compile(_pattern(topic), re.IGNORECASE) for name, topic in topics.items()}

    @classmethod
    def parse(cls, data: Mapping[str, Any]) -> "Matrix":
        """From the tables `thresholds`, `topics` and `rules`; ValueError says in a sentence what is wrong in them."""
        strange = set(data) - {"thresholds", "topics", "rules"}
        if strange:
            raise ValueError(f"The risk matrix has no table called {', '.join(sorted(strange))}.")
        thresholds = _thresholds(data.get("thresholds", {}))
        topics = {name: _parsed(Topic, _listed(table), f"topic {name}") for name, table in data.get("topics", {}).items()}
        rules = [_rule(number, table) for number, table in enumerate(data.get("rules", ()), start=1)]
        for number, rule in enumerate(rules, start=1):
            _check(rule, f"Rule {number} of the risk matrix", thresholds, topics)
        return cls(rules, thresholds, topics)

    def without(self, facts: Iterable[str]) -> "Matrix":
        """Without the rules that ask for any of these facts or counts."""
        left_out = frozenset(facts)
        return Matrix([rule for rule in self.rules if not left_out & set(rule.when)], self.thresholds, self.topics)

    def rate(self, facts: Facts) -> Rating:
        """The highest level that any rule gives, with all reasons of that level and all warnings; what no rule covers is high, and
        so is what must be refused."""
        if not facts.each:
            return Rating(level="high", reasons=(NOTHING,))
        found: list[tuple[Rule, tuple[str, ...]]] = []
        covered: dict[int, set[str]] = {number: set() for number in range(len(facts.each))}
        for rule in self.rules:
            matching = [number for number, action in enumerate(facts.each) if self._matches(rule, action, facts)]
            for number in matching if not rule.warns and rule.level != "refused" else ():
                covered[number] |= _overlap(rule, facts.each[number])
            if matching:
                found.append((rule, self._reasons(rule, [facts.each[number] for number in matching], facts)))
        bare = {name for number, action in enumerate(facts.each) for name in action.operations - covered[number]}
        uncovered = tuple(f"no rule of the risk matrix covers what it does: it {OPERATIONS[name]}" for name in sorted(bare))
        return _rating(found, uncovered)

    def terms(self, topic: str, text: str) -> tuple[str, ...]:
        """What in the text speaks of the topic, as it stands there, each once."""
        plain = self._ignored[topic].sub(" ", text.replace("_", " "))
        found: dict[str, str] = {}
        for match in self._terms[topic].finditer(plain):
            term = " ".join(match.group().split())
            found.setdefault(term.casefold(), term)
        return tuple(found.values())

    def _matches(self, rule: Rule, action: ActionFacts, facts: Facts) -> bool:
        return bool(_overlap(rule, action)) and all(
            self._holds(name, condition, action, facts) for name, condition in rule.when.items()
        )

    def _holds(self, name: str, condition: Condition, action: ActionFacts, facts: Facts) -> bool:
        if isinstance(condition, bool):
            return bool(getattr(action, name)) is condition
        if isinstance(condition, Above):
            return facts.counts[name] > self._limit(condition)
        return bool(self.terms(condition, action.text))

    def _limit(self, condition: Above) -> int:
        return self.thresholds[condition.above] if isinstance(condition.above, str) else condition.above

    def _reasons(self, rule: Rule, matching: Sequence[ActionFacts], facts: Facts) -> tuple[str, ...]:
        """One sentence; or, where the reason is but the clauses of a fact, each of them."""
        name = rule.reason.strip("{}")
        if rule.reason == f"{{{name}}}" and name in CLAUSES:
            return _some(clause for action in matching for clause in getattr(action, name))
        return (self._reason(rule, matching, facts),)

    def _reason(self, rule: Rule, matching: Sequence[ActionFacts], facts: Facts) -> str:
        topics = [condition for condition in rule.when.values() if isinstance(condition, str)]
        limits = [self._limit(condition) for condition in rule.when.values() if isinstance(condition, Above)]
        clauses = {name: "; ".join(_some(one for action in matching for one in getattr(action, name))) for name in CLAUSES}
        values: dict[str, object] = {
            **facts.counts,
            **clauses,
            "limit": limits[0] if limits else "",
            "terms": _quoted(term for topic in topics for action in matching for term in self.terms(topic, action.text)),
            "others": _joined(name for action in matching for name in action.others) or "nobody but yourself",
            "unknown": _joined(name for action in matching for name in action.unknown),
            "subject": _quoted(action.subject for action in matching) or "(no name)",
            "folder": _joined(action.folder for action in matching),
            "operation": _joined(OPERATIONS[name] for action in matching for name in _overlap(rule, action)),
        }
        return rule.reason.format_map(values)


def _rating(found: Sequence[tuple[Rule, tuple[str, ...]]], uncovered: tuple[str, ...]) -> Rating:
    levels = ["high" if rule.level == "refused" else rule.level for rule, _ in found] + ["high" for _ in uncovered]
    level = max(levels, key=LEVELS.index)
    refused = _each(reasons for rule, reasons in found if rule.level == "refused")
    warnings = _each(reasons for rule, reasons in found if rule.warns or rule.level == "refused")
    of_level = _each((*(reasons for rule, reasons in found if rule.level == level), uncovered if level == "high" else ()))
    return Rating(level=level, reasons=_each((of_level, warnings)), warnings=warnings, refused=refused)


def _each(groups: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for group in groups for one in group))


def _some(clauses: Iterable[str]) -> tuple[str, ...]:
    """Each once, in alphabetical order, and not too many."""
    every = sorted(set(clauses))
    return tuple(every) if len(every) <= TOLD else (*every[: TOLD - 1], f"{len(every) - TOLD + 1} more things like these")


def _overlap(rule: Rule, action: ActionFacts) -> frozenset[str]:
    return action.operations if "*" in rule.operation else action.operations.intersection(rule.operation)


def _quoted(names: Any) -> str:
    return _joined(f"“{name}”" for name in names if name)


def _joined(names: Any) -> str:
    """At most four, in alphabetical order so that the order of the actions does not show."""
    every = sorted({name for name in names if name}, key=str.casefold)
    shown = every if len(every) <= 4 else [*every[:3], f"{len(every) - 3} others"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), *shown[-1:])))


def _pattern(topic: Topic) -> str:
    forms = [rf"\b(?:{_any(map(_word, topic.words))})"] if topic.words else []
    symbols = _any(re.escape(name) for name in topic.currencies if not name.isalpha())
    codes = _any(re.escape(name) for name in topic.currencies if name.isalpha())
    signs = [sign for sign in (symbols and f"(?:{symbols})", codes and rf"\b(?:{codes})\b") if sign]
    if signs:
        # A number begins once: long rows of digits in a stranger's mail must not be tried from each of them.
        forms = [*(rf"{sign}\s?{NUMBER}" for sign in signs), rf"(?<![\d.,']){NUMBER}\s?(?:{'|'.join(signs)})", *forms]
    return "|".join(forms) or NEVER


def _any(forms: Iterable[str]) -> str:
    return "|".join(sorted(forms, key=len, reverse=True))


def _word(word: str) -> str:
    ending = r"\w*" if word.endswith("*") else r"(?:s|es)?\b"
    return r"[\s-]+".join(re.escape(part) for part in word.rstrip("*").split()) + ending


def _phrases(ignore: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_any(map(_word, ignore))})" if ignore else NEVER, re.IGNORECASE)


def _thresholds(table: Mapping[str, Any]) -> dict[str, int]:
    for name, value in table.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise ValueError(f"The threshold {name} of the risk matrix must be a whole number of at least 0, not {value!r}.")
    return dict(table)


def _listed(table: Any) -> Any:
    """Lists become tuples, so that strict values take them."""
    if isinstance(table, Mapping):
        return {name: tuple(value) if isinstance(value, list) else value for name, value in table.items()}
    return table


def _rule(number: int, table: Any) -> Rule:
    listed = _listed(table)
    if isinstance(listed, dict) and isinstance(listed.get("operation"), str):
        listed["operation"] = (listed["operation"],)
    return _parsed(Rule, listed, f"rule {number}")


def _parsed(kind: type[V], table: Any, where: str) -> V:
    try:
        return kind.model_validate(table)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "table"
        raise ValueError(f"In {where} of the risk matrix, {place} is wrong: {first['msg']}.") from error


def _check(rule: Rule, where: str, thresholds: Mapping[str, int], topics: Mapping[str, Topic]) -> None:
    for name in rule.operation:
        _must(name == "*" or name in OPERATIONS, f"{where} names an unknown operation, {name}; there are: {', '.join(OPERATIONS)}.")
    for name, condition in rule.when.items():
        if isinstance(condition, bool):
            _must(name in FLAGS, f"{where} asks for an unknown fact, {name}; there are: {', '.join(FLAGS)}.")
        elif isinstance(condition, Above):
            _must(name in COUNTS, f"{where} counts something unknown, {name}; there are: {', '.join(COUNTS)}.")
            known = isinstance(condition.above, int) or condition.above in thresholds
            _must(known, f"{where} names an unknown threshold, {condition.above}.")
        else:
            _must(name == "mentions", f"{where} gives {name} a text, but only `mentions` takes one.")
            _must(condition in topics, f"{where} mentions an unknown topic, {condition}.")
    try:
        used = {name for _, name, _, _ in Formatter().parse(rule.reason) if name is not None}
    except ValueError as error:
        raise ValueError(f"{where} has a reason that can't be read: {error}.") from error
    strange = used - PLACEHOLDERS
    _must(not strange, f"{where} has an unknown placeholder in its reason: {', '.join(sorted(strange))}.")


def _must(holds: bool, sentence: str) -> None:
    if not holds:
        raise ValueError(sentence)
