// A schedule put together by choosing: what, when, and where the result goes.

import { field, fill, h } from "../../dom.js";
import { dateOf, today } from "../../words.js";
import { dayAfter } from "../zoned.js";

const TASKS = [
  ["inbox,day", "Briefing: my inbox and my day"],
  ["inbox", "Briefing: my inbox"],
  ["day", "Briefing: my day"],
  ["week", "Briefing: my week"],
  ["remind", "A reminder"],
  ["ask", "A request, as I would write it in the chat"],
];
const TIMES = [
  ["1-5", "On weekdays"],
  ["*", "Every day"],
  ["weekly", "Every week"],
  ["monthly", "Every month"],
  ["once", "Once"],
  ["cron", "By a cron expression"],
];
const KEPT = "kept";
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DATES = [...Array.from({ length: 28 }, (_, index) => [String(index + 1), String(index + 1)]), ["L", "the last"]];
const TEXTS = { remind: ["What to remind you of", "call the dentist"], ask: ["The request", "which invoices came this week?"] };

const select = (options, value) => h("select", { class: "input" }, options.map(([key, label]) => h("option", { value: key, selected: key === value }, label)));

/**
 * Gives `{element, value(), clear(), deliverTo(targets)}`; `value()` is what POST /api/schedules takes, null where something lacks.
 * `of`: the schedule that is to be changed; its rule is left out where it stays.
 */
export function choices({ changed = () => {}, of = null }) {
  const task = field("What", of ? select(tasksWith(of.task), keyOf(of.task)) : select(TASKS, "inbox,day"));
  const text = field("", h("input", { maxlength: 2000, autocomplete: "off", value: of?.task.text ?? "" }));
  const often = field("When", of ? select([[KEPT, `As it is: ${of.words}`], ...TIMES], KEPT) : select(TIMES, "1-5"));
  const time = field("At", h("input", { type: "time", value: "08:00", required: true }));
  const weekday = field("Weekday", select(DAYS.map((name, index) => [String(index), name]), "1"));
  const date = field("Day of the month", select(DATES, "1"));
  const day = field("Date", h("input", { type: "date", value: dayAfter(today()), min: today() }));
  const cron = field("Expression", h("input", { value: "0 8 * * 1-5", spellcheck: "false", maxlength: 200 }), { hint: "Minute, hour, day of the month, month, day of the week." });
  const places = h("div", { class: "row schedule-places" });
  const parts = { text, time, weekday, date, day, cron };

  const show = () => {
    const kind = task.input.value;
    const rhythm = often.input.value;
    const shown = { text: kind in TEXTS, time: ![KEPT, "cron"].includes(rhythm), weekday: rhythm === "weekly", date: rhythm === "monthly", day: rhythm === "once", cron: rhythm === "cron" };
    for (const [name, part] of Object.entries(parts)) part.element.hidden = !shown[name];
    if (kind in TEXTS) {
      text.element.querySelector("label").textContent = TEXTS[kind][0];
      text.input.placeholder = TEXTS[kind][1];
    }
    changed();
  };
  const element = h("div", { class: "unfolded stack-small", oninput: show },
    h("div", { class: "view-pair" }, task.element, text.element),
    h("div", { class: "view-pair" }, often.element, weekday.element, date.element, day.element, time.element, cron.element),
    h("fieldset", { class: "stack-small" }, h("legend", { class: "label" }, "The result comes"), places));

  const deliverTo = (targets) => {
    const chosen = new Set(places.childNodes.length ? checked(places) : of?.targets);
    const wanted = [["mail", "by mail to you"], ...targets.map(({ name }) => [name, `to ${name}`])];
    fill(places, box("", "in a conversation", true, true), wanted.map(([name, label]) => box(name, label, chosen.has(name))));
  };
  const value = () => {
    const what = taskOf(task.input.value, text.input.value.trim());
    const rule = often.input.value === KEPT ? {} : given(often.input.value, { time: time.input.value, weekday: weekday.input.value, date: date.input.value, day: day.input.value, cron: cron.input.value.trim() });
    return what && rule ? { name: nameOf(task.input.value, text.input.value.trim()), task: what, ...rule, targets: checked(places) } : null;
  };
  const clear = () => {
    text.input.value = "";
    for (const one of places.querySelectorAll("input:not(:disabled)")) one.checked = false;
  };
  if (!of) deliverTo([]);
  show();
  return { element, value, clear, deliverTo };
}

const keyOf = ({ kind, parts }) => (kind === "briefing" ? parts.join(",") : kind);

/** What was said in words may not be among what can be chosen. */
const tasksWith = (task) => (TASKS.some(([key]) => key === keyOf(task)) ? TASKS : [[keyOf(task), `Briefing: ${task.parts.join(", ")}`], ...TASKS]);

function given(rhythm, chosen) {
  const rule = ruleOf(rhythm, chosen);
  return rule && { rule };
}

const box = (name, label, on, fixed = false) => h("label", { class: "check" }, h("input", { type: "checkbox", value: name, checked: on, disabled: fixed }), h("span", {}, label));

const checked = (places) => [...places.querySelectorAll("input:checked:not(:disabled)")].map((one) => one.value);

function taskOf(kind, text) {
  if (kind in TEXTS) return text ? { kind, text } : null;
  return { kind: "briefing", parts: kind.split(",") };
}

const NAMES = { "inbox,day": "Morning briefing", inbox: "Inbox briefing", day: "Day briefing", week: "Week briefing" };

const nameOf = (kind, text) => NAMES[kind] ?? (text.length > 60 ? `${text.slice(0, 59)}…` : text);

function ruleOf(rhythm, { time, weekday, date, day, cron }) {
  if (rhythm === "cron") return cron ? { kind: "cron", expression: cron } : null;
  if (!/^\d\d:\d\d/.test(time)) return null;
  const [hour, minute] = time.split(":").map(Number);
  if (rhythm === "once") return day ? { kind: "once", at: `${day}T${time.slice(0, 5)}:00` } : null;
  if (rhythm === "weekly") return { kind: "cron", expression: `${minute} ${hour} * * ${weekday}` };
  if (rhythm === "monthly" && date === "L") {
    return { kind: "calendar", rrule: "FREQ=MONTHLY;BYMONTHDAY=-1", start: `${dateOf(new Date()).slice(0, 8)}01T${time.slice(0, 5)}:00` };
  }
  if (rhythm === "monthly") return { kind: "cron", expression: `${minute} ${hour} ${date} * *` };
  return { kind: "cron", expression: `${minute} ${hour} * * ${rhythm}` };
}
