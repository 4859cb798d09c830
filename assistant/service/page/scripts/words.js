// Times, numbers and names in words, in the user's own zone.

let zone;
const formats = new Map();

export function setZone(name) {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    zone = name;
  } catch {
    zone = undefined;
  }
  formats.clear();
}

function format(options) {
  const key = JSON.stringify(options);
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat("en-GB", { timeZone: zone, ...options }));
  return formats.get(key);
}

const asDate = (time) => (time instanceof Date ? time : new Date(time));

/** "2026-11-22", in the user's zone. */
export function dateOf(time) {
  const parts = Object.fromEntries(format({ year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(asDate(time)).map((p) => [p.type, p.value]));
  return `${parts.year}-${parts.month}-${parts.day}`;
}

export const today = () => dateOf(new Date());

/** "14:05" */
export const clock = (time) => format({ hour: "2-digit", minute: "2-digit" }).format(asDate(time));

/** What calendar and clock show there; empty where there is no such zone. */
export function nowIn(name) {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone: name, dateStyle: "short", timeStyle: "short" }).format(new Date());
  } catch {
    return "";
  }
}

/** "Mon 23 Nov", with the year where it is another. */
export function day(time) {
  const other = dateOf(time).slice(0, 4) !== today().slice(0, 4);
  return format({ weekday: "short", day: "numeric", month: "short", ...(other && { year: "numeric" }) }).format(asDate(time)).replace(",", "");
}

/** "Monday, 23 November 2026" */
export const longDay = (time) => format({ weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(asDate(time));

const daysBetween = (one, other) => Math.round((Date.parse(dateOf(one)) - Date.parse(dateOf(other))) / 86_400_000);

/** "today 14:05", "tomorrow 09:00", "Mon 23 Nov, 14:05" */
export function when(time) {
  const near = { "-1": "yesterday", 0: "today", 1: "tomorrow" }[daysBetween(time, new Date())];
  return near ? `${near} ${clock(time)}` : `${day(time)}, ${clock(time)}`;
}

const STEPS = [["day", 86_400], ["hour", 3600], ["minute", 60]];

/** "in 13 hours", "2 days ago", "in less than a minute", "just now" */
export function relative(time, now = Date.now()) {
  const seconds = (asDate(time).getTime() - now) / 1000;
  const [unit, size] = STEPS.find(([, long]) => Math.abs(seconds) >= long) ?? [];
  return unit ? new Intl.RelativeTimeFormat("en-GB").format(Math.round(seconds / size), unit) : seconds > 0 ? "in less than a minute" : "just now";
}

/** Short, for lists: "14:05" today, "yesterday", "Mon" in the last week, else "23 Nov". */
export function brief(time) {
  const days = daysBetween(new Date(), time);
  if (days === 0) return clock(time);
  if (days === 1) return "yesterday";
  if (days > 1 && days < 7) return format({ weekday: "short" }).format(asDate(time));
  return day(time).split(" ").slice(1).join(" ");
}

/** "Mon 23 Nov, 14:00 to 15:00" */
export function span(start, end) {
  if (dateOf(start) === dateOf(end)) return `${day(start)}, ${clock(start)} to ${clock(end)}`;
  return `${day(start)}, ${clock(start)} to ${day(end)}, ${clock(end)}`;
}

/** A `<time>` would want it: whole seconds left until `time`, at least 0. */
export const secondsUntil = (time, now = Date.now()) => Math.max(0, Math.ceil((asDate(time).getTime() - now) / 1000));

/** "2 mails", "1 mail" */
export const counted = (number, thing, things = `${thing}s`) => `${number.toLocaleString("en-GB")} ${number === 1 ? thing : things}`;

/** "Anna, Tom and Eve" */
export const listed = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);

export const capitalised = (words) => words.charAt(0).toUpperCase() + words.slice(1);

/** On one line, for places that have only one. */
export const onOneLine = (text) => String(text ?? "").replace(/\s+/g, " ").trim();
