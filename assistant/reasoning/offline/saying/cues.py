"""What a sentence holds or wants, seen from its surface: dates, amounts, links, codes, questions, requests.

These only say that there is something of the kind; what a date means is for `dates` to read.
"""

import re

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_CALENDAR = "January February March April May June July August September October November December".split()
_CALENDAR += "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def any_of(*alternatives: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})", re.IGNORECASE)


DATE = any_of(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    r"(?:today|tonight|tomorrow|yesterday)\b",
    rf"\d{{1,2}}(?:st|nd|rd|th)?(?: of)?\.? {_MONTH}\b",
    rf"{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?\b",
    rf"{_MONTH} \d{{4}}\b",
    rf"(?:in|from|until|till|by|since|before|after|of|end of) {_MONTH}\b(?! \w+ing)",
    r"\d{4}-\d\d-\d\d\b",
    r"\d{1,2}\.\d{1,2}\.(?:\d{2,4})?(?!\d)",
    r"\d{1,2}/\d{1,2}(?:/\d{2,4})?\b",
    r"(?:next|this|last) (?:week|month|year|weekend|quarter)\b",
    r"end of (?:the )?(?:day|week|month|year)\b",
    r"the \d{1,2}(?:st|nd|rd|th)\b",
    r"(?:with)?in (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve) (?:working )?"
    r"(?:minute|hour|day|week|month)s?\b",
)
TIME = any_of(
    r"\d{1,2}[:.]\d\d(?: ?(?:[ap]\.?m\b|uhr\b))?(?![\d.])",
    r"\d{1,2} ?(?:[ap]\.?m\b|o'clock|uhr\b)",
    r"(?:noon|midnight)\b",
    r"(?:at|by|until|before|after|past|quarter to) (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b(?! \w+s\b)",
)
AMOUNT = re.compile(
    r"(?:[$€£¥₹]|\b(?:usd|eur|gbp|chf|inr) ?) ?\d[\d.,]{0,15}(?: ?(?:k|m|million|billion)\b)?"
    r"|\b\d[\d.,]{0,15} ?(?:[€$£]|usd|eur|gbp|chf|euros?|dollars?|pounds?|francs?|cents?)(?!\w)",
    re.IGNORECASE,
)
NUMBER = any_of(r"\d", r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand)\b")
SPAN = any_of(
    rf"(?:{NUMBER.pattern}[\d.,]*|an?|half an?)(?: (?:to|or|and a half|{NUMBER.pattern}[\d]*))* "
    r"(?:(?:working|business|full|whole) )?(?:second|minute|hour|day|night|week|fortnight|month|year)s?\b",
)
"""A length of time."""
LINK = any_of(r"https?://[^\s<>\"]+", r"www\.[\w-]+\.[^\s<>\"]+")
MAIL_ADDRESS = re.compile(r"(?<![\w.+%-])[\w.+%-]{1,64}@[\w-]+(?:\.[\w-]+)+")
PHONE = re.compile(r"(?<!\w)\+?\(?\d[\d ()/.-]{6,22}\d\b")
CODE = re.compile(
    r"(?<![\w.,/-])(?:\d{3}[ -]\d{3}|\d{4,10}|(?=[A-Z-]*\d)(?=[\d-]*[A-Z])[A-Z0-9]+(?:-[A-Z0-9]{2,})*(?<=\w\w))(?![\w/-]|[.,]\d)"
)
"""Digits, or capitals and digits mixed."""
SECRET = any_of(r"(?:password|passphrase|passcode|pin|code|key)\b ?(?:is\b:?|[:=→]) ?(?!not\b)\S{3,}")
"""A password may be any word, so only what introduces it tells."""
PLACE = re.compile(
    r"\b(?:at|in|on|to|near|inside|outside|behind) (?:(?:the|our|my|your|his|her|their) )?"
    rf"(?!(?:{'|'.join(_CALENDAR)})\b)[A-Z][\w'\u2019]+"
    r"|\b(?:room|hall|floor|street|avenue|road|square|building|venue|platform|terminal|gate|café|restaurant|office|hotel|garden)\b"
)
NAME = re.compile(rf"(?<=[a-z,;] )(?!(?:{'|'.join(_CALENDAR)})\b)[A-Z][a-zà-ÿ]+(?: [A-Z][a-zà-ÿ]+)*")
"""Capitals in the middle of a sentence."""

DEADLINE = any_of(
    r"(?:deadline|due|overdue|cut-?off|at the latest|closes|expires)\b",
    r"(?:no later than|by|before|until|till) (?=\w)",
)
REQUEST = any_of(
    r"(?:can|could|would|will) you\b",
    r"(?:please|kindly|rsvp|asap|as soon as possible|bitte)\b",
    r"let (?:me|us) know\b",
    r"(?:need|want|like|expect) (?:you|your)\b",
    r"(?:get back to|send|tell|call) (?:me|us)\b",
    r"your (?:approval|feedback|answer|reply|input|thoughts|decision|confirmation|signature|opinion|go-ahead)\b",
    r"waiting (?:for|on) you",
    r"(?:remember to|don['\u2019]t forget)\b",
    r"(?:könntest du|kannst du|können sie)\b",
)
PLEASANTRY = re.compile(
    r"^(?:(?:i |we )?(?:hope|trust) (?:you|this|all|everything)\b|how are (?:you|things)\b|(?:it )?was (?:great|nice|lovely)\b"
    r"|(?:many )?thank(?:s| you)\b(?!.*\?)|(?:great|nice|good) (?:seeing|talking|to)\b|have a (?:great|good|nice|lovely)\b"
    r"|looking forward\b|happy (?:monday|friday|new year)\b)",
    re.IGNORECASE,
)
BOILERPLATE = re.compile(
    r"unsubscribe|in (?:your )?browser|intended (?:only |solely )?for|confidentiality|privacy policy|all rights reserved|©"
    r"|do not reply to this|you (?:are |have )?receiv(?:ed|ing) this|manage (?:your )?preferences|automatically generated"
    r"|consider the environment",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    return sentence.rstrip("\"')]\u201d\u2019 ").endswith(("?", "\uff1f"))


def is_request(sentence: str) -> bool:
    return bool(REQUEST.search(sentence)) and not BOILERPLATE.search(sentence)
