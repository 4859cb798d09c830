// What awaits approval: everything that would be done, why it is asked about, and the ways to decide.

import { button, fill, h, icon, newId, note } from "../dom.js";
import { day, when } from "../words.js";
import { changesTable } from "./changes.js";
import { confirmation, isGrave } from "./confirm.js";
import { receipt } from "./outcome.js";
import { plain, said } from "./plain.js";
import { editForm } from "./preview-edit.js";
import { alike, headline, itemBlock, itemList } from "./preview-items.js";
import { sendLater } from "./send-later.js";
import { sentence, warningList } from "./warnings.js";

const LEVELS = {
  low: ["check", "Low risk"],
  medium: ["approvals", "Medium risk"],
  high: ["alert", "High risk"],
};
const STATUS = {
  approved: ["check", "This was approved."],
  superseded: ["refresh", "A newer version has taken its place."],
  cancelled: ["close", "This was cancelled; nothing of it was done."],
  stale: ["refresh", "This is out of date: things have changed since."],
};
/** What becomes of it after what was done with it, where the rest is told elsewhere. */
const LEAVES = { approve: "approved", revise: "superseded", cancel: "cancelled" };
const ONE_DAY = 86_400_000;

/**
 * Ctx: `{api, announce(words), onTurn(turn)}`. Where `onTurn` gives true, the turn is shown elsewhere, and the
 * card only says what became of it; else it becomes the receipt, or the preview that takes its place.
 */
export function previewCard(preview, ctx) {
  return new PreviewCard(preview, ctx).element;
}

class PreviewCard {
  #busy = false;

  constructor(preview, ctx) {
    this.ctx = ctx;
    this.heading = newId("preview");
    this.told = h("p", { class: "preview-told", role: "status" });
    this.error = h("p", { class: "field-error", role: "alert" });
    this.body = h("div", { class: "preview-body" });
    this.bar = h("div", { class: "preview-bar" });
    this.element = h("article", { "aria-labelledby": this.heading, tabindex: "-1" });
    this.element.addEventListener("superseded", () => this.#leave("superseded"));
    this.#show(preview);
  }

  #show(preview) {
    this.preview = preview;
    this.#state(preview.status, `preview-${preview.level}`);
    this.read();
    replacing(preview);
  }

