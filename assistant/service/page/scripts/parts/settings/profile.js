// One's name, the hours of one's day, the undo window, and the colours of the page.

import { busy, button, field, h } from "../../dom.js";
import { setTheme, theme } from "../../theme.js";
import { attempt } from "../loaded.js";
import { timeInput, timeOf } from "../time-input.js";

/** Saves some of the settings, and tells it. */
export async function saved({ ctx, reload }, pressed, changed) {
  const done = await attempt(ctx, () => busy(pressed, () => ctx.api.put("/api/settings", changed)));
  if (!done) return;
  ctx.toast("Saved.", { kind: "low" });
  if ("name" in changed || "zone" in changed) ctx.renew();
  await reload();
}

function form(given, parts, changed, key) {
  const save = button("Save", { type: "submit", small: true, "data-key": key });
  return h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    saved(given, save, changed());
  } }, parts, h("div", { class: "row" }, save));
}

export function profile(given, settings) {
  const name = field("Name", h("input", { value: settings.name, autocomplete: "username", maxlength: 80 }), { hint: "You sign in with it." });
  return form(given, name.element, () => ({ name: name.input.value }), "save-name");
}

export function days(given, settings) {
  const { house } = settings;
  const time = (value, of) => timeInput({ value: (value ?? of).slice(0, 5), required: true });
  const starts = field("Starts", time(settings.day_starts, house.day_starts));
  const ends = field("Ends", time(settings.day_ends, house.day_ends));
  const zone = field("Time zone", zones(settings.zone, house.zone));
  const held = h("input", { type: "number", min: 0, max: 3600, value: settings.undo_window ?? house.undo_window, required: true });
  const window = field("Undo window, in seconds", held, { hint: "So long an approved mail is held before it leaves, so that you can take it back." });
  return form(given, [
    h("div", { class: "view-pair" }, starts.element, ends.element),
    h("p", { class: "muted small" }, "Between these hours free times are looked for."),
    zone.element, window.element,
  ], () => ({ day_starts: timeOf(starts.input.value), day_ends: timeOf(ends.input.value), zone: zone.input.value || null, undo_window: Number(held.value) }), "save-days");
}

function zones(chosen, house) {
  const known = Intl.supportedValuesOf?.("timeZone") ?? [];
  const names = [...new Set(["UTC", ...known, ...(chosen ? [chosen] : [])])];
  return h("select", { class: "input" },
    h("option", { value: "", selected: !chosen }, `As the service has it (${house.replaceAll("_", " ")})`),
    names.map((name) => h("option", { value: name, selected: name === chosen }, name.replaceAll("_", " "))));
}

export function looks() {
  const now = theme();
  const choices = [["system", "As the system"], ["light", "Light"], ["dark", "Dark"]];
  return h("fieldset", { class: "row view-choices" }, h("legend", { class: "visually-hidden" }, "Colours of this page, on this device"),
    choices.map(([value, label]) => h("label", { class: "check" }, h("input", { type: "radio", name: "theme", value, checked: value === now, onchange: () => setTheme(value) }), label)));
}
