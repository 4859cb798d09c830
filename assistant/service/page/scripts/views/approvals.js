// What awaits the user: open previews and questions, newest first; or one preview, whatever became of it.

import { empty, fill, h, note, spinner } from "../dom.js";
import { previewCard } from "../parts/preview-card.js";
import { questionCard } from "../parts/question.js";
import { said } from "../parts/plain.js";
import { when } from "../words.js";

const SETTLES = 500;

export async function view(ctx) {
  const shown = new Approvals(ctx);
  await shown.open(ctx.params.id);
  return { element: shown.element, update: (params) => shown.open(params.id), leave: () => shown.leave() };
}

class Approvals {
  #leaving = new AbortController();
  #soon = 0;
  #turn = 0;

  constructor(ctx) {
    this.ctx = ctx;
    this.cardContext = { ...ctx, onTurn: () => false };
    this.heading = h("h1", { tabindex: "-1" });
    this.intro = h("p", { class: "muted" });
    this.body = h("div", { class: "stack approvals" });
    this.element = h("div", { class: "view" }, h("header", { class: "stack-small" }, this.heading, this.intro), this.body);
    for (const name of ["counts", "went_out"]) {
      ctx.live?.addEventListener(name, () => this.#later(), { signal: this.#leaving.signal });
    }
  }

  /** Not while a card awaits its own answer: that tells what takes its place. */
  #later() {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      if (this.body.querySelector("[aria-busy='true']")) this.#later();
      else if (!this.id) this.#load();
    }, SETTLES);
  }

  leave() {
    clearTimeout(this.#soon);
    this.#leaving.abort();
  }

  async open(id = "") {
    this.id = id;
    this.known = new Map();
    fill(this.heading, id ? "Approval" : "Approvals");
    this.ctx.title?.(this.heading.textContent);
    fill(
      this.intro,
      id ? h("a", { href: "#/approvals" }, "All that awaits your approval") : "Nothing of this is done until you approve it.",
    );
    fill(this.body, spinner());
    await this.#load();
  }

  async #load() {
    const turn = ++this.#turn;
    try {
      const found = this.id ? await this.#one() : await this.#all();
      if (turn === this.#turn) found();
    } catch (problem) {
      if (turn !== this.#turn) return;
      const words = problem.status === 404 ? "There is no such preview, or it is not yours." : (problem.detail ?? problem.message);
      if (!this.known.size) fill(this.body, note(words, "high"));
    }
  }

  async #one() {
    const preview = await this.ctx.api.get(`/api/previews/${encodeURIComponent(this.id)}`);
    const later =
      preview.status === "open"
        ? null
        : (await this.ctx.api.get("/api/previews", { query: { conversation: preview.conversation } })).items.find(
            (one) => one.replaces === preview.id,
          );
    return () => {
      fill(
        this.body,
        this.#about(preview),
        previewCard(preview, this.cardContext),
        later && [h("h2", {}, "What takes its place"), previewCard(later, this.cardContext)],
      );
    };
  }

  async #all() {
    const [{ items: previews }, { items: questions }] = await Promise.all([
      this.ctx.api.get("/api/previews"),
      this.ctx.api.get("/api/questions").catch(() => ({ items: [] })),
    ]);
    return () => this.#arrange(previews, questions);
  }

  /** What stands here already stays, with all that was typed into it. */
  #arrange(previews, questions) {
    const wanted = [
      ...previews.map((one) => [
        one.id,
        () => h("section", { "aria-label": "Awaits your approval" }, this.#about(one), previewCard(one, this.cardContext)),
      ]),
      ...questions.map((one) => [
        one.question.id,
        () => h("section", { "aria-label": "A question for you" }, this.#about(one), questionCard(one.question, this.cardContext)),
      ]),
    ];
    const fresh = wanted.filter(([id]) => !this.known.has(id) && !this.#standsIn(id));
    for (const [id, make] of fresh) this.known.set(id, make());
    for (const [id, section] of this.known) if (!wanted.some(([other]) => other === id)) this.#ended(id, section);
    const first = this.body.querySelector(".spinner, .empty");
    if (first) fill(this.body);
    this.body.prepend(...fresh.map(([id]) => this.known.get(id)));
    if (!this.known.size)
      fill(
        this.body,
        empty(
          "Nothing awaits your approval",
          "When the assistant wants to write, send or change something, it asks here and in the chat.",
        ),
      );
  }

  /** A card that has become the fresh preview shows it already. */
  #standsIn(id) {
    return Boolean(this.body.querySelector(`[data-preview="${CSS.escape(id)}"]`));
  }

  /** Decided elsewhere: what stands open here is looked up anew. */
  async #ended(id, section) {
    const card = section.querySelector(`[data-preview="${CSS.escape(id)}"][data-status="open"]`);
    if (!card || card.getAttribute("aria-busy") === "true") return;
    const now = await this.ctx.api.get(`/api/previews/${encodeURIComponent(id)}`).catch(() => null);
    if (now && now.status !== "open" && card.isConnected) card.replaceWith(previewCard(now, this.cardContext));
  }

  #about({ created, conversation, about }) {
    return h(
      "p",
      { class: "approvals-about small muted" },
      about ? ["About “", said(about), "” · "] : `Asked ${when(created)} · `,
      h("a", { href: `#/c/${encodeURIComponent(conversation)}` }, "open the conversation"),
    );
  }
}
