// What a task does while it runs: one quiet line, which unfolds to every numbered step and the agents at work.

import { fill, h, icon, spinner } from "../dom.js";
import { counted, onOneLine } from "../words.js";

/** What is worth a line to somebody who only wants to see that it goes on. */
const QUIET = new Set(["answered", "voted", "failed", "timed_out", "restart_requested", "exhausted", "conflict", "decided"]);
const MARKS = {
  working: "…", restarting: "↻", answered: "✎", posted: "✎", voted: "✓", decided: "✓", selected: "★", presenting: "★",
  evaluating: "?", restart_requested: "↻", rejected: "!", failed: "✗", timed_out: "✗",
};

export class Steps {
  #last = 0;
  #begun = new Map();
  #agents = new Map();
  #filled = false;

  /** `fetchAll()` gives all steps of the flow, for one that came to its end before this page was opened. */
  constructor(fetchAll) {
    this.fetchAll = fetchAll;
    this.now = h("span", { class: "steps-now" });
    this.list = h("ol", { class: "steps-list" });
    this.board = h("ul", { class: "steps-agents", hidden: true });
    this.element = h("details", { class: "steps", ontoggle: () => this.#unfolded() },
      h("summary", {}, this.now), this.board, this.list);
    this.#rested();
  }

  /** The same step told twice counts once. */
  hear(event) {
    if (event.seq <= this.#last) return;
    this.#last = event.seq;
    this.list.append(row(event));
    const words = this.#words(event);
    if (words || this.running !== true) this.#running(words || "Working on it");
  }

  rest() {
    this.running = false;
    this.board.hidden = true;
    this.#rested();
  }

  #running(words) {
    this.running = true;
    this.element.classList.add("steps-running");
    fill(this.now, h("span", { class: "spinner", "aria-hidden": "true" }), h("span", { class: "cut" }, words));
  }

  #rested() {
    this.element.classList.remove("steps-running");
    fill(this.now, icon("right", 14), this.#last ? counted(this.list.children.length, "step") : "Steps");
  }

  #words(event) {
    const { step, text, data } = event;
    if (step === "9") return this.#begins(data, text);
    if (step === "10") return this.#ends(data);
    if (step === "11" && data.drafting) return this.#drafts(data, text);
    if (step === "13" && data.decision === "revise") return onOneLine(text.split(": ").slice(1).join(": ")) || "Trying it another way";
    return "";
  }

  #begins(data, text) {
    const words = onOneLine(text.includes(": ") ? text.slice(text.indexOf(": ") + 2) : text);
    this.#begun.set(data.id, words);
    return `${words} …`;
  }

  #ends(data) {
    const words = this.#begun.get(data.id);
    const found = data.status === "error" ? `✗ ${data.found}` : data.proposed ? `${counted(data.proposed, "change")} prepared` : data.kind === "text" ? "answered" : data.found;
    return words ? `${words} … ${onOneLine(found)}` : "";
  }

  /** Why there are several, then each as it is written, and the votes as they fall. */
  #drafts(data, text) {
    const words = toldWords(data, text);
    if (data.agent) {
      this.#agents.set(data.agent, h("li", {}, h("span", { class: "steps-mark" }, MARKS[data.kind] ?? "·"), h("strong", {}, data.agent), ` ${afterName(words, data.agent)}`));
      this.board.hidden = false;
      fill(this.board, [...this.#agents.values()]);
    }
    return !data.kind || QUIET.has(data.kind) ? words : "";
  }

  async #unfolded() {
    if (!this.element.open || this.running || this.#filled || !this.fetchAll) return;
    this.#filled = true;
    if (!this.list.children.length) fill(this.list, h("li", {}, spinner()));
    try {
      const { items } = await this.fetchAll();
      fill(this.list, items.map(row), !items.length && h("li", { class: "muted" }, "No steps are kept of this."));
      this.#last = Math.max(this.#last, ...items.map((one) => one.seq));
    } catch (problem) {
      this.#filled = false;
      fill(this.list, h("li", { class: "muted" }, problem.detail ?? String(problem)));
    }
  }
}

const row = ({ step, name, text }) => h("li", {}, h("span", { class: "steps-number numbers" }, step), h("span", {}, h("strong", {}, name), ": ", onOneLine(text)));

function toldWords(data, text) {
  if (data.kind === "answered" && typeof data.answer === "string") return `${data.agent} answers: ${counted(data.answer.trim().split(/\s+/).length, "word")}`;
  return onOneLine(text).replace(/ ---$/, "");
}

const afterName = (words, name) => (words.startsWith(name) ? words.slice(name.length).replace(/^[ :]+/, "") : words);
