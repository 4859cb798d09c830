"""The words of times, as data. All keys are lower case."""

from typing import Literal

WEEKDAYS: dict[str, int] = {
    "monday": 0, "mon": 0, "tuesday": 1, "tue": 1, "tues": 1, "wednesday": 2, "wed": 2, "weds": 2,
    "thursday": 3, "thu": 3, "thur": 3, "thurs": 3, "friday": 4, "fri": 4, "saturday": 5, "sat": 5, "sunday": 6, "sun": 6,
}  # fmt: skip
WEEKDAY_PLURALS: dict[str, int] = {f"{name}s": n for name, n in WEEKDAYS.items() if name.endswith("day")}
DOUBTFUL_WEEKDAYS = frozenset({"sun", "sat", "mon", "wed"})
"""Abbreviations that are words or names too."""
BYDAY = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")

MONTHS: dict[str, int] = {
    "january": 1, "jan": 1, "february": 2, "feb": 2, "march": 3, "mar": 3, "april": 4, "apr": 4, "may": 5, "june": 6, "jun": 6,
    "july": 7, "jul": 7, "august": 8, "aug": 8, "september": 9, "sep": 9, "sept": 9, "october": 10, "oct": 10,
    "november": 11, "nov": 11, "december": 12, "dec": 12,
}  # fmt: skip
DOUBTFUL_MONTHS = frozenset({"may", "march", "mar", "april", "june", "august", "jan", "jun"})
"""Months that are verbs or people's names too: alone they count only after one of `MONTH_LEADS`."""
MONTH_LEADS = frozenset(
    "in of this next last since until till by before after during for mid early late through coming upcoming past "
    "following previous starting beginning end - \u2013 mid-".split()
)

CARDINALS: dict[str, int] = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17,
    "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS: dict[str, int] = {
    "twenty": 20, "thirty": 30, "forty": 40, "fourty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
ORDINALS: dict[str, int] = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
    "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
    "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
SUFFIXES = frozenset({"st", "nd", "rd", "th"})

UNITS: dict[str, str] = {
    "second": "second", "sec": "second", "minute": "minute", "min": "minute", "hour": "hour", "hr": "hour", "day": "day",
    "night": "day", "week": "week", "wk": "week", "fortnight": "fortnight", "weekend": "weekend", "month": "month",
    "quarter": "quarter", "year": "year", "yr": "year",
}  # fmt: skip
UNITS |= {f"{name}s": unit for name, unit in UNITS.items()}
UNITS |= {f"{name}'s": unit for name, unit in UNITS.items() if unit in ("day", "week", "month", "year", "hour", "minute")}
UNITS |= {"days'": "day", "weeks'": "week"}
KEEPING = frozenset("block keep reserve hold put book enter".split())
"""Verbs behind which a stretch of time may follow at once."""
MORNINGS = frozenset(
    "breakfast gym train flight plane bus ferry tram airport school nursery daycare kindergarten run running jog jogging swim"
    " swimming yoga workout walk commute shift sunrise alarm wake".split()
)
EVENINGS = frozenset(
    "dinner supper drinks drink concert theatre theater opera play show film movie cinema party pub bar gig recital musical ballet"
    " match game evening night tonight cocktails barbecue bbq date aperitif choir rehearsal quiz".split()
)
"""What is spoken of with an hour says which half of the day it belongs to."""
GLUED_UNITS: dict[str, str] = {"s": "second", "m": "minute", "h": "hour", "d": "day", "w": "week"}
"""Only right behind digits: 45m, 2h30, 3d."""
SECONDS = {"second": 1, "minute": 60, "hour": 3600}
DAYS = {"day": 1, "week": 7, "fortnight": 14, "weekend": 2}
UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12}

RELATIVE_DAYS: dict[str, int] = {"today": 0, "tomorrow": 1, "yesterday": -1}

PARTS: dict[str, tuple[int, int, int]] = {
    "morning": (6, 12, 8),
    "forenoon": (8, 12, 9),
    "lunchtime": (12, 14, 12),
    "afternoon": (12, 18, 14),
    "evening": (18, 22, 19),
    "night": (18, 24, 20),
}
"""First hour, the hour it ends before, and the usual hour of something that recurs "every morning"."""
PART_PLURALS: dict[str, str] = {f"{name}s": name for name in PARTS if name != "lunchtime"}
GREETINGS = frozenset({"good"})

CLOCK_WORDS: dict[str, int] = {
    "noon": 12, "midday": 12, "noonish": 12, "midnight": 24, "eod": 18, "cob": 18,
}  # fmt: skip
CLOSING = 18
"""End of day, close of business."""
OPENING = 9
"""First thing in the morning."""

NEXT = frozenset({"next", "coming", "upcoming", "following"})
LAST = frozenset({"last", "previous", "past"})
ROLLING = frozenset({"in", "over", "during", "within", "for"})
"""Before "the last week": then it is the seven days up to now, not the calendar's week."""
EDGES: dict[str, Literal["early", "mid", "late"]] = {
    "beginning": "early", "start": "early", "early": "early", "mid": "mid", "middle": "mid", "end": "late", "late": "late",
}  # fmt: skip

