// The chat: earlier conversations at the side, what is said in one, and the field to say more.

import { button, fill, h } from "../dom.js";
import { Composer } from "../parts/composer.js";
import { ConversationList } from "../parts/conversation-list.js";
import { Sending } from "../parts/sending.js";
import { Thread } from "../parts/thread.js";
import { follow } from "../stream.js";

const PAGE = 40;
const IDEAS = [
  ["mail", "what needs my attention?"],
  ["mail", "summarise my unread mail"],
  ["calendar", "what's on my calendar tomorrow?"],
  ["calendar", "find available 60-minute slots next Tuesday"],
  ["contacts", "find all contacts from Acme Corporation"],
  ["together", "if I'm free on Friday at 10, schedule a review with Tom Becker, otherwise send him a mail saying let us meet next week"],
];
const MORE_IDEAS = "Also: brief me · remind me on Friday at 9 to … · who haven't I answered? · move my 3pm to 4pm · reply to the last mail from Anna saying … · undo that · why did you do that?";

export async function view(ctx) {
  const chat = new Chat(ctx);
  await chat.open(ctx.params.id ?? "");
  return {
    element: chat.element,
    update: (params) => chat.update(params.id ?? ""),
    leave: () => chat.leave(),
    focus: () => chat.focus(),
    fresh: () => chat.fresh(),
    compose: () => chat.composer.focus(),
    escape: (event) => chat.escape(event),
  };
}

class Chat {
  #id = "";
  #stream = null;
  #opening = 0;
  #older = null;
  #running = null;
  #given = false;

