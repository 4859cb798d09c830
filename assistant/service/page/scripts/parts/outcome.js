// What became of a write: done, failed, not certain, held for a moment, or waiting for its time; and the ways to take it back.

import { busy, button, fill, h, icon } from "../dom.js";
import { capitalised, counted, when, secondsUntil } from "../words.js";
import { plain, said } from "./plain.js";
import { sentence } from "./warnings.js";

const SOON = 120;
const SECOND = 1000;
/** Milliseconds after which it is asked whether what was held has gone out. */
const ASKS = [1500, 3000, 6000, 12_000];
const WORDS = {
  done: ["check", "Done", "low"],
  failed: ["alert", "Not done", "high"],
  unknown: ["alert", "Not certain", "high"],
  held: ["clock", "Waiting", "medium"],
  pending: ["clock", "Waiting to be tried again", "medium"],
  started: ["clock", "Under way", "medium"],
  taken_back: ["undo", "Taken back", "low"],
};

/** It is done, but the provider's own copy is another. */
const DIFFERS = ["alert", "Done, but not as you approved it", "high"];

/** All that came of a turn, with one way to undo it. Ctx: `{api, onTurn(turn), announce(words)}`. */
export function receipt(turn, ctx) {
  const element = h("section", { class: "receipt", "aria-label": "What was done" });
  const show = (now) =>
    fill(
      element,
      h(
        "ul",
        { class: "outcomes" },
        now.outcomes.map((one) => h("li", {}, outcomeCard(one, { ...ctx, flow: now.flow, refresh }))),
      ),
      undoAll(now, ctx),
    );
  async function refresh() {
    const now = await ctx.api.get(`/api/flows/${encodeURIComponent(turn.flow)}`);
    show(now);
    return now;
  }
  show(turn);
  return element;
}

/** One outcome; `ctx.refresh()` looks up how it stands now, where there is a way. */
export function outcomeCard(outcome, ctx) {
  const [name, words, level] = outcome.differs ? DIFFERS : (WORDS[outcome.status] ?? WORDS.unknown);
  const scheduled = outcome.status === "held" && secondsUntil(outcome.goes_out) > SOON;
  const head = h("span", { class: "outcome-state" }, scheduled ? "Scheduled" : words);
  const element = h(
    "article",
    { class: `outcome outcome-${level}`, "data-status": outcome.status, "data-key": outcome.key },
    icon(scheduled ? "clock" : name),
    h(
      "div",
      { class: "grow" },
      h("p", {}, head, ": ", said(capitalised(outcome.says || outcome.action.kind.replaceAll("_", " ")))),
      noteOf(outcome, scheduled),
      outcome.differs && h("p", { class: "outcome-differs" }, h("strong", {}, "Not as approved: "), said(sentence(outcome.differs))),
    ),
  );
  if (outcome.status === "held") element.append(takeBack(outcome, scheduled, ctx));
  if (outcome.status === "held" && !scheduled) countDown(element, outcome, ctx);
  return element;
}

function noteOf(outcome, scheduled) {
  if (scheduled) return h("p", { class: "small" }, h("strong", {}, `Goes out ${when(outcome.goes_out)}`));
  if (outcome.status === "held") return h("p", { class: "small outcome-countdown", role: "timer" });
  return outcome.note && h("p", { class: "small" }, plain(outcome.note));
}

function takeBack(outcome, scheduled, ctx) {
  return button(scheduled ? "Take back" : "Undo", {
    small: true,
    icon: "undo",
    "data-act": "withdraw",
    onclick: (event) =>
      pressed(event.currentTarget, ctx, async () => {
        const { items } = await ctx.api.post(`/api/outbox/${encodeURIComponent(outcome.key)}/withdraw`);
        ctx.announce?.("Taken back; nothing has gone out.");
        const element = event.target.closest(".outcome");
        if (!element) return;
        const taken = items.map((one) => outcomeCard({ says: outcome.says, ...one }, ctx));
        element.replaceWith(...taken);
        taken[0].tabIndex = -1;
        taken[0].focus({ preventScroll: true });
      }),
  });
}

/** Counts the seconds down, then asks what has become of it. */
function countDown(element, outcome, ctx) {
  const told = element.querySelector(".outcome-countdown");
  const tick = () => {
    const left = secondsUntil(outcome.goes_out);
    told.textContent = left ? `Goes out in ${counted(left, "second")}` : "Going out …";
    if (left) return;
    clearInterval(ticking);
    if (element.isConnected) ask(element, ctx, ASKS);
  };
  const ticking = setInterval(tick, SECOND);
  tick();
}

async function ask(element, ctx, [pause, ...more]) {
  if (!pause || !ctx.refresh) return;
  await new Promise((resolve) => {
    setTimeout(resolve, pause);
  });
  if (!element.isConnected) return;
  const now = await ctx.refresh().catch(() => null);
  if (!now || now.outcomes.some((one) => one.status === "held")) await ask(element, ctx, more);
  else ctx.announce?.(now.outcomes.map((one) => `${(one.differs ? DIFFERS : (WORDS[one.status] ?? WORDS.unknown))[1]}: ${one.says}`).join(". "));
}

function undoAll(turn, ctx) {
  const undoable = turn.undoable ?? turn.outcomes.some((one) => one.undoable);
  if (!undoable || !turn.outcomes.some((one) => one.status === "done")) return null;
  return button("Undo", {
    small: true,
    icon: "undo",
    "data-act": "undo",
    onclick: (event) =>
      pressed(event.currentTarget, ctx, async () => {
        const button_ = event.target.closest("button");
        const taken = await ctx.api.post(`/api/flows/${encodeURIComponent(turn.flow)}/undo`);
        button_?.replaceWith(takenBack(taken));
        ctx.onTurn?.(taken);
      }),
  });
}

function takenBack({ previews, reply }) {
  const [asked] = previews;
  if (!asked) return h("p", { class: "small" }, icon("check", 16), " ", said(reply || "Taken back."));
  return h(
    "p",
    { class: "small" },
    icon("approvals", 16),
    " Taking it back reaches others, so it needs ",
    h("a", { href: `#/preview/${encodeURIComponent(asked.id)}` }, "an approval of its own"),
    ".",
  );
}

/** Once at a time; what goes wrong is said beneath the button. */
async function pressed(pressedButton, ctx, work) {
  const place = pressedButton.parentElement;
  place.querySelector(":scope > .field-error")?.remove();
  try {
    await busy(pressedButton, work);
  } catch (problem) {
    place.append(h("p", { class: "field-error", role: "alert" }, problem.detail ?? problem.message));
  }
}
