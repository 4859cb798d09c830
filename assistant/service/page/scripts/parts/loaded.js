// A view that shows what it has loaded, and loads it again when something has changed.

import { button, fill, h, note, spinner } from "../dom.js";

const SETTLES = 400;

/**
 * `load(signal)` gives what `show(found, reload)` makes nodes of; `events`: those of ctx.live after which it is loaded again;
 * `tools` stand beside the heading, `head` below it and stays when it is loaded again. Gives `{element, leave, reload}`.
 */
export async function loaded({ ctx, heading, intro = "", tools = [], head = [], load, show, events = [], wide = false }) {
  const body = h("div", { class: "stack" }, spinner());
  const title = h("h1", { tabindex: "-1" }, heading);
  const element = h("div", { class: ["view", wide && "view-wide"] },
    h("header", { class: "stack-small" }, h("div", { class: "row spread" }, title, h("div", { class: "row" }, tools)), intro && h("p", { class: "muted" }, intro)),
    head, body);
  const leaving = new AbortController();
  let turn = 0;
  let settling = 0;

  async function reload() {
    const mine = ++turn;
    try {
      const found = await load(leaving.signal);
      if (mine === turn) replaced(body, () => fill(body, show(found, reload)), title);
    } catch (problem) {
      if (problem.name === "AbortError" || mine !== turn) return;
      replaced(body, () => fill(body, failed(problem, reload)), title);
    }
  }

  function soon() {
    clearTimeout(settling);
    settling = setTimeout(() => (taken(body) ? soon() : reload()), SETTLES);
  }

  for (const name of events) ctx.live?.addEventListener(name, soon, { signal: leaving.signal });
  const leave = () => {
    clearTimeout(settling);
    leaving.abort();
  };
  await reload();
  return { element, leave, reload };
}

/** Whoever was in the old content finds themselves at the same place in the new one, or at `otherwise`; what was unfolded stays so. */
export function replaced(body, change, otherwise) {
  const held = body.contains(document.activeElement) ? document.activeElement : null;
  const open = new Set([...body.querySelectorAll("details[open][data-key]")].map((one) => one.dataset.key));
  change();
  for (const one of body.querySelectorAll("details[data-key]")) if (open.has(one.dataset.key)) one.open = true;
  const same = held?.dataset.key && body.querySelector(`[data-key="${CSS.escape(held.dataset.key)}"]`);
  if (held) (same || otherwise).focus({ preventScroll: true });
}

export const failed = (problem, again) =>
  note(problem.detail ?? "This can't be shown just now.", "high", " ", button("Try again", { kind: "link", onclick: again }));

/** Whether somebody is writing something there, or answering a dialog. */
function taken(body) {
  const written = document.activeElement;
  return Boolean(document.querySelector("dialog[open]")) || (body.contains(written) && written.matches("input, textarea") && written.value !== "");
}

/** Does `work()`, tells what went wrong, and gives what `work` gives; undefined where it failed. */
export async function attempt(ctx, work) {
  try {
    return await work();
  } catch (problem) {
    if (!problem.detail) console.warn(problem);
    ctx.toast(problem.detail ?? "That did not work; try again.", { kind: "high" });
    return undefined;
  }
}