  constructor(ctx) {
    this.ctx = ctx;
    this.api = ctx.api;
    this.sending = new Sending(ctx.api);
    this.talks = new ConversationList(ctx, { fresh: () => this.fresh() });
    this.composer = new Composer({ send: (text) => this.say(text), stop: () => this.stop(), own: () => this.thread.own });
    this.heading = h("h1", { class: "chat-title cut" }, "New conversation");
    this.forget = button("Forget this conversation", { kind: "quiet", icon: "trash", only: true, small: true, onclick: () => this.#forget() });
    this.place = h("div", { class: "chat-place" });
    this.drawer = h("div", { class: "chat-side", id: "conversations" }, this.talks.element);
    this.drawerButton = button("Conversations", { kind: "quiet", icon: "menu", only: true, class: "chat-drawer-button", "aria-expanded": "false", "aria-controls": "conversations", onclick: () => this.#unfold(!this.element.classList.contains("chat-drawn")) });
    this.veil = h("div", { class: "chat-veil", onclick: () => this.#unfold(false) });
    const head = h("header", { class: "chat-head" }, this.drawerButton, this.heading, this.forget, button("New conversation", { kind: "quiet", icon: "plus", only: true, class: "chat-new", onclick: () => this.fresh() }));
    this.element = h("div", { class: "chat" }, this.drawer, this.veil, h("section", { class: "chat-main", "aria-label": "Conversation" }, head, this.place, this.composer.element));
    this.changed = ({ detail }) => this.#changed(detail);
    this.wentOut = ({ detail }) => detail?.outcome && this.thread.wentOut(detail);
    ctx.live.addEventListener("changed", this.changed);
    ctx.live.addEventListener("went_out", this.wentOut);
    this.arrived = () => this.talks.marked();
    ctx.live.addEventListener("arrived", this.arrived);
    this.talks.load().then(() => this.#entitle());
  }

  /** Shows conversation `id`; an empty one begins anew. */
  async open(id) {
    const opening = ++this.#opening;
    this.#stream?.close();
    this.#stream = null;
    this.#id = id;
    this.#work(null);
    this.#unfold(false);
    this.thread = new Thread(this.#cardContext(), { older: () => this.#earlier() });
    this.talks.current(id);
    this.#entitle();
    this.#compose(id);
    fill(this.place, id ? [this.thread.element, this.thread.foot] : this.#welcome());
    if (!id) return;
    try {
      const found = await this.api.get(`${this.#path}/messages`, { query: { limit: PAGE } });
      if (opening === this.#opening) this.#begin(found);
    } catch (problem) {
      if (opening !== this.#opening) return;
      if (problem.status === 404) this.ctx.go("/", { replace: true });
      this.ctx.toast(problem.status === 404 ? "That conversation is not there any more." : problem.detail, { kind: "high" });
    }
  }

  update(id) {
    if (id !== this.#id) this.open(id).then(() => this.focus());
    else if (this.ctx.live.words) this.#compose(id);
  }

  leave() {
    this.#opening++;
    this.#stream?.close();
    this.talks.leave();
    this.ctx.live.removeEventListener("changed", this.changed);
    this.ctx.live.removeEventListener("went_out", this.wentOut);
    this.ctx.live.removeEventListener("arrived", this.arrived);
  }

  /** A finger's keyboard would cover half of what there is to read; but who was given words goes on with them. */
  focus() {
    const goesOn = this.#given;
    this.#given = false;
    if (goesOn || matchMedia("(pointer: fine)").matches) this.composer.focus();
    else {
      this.heading.tabIndex = -1;
      this.heading.focus({ preventScroll: true });
    }
  }

  fresh() {
    this.#unfold(false);
    if (this.#id) this.ctx.go("/");
    else this.composer.focus();
  }

  escape(event) {
    if (this.element.classList.contains("chat-drawn")) this.#unfold(false);
    else if (this.#running && event.target === this.composer.field) this.stop();
  }

  async say(text) {
    const entry = this.thread.typed(text);
    const opening = this.#opening;
    if (!this.thread.element.isConnected) fill(this.place, this.thread.element, this.thread.foot);
    this.thread.toEnd();
    if (document.activeElement === document.body) this.focus();
    if (!this.#id && !(await this.#found(entry, text, opening))) return;
    await this.#send(entry, text);
  }

  async stop() {
    try {
      const turn = await this.api.post(`${this.#path}/suspend`);
      if (turn) this.thread.turn(turn);
      this.#work(null);
    } catch (problem) {
      this.ctx.toast(problem.detail, { kind: "high" });
    }
  }

  get #path() {
    return `/api/conversations/${encodeURIComponent(this.#id)}`;
  }

  #cardContext() {
    return { ...this.ctx, conversation: this.#id, compose: () => this.focus(), say: (words) => this.composer.put(words) };
  }

  #begin({ items, next, cursor, running }) {
    this.#older = next;
    this.thread.prepend(items, { more: Boolean(next) });
    for (const { flow } of items) this.ctx.arrivals.seen(flow);
    this.#listen(cursor);
    this.#work(running);
    this.#paused();
    const left = this.sending.left(this.#id, items);
    if (left?.fresh) this.#send(this.thread.typed(left.text), left.text, left.key);
    else if (left) {
      this.sending.done(this.#id);
      this.composer.put(left.text);
    }
  }

  /** Tasks that rest without having said anything stand in no message. */
  async #paused() {
    const thread = this.thread;
    const { items } = await this.api.get("/api/flows", { query: { conversation: this.#id, resting: true } }).catch(() => ({ items: [] }));
    for (const { id, status } of items) {
      if (status !== "suspended" || !thread.unanswered(id)) continue;
      const turn = await this.api.get(`/api/flows/${encodeURIComponent(id)}`).catch(() => null);
      if (turn?.status === "suspended" && thread.unanswered(id)) thread.turn(turn);
    }
  }

  #listen(after) {
    const thread = this.thread;
    this.#stream = follow(`${this.#path}/events`, {
      after,
      on: {
        message: (item) => {
          thread.message(item);
          if (item.role === "user") this.#work(item.flow ?? true);
        },
        step: (event) => {
          thread.step(event);
          this.#work(event.flow);
        },
        turn: (turn) => {
          thread.turn(turn);
          this.ctx.arrivals.seen(turn.flow);
          this.#work(null);
          this.talks.soon();
        },
        went_out: (news) => thread.wentOut(news),
        caught_up: ({ running }) => this.#work(running),
        problem: (problem) => this.#trouble(problem),
      },
      onState: (state) => {
        this.ctx.connection(state);
        if (state === "open") thread.reached();
      },
    });
  }

  /** `flow` runs now, or none. */
  #work(flow) {
    this.#running = flow;
    this.composer.running(Boolean(flow));
    if (flow) this.thread?.waits(true);
    else this.thread?.rests();
  }

  /** Of what was accepted, and could not be begun or gone on with. */
  #trouble(problem) {
    const typed = this.thread.typing;
    this.#work(null);
    if (typed) this.#failed(typed, typed.text, problem, () => this.#send(typed, typed.text));
    else this.ctx.toast(problem.detail, { kind: "high" });
  }

  /** A conversation begins with its first message. */
  async #found(entry, text, opening) {
    try {
      const { id } = await this.api.post("/api/conversations");
      if (opening !== this.#opening) return false;
      this.#id = id;
      this.thread.ctx.conversation = id;
      history.replaceState(null, "", `#/c/${encodeURIComponent(id)}`);
      this.composer.in(id);
      this.talks.current(id);
      fill(this.heading, text);
      this.ctx.title(text);
      this.#listen("");
      return true;
    } catch (problem) {
      this.#failed(entry, text, problem, () => this.#found(entry, text, opening).then((there) => there && this.#send(entry, text)));
      return false;
    }
  }

  async #send(entry, text, key = undefined) {
    const id = this.#id;
    entry.sending();
    this.thread.waits(true);
    try {
      await this.sending.send(id, text, key);
    } catch (problem) {
      if (entry.id) this.sending.done(id);  // it arrived, and only the answer was lost
      if (entry.id || id !== this.#id) return;
      this.thread.waits(false);
      const kept = this.sending.left(id, []);
      this.#failed(entry, text, problem, () => this.#send(entry, text, kept?.key));
    }
  }

  #failed(entry, text, problem, again) {
    entry.failed(problem, { again, back: () => {
      this.sending.done(this.#id);
      this.thread.drop(entry);
      this.composer.put(text);
    } });
    this.ctx.announce(`Not sent: ${problem.detail}`);
  }

  async #earlier() {
    if (!this.#older) return;
    const before = this.#older;
    const thread = this.thread;
    this.#older = null;
    try {
      const { items, next } = await this.api.get(`${this.#path}/messages`, { query: { limit: PAGE, before } });
      if (thread !== this.thread) return;
      this.#older = next;
      thread.prepend(items, { more: Boolean(next) });
    } catch (problem) {
      this.#older = before;
      this.ctx.toast(problem.detail, { kind: "high" });
    }
  }

  #changed() {
    this.talks.soon();
    setTimeout(() => this.#entitle(), 600);
  }

  #entitle() {
    const title = this.#id ? this.talks.titleOf(this.#id) || this.heading.textContent : "New conversation";
    fill(this.heading, title);
    this.forget.hidden = !this.#id;
    this.ctx.title(this.#id ? title : "Chat");
  }

  #compose(id) {
    this.composer.in(id);
    const { words } = this.ctx.live;
    delete this.ctx.live.words;
    this.#given = Boolean(words);
    if (words) this.composer.put(words);
  }

  #welcome() {
    const ideas = IDEAS.map(([kind, words]) => h("li", {}, h("button", { type: "button", class: "idea", onclick: () => this.say(words) }, h("span", { class: "small muted" }, kind), h("span", {}, words))));
    return h("div", { class: "welcome" },
      h("h2", {}, `${greeting()}${this.ctx.me.user.name ? `, ${this.ctx.me.user.name}` : ""}`),
      h("p", { class: "muted" }, "I read freely and ask before I act: what matters is shown to you before it happens."),
      h("ul", { class: "ideas", "aria-label": "Things to say" }, ideas),
      h("p", { class: "muted small" }, MORE_IDEAS));
  }

  #unfold(yes) {
    if (!yes && this.element?.classList.contains("chat-drawn") && this.drawer.contains(document.activeElement)) this.drawerButton.focus();
    this.element?.classList.toggle("chat-drawn", yes);
    this.drawerButton.setAttribute("aria-expanded", String(yes));
    if (yes) this.talks.search.focus();
  }

  async #forget() {
    const id = this.#id;
    const text = "What is stored of it here is removed for good. Your mailboxes, calendars and contacts are not touched.";
    if (!(await this.ctx.confirm({ title: "Forget this conversation?", text, yes: "Forget it", danger: true }))) return;
    try {
      await this.api.delete(`/api/conversations/${encodeURIComponent(id)}`, { query: { really: true } });
      this.ctx.toast("Forgotten.");
      if (id === this.#id) this.ctx.go("/", { replace: true });
      this.talks.load();
    } catch (problem) {
      this.ctx.toast(problem.detail, { kind: "high" });
    }
  }
}

function greeting() {
  const hour = new Date().getHours();
  return hour < 5 ? "Good evening" : hour < 12 ? "Good morning" : hour < 18 ? "Good afternoon" : "Good evening";
}