  #state(status, kind) {
    this.element.className = `preview ${kind}`;
    this.element.dataset.preview = this.preview.id;
    this.element.dataset.status = status;
  }

  // --- what is seen

  /** To be read and decided about. */
  read() {
    fill(this.error);
    fill(this.element, this.#head(), this.body, this.bar, this.told, this.error, this.#foot());
    fill(this.body, ...this.#contents());
    this.#offer();
  }

  #head() {
    const { preview } = this;
    const [name, words] = LEVELS[preview.level];
    const reasons = preview.reasons.filter((one) => !preview.warnings?.includes(one));
    return h(
      "header",
      { class: "preview-head" },
      h(
        "div",
        { class: "row" },
        h("span", { class: `level level-${preview.level}` }, icon(name, 16), words),
        preview.sample && h("span", { class: "badge" }, "Sample account"),
        preview.through.length > 0 && h("span", { class: "small muted" }, "through ", said(preview.through.join(" and "))),
      ),
      h("h3", { id: this.heading, class: "preview-heading" }, said(headline(preview.items))),
      warningList(preview.warnings),
      reasons.length > 0 &&
        h(
          "ul",
          { class: "reasons", "aria-label": "Why you are asked" },
          reasons.map((reason) => h("li", {}, said(sentence(reason)))),
        ),
    );
  }

  #contents() {
    const { items, differs, replaces, status } = this.preview;
    const drafted = items.filter((item) => item.written?.versions.length > 1).length;
    const ctx = { ...this.ctx, drafted, reword: status === "open" && ((words, pressed) => this.revise({ words }, pressed)) };
    return [
      differs.length > 0 &&
        h(
          "section",
          { class: "differs", "aria-label": "What is different" },
          h("h4", {}, icon("refresh", 16), "Different from what you saw"),
          changesTable(differs, "What is different from what you saw"),
        ),
      replaces && !differs.length && note("This takes the place of an earlier one; what it does is the same."),
      ...(alike(items) ? itemList(items, ctx) : items.map((item, at) => itemBlock(item, at + 1, items.length > 1, ctx))),
    ];
  }

  #foot() {
    const { id, expires, fingerprint, status } = this.preview;
    return h(
      "footer",
      { class: "preview-foot small muted" },
      status === "open" && h("span", { title: when(expires) }, openFor(expires)),
      h("span", { class: "mono", title: `Preview ${id}` }, id),
      h(
        "span",
        { class: "mono", title: `Fingerprint ${fingerprint}: approving approves exactly this.` },
        `${fingerprint.slice(0, 14)}…`,
      ),
    );
  }

  #offer() {
    const { status, items } = this.preview;
    if (status !== "open") {
      const [name, words] = STATUS[status] ?? STATUS.stale;
      return fill(this.bar, h("p", { class: "preview-status" }, icon(name), words));
    }
    const mails = items.some((item) => item.action.kind === "send_mail");
    return fill(
      this.bar,
      button("Approve", {
        kind: "primary",
        icon: "check",
        "data-act": "approve",
        onclick: (event) => this.#approving(event.currentTarget),
      }),
      button("Edit", { icon: "edit", "data-act": "edit", onclick: () => this.edit() }),
      mails && sendLater(items, (actions, pressed) => this.revise({ actions }, pressed)),
      button("Cancel", {
        kind: "quiet",
        "data-act": "cancel",
        "aria-label": "Cancel this; nothing of it is done",
        onclick: (event) => this.#act(event.currentTarget, "Cancelling …", "cancel", {}),
      }),
      this.#change(),
    );
  }

  /** A line to say in words what shall be different. */
  #change() {
    const input = h("input", {
      class: "input",
      autocomplete: "off",
      placeholder: "Or say what to change",
      "aria-label": "Say what to change",
    });
    const form = h("form", {
      class: "preview-change",
      onsubmit: (event) => {
        event.preventDefault();
        if (input.value.trim()) this.revise({ words: input.value.trim() }, submit);
      },
    });
    const submit = button("Change it", { small: true, type: "submit", "data-act": "change" });
    return fill(form, input, submit);
  }

  /** Everything that can be changed by hand. */
  edit() {
    fill(this.error);
    const form = editForm(this.preview, {
      ...this.ctx,
      save: (actions, pressed) => this.revise({ actions }, pressed),
      back: () => this.#backTo("edit"),
    });
    fill(this.body, form);
    fill(this.bar);
    form.begin();
  }

  #approving(pressed) {
    if (!isGrave(this.preview)) return this.approve(pressed);
    const asked = confirmation(this.preview, { approve: (final) => this.approve(final), back: () => this.#backTo("approve") });
    fill(this.bar, asked);
    return asked.begin();
  }

  #backTo(act) {
    if (this.#busy) return;
    this.read();
    this.element.querySelector(`[data-act="${act}"]`)?.focus();
  }

  // --- what is done

  approve(pressed) {
    return this.#act(pressed, "Approved: it is being carried out …", "approve", { fingerprint: this.preview.fingerprint });
  }

  /** `{words}` or `{actions}`. What was typed stays where it can't be done. */
  revise(changes, pressed) {
    return this.#act(pressed, "Making the change …", "revise", { ...changes, fingerprint: this.preview.fingerprint });
  }

  async #act(pressed, words, what, body) {
    if (this.#busy) return;
    this.#busy = true;
    const unlock = lock(this.element, pressed);
    this.told.textContent = words;
    fill(this.error);
    try {
      this.#settle(await this.ctx.api.post(`/api/previews/${encodeURIComponent(this.preview.id)}/${what}`, body), what);
    } catch (problem) {
      await this.#failed(problem);
    } finally {
      this.#busy = false;
      this.told.textContent = "";
      unlock();
    }
  }

  #settle(turn, what) {
    const fresh = turn.previews.find((one) => one.id !== this.preview.id);
    const unchanged = turn.previews.some((one) => one.id === this.preview.id);
    this.#announce(turn, what, fresh);
    if (!fresh && (unchanged || what === "revise")) return this.#stays(turn);
    if (this.ctx.onTurn?.(turn) === true) return this.#leave(LEAVES[what]);
    if (fresh) return this.#becomes(fresh);
    if (turn.outcomes.length) return this.#done(turn);
    return what === "cancel" ? this.#leave("cancelled") : this.#answered(turn);
  }

  #announce(turn, what, fresh) {
    const told = fresh
      ? what === "approve"
        ? "It has changed since you saw it; look at it once more."
        : "Changed; look at it once more."
      : turn.reply;
    this.ctx.announce?.(told);
  }

  #stays(turn) {
    this.ctx.onTurn?.(turn);
    this.#answered(turn);
  }

  /** It stays as it is, and something is said about it. */
  #answered(turn) {
    const words = turn.question?.text || turn.reply;
    if (words) fill(this.error, said(words));
  }

  #becomes(preview, ...before) {
    if (cardsOf(preview.id).some((card) => card !== this.element)) return this.#leave("superseded");
    this.#show(preview);
    this.element.prepend(...before);
    return this.element.focus();
  }

  #done(turn) {
    this.#state("approved", "preview-done");
    fill(
      this.element,
      h("h3", { id: this.heading, class: "visually-hidden" }, said(headline(this.preview.items))),
      receipt(turn, this.ctx),
    );
    this.element.focus();
  }

  /** Only what it was and what became of it. Whoever was in it stays where they are. */
  #leave(status) {
    const held = this.element.contains(document.activeElement);
    const [name, words] = STATUS[status];
    this.#state(status, "preview-left");
    const heading = h("span", { id: this.heading, class: "preview-left-heading" }, said(headline(this.preview.items)));
    fill(
      this.element,
      h("p", { class: "row" }, icon(name, 16), h("span", { class: "grow" }, heading, h("span", { class: "muted small" }, words))),
    );
    if (held) this.element.focus({ preventScroll: true });
  }

  async #failed(problem) {
    fill(this.error, problem.detail ?? problem.message);
    if (problem.status === 409 || problem.status === 404 || !problem.status) await this.#lookAgain(problem);
  }

  /** Somebody else was quicker, or the answer got lost: what has become of it is looked up. */
  async #lookAgain(problem) {
    const { api } = this.ctx;
    const now = await api.get(`/api/previews/${encodeURIComponent(this.preview.id)}`).catch(() => null);
    if (!now || (now.status === "open" && now.fingerprint === this.preview.fingerprint)) return;
    const { items } = await api.get("/api/previews", { query: { conversation: now.conversation } }).catch(() => ({ items: [] }));
    const fresh = now.status === "open" ? now : items.find((one) => one.replaces === now.id);
    this.#becomes(fresh ?? now, note(problem.detail ?? problem.message, "medium"));
    this.ctx.announce?.(fresh ? "There is a newer version; look at it once more." : problem.detail);
  }
}

/** The card of what a preview takes the place of says so. */
function replacing({ replaces }) {
  if (!replaces) return;
  for (const card of cardsOf(replaces)) if (card.dataset.status === "open") card.dispatchEvent(new Event("superseded"));
}

const cardsOf = (id) => [...document.querySelectorAll(`[data-preview="${CSS.escape(id)}"]`)];

/** Nothing can be pressed a second time; gives what lifts it. What is pressed keeps the focus. */
function lock(element, pressed) {
  const controls = [...element.querySelectorAll("button, input, textarea, select")].filter(
    (one) => !one.disabled && one !== pressed,
  );
  for (const one of controls) one.disabled = true;
  pressed?.setAttribute("aria-disabled", "true");
  element.setAttribute("aria-busy", "true");
  return () => {
    for (const one of controls) one.disabled = false;
    pressed?.removeAttribute("aria-disabled");
    element.removeAttribute("aria-busy");
  };
}

function openFor(expires) {
  const left = Date.parse(expires) - Date.now();
  if (left <= 0) return "Too old: approving shows it again";
  return left > 1.5 * ONE_DAY ? `Open until ${day(expires)}` : `Open until ${when(expires)}`;
}
