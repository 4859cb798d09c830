"""Which rules of style sheets apply to an element, in the order in which they win (CSS Cascade 4)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from integrations.common.markup.css_selectors import YES, Compound, Element, Matching, Selector, keys_of, selectors, specificity
from integrations.common.markup.css_text import Declaration, Rule, TooMuch
from integrations.common.markup.looks import tells

_MOST_RULES = 4000


class Applied(NamedTuple):
    """`rank` orders declarations by specificity and place; not `sure`: only what it hides counts."""

    rank: tuple[int, int, int, int]
    rule: Rule
    sure: bool


class _Candidate(NamedTuple):
    """`line`: what must be among the keys of the element and those that it stands in."""

    order: int
    selector: Selector
    rule: Rule
    line: frozenset[str]


class Rules:
    """Finds the rules for an element by what their last compound names."""

    def __init__(self, rules: list[Rule]) -> None:
        self._by: dict[str, list[_Candidate]] = {}
        self._matching = Matching()
        if len(rules) > _MOST_RULES:
            raise TooMuch
        for order, rule in enumerate(rules):
            telling = tuple(one for one in rule.declarations if tells(one.name))
            if not telling:
                continue
            kept = Rule(rule.selectors, telling)
            for selector in selectors(rule.selectors):
                self._by.setdefault(_key(selector[0]), []).append(_Candidate(order, selector, kept, _line(selector)))

    def of(self, element: Element) -> tuple[Applied, ...]:
        """Those that are about it, in the order in which they win."""
        if not self._by:
            return ()
        found = []
        for key in ("", *element.keys):
            candidates = self._by.get(key, ())
            self._matching.count(len(candidates))
            for order, selector, rule, line in candidates:
                if (element.line is None or line <= element.line) and (told := self._matching.matches(element, selector)):
                    self._matching.count(10 * len(rule.declarations))
                    found.append(Applied((*specificity(selector), order), rule, told == YES))
        return tuple(sorted(found, key=lambda one: one.rank))


def _key(last: Compound) -> str:
    if last.ids:
        return f"#{last.ids[0].lower()}"
    return f".{last.classes[0].lower()}" if last.classes else last.type


def _line(selector: Selector) -> frozenset[str]:
    found = keys_of(selector[0])
    for one, above in pairwise(selector):
        if one.ahead not in (" ", ">"):
            break
        found |= keys_of(above)
    return found


def declared(applied: tuple[Applied, ...]) -> Iterator[tuple[Declaration, bool]]:
    """Each declaration, and whether it surely applies, the winning last; important ones are the caller's to set apart."""
    for one in applied:
        for declaration in one.rule.declarations:
            yield declaration, one.sure
