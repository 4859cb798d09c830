"""Questions about one side of a mail or event: a part of it, where it was put, how far off it is."""

from assistant.reasoning.calls import Selection
from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.clauses.facts import EVENTS, Facts, select
from assistant.reasoning.offline.reading.parsed import Built

FILED = {"archive": {"folder": "Archive"}, "delete": {"folder": "Trash"}, "flag": {"flagged": True}}


def part_of_it(facts: Facts) -> Built | None:
    """ "the subject of the last mail from Anna", "who is the sender of …", "the title of my next meeting": the mail or event, whose
    line says that; a mail's text where that is asked for."""
    words, parts = facts.words, lexicon().small["parts"]
    at = next(
        (n for n, word in enumerate(words) if parts & {word, word.removesuffix("s")} and words[n + 1 : n + 2] == ["of"]), None
    )
    if at is None:
        return None
    behind = Facts(facts.clause, facts.items[at + 2 :])
    behind.rest, behind.subject = tuple(item for item in behind.items if item.low not in lexicon().small["auxiliaries"]), ()
    if behind.has("mail"):
        built = select(behind, "mail.find", "mail")
        if words[at] in ("content", "contents", "text", "body") and not built.fields["select"].each:
            built.operation = "mail.read"
        return built
    return select(behind, "event.find", "event") if behind.has(*EVENTS) else None


def filed_as(facts: Facts) -> Built | None:
    """ "which mails did I archive?", "what is in my trash?": by where they are now."""
    words = facts.words
    forms = [
        form.verb for at in range(len(words)) for _, form in lexicon().verbs.all_at(words, at) if not form.base or "did" in words
    ]
    deed = next((FILED[verb] for verb in forms if verb in FILED), None) if facts.has("mail") and facts.says("i", "we") else None
    if deed is not None:
        kept = [item for item in facts.items if not any(form.verb in FILED for _, form in lexicon().verbs.all_at([item.low], 0))]
        whole = Facts(facts.clause, kept)
        whole.rest, whole.subject = tuple(item for item in whole.items if item.low not in ("did", "have", "has", "i", "we")), ()
        built = select(whole, "mail.find", "mail")
        built.fields["select"] = built.fields["select"].model_copy(update=deed)
        return built
    placed = next((match[1] for at in range(len(words)) if (match := lexicon().folders.at(words, at))), "")
    bare = [word for word in words if word not in lexicon().small["stop"] and not lexicon().folders.at([word], 0)]
    if not placed or bare or facts.nouns or not {"in", "my", "the"} & set(words) or facts.clause.head != "what":
        return None
    return Built("mail.find", {"select": Selection(folder=placed, each=True)})


def how_far_off(facts: Facts) -> Built | None:
    """ "how many days is it until the trade fair?", "how long till Christmas?": how far off an event or a day is."""
    words = facts.words
    at = next((n for n, word in enumerate(words) if word in ("until", "till", "til", "before") or word.startswith("until ")), None)
    if words[:1] not in (["many"], ["long"]) or not (facts.says("days", "weeks", "hours", "months") or words[:1] == ["long"]):
        return None
    timed = next((item.time for item in facts.items if item.time is not None and item.time.kind != "duration"), None)
    edge = timed is not None and timed.start is None and timed.stop is not None
    if at is None and not edge:
        return None
    behind = Facts(facts.clause, facts.items[at + 1 :] if at is not None else [])
    if not [item for item in behind.items if item.kind not in ("punct", "time") and item.low not in lexicon().small["stop"]]:
        return Built("event.next", {"field": "until", "time": timed}) if timed is not None else None
    behind.rest = tuple(behind.items)
    built = select(behind, "event.next", "event")
    built.fields["field"] = "until"
    return built
