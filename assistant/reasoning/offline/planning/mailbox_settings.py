"""Wishes for standing settings of a mailbox at its provider, which nobody can have made here."""

import re

NOT_OFFERED = (
    "I don't set up filters, forwarding, automatic answers or other people's access: that stays in your mail provider's settings, "
    "so I have done nothing."
)
MAKE = (
    r"(?:create|add|set(?: ?up)?|make|put (?:up|in|on)|turn on|enable|activate|configure|install|switch on|establish|define|write"
    r"|start|build|register|generate)"
)
OF_MAIL = (
    r"(?:an?|the|my|some|new|another|e-?mail|mail|mailbox|inbox|gmail|outlook|google|server|automatic|permanent|standing|simple)"
)
SETTING = (
    r"(?:filters?|rules?|auto-?\s?forward\w*|forwarding(?: rules?| address(?:es)?)?|(?:mail )?redirects?|redirection"
    r"|auto-?\s?(?:reply|replies|responders?|responses?|answers?)"
    r"|automatic (?:reply|replies|responses?|forward\w*)|vacation (?:reply|replies|responders?|messages?|notices?|mode)"
    r"|out[- ]of[- ]office(?: (?:reply|message|notice|mode|assistant))?|app(?:lication)? passwords?"
    r"|delegates? (?:to|for) my (?:mail\w*|inbox|account|calendar)|delegation|api keys?)"
)
LEAD = r"(?:(?:please|kindly|hey|ok|and|can|could|would|will|you|i|we|want|need|would like|'d like|to|just|also|let's)\b[\s,']*)*"
EVENTS = r"(?!\s+(?:meeting|event|appointment|call|review|template))"
WANTED = re.compile(rf"{LEAD}{MAKE}\s+(?:{OF_MAIL}\s+)*{SETTING}\b{EVENTS}", re.IGNORECASE)
BY_ITSELF = re.compile(
    rf"{LEAD}(?:(?:automatically|auto-?)\s*(?:forward|redirect|reply|respond|answer)\b"
    r"|(?:forward|redirect) (?:all|every|any|each)\b[^.;]*\b(?:mails?|e-?mails?|messages?)\b"
    r"(?:[^.;]|[.;]\w)*\b(?:automatically|from now on|in (?:the )?future)\b"
    r"|(?:from now on|in (?:the )?future|always|whenever [^,]{1,80},)[\s,]*(?:please )?(?:forward|redirect|bcc|copy)\b"
    r"|(?:give|grant) \S+ (?:full |delegate )?access to my (?:mailbox|mail|inbox|calendar|account)\b)",
    re.IGNORECASE,
)


def not_offered(text: str) -> str:
    """The answer to such a wish; else empty."""
    said = text.strip().replace("\u2019", "'")
    return NOT_OFFERED if WANTED.match(said) or BY_ITSELF.match(said) else ""
