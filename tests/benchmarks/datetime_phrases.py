"""How many of the labelled phrases of Microsoft's recognizers (English date and time) are read as labelled.

Run: python tests/benchmarks/datetime_phrases.py [--misses] [FILE]

Held right: the phrase gives exactly the labelled mentions, in order, each with one of the labelled values; a phrase without a
label gives none. Where the labels follow a convention of their own the comparison translates (`same_value`); kinds of phrases
that don't name a date, time or range as one would say it to an assistant are left out with their reason (`left_out`), never
single phrases.
"""

import json
import sys
from collections import Counter
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from assistant.reasoning.calls import TimeSpec
from assistant.reasoning.offline.dates import TimeMention, impossible_dates, read_times
from assistant.reasoning.offline.dates.lexicon import PARTS, PLACES, PLAIN_ZONES, ZONES

DATA = Path(__file__).parents[3] / "shared" / "data" / "datetime_dev.json"
ZONE = ZoneInfo("UTC")
PART_CODES = {"TMO": "morning", "TAF": "afternoon", "TEV": "evening", "TNI": "night"}
MEAL_CODES = ("TMEB", "TMEL", "TMED")
Label = dict[str, Any]


def left_out(spec: Label) -> str:
    """Why a kind of phrase is not compared, or nothing."""
    results = spec["results"]
    model = spec["id"].rsplit("-", 1)[0]
    if model == "DateTimeModelTasksMode":
        return "tasks mode: its labels turn a part of the day into an instant and leave words out that the other modes label"
    if model == "DateTimeModelSplitDateAndTime":
        return "split mode: its labels cut a date and its time apart"
    values = [value for result in results for value in result.get("values", [])]
    if any("timex" not in value for value in values):
        return "a time zone alone"
    if any(value.get("Mod") == "ref_undef" for value in values):
        return "a reference to something said before (that weekend, the same month)"
    if any(no_such_day(value) for value in values):
        return ""
    if any(
        "not resolved" in str(value.get("value", "")) and not result["type"].endswith(".set")
        for result in results
        for value in result["values"]
    ):
        return "no value in the label (seasons, school years)"
    if any(decade(value) for value in values):
        return "decades and centuries"
    if any(
        int(str(value.get(field, "2000"))[:4]) < 1900
        for value in values
        for field in ("start", "end", "value")
        if is_date(value.get(field))
    ):
        return "years before 1900"
    if any(str(value.get("value", "")).endswith("23:59:59") for value in values):
        return "the end of a day: when that is, is a convention"
    return ""


def no_such_day(value: Label) -> bool:
    """A label of a date that no year has."""
    return value.get("value") == "not resolved" and str(value["timex"]) == "XXXX-02-30"


def decade(value: Label) -> bool:
    return str(value.get("timex", "")).endswith((",P10Y)", ",P100Y)"))


def is_date(text: object) -> bool:
    return isinstance(text, str) and len(text) >= 10 and text[4] == "-"


def same(spec: Label, mentions: tuple[TimeMention, ...]) -> bool:
    labels = spec["results"]
    if any(no_such_day(value) for label in labels for value in label["values"]):
        return not mentions and bool(impossible_dates(spec["input"], zone=ZONE, now=reference(spec)))
    return len(labels) == len(mentions) and all(
        any(same_value(kind_of(label), value, mention.spec, reference(spec)) for value in label["values"])
        for label, mention in zip(labels, mentions, strict=True)
    )


def phrase(spec: Label) -> tuple[str, str]:
    return str(spec["input"]), str(spec["reference"])


def is_list(spec: Label) -> bool:
    """Whether the labels are alternatives ("next week on Monday or Tuesday") that share what is said once."""
    return any(kind_of(label).endswith("alt") for label in spec["results"])


def kind_of(label: Label) -> str:
    return str(label["type"]).split(".")[-1]


def reference(spec: Label) -> datetime:
    """Labels without a reference are absolute."""
    return datetime.fromisoformat(spec["reference"] or "2020-01-01T12:00:00").replace(tzinfo=ZONE)


def named_zone(spec: Label) -> ZoneInfo:
    """Labels keep the wall clock of a zone that the phrase names: so it is read as somebody there would."""
    for result in spec["results"]:
        for value in result["values"]:
            name = str(value.get("timezoneText", "")).lower().removesuffix(" time")
            if name:
                return ZoneInfo(ZONES.get(name) or PLAIN_ZONES.get(name) or PLACES.get(name) or "UTC")
    return ZONE


