// One schedule: what it does and when, how its last run went, and what can be done with it.

import { badge, busy, button, h, icon, note } from "../../dom.js";
import { capitalised, relative, when } from "../../words.js";
import { attempt } from "../loaded.js";
import { said } from "../plain.js";
import { toPlace } from "./adding.js";
import { change } from "./changing.js";
import { history, run, tone } from "./history.js";

const ICONS = { briefing: "today", remind: "clock", ask: "chat" };

export function scheduleCard(ctx, schedule, reload) {
  const { name, task, words, does, paused, targets, by_program: byProgram, last } = schedule;
  const heading = h("h2", { class: "view-about" }, said(name));
  return h("article", { class: ["card stack-small schedule", paused && "schedule-paused"], "aria-label": name, "data-schedule": schedule.id },
    h("div", { class: "row spread row-top schedule-head" },
      h("span", { class: "schedule-icon" }, icon(ICONS[task.kind] ?? "schedules")),
      h("div", { class: "grow" }, heading, !same(does, name) && h("p", { class: "muted" }, said(capitalised(does)))),
      !isOver(schedule) && onOff(ctx, schedule, reload)),
    byProgram && note("Another program set this up.", "medium"),
    h("dl", { class: "facts" },
      h("dt", {}, "When"), h("dd", {}, said(capitalised(words))),
      h("dt", {}, "Next"), h("dd", {}, next(schedule)),
      h("dt", {}, "Comes"), h("dd", {}, "Into its ", h("a", { href: conversationOf(schedule) }, "conversation"), targets.map((one) => [", ", said(toPlace(one))])),
      h("dt", {}, "Last run"), h("dd", {}, last ? run(last, schedule) : h("span", { class: "muted" }, "not yet"))),
    h("div", { class: "row" },
      button("Run now", { small: true, icon: "play", disabled: last?.status === "claimed", "data-key": `run-${schedule.id}`, onclick: (event) => runNow(ctx, schedule, event.currentTarget, reload) }),
      button("Change", { small: true, kind: "quiet", icon: "edit", "data-key": `change-${schedule.id}`, "aria-label": `Change ${name}`, onclick: () => changing(ctx, schedule, reload) }),
      button("Remove", { small: true, kind: "quiet", icon: "trash", "data-key": `remove-${schedule.id}`, "aria-label": `Remove ${name}`, onclick: (event) => remove(ctx, schedule, event.currentTarget, reload) })),
    history(ctx, schedule));
}

/** It has had its last time. */
export const isOver = ({ next: at, paused, last }) => !at && !paused && last?.status !== "claimed";

const same = (one, other) => one.toLowerCase() === other.toLowerCase();

const conversationOf = ({ conversation }) => `#/c/${encodeURIComponent(conversation)}`;

const path = ({ id }) => `/api/schedules/${encodeURIComponent(id)}`;

function next({ paused, next: at, last }) {
  if (last?.status === "claimed") return badge("runs just now", "accent");
  if (paused) return h("span", { class: "muted" }, `paused since ${when(paused)}`);
  if (!at) return h("span", { class: "muted" }, "over; it does not run again by itself");
  return h("time", { datetime: at }, `${when(at)} `, h("span", { class: "muted" }, `(${relative(at)})`));
}

/** A switch: a paused schedule's times pass without a run, and none is made up for. */
function onOff(ctx, schedule, reload) {
  const on = !schedule.paused;
  return h("button", {
    type: "button", role: "switch", class: "switch", "aria-checked": String(on), "aria-label": `${schedule.name} is on`, "data-key": `on-${schedule.id}`,
    onclick: async (event) => {
      const pressed = event.currentTarget;
      const done = await attempt(ctx, () => busy(pressed, () => ctx.api.post(`${path(schedule)}/${on ? "pause" : "resume"}`)));
      if (done) ctx.announce(on ? "Paused." : "It runs again.");
      await reload();
    },
  }, h("span", { class: "switch-track", "aria-hidden": "true" }), h("span", { "aria-hidden": "true" }, on ? "On" : "Paused"));
}

async function runNow(ctx, schedule, pressed, reload) {
  const slot = await attempt(ctx, () => busy(pressed, () => ctx.arrivals.hush(schedule, () => ctx.api.post(`${path(schedule)}/run`))));
  if (slot) {
    const words = slot.status === "done" ? `${schedule.name}: done.` : `${schedule.name}: ${slot.result || tone(slot)[1]}`;
    ctx.toast(words, { kind: slot.status === "done" ? "low" : "high", action: { label: "Show", run: () => ctx.go(`/c/${encodeURIComponent(schedule.conversation)}`) } });
  }
  await reload();
}

async function changing(ctx, schedule, reload) {
  const changed = await attempt(ctx, () => change(ctx, schedule));
  if (changed) ctx.toast(`Changed: ${changed.name}, ${changed.words}.`, { kind: "low" });
  if (changed) await reload();
}

/** What is removed can be added again, without its history. */
async function remove(ctx, schedule, pressed, reload) {
  const text = `“${schedule.name}” (${schedule.words}) will not run any more, and its history goes. Its conversation stays.`;
  if (!(await ctx.confirm({ title: "Remove this schedule?", text, yes: "Remove", danger: true }))) return;
  const { name, task, rule, targets, zone } = schedule;
  const again = async () => {
    await attempt(ctx, () => ctx.api.post("/api/schedules", { name, task, rule, targets, zone }));
    await reload();
  };
  const done = await attempt(ctx, () => busy(pressed, () => ctx.api.delete(path(schedule))));
  if (done) ctx.toast(`Removed: ${name}.`, { action: { label: "Add it again", run: again } });
  await reload();
}
