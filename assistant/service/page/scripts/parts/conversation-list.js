// Earlier conversations: the latest first, to look through and to go on with.

import { button, fill, h, newId } from "../dom.js";
import { brief, dateOf, today, when } from "../words.js";

const PAGE = 40;
const PAUSE = 250;

export class ConversationList {
  #items = [];
  #next = null;
  #asked = 0;
  #timer = 0;
  #current = "";

  /** `acts`: `{fresh()}`. */
  constructor({ api, arrivals }, acts) {
    this.api = api;
    this.arrivals = arrivals;
    this.search = h("input", { class: "input", type: "search", placeholder: "Search", "aria-label": "Search conversations", oninput: () => this.soon() });
    this.list = h("ul", { class: "talks-list" });
    this.more = button("More", { kind: "quiet", small: true, onclick: () => this.#load({ on: true }) });
    this.more.hidden = true;
    const heading = h("h2", { id: newId("talks"), class: "visually-hidden" }, "Conversations");
    this.element = h("section", { class: "talks", "aria-labelledby": heading.id }, heading,
      h("div", { class: "talks-head" }, button("New conversation", { icon: "plus", onclick: acts.fresh, class: "grow" })),
      h("div", { class: "talks-search" }, this.search), this.list, this.more);
  }

  /** Reloads, but not for each of many changes at once. */
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.load(), PAUSE);
  }

  load() {
    return this.#load({ on: false });
  }

  leave() {
    clearTimeout(this.#timer);
    this.#asked++;
  }

  /** Shows again what is new in them. */
  marked() {
    this.#draw();
  }

  titleOf(id) {
    return this.#items.find((one) => one.id === id)?.title ?? "";
  }

  current(id) {
    this.#current = id;
    this.#draw();
  }

  async #load({ on }) {
    const asked = ++this.#asked;
    const limit = on ? PAGE : Math.max(PAGE, Math.min(this.#items.length, 100));
    try {
      const { items, next } = await this.api.get("/api/conversations", { query: { limit, before: on ? this.#next : "", q: this.search.value.trim() } });
      if (asked !== this.#asked) return;
      this.#items = on ? [...this.#items, ...items] : items;
      this.#next = next;
      this.#draw();
    } catch (problem) {
      if (asked === this.#asked && !this.#items.length) fill(this.list, h("li", { class: "muted small talks-none" }, problem.detail ?? String(problem)));
    }
  }

  #draw() {
    const focused = document.activeElement?.closest?.(".talk")?.dataset.id;
    const none = this.search.value.trim() ? "Nothing like that was said." : "No conversations yet.";
    const rows = [];
    let group = "";
    for (const one of this.#items) {
      const name = groupOf(one.updated);
      if (name !== group) rows.push(h("li", { class: "talks-group" }, (group = name)));
      rows.push(this.#row(one));
    }
    fill(this.list, rows, !rows.length && h("li", { class: "muted small talks-none" }, none));
    this.more.hidden = !this.#next;
    if (focused) [...this.list.querySelectorAll(".talk")].find((row) => row.dataset.id === focused)?.focus();
  }

  #row({ id, title, updated, open_previews: previews, resting, running }) {
    const fresh = this.arrivals.isNew(id);
    const waits = [fresh && "something new", previews && "awaits your approval", !previews && resting && "a task rests here"].filter(Boolean).join(", ");
    const mark = running ? h("span", { class: "spinner muted" }) : waits ? h("span", { class: ["talk-dot", !fresh && !previews && "talk-dot-quiet"] }) : null;
    return h("li", {}, h("a", { class: ["talk", fresh && "talk-new"], href: `#/c/${encodeURIComponent(id)}`, "data-id": id, "aria-current": id === this.#current && "page" },
      h("span", { class: "cut grow" }, title || "New conversation"),
      mark, (running || waits) && h("span", { class: "visually-hidden" }, `, ${running ? "at work" : waits}`),
      h("time", { class: "small muted nowrap", datetime: updated, title: when(updated) }, brief(updated))));
  }
}

function groupOf(time) {
  const days = (Date.parse(today()) - Date.parse(dateOf(time))) / 86_400_000;
  return days <= 0 ? "Today" : days === 1 ? "Yesterday" : days < 7 ? "This week" : days < 31 ? "This month" : "Earlier";
}

