// The keyboard: single keys where nobody is typing, and `g` with a letter to go somewhere.

import { h } from "./dom.js";
import { dialog } from "./parts/dialog.js";

export const PLACES = { c: "/", t: "/today", a: "/approvals", k: "/tasks", e: "/schedules", o: "/outgoing", y: "/activity", m: "/accounts", s: "/settings" };

const SHORTCUTS = [
  ["n", "New conversation"],
  ["/", "Write to the assistant"],
  ["Enter", "Send; Shift and Enter for a new line"],
  ["↑", "What you said before, in an empty field"],
  ["Esc", "Close what is open; while a task runs, stop it"],
  ["g c", "Go to the chat"],
  ["g t", "Today"],
  ["g a", "Approvals"],
  ["g k", "Tasks"],
  ["g e", "Schedules"],
  ["g o", "Outgoing"],
  ["g y", "Activity"],
  ["g m", "Accounts"],
  ["g s", "Settings"],
  ["?", "These keys"],
];

const WAIT = 1_500;

/** `acts`: `{fresh(), compose(), escape(), go(path)}`. */
export function listen(acts, options) {
  let going = 0;
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return acts.escape(event);
    if (typing(event.target)) return;
    const act = chosen(event.key, going > event.timeStamp, acts);
    going = event.key === "g" ? event.timeStamp + WAIT : 0;
    if (!act) return;
    event.preventDefault();
    act();
  }, options);
}

function chosen(key, afterG, acts) {
  if (afterG) return PLACES[key] && (() => acts.go(PLACES[key]));
  return { n: acts.fresh, "/": acts.compose, "?": shortcuts }[key];
}

const typing = (element) => element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);

export function shortcuts() {
  const keys = (text) => text.split(" ").map((key) => [h("kbd", {}, key), " "]);
  return dialog("Keys", () => h("dl", { class: "facts keys" }, SHORTCUTS.map(([key, does]) => [h("dt", {}, keys(key)), h("dd", {}, does)])));
}
