// What was approved and has not gone out yet, or may not have.

import { busy, button, empty, h, icon } from "../dom.js";
import { attempt, loaded } from "../parts/loaded.js";
import { capitalised, listed, onOneLine, secondsUntil, when } from "../words.js";

const GROUPS = [
  { key: "unknown", heading: "Uncertain", says: "The provider gave no clear answer, so it is not known whether this has happened. It is never repeated in silence.", of: (one) => one.status === "unknown" },
  { key: "leaving", heading: "About to leave", says: "Held for a moment, so that you can think better of it.", of: (one) => one.status === "held" && !one.action.send_at },
  { key: "waiting", heading: "Waiting", says: "Goes out as soon as its account can be reached.", of: (one) => one.status === "pending" || one.status === "started" },
  { key: "later", heading: "Scheduled", says: "Goes out at its time, if the assistant runs then, else when it runs again.", of: (one) => one.status === "held" && one.action.send_at },
];

export async function view(ctx) {
  const shown = await loaded({
    ctx,
    heading: "Outgoing",
    intro: "What you approved and has not gone out yet.",
    events: ["counts", "went_out"],
    load: (signal) => ctx.api.get("/api/outbox", { signal }),
    show: ({ items }, reload) => {
      if (!items.length) return empty("Nothing waits to go out", "A mail that you send later, or that can still be taken back, stands here until it leaves.");
      return GROUPS.map((group) => section(ctx, group, items.filter(group.of), reload));
    },
  });
  return ticking(shown);
}

function section(ctx, { key, heading, says }, items, reload) {
  if (!items.length) return null;
  const ask = key === "unknown" && button("Ask again", { small: true, icon: "refresh", "data-key": "ask", onclick: (event) => asked(ctx, event.currentTarget, reload) });
  return h("section", { class: "stack-small" },
    h("div", { class: "row spread" }, h("h2", {}, heading), ask),
    h("p", { class: "muted small" }, says),
    h("ul", { class: "card list view-rows" }, items.map((one) => h("li", {}, row(ctx, one, reload)))));
}

function row(ctx, one, reload) {
  const back = ["held", "pending"].includes(one.status) && button("Take back", {
    small: true, icon: "undo", "data-key": `back-${one.key}`, onclick: (event) => takenBack(ctx, one, event.currentTarget, reload),
  });
  return h("div", { class: "view-row" },
    h("div", { class: "grow stack-small" },
      h("p", { class: "strong" }, title(one)),
      h("dl", { class: "facts small" }, facts(one).map(([name, words]) => [h("dt", {}, name), h("dd", {}, words)])),
      one.note && one.status !== "held" && h("p", { class: ["small", one.status === "unknown" ? "ink-high" : "muted"] }, one.note)),
    back);
}

const title = (one) => onOneLine(one.action.subject || one.action.title || capitalised(one.says || one.action.kind.replaceAll("_", " ")));

function facts({ action, goes_out: out, says, status }) {
  const people = [...(action.to ?? []), ...(action.cc ?? []), ...(action.bcc ?? []), ...(action.attendees ?? [])];
  return [
    !people.length && ["What", capitalised(onOneLine(says || action.kind.replaceAll("_", " ")))],
    people.length > 0 && ["To", listed(people.map((one) => (one.name ? `${one.name} <${one.email}>` : one.email)))],
    ["Account", action.account],
    out && ["When", h("span", { class: "row" }, icon("clock", 16), h("time", { datetime: out, "data-until": action.send_at ? null : out }, when(out)))],
    status === "started" && ["State", "being sent"],
  ].filter(Boolean);
}

async function takenBack(ctx, one, pressed, reload) {
  const done = await attempt(ctx, () => busy(pressed, () => ctx.api.post(`/api/outbox/${encodeURIComponent(one.key)}/withdraw`)));
  if (done) ctx.toast(done.items.length > 1 ? `Taken back, with ${done.items.length - 1} more that was to follow. Nothing has left.` : "Taken back. Nothing has left.", { kind: "low" });
  await reload();
}

async function asked(ctx, pressed, reload) {
  const found = await attempt(ctx, () => busy(pressed, () => ctx.api.post("/api/outbox/check")));
  if (found) {
    const settled = found.items.filter((one) => one.status !== "unknown");
    ctx.toast(settled.length ? settled.map((one) => `${onOneLine(one.says)}: ${one.status}`).join("; ") : "The provider still can't tell.", { kind: settled.length ? "low" : "" });
  }
  await reload();
}

/** The seconds that are left for thinking better of it. */
function ticking(shown) {
  const tick = () => {
    for (const one of shown.element.querySelectorAll("[data-until]")) {
      const left = secondsUntil(one.dataset.until);
      one.textContent = left ? `in ${left} s` : "now";
    }
  };
  const timer = setInterval(tick, 1000);
  tick();
  return { ...shown, leave: () => {
    clearInterval(timer);
    shown.leave();
  } };
}