ZONES: dict[str, str] = {
    "utc": "UTC", "gmt": "UTC", "zulu": "UTC", "cet": "Europe/Paris", "cest": "Europe/Paris", "bst": "Europe/London",
    "wet": "Europe/Lisbon", "eet": "Europe/Athens", "eest": "Europe/Athens", "msk": "Europe/Moscow",
    "est": "America/New_York", "edt": "America/New_York", "et": "America/New_York", "cst": "America/Chicago",
    "cdt": "America/Chicago", "ct": "America/Chicago", "mst": "America/Denver", "mdt": "America/Denver", "mt": "America/Denver",
    "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles", "pt": "America/Los_Angeles", "akst": "America/Anchorage",
    "hst": "Pacific/Honolulu", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "kst": "Asia/Seoul", "sgt": "Asia/Singapore",
    "hkt": "Asia/Hong_Kong", "aest": "Australia/Sydney", "aedt": "Australia/Sydney", "acst": "Australia/Adelaide",
    "awst": "Australia/Perth", "nzst": "Pacific/Auckland", "nzdt": "Pacific/Auckland",
}  # fmt: skip
PLAIN_ZONES: dict[str, str] = {
    "eastern": "America/New_York", "central": "America/Chicago", "mountain": "America/Denver", "pacific": "America/Los_Angeles",
}  # fmt: skip
PLACES: dict[str, str] = {
    "new york": "America/New_York", "boston": "America/New_York", "washington": "America/New_York", "toronto": "America/Toronto",
    "chicago": "America/Chicago", "texas": "America/Chicago", "denver": "America/Denver", "los angeles": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "california": "America/Los_Angeles",
    "vancouver": "America/Vancouver", "mexico city": "America/Mexico_City", "sao paulo": "America/Sao_Paulo",
    "london": "Europe/London", "uk": "Europe/London", "dublin": "Europe/Dublin", "lisbon": "Europe/Lisbon",
    "madrid": "Europe/Madrid", "paris": "Europe/Paris", "amsterdam": "Europe/Amsterdam", "brussels": "Europe/Brussels",
    "berlin": "Europe/Berlin", "munich": "Europe/Berlin", "german": "Europe/Berlin", "zurich": "Europe/Zurich",
    "vienna": "Europe/Vienna", "rome": "Europe/Rome", "prague": "Europe/Prague", "warsaw": "Europe/Warsaw",
    "stockholm": "Europe/Stockholm", "oslo": "Europe/Oslo", "copenhagen": "Europe/Copenhagen", "helsinki": "Europe/Helsinki",
    "athens": "Europe/Athens", "kyiv": "Europe/Kyiv", "istanbul": "Europe/Istanbul", "moscow": "Europe/Moscow",
    "cairo": "Africa/Cairo", "johannesburg": "Africa/Johannesburg", "nairobi": "Africa/Nairobi", "lagos": "Africa/Lagos",
    "tel aviv": "Asia/Jerusalem", "dubai": "Asia/Dubai", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata",
    "india": "Asia/Kolkata", "bangalore": "Asia/Kolkata", "bangkok": "Asia/Bangkok", "singapore": "Asia/Singapore",
    "hong kong": "Asia/Hong_Kong", "shanghai": "Asia/Shanghai", "beijing": "Asia/Shanghai", "china": "Asia/Shanghai",
    "seoul": "Asia/Seoul", "tokyo": "Asia/Tokyo", "japan": "Asia/Tokyo", "sydney": "Australia/Sydney",
    "melbourne": "Australia/Melbourne", "perth": "Australia/Perth", "auckland": "Pacific/Auckland",
    "central european": "Europe/Paris", "british": "Europe/London", "indian": "Asia/Kolkata",
}  # fmt: skip
"""Before the word "time": "New York time"."""

FIXED_HOLIDAYS: dict[str, tuple[int, int]] = {
    "christmas": (12, 25), "christmas day": (12, 25), "xmas": (12, 25), "christmas eve": (12, 24), "boxing day": (12, 26),
    "new year's eve": (12, 31), "new years eve": (12, 31), "new year's day": (1, 1), "new years day": (1, 1),
    "new year's": (1, 1), "new year": (1, 1), "new years": (1, 1), "halloween": (10, 31), "valentine's day": (2, 14),
    "valentines day": (2, 14),
    "saint patrick": (3, 17), "saint patrick's day": (3, 17), "st patrick's day": (3, 17), "independence day": (7, 4),
    "veterans day": (11, 11), "juneteenth": (6, 19), "epiphany": (1, 6),
}  # fmt: skip
NTH_HOLIDAYS: dict[str, tuple[int, int, int]] = {
    "thanksgiving": (11, 3, 4), "thanksgiving day": (11, 3, 4), "labor day": (9, 0, 1), "labour day": (9, 0, 1),
    "memorial day": (5, 0, -1), "mother's day": (5, 6, 2), "father's day": (6, 6, 3), "martin luther king day": (1, 0, 3),
    "mlk day": (1, 0, 3), "columbus day": (10, 0, 2),
}  # fmt: skip
"""Month, weekday, and which of them (-1: the last)."""
EASTER_HOLIDAYS: dict[str, int] = {
    "good friday": -2, "easter": 0, "easter sunday": 0, "easter monday": 1, "ascension day": 39, "whit monday": 50,
    "pentecost": 49, "shrove tuesday": -47, "ash wednesday": -46,
}  # fmt: skip
BLACK_FRIDAY = "black friday"

