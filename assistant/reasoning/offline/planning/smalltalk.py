"""Small talk and help: messages that ask for nothing to be looked up or done."""

from assistant.reasoning.offline.lexicon import lexicon
from assistant.reasoning.offline.reading.text.tokens import tokenise

NAME = "I am the offline reasoner: I understand plain requests about mail, calendar and contacts, without a language model."
ANSWERS = {
    "hello": f"Hello. {NAME} What can I do for you?",
    "thanks": "You're welcome.",
    "bye": "Goodbye.",
}
HELP = (
    "mail.find", "mail.summarise", "mail.attention", "mail.send", "mail.reply", "mail.archive", "event.find", "event.free",
    "event.slots", "event.create", "event.move", "contact.find", "contact.group", "template.save", "schedule.brief",
    "schedule.briefing", "schedule.remind",
)  # fmt: skip
FILLING = frozenset({"there", "please", "so", "assistant", "you", "very", "much", "for", "that", "me", "all"})


def small_talk(text: str) -> str:
    """The answer where the whole message is small talk or asks for help; else empty."""
    words = [token.low for token in tokenise(text) if token.kind == "word"]
    rest, kinds = list(words), []
    while rest:
        match = lexicon().talk.at(rest, 0)
        if match is None:
            if rest[0] in FILLING:
                rest = rest[1:]
                continue
            return ""
        kinds.append(match[1])
        rest = rest[match[0] :]
    if not kinds:
        return ""
    return help_text() if "help" in kinds else ANSWERS[kinds[-1]]


def help_text() -> str:
    examples = lexicon().examples
    lines = "\n".join(f"- {examples[name]}" for name in HELP)
    return f"{NAME} For example:\n{lines}\nBefore anything is sent or changed for others you see a preview and approve it."
