// One thing said in a conversation, as it stands on the page.

import { arrange, busy, button, fill, h, icon, note } from "../dom.js";
import { capitalised, clock, onOneLine, when } from "../words.js";
import { Steps } from "./steps.js";

const SURE = 90;
/** Milliseconds for which what could not be sent is sent by itself when the service is reached again. */
const STILL_WANTED = 2 * 60_000;
const ASKS_BELOW = 70;
const RESTS = { suspended: "Paused: nothing of it is lost.", parked: "Waits for you.", running: "Still at work." };

/** Parts of the approval card; where they can't be loaded the words still stand. */
const cards = Promise.all(["preview-card", "question", "outcome", "briefing-card"].map((name) => import(`./${name}.js`)))
  .then((parts) => Object.assign({}, ...parts));

/** What the user said. `id` is empty until the service has it. */
export class UserEntry {
  constructor({ id = "", text, at = null, flow = null, role = "user" }) {
    Object.assign(this, { id, text, at, flow, role });
    this.state = h("div", { class: "said-state small muted" });
    if (role === "schedule") {
      this.element = chip(text, at);
      return;
    }
    const who = role === "program" ? "Another program said" : "You said";
    this.element = h("li", { class: ["said", role === "program" ? "said-program" : "said-user"] },
      h("h2", { class: "visually-hidden" }, who), h("div", { class: "said-text lines", dir: "auto" }, text), this.state);
    this.#told();
  }

  sending() {
    this.broken = false;
    fill(this.state, "Sending …");
  }

  confirmed({ id, at, flow }) {
    Object.assign(this, { id, at, flow, broken: false });
    this.#told();
  }

  /** `again()` repeats it; `back()` puts the words into the composer. */
  failed(problem, { again, back }) {
    this.broken = true;
    const until = Date.now() + STILL_WANTED;
    this.reached = () => this.broken && problem.unreachable && Date.now() < until && again();
    fill(this.state, icon("alert", 16), h("span", { class: "ink-high" }, problem.detail ?? "Not sent."), " ",
      button("Try again", { kind: "link", small: true, onclick: again }), button("Take back", { kind: "link", small: true, onclick: back }));
  }

  #told() {
    const program = this.role === "program" && "from another program";
    fill(this.state, program, this.at && h("time", { datetime: this.at, title: when(this.at) }, program && " · ", clock(this.at)));
  }
}

/** A schedule has begun something by itself. */
function chip(text, at) {
  return h("li", { class: "said said-schedule" },
    h("p", { class: "said-chip" }, icon("schedules", 16), h("span", { class: "cut" }, h("strong", { dir: "auto" }, onOneLine(text)), " · scheduled"),
      at && h("time", { datetime: at, title: when(at) }, clock(at))));
}

/** What the assistant does and says about one message. `id` is empty until it has spoken. */
export class AssistantEntry {
  #shown = new Map();

  constructor({ id = "", text = "", at = null, flow = null, turn = null }, ctx) {
    Object.assign(this, { id, text, at, flow, turn: null, ctx });
    this.steps = new Steps(flow && (() => ctx.api.get(`/api/flows/${encodeURIComponent(flow)}/events`)));
    this.words = h("div", { class: "said-text lines", dir: "auto", hidden: true });
    this.parts = h("div", { class: "said-parts" });
    this.when = h("span", { class: "small muted" });
    this.foot = h("p", { class: "small muted", hidden: true });
    this.element = h("li", { class: "said said-assistant" }, h("h2", { class: "visually-hidden" }, "The assistant"),
      h("div", { class: "said-head" }, this.steps.element, this.when), this.words, this.parts, this.foot);
    this.steps.element.hidden = !flow;
    if (id) this.spoke({ id, text, at });
    if (turn) this.came(turn);
  }

  get awaits() {
    return Boolean(this.turn?.previews.some((one) => one.status === "open") || (this.turn?.question && this.turn.status === "waiting"));
  }

  /** A step of its flow. */
  works(event) {
    if (this.turn?.status === "suspended") this.passed();
    this.steps.element.hidden = false;
    this.steps.hear(event);
  }