REPEATERS: dict[str, tuple[str, int]] = {
    "daily": ("DAILY", 1), "everyday": ("DAILY", 1), "nightly": ("DAILY", 1), "weekly": ("WEEKLY", 1), "biweekly": ("WEEKLY", 2),
    "fortnightly": ("WEEKLY", 2), "monthly": ("MONTHLY", 1), "quarterly": ("MONTHLY", 3), "yearly": ("YEARLY", 1),
    "annually": ("YEARLY", 1), "hourly": ("HOURLY", 1),
}  # fmt: skip
FREQUENCIES: dict[str, tuple[str, int]] = {
    "minute": ("MINUTELY", 1), "hour": ("HOURLY", 1), "day": ("DAILY", 1), "week": ("WEEKLY", 1), "fortnight": ("WEEKLY", 2),
    "month": ("MONTHLY", 1), "quarter": ("MONTHLY", 3), "year": ("YEARLY", 1),
}  # fmt: skip

MISSPELLINGS: dict[str, str] = {
    "tommorow": "tomorrow", "tommorrow": "tomorrow", "tomorow": "tomorrow", "tmrw": "tomorrow", "tmr": "tomorrow",
    "tomo": "tomorrow", "tomorrow's": "tomorrow", "today's": "today", "yesterday's": "yesterday", "tonight's": "tonight",
    "tonite": "tonight", "tonihgt": "tonight", "yesturday": "yesterday", "wensday": "wednesday", "wendsday": "wednesday",
    "wednsday": "wednesday", "thrusday": "thursday", "thurday": "thursday", "saterday": "saturday", "febuary": "february",
    "feburary": "february", "hlaf": "half", "minuets": "minutes", "oclock": "o'clock", "afternon": "afternoon",
}  # fmt: skip
MISSPELLINGS |= {f"{name}'s": name for name in WEEKDAYS if name.endswith("day")}
"""What is more than one slip away from its word, or too short to be guessed; and possessives."""
SPELLED = tuple(
    [name for name in (*WEEKDAYS, *MONTHS, *RELATIVE_DAYS) if len(name) >= 6]
    + ["tonight", "morning", "afternoon", "evening", "weekend", "midnight", "christmas"]
)
REAL_WORDS = frozenset(
    "mourning mooring sundry sundae sundar fridays augusta auguste augustus augustin evenings mornings warning weekends "
    "weekender afternoons fryday maundy sunbay".split()
)
"""One slip away from a word of time, and yet themselves."""

NOT_AFTER_HOUR = frozenset(
    "percent per people persons men women children euro euros dollar dollars pounds usd eur of times stars star place location "
    "item "
    "mail mails email emails message messages contact contacts event meeting meetings more other different km miles kg degrees "
    "street st avenue ave road rd floor th nd rd year years month months week weeks day days hour minute hours minutes".split()
)
"""A number before one of these counts something: it is no hour."""
NO_PLURALS = frozenset("is was as this his hers its us yes works is, does has plus across unless always ours yours theirs".split())
NOT_AFTER_DAY = frozenset(
    "floor one item mail email message meeting event option time place street avenue person contact result draft line page half "
    "edition century grade round attempt version question point paragraph part quarter week month year day thing part of".split()
)
"""The 5th of these is no date."""
DAY_LEADS = frozenset("on by until till before after since from to through and between or for of starting than".split())
SLASH_FRACTIONS = frozenset({(1, 2), (1, 3), (1, 4), (2, 3), (3, 4), (1, 5), (1, 8), (24, 7), (7, 24)})
DASHES = frozenset({"-", "\u2013", "—", "~"})
UNTIL = frozenset({"to", "until", "till", "through", "thru", "til", *DASHES})
APPROXIMATELY = frozenset({"around", "about", "approximately", "roughly", "circa", "~", "exactly"})
MOVES = frozenset(
    "move moved reschedule rescheduled shift shifted postpone postponed change changed pull pulled bring swap delay delayed push "
    "pushed put make".split()
)
"""Before "A to B" these mean a change from A to B, not the time between."""
NUMBERED_THINGS = frozenset(
    "invoice order ticket number no ref reference case id po version release build chapter section part".split()
)
"""What is written right behind these is their number and no date."""
