// A day as a picture: its events from the top down, clashes side by side, the proposed slot among them. A list says the same.

import { add, fill, h, newId, svg } from "../dom.js";
import { clock, counted, longDay, today } from "../words.js";
import { plain, said } from "./plain.js";
import { dayAfter, instant, minutesOf } from "./zoned.js";

const HOUR = { whole: 48, small: 36 };
const GUTTER = 48;
const SMALLEST = 20;
const LEADING = 16;
const EVERY_MINUTE = 60_000;

/**
 * `date` is "2026-11-23", `starts` and `ends` the working hours ("08:00"), `events` as the API gives them (`leaves`: it is moved away
 * from here), `proposed` are `{start, end, all_day, title}`, `clashes` ids of events that overlap; `size`: whole | small.
 */
export function timeline({ date, starts = "08:00", ends = "18:00", events, proposed = [], clashes = [], size = "whole" }) {
  const entries = entriesOf(date, events, proposed, new Set(clashes));
  const timed = entries.filter((one) => !one.allDay);
  const whole = entries.filter((one) => one.allDay);
  placed(timed, HOUR[size]);
  const range = rangeOf(timed, starts, ends);
  const told = h("p", { class: "timeline-told", "aria-hidden": "true", hidden: true });
  const picture = svg("svg", {
    class: "timeline-picture",
    role: "img",
    "aria-label": `Timeline of ${longDay(instant(date, "12:00"))}; the list after it says the same.`,
  });
  const element = h(
    "figure",
    { class: "timeline" },
    h(
      "figcaption",
      { class: "timeline-caption" },
      longDay(instant(date, "12:00")),
      h("span", { class: "muted" }, ` · ${counted(events.filter((one) => !one.leaves).length, "event")}`),
    ),
    whole.length > 0 &&
      h(
        "ul",
        { class: "timeline-whole", "aria-hidden": "true" },
        whole.map((one) => h("li", { class: ["whole", one.proposed && "whole-proposed"] }, said(one.title))),
      ),
    picture,
    told,
    list(entries),
  );
  const paint = () =>
    draw(picture, {
      date,
      range,
      timed,
      hour: HOUR[size],
      tell: (one) => {
        told.hidden = false;
        fill(told, words(one));
      },
    });
  new ResizeObserver(paint).observe(element);
  keepTime(element, date, paint);
  return element;
}

function entriesOf(date, events, proposed, clashing) {
  const next = dayAfter(date);
  const here = (one) => Date.parse(one.start) < Date.parse(instant(next)) && Date.parse(one.end) >= Date.parse(instant(date));
  const entry = (one, mine) => ({
    title: plain(one.title) || "(no title)",
    place: plain(one.location ?? ""),
    start: one.start,
    end: one.end,
    allDay: Boolean(one.all_day),
    proposed: mine,
    leaves: Boolean(one.leaves),
    free: one.busy === false || one.status === "tentative",
    asked: one.my_answer === "needs-action",
    clashes: clashing.has(one.id),
    from: minutesOf(one.start, date),
    to: Math.max(minutesOf(one.end, date), minutesOf(one.start, date) + 1),
  });
  return [...events.filter(here).map((one) => entry(one, false)), ...proposed.filter(here).map((one) => entry(one, true))].sort(
    (one, other) => one.from - other.from || other.to - one.to,
  );
}

/** Gives each its `column` among the `columns` of those that it overlaps with. */
function placed(entries, hour) {
  const shown = (one) => Math.max(one.to, one.from + (SMALLEST * 60) / hour);
  let group = [];
  let until = -1;
  const close = () => {
    const columns = Math.max(0, ...group.map((one) => one.column)) + 1;
    for (const one of group) one.columns = columns;
    group = [];
  };
  for (const one of entries) {
    if (one.from >= until) close();
    const taken = new Set(group.filter((other) => shown(other) > one.from).map((other) => other.column));
    one.column = 0;
    while (taken.has(one.column)) one.column += 1;
    group.push(one);
    until = Math.max(until, shown(one));
  }
  close();
}

const minutes = (time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));

function rangeOf(entries, starts, ends) {
  const from = Math.min(minutes(starts), ...entries.map((one) => one.from));
  const to = Math.max(minutes(ends), ...entries.map((one) => one.to));
  return { from: Math.floor(from / 60) * 60, to: Math.min(Math.ceil(to / 60) * 60, 1440) };
}

