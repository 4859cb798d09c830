// The runs of a schedule: when each was due, what it came to, what it made up for, and where its result went.

import { badge, button, fill, h, icon, spinner } from "../../dom.js";
import { counted, when } from "../../words.js";
import { failed } from "../loaded.js";
import { said } from "../plain.js";

const PAGE = 20;
const MOST = 200;
const STATES = {
  done: ["low", "done"],
  failed: ["high", "failed"],
  missed: ["medium", "missed"],
  claimed: ["accent", "runs just now"],
};
const DELIVERIES = {
  done: ["low", "delivered"],
  failed: ["high", "not delivered"],
  unknown: ["high", "not certain whether it arrived"],
  pending: ["medium", "not delivered yet"],
};

/** The colour and the word of what a slot came to. */
export const tone = ({ status }) => STATES[status] ?? ["", status];

/** Unfolds what the schedule has done, the newest first. */
export function history({ api }, schedule) {
  const place = h("div", { class: "unfolded" });
  let shown = PAGE;
  const element = h("details", { class: "unfold", "data-key": `history-${schedule.id}`, ontoggle: () => element.open && load() },
    h("summary", {}, icon("activity", 16), h("span", {}, "Earlier runs")), place);

  async function load() {
    if (!place.childNodes.length) fill(place, spinner());
    try {
      const { items } = await api.get(`/api/schedules/${encodeURIComponent(schedule.id)}/slots`, { query: { limit: shown } });
      fill(place, items.length ? list(items, schedule) : h("p", { class: "muted small" }, "It has not run yet."), items.length >= shown && shown < MOST && more());
    } catch (problem) {
      fill(place, failed(problem, load));
    }
  }

  function more() {
    return button("Show more", { kind: "link", small: true, onclick: () => {
      shown = Math.min(shown * 3, MOST);
      load();
    } });
  }
  return element;
}

const list = (slots, schedule) => h("ol", { class: "schedule-runs" }, slots.map((slot) => h("li", {}, run(slot, schedule))));

/** One run in a few lines. */
export function run(slot, schedule) {
  const [kind, word] = tone(slot);
  return h("div", { class: "stack-small schedule-run" },
    h("p", { class: "row" }, badge(word, kind),
      h("span", {}, h("time", { datetime: slot.due }, when(slot.due)), slot.slot.startsWith("now") && h("span", { class: "muted" }, ", at once")),
      slot.flow && h("a", { class: "small", href: `#/c/${encodeURIComponent(schedule.conversation)}` }, "Show")),
    slot.result && h("p", { class: ["small", slot.status === "failed" ? "ink-high" : "muted", "schedule-result"], dir: "auto" }, said(slot.result)),
    slot.stands_for > 0 && h("p", { class: "small ink-medium" }, icon("refresh", 14), ` Made up for ${counted(slot.stands_for, "earlier run")} that ${slot.stands_for === 1 ? "was" : "were"} missed.`),
    slot.deliveries.length > 0 && h("ul", {}, slot.deliveries.map((one) => h("li", { class: "small" }, delivery(one)))));
}

function delivery({ target, status, error, attempts }) {
  const [kind, words] = DELIVERIES[status] ?? ["", status];
  const tries = attempts > 1 ? `, ${counted(attempts, "attempt")}` : "";
  return h("span", { class: `ink-${kind}` }, icon({ low: "check", medium: "clock" }[kind] ?? "alert", 14), " ", said(target === "mail" ? "Mail to you" : target), `: ${words}${tries}`, error && [" — ", said(error)]);
}
