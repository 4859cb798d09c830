// A conversation on the page: what was said, in order, each thing once, however often and in whatever order it is told.

import { arrange, button, h } from "../dom.js";
import { dateOf, longDay } from "../words.js";
import { AssistantEntry, UserEntry } from "./entries.js";

export class Thread {
  #entries = [];
  #ids = new Map();
  #seen = new Map();

  /** `ctx` is what cards get; `older()` fetches what was said before. */
  constructor(ctx, { older }) {
    this.ctx = { ...ctx, grown: () => this.#follow(), onTurn: (turn) => this.#acted(turn) };
    this.more = button("Earlier messages", { kind: "quiet", small: true, onclick: older });
    this.more.hidden = true;
    this.thinking = h("li", { class: "said said-assistant", hidden: true }, h("p", { class: "row muted small" }, h("span", { class: "spinner", "aria-hidden": "true" }), "Thinking …"));
    this.list = h("ol", { class: "thread-list" }, this.thinking);
    this.below = button("To the newest", { icon: "down", only: true, class: "thread-below", onclick: () => this.toEnd() });
    this.element = h("div", { class: "thread", onscroll: () => this.#scrolled() }, h("div", { class: "thread-more" }, this.more), this.list);
    this.foot = h("div", { class: "thread-foot" }, this.below);
    this.below.hidden = true;
    this.atEnd = true;
    new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.element.scrollHeight > this.element.clientHeight && older(), { root: this.element }).observe(this.more);
    const sizes = new ResizeObserver(() => this.#follow());
    for (const one of [this.list, this.element]) sizes.observe(one);
  }

  /** What was typed first of that which the service does not have yet. */
  get typing() {
    return this.#entries.find((one) => one instanceof UserEntry && !one.id);
  }

  /** The user's own words, the newest first. */
  get own() {
    return this.#entries.filter((one) => one instanceof UserEntry && one.role === "user").map((one) => one.text).reverse();
  }

  /** Those before what stands here, the oldest first; the place on the screen stays. */
  prepend(items, { more }) {
    const fromEnd = this.element.scrollHeight - this.element.scrollTop;
    const fresh = items.filter((item) => !this.#ids.has(item.id)).map((item) => this.#made(item));
    this.#entries.unshift(...fresh);
    this.#place();
    this.more.hidden = !more;
    if (!this.atEnd) this.element.scrollTop = this.element.scrollHeight - fromEnd;
  }

  /** Whether the flow has not said yet how it goes on after what the user said to it last. */
  unanswered(flow) {
    return this.#entries.findLast((one) => one.flow === flow) instanceof UserEntry;
  }

  /** Something said. */
  message(item) {
    if (this.#ids.has(item.id)) return;
    if (item.role === "assistant") this.#spoken(item);
    else this.#heard(item);
    this.#place();
  }

  /** A step of a flow. */
  step(event) {
    if (event.seq <= (this.#seen.get(event.flow) ?? 0)) return;
    this.#seen.set(event.flow, event.seq);
    this.#working(event.flow).works(event);
    this.#place();
  }

  /** A flow came to its end, or rests. */
  turn(turn) {
    const entry = this.#last(turn.flow) ?? this.#working(turn.flow);
    const fresh = entry.turn === null;
    entry.came(turn);
    if (fresh && turn.reply) this.ctx.announce(spoken(turn));
    for (const one of this.#entries) if (one !== entry && one.flow === turn.flow && one.passed) one.passed();
    this.#place();
    this.#refresh(turn);
  }

  wentOut({ outcome, turn }) {
    for (const one of this.#entries) {
      if (one.turn?.outcomes.some((known) => known.key === outcome.key)) {
        one.changed((old) => ({ ...old, outcomes: old.outcomes.map((known) => (known.key === outcome.key ? outcome : known)) }));
      }
    }
    if (turn) this.turn(turn);
  }

  /** What was typed, before the service has it. */
  typed(text) {
    const entry = new UserEntry({ text });
    entry.sending();
    this.#entries.push(entry);
    this.#place();
    this.toEnd();
    return entry;
  }

  /** The service is there again. */
  reached() {
    for (const one of this.#entries) one.reached?.();
  }

  drop(entry) {
    entry.broken = false;
    this.#entries = this.#entries.filter((one) => one !== entry);
    this.#place();
  }

  /** Whether something is under way that has not told of itself yet. */
  waits(yes) {
    const last = this.#entries.at(-1);
    this.thinking.hidden = !yes || (last instanceof AssistantEntry && last.steps.running);
    this.#follow();
  }

  rests() {
    for (const one of this.#entries) if (one.steps?.running) one.steps.rest();
    this.thinking.hidden = true;
  }

  toEnd() {
    this.atEnd = true;
    this.element.scrollTop = this.element.scrollHeight;
  }

  /** What was pressed in a card is gone from it: the focus goes on to where one writes. True: it is shown here. */
  #acted(turn) {
    this.turn(turn);
    this.toEnd();
    setTimeout(() => {
      const at = document.activeElement;
      if (at === document.body || at?.matches(".preview-left")) this.ctx.compose();
    });
    return true;
  }

  #made(item) {
    const entry = item.role === "assistant" ? new AssistantEntry(item, this.ctx) : new UserEntry(item);
    this.#ids.set(item.id, entry);
    return entry;
  }

  #heard(item) {
    const typed = this.#entries.find((one) => one instanceof UserEntry && !one.id && same(one.text, item.text));
    if (typed) {
      typed.confirmed(item);
      for (const one of this.#entries) if (one.flow === item.flow) one.passed?.();
      this.#ids.set(item.id, typed);
      return;
    }
    for (const one of this.#entries) if (one.flow === item.flow) one.passed?.();
    const entry = this.#made(item);
    const working = this.#entries.findIndex((one) => one instanceof AssistantEntry && !one.id && one.flow === item.flow);
    this.#entries.splice(working < 0 ? this.#confirmed() : working, 0, entry);
  }

  /** What the service does not have yet stays last. */
  #confirmed() {
    const index = this.#entries.findIndex((one) => one instanceof UserEntry && !one.id);
    return index < 0 ? this.#entries.length : index;
  }

  #spoken(item) {
    const working = this.#entries.find((one) => one instanceof AssistantEntry && !one.id && one.flow === item.flow);
    if (!working) {
      this.#entries.splice(this.#confirmed(), 0, this.#made(item));
      return;
    }
    this.#ids.set(item.id, working);
    working.spoke(item);
    if (item.turn) working.came(item.turn);
  }

  /** Where the flow works just now: after what the user said to it last. */
  #working(flow) {
    const last = this.#last(flow);
    if (last && !last.id) return last;
    const entry = new AssistantEntry({ flow }, this.ctx);
    const said = this.#entries.findLastIndex((one) => one instanceof UserEntry && one.flow === flow);
    const after = said < 0 ? this.#entries.length : said + 1;
    this.#entries.splice(Math.max(after, last ? this.#entries.indexOf(last) + 1 : 0), 0, entry);
    return entry;
  }

  #last(flow) {
    const last = this.#entries.findLast((one) => one.flow === flow);
    return last instanceof AssistantEntry ? last : undefined;
  }

  /** Puts the elements in order, each day under its date; what stands right is not touched. */
  #place() {
    this.thinking.hidden ||= this.#entries.at(-1) instanceof AssistantEntry;
    const wanted = [];
    let day = "";
    for (const entry of this.#entries) {
      const date = entry.at && dateOf(entry.at);
      if (date && date !== day) {
        day = date;
        wanted.push(this.#date(date, entry.at));
      }
      wanted.push(entry.element);
    }
    wanted.push(this.thinking);
    arrange(this.list, wanted);
    this.#follow();
  }

  #days = new Map();

  #date(date, at) {
    if (!this.#days.has(date)) this.#days.set(date, h("li", { class: "thread-day small muted" }, h("time", { datetime: date }, longDay(at))));
    return this.#days.get(date);
  }

  /** Previews that were open here may be approved, replaced or out of date since. */
  async #refresh(turn) {
    const shown = new Set(turn.previews.map((one) => one.id));
    for (const entry of this.#entries) {
      for (const old of entry.turn?.previews ?? []) {
        if (old.status !== "open" || shown.has(old.id)) continue;
        const fresh = await this.ctx.api.get(`/api/previews/${encodeURIComponent(old.id)}`).catch(() => null);
        if (fresh && fresh.status !== "open") entry.changed((now) => ({ ...now, previews: now.previews.map((one) => (one.id === fresh.id ? fresh : one)) }));
      }
    }
  }

  #scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    this.atEnd = scrollHeight - scrollTop - clientHeight < 48;
    this.below.hidden = this.atEnd;
  }

  /** Down to what is new, but not past where it begins: it is to be read from there. */
  #follow() {
    if (!this.atEnd) return this.#scrolled();
    const last = this.#entries.at(-1);
    const begins = last instanceof AssistantEntry ? last.element.offsetTop - this.element.offsetTop - 12 : Infinity;
    const to = Math.min(this.element.scrollHeight - this.element.clientHeight, begins);
    if (to > this.element.scrollTop) this.element.scrollTop = to;
    return undefined;
  }
}

const same = (typed, stored) => typed.trim() === stored.trim();

function spoken({ reply, previews, question }) {
  const waits = previews.length ? ` ${previews.length === 1 ? "A preview awaits" : `${previews.length} previews await`} your approval.` : "";
  return `${question?.text ?? reply}${waits}`;
}