def same_value(kind: str, value: Label, spec: TimeSpec, now: datetime) -> bool:
    kind = str(value["type"]) if kind.endswith("alt") else kind
    if "timex" not in value or (kind != "set" and value.get("value") == "not resolved"):
        return False
    if value.get("Mod") in ("start", "mid", "end"):
        return spec.kind == "range" and same_part(value, spec)
    match kind:
        case "date":
            return spec.has_date and not spec.has_time and spec.start is not None and f"{spec.start:%Y-%m-%d}" == value["value"]
        case "datetime":
            return (
                spec.kind == "point"
                and spec.has_date
                and spec.start is not None
                and f"{spec.start:%Y-%m-%d %H:%M:%S}" == value["value"]
            )
        case "time":
            return spec.kind == "point" and spec.has_time and not spec.has_date and f"{spec.start:%H:%M:%S}" == value["value"]
        case "duration":
            seconds = float(value["value"])  # how long a year or a month is, is a convention
            length = spec.duration or (_length_of_the(spec) if spec.text.startswith("for the ") else None)
            if length is None or spec.duration is None:
                return length is not None and abs(length.total_seconds() - seconds) < 0.05 * seconds
            slack = 0.01 * seconds if str(value["timex"])[-1] in "YM" and "T" not in value["timex"] else 1
            return spec.duration is not None and abs(spec.duration.total_seconds() - seconds) < slack
        case "set":
            return spec.kind == "repeat"
        case _:
            return spec.kind == "range" and same_range(kind, value, spec, now)


def _length_of_the(spec: TimeSpec) -> timedelta | None:
    """ "For the day" is a length in the labels, and here this day."""
    return spec.stop - spec.start if spec.start and spec.stop else None


def same_part(value: Label, spec: TimeSpec) -> bool:
    """Early, middle, late: where in a period they begin and end is a convention. The border that is the period's own is the
    labelled one, and ours lies in that period or its part of the day."""
    if spec.start is None or spec.stop is None:
        return False
    code = next((code for code in PART_CODES if str(value["timex"]).endswith(code)), "")
    if code:
        first, last, _ = PARTS[PART_CODES[code]]
        right_day = not is_date(value["start"]) or f"{spec.start:%Y-%m-%d}" == value["start"][:10]
        return right_day and first <= spec.start.hour < (spec.stop.hour or 24) <= last
    start, stop = (datetime.fromisoformat(value[side]).replace(tzinfo=ZONE) for side in ("start", "end"))
    within = start - (stop - start) <= spec.start < spec.stop <= stop + (stop - start)
    own = {"start": spec.start == start, "end": spec.stop == stop, "mid": spec.start < stop and start < spec.stop}
    return within and own[value["Mod"]]


def same_meal(value: Label, spec: TimeSpec) -> bool:
    """When a meal is, is a convention: ours has the same sides, and the labelled day."""
    right_day = not is_date(value.get("start")) or (spec.start is not None and f"{spec.start:%Y-%m-%d}" == value["start"][:10])
    return right_day and [spec.start is None, spec.stop is None] == [value.get(side) is None for side in ("start", "end")]


def same_range(kind: str, value: Label, spec: TimeSpec, now: datetime) -> bool:
    if str(value["timex"]).endswith(MEAL_CODES):
        return same_meal(value, spec)
    code = next((code for code in PART_CODES if str(value["timex"]).endswith(code)), "")
    if code:  # where the morning begins is a convention: ours, on the labelled day
        first, last, _ = PARTS[PART_CODES[code]]
        right_day = not is_date(value.get("start")) or (spec.start is not None and f"{spec.start:%Y-%m-%d}" == value["start"][:10])
        assert spec.start and spec.stop
        return right_day and spec.start.hour == first and spec.stop.hour in (last, last % 24)
    if kind == "timerange":
        return hour_of(value.get("start")) == hour_of(spec.start) and hour_of(value.get("end")) == hour_of(spec.stop)
    if kind == "datetimerange":
        return same_instants(value, spec)
    return same_days(value, spec, now)


def hour_of(at: object) -> str:
    return "" if at is None else f"{at:%H:%M}" if isinstance(at, datetime) else str(at)[:5]


