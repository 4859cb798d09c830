// How an event repeats, in words.

import { longDay, listed } from "../words.js";

const UNITS = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };
const DAYS = { MO: "Monday", TU: "Tuesday", WE: "Wednesday", TH: "Thursday", FR: "Friday", SA: "Saturday", SU: "Sunday" };
const PLACES = { 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", "-1": "last" };
const KNOWN = new Set(["FREQ", "INTERVAL", "BYDAY", "BYMONTHDAY", "COUNT", "UNTIL", "WKST"]);

/** "every 2 weeks on Tuesday and Friday, 10 times" for an RRULE; the rule itself where it says more than that. */
export function repeats(rrule) {
  if (!rrule) return "";
  const rule = Object.fromEntries(
    rrule
      .replace(/^RRULE:/i, "")
      .split(";")
      .map((part) => part.toUpperCase().split("=")),
  );
  const unit = UNITS[rule.FREQ];
  if (!unit || Object.keys(rule).some((name) => !KNOWN.has(name))) return `by a rule of its own (${rrule})`;
  const every = Number(rule.INTERVAL ?? 1) > 1 ? `every ${rule.INTERVAL} ${unit}s` : `every ${unit}`;
  return [every, days(rule), ends(rule)].join("");
}

function days({ BYDAY, BYMONTHDAY }) {
  if (BYMONTHDAY) return ` on day ${listed(BYMONTHDAY.split(","))}`;
  if (!BYDAY) return "";
  if (BYDAY === "MO,TU,WE,TH,FR") return " on workdays";
  return ` on ${listed(BYDAY.split(",").map(oneDay))}`;
}

function oneDay(said) {
  const [, place, day] = /^(-?\d+)?(\w\w)$/.exec(said) ?? [];
  const name = DAYS[day] ?? said;
  return place ? `the ${PLACES[place] ?? `${place}.`} ${name}` : name;
}

function ends({ COUNT, UNTIL }) {
  if (COUNT) return `, ${COUNT} times`;
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(UNTIL ?? "") ?? [];
  return year ? `, until ${longDay(`${year}-${month}-${day}T12:00:00Z`)}` : "";
}