  spoke({ id, text, at }) {
    Object.assign(this, { id, text, at });
    this.steps.rest();
    this.#write();
  }

  /** The flow came to its end, or rests. */
  came(turn) {
    this.turn = turn;
    this.steps.rest();
    this.#write();
    this.#show();
  }

  /** Another state of a preview or an outcome that is shown here. */
  changed(change) {
    if (!this.turn) return;
    this.turn = change(this.turn);
    this.#show();
  }

  /** It was answered, or went on further below. */
  passed() {
    const { turn } = this;
    if (!turn?.question && turn?.status !== "suspended") return;
    if (turn.question) {
      const { text, choices } = turn.question;
      this.text = [text, ...choices.map((one, index) => `${index + 1}. ${one.label}`)].join("\n");
    }
    this.turn = { ...turn, question: null, status: "done" };
    this.#write();
    this.#show();
  }

  #write() {
    const words = this.#said();
    this.words.hidden = !words;
    fill(this.words, words);
    const about = this.#about();
    this.foot.hidden = !about;
    fill(this.foot, about);
    fill(this.when, this.at && h("time", { datetime: this.at, title: when(this.at) }, clock(this.at)));
  }

  /** What a card or a receipt shows is not said a second time. */
  #said() {
    const { turn } = this;
    if (turn?.briefing) return turn.late;
    if (turn?.question && (!turn.reply || turn.reply.includes(turn.question.text))) return "";
    if (!turn?.previews.length && !turn?.outcomes.length) return this.text || turn?.reply || "";
    const shown = (line) => /^[✓✗…]/u.test(line) && turn.outcomes.some(({ says }) => says && line.includes(says));
    return turn.reply.split("\n").filter((line) => !shown(line)).join("\n").trim();
  }

  #about() {
    const { turn } = this;
    const said = [];
    if (turn?.steps.length && turn.confidence >= ASKS_BELOW && turn.confidence < SURE && !turn.question && turn.status === "done") said.push(`${turn.confidence} % sure`);
    if (turn && !["done", "waiting"].includes(turn.status)) said.push(RESTS[turn.status] ?? capitalised(turn.status));
    return said.join(" · ");
  }

  async #show() {
    const turn = this.turn;
    const made = await cards.catch(() => null);
    if (turn !== this.turn) return;
    if (made) arrange(this.parts, this.#wanted(turn, made).map(([key, value, make]) => this.#part(key, value, make)));
    else fill(this.parts, note("A part of the page could not be loaded; reload it.", "high"));
    this.ctx.grown?.();
  }

  #wanted(turn, { receipt, previewCard, questionCard, briefingCard }) {
    const ctx = { ...this.ctx, flow: turn.flow };
    return [
      ["briefing", turn.briefing ?? null, () => briefingCard(turn.briefing, ctx)],
      ["receipt", turn.outcomes.length ? turn.outcomes : null, () => receipt(turn, ctx)],
      ...turn.previews.map((one) => [one.id, one, () => previewCard(one, ctx)]),
      ["question", turn.question, () => questionCard(turn.question, ctx)],
      ["resting", turn.status === "suspended" || null, () => this.#resting()],
    ].filter(([, value]) => value !== null);
  }

  /** What has not changed stays as it stands, with all that was typed into it; a card that tells its own end keeps telling it. */
  #part(key, value, make) {
    const state = JSON.stringify(value);
    const old = this.#shown.get(key);
    const told = old && value.status && value.status !== "open" && (old.element.dataset.status ?? "open") !== "open";
    if (old && (told || old.state === state)) return old.element;
    const element = make();
    this.#shown.set(key, { state, element });
    return element;
  }

  #resting() {
    const { api, onTurn, toast } = this.ctx;
    const act = (what) => async ({ currentTarget }) => {
      try {
        onTurn(await busy(currentTarget, () => api.post(`/api/flows/${encodeURIComponent(this.flow)}/${what}`)));
      } catch (problem) {
        toast(problem.detail, { kind: "high" });
      }
    };
    return h("div", { class: "row" }, button("Go on", { icon: "play", small: true, onclick: act("resume") }), button("Give up", { kind: "quiet", small: true, onclick: act("cancel") }));
  }
}