def same_instants(value: Label, spec: TimeSpec) -> bool:
    """An open side of a range within one day is that day's border here."""
    day = str(value.get("start") or value.get("end"))[:10]
    start, stop = spec.start, spec.stop
    given = (value.get("start"), value.get("end"))
    border = (f"{day} 00:00:00", f"{date.fromisoformat(day) + timedelta(1)} 00:00:00")
    found = tuple("" if at is None else f"{at:%Y-%m-%d %H:%M:%S}" for at in (start, stop))
    return all(want == have or (want is None and have in ("", edge)) for want, have, edge in zip(given, found, border, strict=True))


def same_days(value: Label, spec: TimeSpec, now: datetime) -> bool:
    """The day, month or year named last belongs to our ranges and not to theirs; the next n days begin now and not tomorrow."""
    start, end, timex = value.get("start"), value.get("end"), str(value["timex"])
    ours = tuple("" if at is None else f"{at:%Y-%m-%d}" for at in (spec.start, spec.stop))
    starts = {start or ""}
    if timex.startswith("(") and start == f"{now + timedelta(1):%Y-%m-%d}":
        starts.add(f"{now:%Y-%m-%d}")
    ends = {end or ""}
    if end and timex.startswith("("):
        day = date.fromisoformat(end)
        ends.add(f"{day + timedelta(1)}")
        if day.day == 1:
            ends |= {f"{(day + timedelta(months)).replace(day=1)}" for months in (31, 92)}
            ends |= {f"{day.replace(year=day.year + 1)}"} if day.month == 1 else set()
    if value.get("Mod") == "until" and end:
        ends.add(f"{date.fromisoformat(end) + timedelta(1)}")
    if value.get("Mod") == "after" and start and len(timex) == 10:
        starts.add(f"{date.fromisoformat(start) + timedelta(1)}")
    if value.get("Mod") == "after" and start and "WXX" in timex:
        starts.add(f"{date.fromisoformat(start) + timedelta(1)}")
    return ours[0] in starts and ours[1] in ends


def main(arguments: list[str]) -> int:
    paths = [Path(word) for word in arguments if not word.startswith("-")]
    path = paths[0] if paths else DATA
    if not path.exists():
        print(f"{path} is not there: nothing to compare")
        return 1
    specs = [
        spec for model, group in json.loads(path.read_text())["specs"].items() if model.startswith("DateTime") for spec in group
    ]
    out: Counter[str] = Counter()
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    hits = 0
    listed = {spec["input"].lower() for spec in specs if is_list(spec)}
    labelled: dict[tuple[str, str], set[str]] = {}
    for spec in (one for one in specs if not left_out(one) and (is_list(one) or one["input"].lower() not in listed)):
        labelled.setdefault(phrase(spec), set()).add(json.dumps([(kind_of(r), r["values"]) for r in spec["results"]]))
    for spec in specs:
        reason = left_out(spec)
        if not reason and spec["input"].lower() in listed and not is_list(spec):
            reason = "alternatives (X or Y) in the mode whose labels don't share what is said once: compared in the other mode"
        elif not reason and len(labelled[phrase(spec)]) > 1:
            reason = "labelled differently in two modes: nothing is right in both"
        zone = named_zone(spec)
        mentions = read_times(spec["input"], now=reference(spec).replace(tzinfo=zone), zone=zone, day_first=False)
        hits += same(spec, mentions)
        if reason:
            out[reason] += 1
            continue
        kind = "none" if not spec["results"] else kind_of(spec["results"][0]) if len(spec["results"]) == 1 else "several"
        total[kind] += 1
        if same(spec, mentions):
            right[kind] += 1
        elif "--misses" in arguments:
            values = [
                [v.get("value") or (v.get("start"), v.get("end"), v.get("Mod")) for v in r["values"]] for r in spec["results"]
            ]
            read = [
                (m.spec.text, m.spec.kind, str(m.spec.start)[:16], str(m.spec.stop)[:16], str(m.spec.duration)) for m in mentions
            ]
            print(f"{kind:14} {str(spec['reference'])[:16]} {spec['input'][:150]!r}\n    label {values}\n    read  {read}")
    for kind in total:
        print(f"{kind:14} {right[kind]:4} of {total[kind]:4}")
    print(f"\ncompared {total.total()} of {len(specs)}: {right.total()} right ({100 * right.total() / total.total():.1f} %)")
    print(f"with what is left out: {hits} of {len(specs)} ({100 * hits / len(specs):.1f} %)")
    for reason, count in out.most_common():
        print(f"left out {count:3}: {reason}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