// --- the picture

function draw(picture, { date, range, timed, hour, tell }) {
  const width = picture.parentElement?.clientWidth ?? 0;
  if (!width) return;
  const y = (minute) => ((minute - range.from) * hour) / 60 + 8;
  const height = y(range.to) + 8;
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("height", height);
  fill(picture);
  for (let minute = range.from; minute <= range.to; minute += 60) {
    add(
      picture,
      svg("line", { class: "tl-hour", x1: GUTTER, x2: width, y1: y(minute), y2: y(minute) }),
      svg(
        "text",
        { class: "tl-clock", x: GUTTER - 8, y: y(minute) + 4, "text-anchor": "end" },
        `${String(minute / 60).padStart(2, "0")}:00`,
      ),
    );
  }
  const room = width - GUTTER - 4;
  for (const one of [...timed].sort((a, b) => Number(a.proposed) - Number(b.proposed))) add(picture, block(one, room, y, tell));
  if (date === today()) add(picture, now(width, y, range));
}

function block(one, room, y, tell) {
  const wide = room / one.columns;
  const box = {
    x: GUTTER + 4 + one.column * wide,
    y: y(one.from) + 1,
    width: Math.max(wide - 4, 8),
    height: Math.max(y(one.to) - y(one.from) - 2, SMALLEST - 2),
  };
  const clip = newId("clip");
  const kind = one.proposed ? "tl-proposed" : one.leaves ? "tl-leaves" : one.asked ? "tl-asked" : one.free ? "tl-free" : "tl-event";
  const lines = linesOf(one, box.height >= 2 * LEADING);
  return svg(
    "g",
    { class: ["tl-block", kind, one.clashes && "tl-clash"], onclick: () => tell(one) },
    svg("title", {}, words(one)),
    svg("clipPath", { id: clip }, svg("rect", { ...box, width: box.width - 6 })),
    svg("rect", { class: "tl-box", ...box, rx: 6 }),
    svg("rect", { class: "tl-edge", x: box.x, y: box.y, width: 4, height: box.height, rx: 2 }),
    svg(
      "g",
      { "clip-path": `url(#${clip})` },
      lines.map((text, at) =>
        svg(
          "text",
          { class: at ? "tl-when" : "tl-title", x: box.x + 10, y: box.y + Math.min(14, box.height / 2 + 4) + at * LEADING },
          text,
        ),
      ),
    ),
  );
}

function linesOf(one, two) {
  if (!two) return [`${label(one)} · ${hours(one)}`];
  return one.proposed ? ["Proposed", one.title] : [one.title, one.leaves ? "moves away" : hours(one)];
}

const label = (one) => (one.proposed ? `Proposed: ${one.title}` : one.leaves ? `Moves away: ${one.title}` : one.title);

const hours = (one) => `${clock(one.start)}–${clock(one.end)}`;

function now(width, y, range) {
  const minute = minutesOf(new Date(), today());
  if (minute < range.from || minute > range.to) return null;
  return [
    svg("line", { class: "tl-now", x1: GUTTER - 4, x2: width, y1: y(minute), y2: y(minute) }),
    svg("circle", { class: "tl-now-dot", cx: GUTTER - 4, cy: y(minute), r: 4 }),
  ];
}

/** The line of now moves while the picture is on the page. */
function keepTime(element, date, paint) {
  if (date !== today()) return;
  const ticking = setInterval(() => (element.isConnected ? paint() : clearInterval(ticking)), EVERY_MINUTE);
}

// --- in words

function list(entries) {
  if (!entries.length) return h("p", { class: "visually-hidden" }, "Nothing is in the calendar on this day.");
  return h(
    "ul",
    { class: "visually-hidden" },
    entries.map((one) => h("li", {}, words(one))),
  );
}

function words(one) {
  const time = one.allDay ? "all day" : `${clock(one.start)} to ${clock(one.end)}`;
  const state = [
    one.asked ? ", awaits your answer" : one.free ? ", not fixed" : "",
    one.clashes ? ", clashes with another" : "",
  ].join("");
  return `${time}: ${label(one)}${one.place && `, ${one.place}`}${state}`;
}
