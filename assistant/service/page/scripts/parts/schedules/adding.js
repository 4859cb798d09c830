// Setting up a schedule: one line in words, or choices; what was understood stands below before anything is added.

import { add, busy, button, fill, h, icon, newId, note } from "../../dom.js";
import { listed, relative, when } from "../../words.js";
import { said } from "../plain.js";
import { choices } from "./choices.js";

const PAUSE = 350;
const CHOOSE = "Choose instead of writing";
const WRITE = "Write it in words instead";
const EXAMPLE = "every weekday at 8 summarise my inbox and my day";

export class Adding {
  #asked = 0;
  #soon = 0;
  #key = "";
  #read = "";

  /** `acts`: `{added()}`. */
  constructor(ctx, acts) {
    this.ctx = ctx;
    this.acts = acts;
    const id = newId("words");
    this.words = h("input", { id, class: "input", maxlength: 2000, autocomplete: "off", placeholder: EXAMPLE, "aria-describedby": `${id}-read`, oninput: () => this.#later() });
    this.reading = h("div", { id: `${id}-read`, class: "schedule-reading", "aria-live": "polite" });
    this.add = button("Add", { kind: "primary", icon: "plus", type: "submit" });
    this.choices = choices({ changed: () => this.#later() });
    this.other = h("span", {}, CHOOSE);
    this.chosen = h("details", { class: "unfold", ontoggle: () => this.#switch() }, h("summary", {}, icon("edit", 16), this.other), this.choices.element);
    this.line = h("div", { class: "view-add" }, h("div", { class: "field" }, h("label", { for: id }, "What to do, and when"), this.words));
    this.element = h("form", { class: "card stack-small schedule-add", "aria-label": "A new schedule", onsubmit: (event) => {
      event.preventDefault();
      this.#submit();
    } }, this.line, this.chosen, this.reading, h("div", { class: "row" }, this.add));
  }

  /** Where results can be sent, as the choices offer it. */
  deliverTo(targets) {
    this.choices.deliverTo(targets);
  }

  put(words) {
    this.chosen.open = false;
    this.words.value = words;
    this.words.focus();
    this.#later(0);
  }

  /** What is asked for now; null where nothing is yet. */
  #wanted() {
    if (this.chosen.open) return this.choices.value();
    const words = this.words.value.trim();
    return words ? { words } : null;
  }

  #switch() {
    this.line.hidden = this.chosen.open;
    this.other.textContent = this.chosen.open ? WRITE : CHOOSE;
    this.#later(0);
  }

  #later(pause = PAUSE) {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#look(), pause);
  }

  async #look() {
    const turn = ++this.#asked;
    const wanted = this.#wanted();
    const asked = JSON.stringify(wanted);
    if (asked !== this.#read) this.#key = "";
    this.#read = asked;
    if (!wanted) return fill(this.reading);
    try {
      const found = await this.ctx.api.post("/api/schedules/read", wanted);
      if (turn === this.#asked) fill(this.reading, understood(found));
    } catch (problem) {
      if (turn === this.#asked) fill(this.reading, h("p", { class: "small muted row" }, icon("info", 16), h("span", { class: "grow" }, problem.detail ?? String(problem))));
    }
    return undefined;
  }

  async #submit() {
    const wanted = this.#wanted();
    if (!wanted) return this.chosen.open ? this.#look() : this.words.focus();
    this.#key ||= crypto.randomUUID();
    try {
      const made = await busy(this.add, () => this.ctx.api.post("/api/schedules", wanted, { key: this.#key }));
      if (!made) return undefined;
      this.#done(made);
    } catch (problem) {
      fill(this.reading, note(problem.detail ?? String(problem), "high"));
    }
    return undefined;
  }

  #done(made) {
    this.#asked++;
    this.#key = this.#read = "";
    this.words.value = "";
    this.chosen.open = false;
    this.choices.clear();
    fill(this.reading);
    this.ctx.toast(`Added: ${made.name}, ${made.words}.`, { kind: "low" });
    this.words.focus();
    this.acts.added();
  }
}

/** What would be added, as a sentence and the next times. */
function understood({ name, does, words, next, targets, trouble }) {
  const element = h("div", { class: "note schedule-understood" }, icon("check"), h("div", { class: "grow stack-small" },
    h("p", {}, "I understand: ", h("strong", {}, said(words)), " — ", said(does)),
    h("p", { class: "small" }, !does.toLowerCase().endsWith(name.toLowerCase()) && ["Called “", said(name), "”. "], "It comes ", where(targets), "."),
    next.length > 0 && h("p", { class: "small" }, `Next: ${when(next[0])} (${relative(next[0])})${next.slice(1).map((at) => `, then ${when(at)}`).join("")}`)));
  if (trouble) add(element.lastChild, h("p", { class: "ink-high small" }, said(trouble)));
  return element;
}

export const toPlace = (target) => (target === "mail" ? "by mail to you" : `to ${target}`);

const where = (targets) => said(listed(["into a conversation of its own", ...targets.map(toPlace)]));
