"""What a model's words are held against before anybody sees them: plain code over the reports that they are about."""

import re

from assistant.reasoning.llm.claims import Strictness, claim
from assistant.reasoning.llm.clauses import flat, plain
from assistant.reasoning.llm.figures import unknown_numbers
from assistant.reasoning.llm.links import ADDRESS, misleading_links, unknown_addresses, unknown_links, without_links

__all__ = ["ADDRESS", "false_claims", "faults", "invented", "unfounded"]

PREVIEWS = re.compile(
    r"\bpreviews?\b|\bawait(?:s|ing) your (?:approval|confirmation)"
    r"|\b(?:say|type|reply with|answer with|write|enter)(?: just| simply)?:? [\"'\u201c\u2018*`]*"
    r"(?:approve|yes|confirm|execute|go ahead)\b"
    r"|\b(?:approve|confirm) (?:it|this|that|the (?:proposal|plan|preview|draft))\b",
    re.IGNORECASE,
)


def faults(reply: str, material: str, said: str = "", strictness: Strictness = "told") -> tuple[str, ...]:
    """What `reply` holds that stands neither in `material` nor in what the user `said`, one clause each; none if honest."""
    return (*unfounded(reply, f"{material}\n{said}"), *false_claims(reply, material, said, strictness))


def unfounded(words: str, known: str) -> tuple[str, ...]:
    """Addresses, links and numbers that stand nowhere."""
    numbers = unknown_numbers(without_links(words), without_links(known))
    return (*invented(words, known), *dict.fromkeys(f"the number {one} is in no report" for one in numbers))


def invented(words: str, known: str) -> tuple[str, ...]:
    """Addresses and links that stand nowhere, or lead elsewhere than they say."""
    addresses = (f"the address {one} is in no report" for one in unknown_addresses(words, known))
    links = (f"the link {one} is in no report" for one in unknown_links(words, known))
    traps = (f"the link {one} leads elsewhere than it says" for one in misleading_links(words))
    return tuple(dict.fromkeys((*addresses, *links, *traps)))


def false_claims(words: str, material: str, said: str = "", strictness: Strictness = "noted") -> tuple[str, ...]:
    """Doings of the assistant, and previews, that are none of the material's."""
    preview = PREVIEWS.search(plain(words))
    unseen = preview and flat(preview[0]) not in flat(plain(material))
    told = f"“{preview[0]}” speaks of a preview, and there is none" if preview and unseen else ""
    return tuple(filter(None, (claim(words, material, said, strictness), told)))
