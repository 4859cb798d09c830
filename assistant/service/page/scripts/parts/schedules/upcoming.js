// What runs by itself next, and a briefing at once.

import { busy, h } from "../../dom.js";
import { relative, when } from "../../words.js";
import { attempt } from "../loaded.js";
import { said } from "../plain.js";

const WORDS = "brief me";

/** Of all schedules the run that comes first, as a line with its link. */
export async function nextRun({ api }) {
  const { items } = await api.get("/api/schedules").catch(() => ({ items: [] }));
  const [first] = items.filter((one) => one.next && !one.paused).sort((one, other) => Date.parse(one.next) - Date.parse(other.next));
  if (!first) return h("a", { href: "#/schedules" }, items.length ? "Schedules" : "Have it every morning");
  return ["Next by itself: ", h("a", { href: "#/schedules" }, said(first.name)), `, ${when(first.next)} (${relative(first.next)})`];
}

/** Asks for it in a conversation of its own, and goes there. */
export async function startBriefing(ctx, pressed) {
  await attempt(ctx, () => busy(pressed, async () => {
    const { id } = await ctx.api.post("/api/conversations");
    const path = `/api/conversations/${encodeURIComponent(id)}`;
    await ctx.api.post(`${path}/messages`, { text: WORDS }, { key: crypto.randomUUID(), headers: { Prefer: "respond-async" } });
    ctx.go(`/c/${encodeURIComponent(id)}`);
  }));
}
