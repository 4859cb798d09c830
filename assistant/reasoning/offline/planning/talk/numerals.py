"""How one points at a line of a briefing: "number 3", "the second", "reply to 4", "decline it", "why is 1 first?"."""

import re

ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth"
).split()
NTH = rf"(?:{'|'.join(ORDINALS)}|\d{{1,2}}(?:st|nd|rd|th)|last)"
NOUNS = {
    "one": "", "ones": "", "item": "", "items": "", "line": "", "point": "", "thing": "", "mail": "mail", "mails": "mail",
    "email": "mail", "e-mail": "mail", "message": "mail", "meeting": "event", "meetings": "event", "event": "event",
    "appointment": "event", "invitation": "invites", "invite": "invites",
}  # fmt: skip
END = r"$|[,.!?;]|(?:and|or|as|saying|please|too|now|then|again|says?|to)\b"
NAMED = rf"(?=\s*(?:{END}))"
"""What may stand behind a noun that nothing else describes."""
BARE = rf"(?=\s*(?:{END}|(?:that|with|about|tomorrow|today)\b))"
ON = rf"(?=\s*(?:{END}|(?:that|with|about|tomorrow|today|on|by|for|until|in|next)\b))"
"""What may stand behind a number that is the whole of what is meant."""
TO_SOMEWHERE = re.compile(r"\b(?:forward|move|reschedule|postpone|pass|put off|push)\b[^,;]*$", re.IGNORECASE)
"""Before "to" these tell where something goes, not what it is."""
AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)"
MORE = rf"(?:(?:{AND}|\s*[-\u2013]\s*)#?\d{{1,2}})*"
ACTS = (
    r"open|read(?: me| out)?|show(?: me)?|answer(?: to)?|reply to|respond to|write back to|accept|decline|reject|turn down|"
    r"tentatively accept|say (?:yes|no) to|archive|delete|trash|bin|remove|forward|flag|unflag|star|mark|summari[sz]e|move|cancel|"
    r"ignore|file"
)
DOES = rf"{ACTS}|(?<!how )(?<!what )about|what does|(?:what|who|when|where)(?:'s| is)(?: in)?|add|put|tell"
OF_MAILS = r"(?:the\s+)?(?:e-?mails?|mails?|messages?)\s+(?:(?:number|no\.|nr\.?)\s*|#)?"
NUMBERS = re.compile(
    rf"(?P<named>(?<!\{{)\b(?:the\s+)?(?:(?:numbers?|items?|lines?|points?)\s+|(?:no\.|nr\.?)\s*)|(?<!&)#)(?P<of>\d{{1,2}}{MORE})\b"
    rf"|(?P<does>\b(?:{DOES})\s+)(?:(?:{OF_MAILS})?(?P<bare>\d{{1,2}}{MORE})\b{ON}"
    rf"|the\s+(?P<nth>{NTH}(?:{AND}(?:the\s+)?{NTH})*)(?:\s+(?P<noun>{'|'.join(NOUNS)})\b{NAMED}|\b{BARE}))",
    re.IGNORECASE,
)
OPENERS = re.compile(
    r"\W*(?:(?:please|ok|okay|yes|no|then|now|and|so|well|just|actually|hi|hey|oh|thanks|great|go ahead|let's|remind me(?: to)?"
    r"|(?:can|could|would|will) you|i(?: want|'d like| would like| need)(?: you)? to)\b\W*)*",
    re.IGNORECASE,
)
"""These name nothing that "it" or "the first" could be of."""
IT = re.compile(
    rf"\b(?P<does>{ACTS}|resize|reschedule|postpone)\s+(?P<it>(?:the|that|this) (?P<noun>invitation|invite|mail|email"
    rf"|message|meeting|event|phishing(?: mail| email| message)?)\b{NAMED}|it\b{ON}|that\b{ON}|this\b{ON})",
    re.IGNORECASE,
)
ALONE = re.compile(rf"\W*+(?:(?:number|no\.|nr\.?)?\s*\d{{1,2}}|the {NTH}(?: (?:{'|'.join(NOUNS)}))?)\W*", re.IGNORECASE)
"""Nothing but a number: it is to be opened."""
WONDERS = re.compile(
    r"\W*(?:and )?(?:why (?:is|are|do|did|does)?\b.{0,20}?|is )(?:number |no\. |#)?(?P<number>\d{1,2})"
    r"(?: (?:really |a )*(?:first|there|here|in (?:it|here|the briefing|this)|on (?:it|the list)|phishing|spam|scam|fake|safe"
    r"|dangerous|real|genuine|important|urgent|listed|so high|at the top))?\W*$",
    re.IGNORECASE,
)
TELLS = re.compile(r"\b(?:tell|write to|write|e-?mail)\s+(?=the mails? \{line)", re.IGNORECASE)
WITH = re.compile(
    r"(\b(?:answer|reply to|respond to) the mails? \{line\d+\}) with "
    r"(?=(?:i|i'\w+|we|we'\w+|yes|no|ok|okay|thanks|thank|sure|sorry|please)\b)",
    re.IGNORECASE,
)
REFERENCE = re.compile(r"\{line\d+\}")
QUOTES = ('"', "\u201c", "\u201e", "«")
DICTATED = re.compile(r":\s|[\"“„«]|\b(?:saying|says that|that says|with the (?:text|words|message))\b", re.IGNORECASE)
SAYS_THAT = re.compile(
    r"\b(?:tell|say|reply|answer|respond|write|e-?mail|inform|let\s+\S+\s+know)\b.{0,100}?\b(?P<that>that)\s+(?!please\b|one\b|mail\b)",
    re.IGNORECASE,
)
ANSWERS_EVENT = re.compile(r"(?:tentatively )?accept|decline|reject|turn down|say (?:yes|no)", re.IGNORECASE)
CHANGES_EVENT = re.compile(r"move|cancel|resize|reschedule|postpone", re.IGNORECASE)
WITH_MAIL = re.compile(r"answer|reply|respond|write|archive|forward|flag|unflag|star|mark|file|ignore", re.IGNORECASE)
