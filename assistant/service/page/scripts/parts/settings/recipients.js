// The list of those who may be written to.

import { button, field, fill, h, note } from "../../dom.js";
import { counted } from "../../words.js";
import { saved } from "./profile.js";

export function recipients(given, { recipients: list }) {
  const place = h("div", { class: "stack" });
  fill(place, list === null ? unlimited(given, place) : editor(given, list));
  return place;
}

function unlimited(given, place) {
  const begin = button("Keep a list", { small: true, icon: "plus", "data-key": "list-begin", onclick: () => {
    fill(place, editor(given, []));
    place.querySelector("textarea").focus();
  } });
  return [h("p", {}, "Everybody. Each mail and invitation is shown to you before it leaves."), h("div", { class: "row" }, begin)];
}

function editor(given, list) {
  const text = h("textarea", { class: "input mono", rows: Math.min(12, Math.max(4, list.length + 1)), value: list.join("\n"), spellcheck: "false", autocapitalize: "none" });
  const lines = field("One to a line", text, { hint: "anna@example.org, @example.org for everybody there, *.example.org with everything below it." });
  const save = button("Save the list", { small: true, kind: "primary", type: "submit", "data-key": "list-save" });
  const lift = button("Allow everybody", { small: true, kind: "quiet", "data-key": "list-lift", onclick: (event) => lifted(given, list, event.currentTarget) });
  return h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    saved(given, save, { recipients: text.value.split(/[\n,;]/).map((line) => line.trim()).filter(Boolean) });
  } },
  list.length === 0 && note("With an empty list nobody but you can be written to.", "medium"),
  lines.element,
  h("p", { class: "muted small" }, "Nobody else is written to or invited, whatever is said or approved."),
  h("div", { class: "row" }, save, lift));
}

async function lifted(given, list, pressed) {
  const text = list.length ? `The list with its ${counted(list.length, "entry", "entries")} is given up.` : "Anybody can then be written to.";
  if (await given.ctx.confirm({ title: "Allow everybody?", text, yes: "Allow everybody" })) await saved(given, pressed, { recipients: null });
}
