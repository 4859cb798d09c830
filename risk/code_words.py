"""What security codes are called, and what they look like, in English and German."""

import re


def either(words: str) -> str:
    """Any one of them; a tilde stands where a blank or hyphen may be."""
    return "(?:" + "|".join(words.split()).replace("~", "[- ]?") + ")"


_OF = either(
    "one~time single~use verification verifying security log~in sign~in authentication authenticator authori[sz]ation access "
    "confirmation activation recovery back-?up reset unlock pairing 2fa mfa two~factor sms temporary door gate alarm safe entry "
    "device building wi-?fi wlan"
)
_VON = either(
    "einmal sicherheits best\u00e4tigungs verifizierungs verifikations freischalt aktivierungs zugangs zugriffs anmelde login "
    "wiederherstellungs notfall t\u00fcr r\u00fccksetz sms entsperr authentifizierungs backup ersatz tresor alarm ger\u00e4te wlan"
)
_KEY_OF = either("api secret private encryption license master")
_TOKEN_OF = either("api access auth bearer refresh session")
_PHRASE_OF = either("secret seed recovery mnemonic backup")
_NO_GENITIVE = r"\b(?!['\u2019]s\b)"


def _named(*ways: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(ways)}){_NO_GENITIVE}", re.IGNORECASE)


PASSWORD = _named(
    rf"(?:{_OF}[- ])?pass ?(?:words?|phrases?)",
    rf"(?:{_KEY_OF}|{_OF})[- ]keys?",
    rf"{_TOKEN_OF}[- ]tokens?",
    rf"{_PHRASE_OF}[- ]?(?:phrases?|words)",
    rf"{_VON}?[- ]?(?:passw(?:ort|\u00f6rter)|kennw(?:ort|\u00f6rter))",
    rf"(?:{_VON}|api|geheimer)[- ]?schl\u00fcssel",
    "pwd|pw|zugangsdaten|credentials",
)
"""What may be any word."""
STRONG = _named(
    rf"{_OF}[- ](?:pass)?(?:codes?|pins?|tokens?)",
    "(?:security|verification)[- ]numbers?",
    rf"{_VON}[- ]?(?:codes?|pins?|tans?)",
    "passcodes?|m?tans?|otps?|totp|pin[- ]?codes?|pins?|puks?|2fa|geheimzahl|zahlencode",
    rf"{_OF}[- ]combinations?",
)
PLAIN = _named("codes?|tokens?")
"""What means a security code only where no ordinary thing is meant."""
NAMES = re.compile(f"{PASSWORD.pattern}|{STRONG.pattern}|{PLAIN.pattern}", re.IGNORECASE)
HEADS = re.compile(
    "code|token|keys?\\b|pins?\\b|puks?\\b|tans?\\b|t?otps?\\b|2fa|pass|phrase|words\\b|numbers?\\b|combination|pwd|pw\\b|kennw|"
    "schl\u00fcssel|zugangsdaten|credentials|geheimzahl",
    re.IGNORECASE,
)
"""What each of the names ends in: only around these are they looked for."""
LEAD, TAIL = 32, 12
"""Characters of a name before that, and behind."""

ORDINARY = re.compile(
    r"\b"
    + either(
        "tracking promo promotion promotional discount coupon voucher gift referral zip postal post area country dial dialing "
        "dialling dress source qr bar error status exit response booking order reservation product item article invoice "
        "customer flight airport currency colou?r tax course project cost vat swift sort bank bic iban member membership "
        "airline exam http git legacy reference ref shipping parcel pick-?up game cheat morse civil penal fare "
        "gutschein rabatt buchungs bestell artikel sendungs abhol aktions"
    )
    + "[- ]?$",
    re.IGNORECASE,
)
"""What stands right before a "code" and makes an ordinary thing of it."""
SAVES = re.compile(
    r"\d ?% ?(?:off\b|discount|rabatt|auf\b|sparen)|\b(?:discount|voucher|promo|coupon|at (?:the )?check-?out|rabatt|gutschein)",
    re.IGNORECASE,
)
"""What is said around a "code" that saves money in a shop."""
ORDINARY_LINE = re.compile(
    either("order invoice tracking bestell rechnung sendung tel phone kunden customer reference ticket meeting parcel paket"),
    re.IGNORECASE,
)
"""What a number on the next line is then."""
MEETING = re.compile(
    either("zoom webex teams\\b meeting~id meeting~number dial~in telefonkonferenz besprechungs-?id einwahl kenncode"),
    re.IGNORECASE,
)
"""A passcode to a call is meant for everybody who is told of the call."""
ABOUT_ACCESS = re.compile(
    r"\b(?:verif(?:y|ication|izier)|sign(?:ing)?[- ]in\b|log(?:ging)?[- ]?in\b|one[- ]time\b|anmeld|best\u00e4tig|identit|einmal)",
    re.IGNORECASE,
)
"""What a text speaks of, besides the names of codes, that has codes on lines of their own."""
COUNTED = re.compile(
    r"[ \u00a0](?:lines?|loc|files?|rows?|characters|chars|words|bytes|times|commits|changes|zeilen|dateien|zeichen)\b",
    re.IGNORECASE,
)
"""Code in a program is measured so."""
NO_PASSWORDS = frozenset(
    "below above attached separately required expired protected changed reset correct wrong incorrect invalid missing unknown "
    "secret none manager follows later soon tomorrow yours here there same unten oben separat erforderlich abgelaufen falsch "
    "richtig siehe unbekannt folgt".split()
)

