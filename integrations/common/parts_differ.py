"""Whether two alternatives of one mail, its plain text and its HTML, say different things.

Programs write the plain text from the HTML, or the other way round, and leave out or add a line or two: what counts are numbers,
addresses and links that only one has, and texts with hardly a word in common.
"""

import re
from html import unescape
from urllib.parse import unquote

_LINK = re.compile(r"(?:https?://|www\.)([^\s<>\"'/?#)\]]+)[^\s<>\"']*", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"\d[\d.,' \u00a0\u202f-]*\d|\d")
_NO_DIGIT = re.compile(r"\D")
_WORD = re.compile(r"[^\W\d_]{2,}")
_STUB = re.compile(r"\bhtml\b|\bbrowser\b|\bmail (?:client|program|reader)\b|\be-?mail-?programm\b", re.IGNORECASE)
_VALUE = r"""\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s>"']+))"""
_LEAD, _ALT = (re.compile(rf"\b(?:{names}){_VALUE}", re.IGNORECASE) for names in ("href|src|cite", "alt"))
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SENTENCE_END = re.compile(r"[.!?]\s|\n\s*\n")
_OF_STUBS = frozenset(
    """
    about access address ads all an and any app are as at be below browser button by can cannot click client content copy correctly
    copyright display displayed do does email emails enable for from format have having here html if image images in inc into is it
    link links llc look ltd mail mailing mails manage message my newsletter no not of on online open or our page part paste
    plain please policy preferences privacy problems program properly read reader reading received receive receiving reserved rights
    see sent settings show software subscribed subscription support supports text that the this to trouble unable unsubscribe
    update us use version view viewer viewing visit was web website with you your
    anzeigen bitte browser dargestellt der die das diese dieser dieses falls hier html ihr ihrem ihren im klicken korrekt nachricht
    newsletter nicht oder online richtig sie und wird zu
    """.split()
)
"""Words of lines that tell how a mail can be read, or be stopped."""
_LONGEST = 100_000
_LEAST_WORDS, _MANY_WORDS, _LONGEST_STUB, _MOST_OTHERS = 3, 40, 600, 4
_MORE, _MORE_OF_BULK = 4, 10
"""Words that only the plain text has, in sentences that mostly consist of such, from which on it says something else."""
_MOSTLY, _NEARLY_ALL = 0.5, 0.7
_LONG_NUMBER, _MOST_LOOKED_FOR = 5, 100
_ALWAYS_THERE = re.compile(r"(?:19|20)\d\d")


def differ(plain: str, rich: str, markup: str, *, bulk: bool = False) -> bool:
    """`rich` is what the HTML shows, `markup` the HTML itself; `bulk`: mails to many often have a plain text that says little."""
    plain, rich = plain[:_LONGEST], rich[:_LONGEST]
    if not plain.strip() or _is_stub(plain):
        return False
    if not rich.strip():  # of pictures, nobody knows what they say
        return not (bulk and "<img" in markup.lower()) and len(_words(plain) - _OF_STUBS) >= _MORE
    markup = _COMMENT.sub(" ", markup[: 4 * _LONGEST])
    led = f"{rich}\n{_attributes(markup, _LEAD)}".lower()
    told = f"{rich}\n{_attributes(markup, _ALT)}" if bulk else rich
    return (
        _words_differ(plain, rich, bulk=bulk)
        or _says_more(plain, told, bulk=bulk)
        or _numbers_differ(plain, rich, led)
        or not set(_ADDRESS.findall(plain.lower())) <= set(_ADDRESS.findall(led))
        or (not bulk and _links_differ(plain, led))
    )


def _attributes(markup: str, pattern: re.Pattern[str]) -> str:
    """Where links and pictures lead, or what stands for pictures: plain texts spell that out."""
    found = (one[1] or one[2] or one[3] or "" for one in pattern.finditer(markup))
    return "\n".join(unquote(unescape(one)) for one in found)


def _is_stub(plain: str) -> bool:
    """Whether it only says where, or with what, the mail can be read."""
    links = len(_LINK.findall(plain))
    bare = _LINK.sub(" ", plain)
    return (
        len(plain.strip()) <= _LONGEST_STUB
        and bool(_STUB.search(plain))
        and links <= 1
        and not any(len(one) >= 3 for one in _numbers(bare))
        and not _ADDRESS.search(bare)
        and len(_words(plain) - _OF_STUBS) <= _MOST_OTHERS
    )


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(_LINK.sub(" ", _ADDRESS.sub(" ", text)))}


def _words_differ(plain: str, rich: str, *, bulk: bool) -> bool:
    ours, theirs = _words(plain), _words(rich)
    if len(ours) >= _LEAST_WORDS and len(ours - theirs) > _MOSTLY * len(ours):
        return True
    if not ours and len(theirs) >= _LEAST_WORDS and not _LINK.search(plain):
        return True
    return not bulk and len(theirs) >= _MANY_WORDS and len(theirs - ours) > _NEARLY_ALL * len(theirs)


def _says_more(plain: str, rich: str, *, bulk: bool) -> bool:
    """Whether there are sentences in the plain text that the HTML doesn't show."""
    theirs = _words(rich)
    more: set[str] = set()
    for line in _SENTENCE_END.split(plain):
        ours = _words(line) - _OF_STUBS
        if len(ours) >= _LEAST_WORDS and len(ours - theirs) > _MOSTLY * len(ours):
            more |= ours - theirs
    return len(more) >= (_MORE_OF_BULK if bulk else _MORE)


def _numbers(text: str) -> set[str]:
    """Their digits."""
    return {_NO_DIGIT.sub("", one) for one in _NUMBER.findall(text)}


def _numbers_differ(plain: str, rich: str, led: str) -> bool:
    """Whether one stands in the plain text for another, or a long one is in it alone."""
    ours = _numbers(_LINK.sub(" ", plain))
    digits = _NO_DIGIT.sub("", led)
    known = _numbers(led)
    extra = {one for one in ours if len(one) >= 2 and one not in known and not _ALWAYS_THERE.fullmatch(one)}
    long = [one for one in extra if len(one) >= _LONG_NUMBER]
    if len(long) > _MOST_LOOKED_FOR or any(one not in digits for one in long):
        return True
    others = {one for one in _numbers(_LINK.sub(" ", rich)) if len(one) >= 2 and one not in _numbers(plain)}
    return bool(extra) and bool({one for one in others if not _ALWAYS_THERE.fullmatch(one)})


def _site(host: str) -> str:
    return ".".join(host.lower().rpartition("@")[2].partition(":")[0].strip(".").split(".")[-2:])


def _links_differ(plain: str, led: str) -> bool:
    """Whether most of the sites that the plain text leads to are unknown to the HTML, which leads to others."""
    ours = {_site(host) for host in _LINK.findall(plain)}
    theirs = {_site(host) for host in _LINK.findall(led)}
    unknown = {site for site in sorted(ours)[:_MOST_LOOKED_FOR] if site not in led}
    return bool(theirs) and len(unknown) * 2 > len(ours)
