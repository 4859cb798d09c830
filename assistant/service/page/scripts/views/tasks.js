// What was begun and has come to rest: interrupted, waiting for an answer, or for an approval.

import { badge, busy, button, empty, h } from "../dom.js";
import { attempt, loaded } from "../parts/loaded.js";
import { questionCard } from "../parts/question.js";
import { onOneLine, when } from "../words.js";

const STATES = {
  suspended: { word: "interrupted", kind: "accent", says: "You began something else. It goes on where it was left." },
  waiting: { word: "waits for your answer", kind: "medium", says: "" },
  parked: { word: "waits for your approval", kind: "medium", says: "It ran by itself and met something that you decide." },
};

export function view(ctx) {
  return loaded({
    ctx,
    heading: "Tasks",
    intro: "What has not come to its end. Nothing here goes on, or is lost, without you.",
    events: ["counts", "changed"],
    load: (signal) => Promise.all(["/api/flows?resting=true", "/api/questions", "/api/previews"].map((path) => ctx.api.get(path, { signal }))),
    show: ([flows, questions, previews], reload) => {
      if (!flows.items.length) return empty("Nothing rests", "A task that is interrupted, or that has a question for you, waits here.");
      const about = { questions: questions.items, previews: previews.items };
      return h("ul", { class: "stack" }, flows.items.map((flow) => h("li", {}, card(ctx, flow, about, reload))));
    },
  });
}

function card(ctx, flow, { questions, previews }, reload) {
  const state = STATES[flow.status] ?? { word: flow.status, kind: "", says: "" };
  const asked = questions.find((one) => one.flow === flow.id);
  const own = previews.filter((one) => one.flow === flow.id);
  return h("article", { class: "card stack-small" },
    h("div", { class: "row spread" }, badge(state.word, state.kind), h("span", { class: "muted small" }, when(flow.updated))),
    h("h2", { class: "view-about" }, onOneLine(flow.about) || "A task"),
    flow.goal && flow.goal !== flow.about && h("p", { class: "muted" }, onOneLine(flow.goal)),
    state.says && h("p", { class: "muted small" }, state.says),
    asked && question(ctx, asked, reload),
    own.map((preview) => h("p", {}, h("a", { href: `#/preview/${encodeURIComponent(preview.id)}` }, proposed(preview)))),
    h("div", { class: "row" },
      flow.status === "suspended" && resume(ctx, flow, reload),
      button("Give up", { small: true, kind: "quiet", "data-key": `end-${flow.id}`, onclick: (event) => giveUp(ctx, flow, event.currentTarget, reload) }),
      h("a", { class: "view-aside small", href: `#/c/${encodeURIComponent(flow.conversation)}` }, "Show the conversation")));
}

const proposed = (preview) => `Look at the proposal: ${onOneLine(preview.items.map((item) => item.says).join("; "))}`;

function question(ctx, { question: asked }, reload) {
  return questionCard(asked, { ...ctx, onTurn: (turn) => {
    told(ctx, turn);
    reload();
  } });
}

function resume(ctx, flow, reload) {
  return button("Resume", { small: true, kind: "primary", icon: "play", "data-key": `resume-${flow.id}`, onclick: async (event) => {
    const pressed = event.currentTarget;
    told(ctx, await attempt(ctx, () => busy(pressed, () => ctx.api.post(`/api/flows/${encodeURIComponent(flow.id)}/resume`))));
    await reload();
  } });
}

async function giveUp(ctx, flow, pressed, reload) {
  const text = `“${onOneLine(flow.about)}” will not go on. What it has done already stays done.`;
  if (!(await ctx.confirm({ title: "Give this task up?", text, yes: "Give up", danger: true }))) return;
  const turn = await attempt(ctx, () => busy(pressed, () => ctx.api.post(`/api/flows/${encodeURIComponent(flow.id)}/cancel`)));
  if (turn) ctx.toast("Given up.");
  await reload();
}

/** What came of it, with the way to where it can be read whole. */
function told(ctx, turn) {
  if (!turn) return;
  const words = onOneLine(turn.question?.text || turn.reply || "It goes on.");
  const action = { label: "Show", run: () => ctx.go(`/c/${encodeURIComponent(turn.conversation)}`) };
  ctx.toast(words.length > 160 ? `${words.slice(0, 160)} …` : words, { action });
}
