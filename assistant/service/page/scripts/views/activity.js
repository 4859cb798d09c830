// The audit journal: what was proposed and done, why, and who approved it.

import { badge, busy, button, empty, field, fill, h, levelBadge, note } from "../dom.js";
import { attempt, loaded } from "../parts/loaded.js";
import { capitalised, clock, dateOf, longDay, onOneLine, when } from "../words.js";

const MOST = 200;
const SPANS = [["1", "Since yesterday"], ["7", "Last 7 days"], ["30", "Last 30 days"], ["", "All"]];
const DAY = 86_400_000;
const RESULTS = { done: "low", failed: "high", unknown: "high", open: "medium", "not begun": "medium", begun: "medium" };

export async function view(ctx) {
  const kept = { words: "", days: "30" };
  const words = h("input", { type: "search", class: "input", placeholder: "Words, names, addresses" });
  const days = h("select", { class: "input" }, SPANS.map(([value, label]) => h("option", { value, selected: value === kept.days }, label)));
  const verdict = h("div", { role: "status" });
  let again = () => {};
  words.addEventListener("input", () => {
    kept.words = words.value;
    again({ kept: true });
  });
  days.addEventListener("change", () => {
    kept.days = days.value;
    again({});
  });
  let found = null;
  const shown = await loaded({
    ctx,
    heading: "Activity",
    intro: "What was proposed and done, and why. It is written into a journal that can't be changed without being noticed.",
    tools: button("Check the journal", { small: true, icon: "approvals", onclick: (event) => verified(ctx, event.currentTarget, verdict) }),
    head: [verdict, h("form", { class: "view-filter", role: "search", onsubmit: (event) => event.preventDefault() }, field("Look for", words).element, field("When", days).element)],
    events: ["went_out", "changed"],
    load: async (signal) => {
      found = await ctx.api.get("/api/audit", { signal, query: { limit: MOST, since: since(kept.days) } });
      return found;
    },
    show: (told, reload) => {
      const list = h("div", { class: "stack" });
      again = ({ kept: here }) => (here ? fill(list, byDay(ctx, found.items, kept.words, reload)) : reload());
      return fill(list, byDay(ctx, told.items, kept.words, reload));
    },
  });
  return shown;
}

const since = (days) => (days ? new Date(Date.now() - Number(days) * DAY).toISOString() : "");

function byDay(ctx, stories, words, reload) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = stories.filter((story) => wanted.every((word) => wordsOf(story).includes(word)));
  if (!fitting.length) {
    return empty("Nothing like that", stories.length ? "Look for other words, or further back." : "What the assistant does for you is told here.");
  }
  const days = Map.groupBy ? Map.groupBy(fitting, (story) => dateOf(story.at)) : grouped(fitting);
  const more = stories.length >= MOST && h("p", { class: "muted small" }, `These are the newest ${MOST}; choose a shorter time to see all of it.`);
  return [...days.values()].map((ones) => h("section", { class: "stack-small" },
    h("h2", { class: "view-day" }, longDay(ones[0].at)),
    h("ul", { class: "card list view-rows" }, ones.map((story) => h("li", {}, row(ctx, story, reload)))))).concat(more || []);
}

function grouped(stories) {
  const days = new Map();
  for (const story of stories) days.set(dateOf(story.at), [...(days.get(dateOf(story.at)) ?? []), story]);
  return days;
}

const wordsOf = (story) => [story.says, story.words, story.approved, ...story.deeds.map((deed) => deed.about), ...story.lines.map((line) => line.text)].join(" ").toLowerCase();

function result(story) {
  const states = story.deeds.map((deed) => deed.status);
  const kinds = [...new Set(states)];
  if (kinds.length < 2) return badge(kinds[0] ?? "forgotten", RESULTS[kinds[0]] ?? "");
  return kinds.map((kind) => badge(`${states.filter((one) => one === kind).length} ${kind}`, RESULTS[kind] ?? ""));
}

function row(ctx, story, reload) {
  const inside = h("div", { class: "stack-small view-told" });
  const details = h("details", { class: "view-story", "data-key": `story-${story.permit}`, ontoggle: () => details.open && !inside.hasChildNodes() && fill(inside, told(ctx, story, reload)) },
    h("summary", {},
      h("time", { class: "numbers muted small", datetime: story.at }, clock(story.at)),
      h("span", { class: "grow" }, capitalised(onOneLine(story.says))),
      h("span", { class: "row view-badges" }, story.level && levelBadge(story.level), result(story))),
    inside);
  return details;
}

function told(ctx, story, reload) {
  const undo = h("span", { class: "view-undo" });
  if (story.flow && story.deeds.some((deed) => deed.status === "done")) offerUndo(ctx, story, undo, reload);
  return [
    h("p", {}, story.approval),
    story.reasons.length > 0 && h("p", { class: "small" }, h("span", { class: "muted" }, "Why this level: "), story.reasons.join("; ")),
    h("ol", { class: "view-lines small" }, story.lines.map((line) => h("li", {}, h("time", { class: "muted numbers", datetime: line.at }, dateOf(line.at) === dateOf(story.at) ? clock(line.at) : when(line.at)), h("span", {}, onOneLine(line.text))))),
    h("div", { class: "row" }, undo, story.conversation && h("a", { class: "small", href: `#/c/${encodeURIComponent(story.conversation)}` }, "Show the conversation")),
  ];
}

/** Only where the flow that did it can still take it back. */
async function offerUndo(ctx, story, place, reload) {
  const path = `/api/flows/${encodeURIComponent(story.flow)}`;
  const turn = await ctx.api.get(path).catch(() => null);
  if (!turn?.undoable) return;
  fill(place, button("Undo", { small: true, icon: "undo", "data-key": `undo-${story.permit}`, onclick: async (event) => {
    const pressed = event.currentTarget;
    const came = await attempt(ctx, () => busy(pressed, () => ctx.api.post(`${path}/undo`)));
    if (came?.previews.length) return ctx.go(`/preview/${encodeURIComponent(came.previews[0].id)}`);
    if (came) ctx.toast(onOneLine(came.reply));
    return reload();
  } }));
}

async function verified(ctx, pressed, place) {
  const found = await attempt(ctx, () => busy(pressed, () => ctx.api.get("/api/audit/verify")));
  if (!found) return;
  const entries = `${found.count} ${found.count === 1 ? "entry" : "entries"}${found.forgotten ? `, ${found.forgotten} of them forgotten` : ""}`;
  fill(place, found.wrong
    ? note(found.wrong, "high")
    : note(`The journal is whole: ${entries}. Note this down elsewhere to prove it later:`, "low", h("p", { class: "mono view-head" }, found.head)));
}