_NO_MONEY = r"[ \u00a0]?(?:[\u20ac$\u00a3%]|EUR\b|USD\b|euros?\b)"
DIGITS = (
    r"(?<![\w+.,/#\u20ac$\u00a3\u2116-])(?:[A-Z]{1,3}-)?\d(?:[ \u00a0\u2009.\u2011-]?\d){3,9}"
    rf"(?![\w/]|[.,:-]\d|{_NO_MONEY})"
)
"""Four to ten, also in groups, or after letters and a hyphen ("G-482913")."""
MIXED = r"(?<![\w/@.-])(?=[\w-]{0,60}\d)(?=[\w-]{4})[A-Za-z0-9]{1,64}(?:[-_][A-Za-z0-9]{1,64}){0,12}(?![\w@/]|[.-]\w)"
CAPITALS = r"(?<![\w/@.-])[A-Z]{4,}(?:-[A-Z]{3,}){0,12}(?![\w@/-])"
QUOTE, UNQUOTE = r"[\"'\u201c\u201e\u2018`*]", r"[\"'\u201c\u201d\u2018\u2019`*]"

CODE = re.compile(f"{DIGITS}|{MIXED}|{CAPITALS}")
SECRET = re.compile(r"[^\s\"'\u201c\u201d\u201e\u2018\u2019`<>]{4,128}")
SEED_PHRASE = re.compile(r"\s{0,3}(?:is|are|ist|lautet)?:?\s{1,4}((?:[a-z]{3,8}[ ,\n]{1,2}){11,23}[a-z]{3,8})\b")
DATE = re.compile(r"\d{4}[-.]\d\d?[-.]\d\d?|\d\d?[-.]\d\d?[-.](?:\d\d){1,2}")
YEAR = re.compile(r"(?:19|20)\d\d")

TIES = re.compile(
    r"\b(?:is|are|was|be|ist|sind|lautet|lauten|war|equals|use|using|enter|type|with|mit)\b|[:=#\u2192\u2013\u2014>]|-\s|\n",
    re.IGNORECASE,
)
"""What leads from the name of a code to it."""
TIED = re.compile(rf"(?:{TIES.pattern})\W{{0,4}}$", re.IGNORECASE)
JOINS = re.compile(r"[ \u00a0]?[,;/|&+]|\s{1,3}(?:and|or|und|oder|bzw)\b", re.IGNORECASE)
"""What stands between two codes of a list."""
LOGIN = re.compile(r"\b(?:user(?:[- ]?name)?|log-?in|benutzer\w{0,10}|account|konto)\W{1,3}\S{2,64}\W{1,4}$", re.IGNORECASE)
"""A name to sign in with, which a password may follow without more."""
BEHIND_NAME = re.compile(rf"[ :=\t]{{1,4}}{QUOTE}?(?P<secret>[^\s\"'\u201c\u201d<>]{{4,64}})")
PASSWORD_TIE = re.compile(
    r"[^\n.!?;:=]{0,50}?(?P<mark>\s(?:is|ist|lautet|war|was)\b\s?:?|[:=]|\s[\u2013\u2014-]\s)\s{0,4}" + f"{QUOTE}?", re.IGNORECASE
)
FULL_STOP = re.compile(r"[.!?;](?=\s)(?!\s*\n\s*\S{4,16}\s*(?:\n|$))|\n\s*\n[^\n]{40}")
"""Where a sentence ends, unless the code follows on a line of its own."""
BEFORE = re.compile(
    rf"(?P<code>{DIGITS}|{MIXED}){UNQUOTE}{{0,2}}\)?\s{{1,3}}(?:is|ist|as|als|war|was|=)\s(?:\w{{1,20}}[\s'\u2019-]{{1,2}}){{0,5}}$",
    re.IGNORECASE,
)
"""What stands before the name: "482913 is your verification …"."""
USED = re.compile(
    rf"\b{either('use enter type insert verwenden geben gib nutzen nutze')}\s(?:(?:sie|the|this|code|den|diesen)\s){{0,3}}"
    rf"{QUOTE}?(?P<code>{DIGITS}){UNQUOTE}?,?\s{either('to for on in at um zum zur bei auf ein')}\b",
    re.IGNORECASE,
)
CARD = re.compile(
    r"\b(?:cvv2?|cvc2?|csc|card security code|(?:karten)?pr\u00fcf(?:ziffer|nummer))\W{0,3}(?:(?:is|ist|code)\W{1,3}){0,2}"
    r"(?P<code>\d{3,4})(?!\w)",
    re.IGNORECASE,
)
LONE = re.compile(
    r"(?m)^[ \t>*_]{0,6}(?:(?:\d{1,2}[.)]|[-\u2022])[ \t]{1,3})?"
    rf"(?P<code>{DIGITS}|(?:\d ){{3,9}}\d|[A-Za-z0-9]{{2,10}}(?:-[A-Za-z0-9]{{2,10}}){{0,7}})[ \t*_]{{0,6}}$"
)
"""On a line of its own, or an item of a list."""
