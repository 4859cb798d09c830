// The beginning: who is there, the shell around, and the view that the address names.

import { Api } from "./api.js";
import { button, empty, fill, h, spinner } from "./dom.js";
import { listen } from "./keys.js";
import { confirm, dialog } from "./parts/dialog.js";
import { Arrivals } from "./parts/schedules/arrivals.js";
import { Toasts } from "./parts/toast.js";
import { go, place } from "./router.js";
import { Shell } from "./shell.js";
import { follow } from "./stream.js";
import { setZone } from "./words.js";

const api = new Api();
const toasts = new Toasts();
const SIGNED_OUT = "You were signed out. Sign in to go on; what you typed is kept.";
const root = h("div", { class: "root" });

/** A link that invites carries a secret: it is taken out of the address at once. */
function invitation() {
  const [path, query = ""] = location.hash.replace(/^#/, "").split("?");
  if (path !== "/enter") return "";
  history.replaceState(null, "", location.pathname);
  return new URLSearchParams(query).get("token") ?? "";
}

async function begin(token = "") {
  fill(root, h("div", { class: "root-wait" }, spinner("Opening")));
  try {
    const entrance = await api.get("/api/entrance");
    const me = entrance.signed_in && !token ? await api.me() : null;
    if (me) return new Session(me);
    return await enter(entrance, token);
  } catch (problem) {
    const again = button("Try again", { onclick: () => begin(token) });
    return fill(root, h("main", { class: "root-wait" }, empty("Not reached", problem.detail ?? String(problem), again)));
  }
}

async function enter(entrance, token) {
  document.title = "Personal assistant";
  const { view } = await import("./views/entering.js");
  fill(root, view({ api, entrance, token, done: () => begin() }));
}

/** From signing in to signing out. */
class Session {
  #leaving = new AbortController();
  #shown = null;
  #asking = false;
  #turn = 0;

  constructor(me) {
    this.me = me;
    setZone(me.zone);
    this.live = Object.assign(new EventTarget(), { counts: {} });
    this.shell = new Shell(me, { signOut: () => this.#signOut() });
    fill(root, this.shell.element);
    this.stream = follow("/api/live", {
      on: {
        changed: (data) => this.#tell("changed", data), went_out: (data) => this.#tell("went_out", data), mail: (data) => this.#tell("mail", data),
        counts: (data) => this.#counts(data),
      },
      onState: (state) => this.#connection(state),
    });
    const until = { signal: this.#leaving.signal };
    this.arrivals = new Arrivals({
      api, go, user: me.user.id,
      toast: (text, options) => toasts.show(text, options),
      onScreen: () => (!document.hidden && place().route.module === "chat" && place().params.id) || "",
      changed: () => this.#arrived(),
    });
    this.arrivals.begin(until.signal);
    addEventListener("hashchange", () => this.#show(), until);
    api.addEventListener("signed-out", () => this.#end(SIGNED_OUT), until);
    listen({ fresh: () => this.#fresh(), compose: () => this.#compose(), escape: (event) => this.#shown?.view.escape?.(event), go }, until);
    this.#show({ first: true });
  }

  /** What views get. */
  #context({ params, query }) {
    return {
      api, me: this.me, zone: this.me.zone, params, query, go, live: this.live, arrivals: this.arrivals, confirm, dialog,
      toast: (text, options) => toasts.show(text, options),
      announce: (words) => toasts.say(words),
      title: (text) => this.shell.title(text),
      connection: (state) => this.#connection(state),
      onTurn: () => {},
      renew: () => this.#renew(),
      say: (words, conversation = "") => this.#say(words, conversation),
    };
  }

  async #show({ first = false } = {}) {
    const to = place();
    const turn = ++this.#turn;
    this.arrivals.read();
    if (this.#shown?.module === to.route.module && this.#shown.view.update) {
      this.shell.show(this.#shown.view.element, to.route, { focus: false });
      return this.#shown.view.update(to.params, to.query);
    }
    const view = await this.#built(to);
    if (turn !== this.#turn) return view.leave?.();
    this.#shown?.view.leave?.();
    this.#shown = { module: to.route.module, view };
    this.shell.show(view.element, to.route, { focus: !first && !view.focus });
    return view.focus?.();
  }

  async #built(to) {
    try {
      const { view } = await import(`./views/${to.route.module}.js`);
      return await view(this.#context(to));
    } catch (problem) {
      if (!problem.detail) console.warn(problem);
      const again = button("Try again", { onclick: () => this.#show() });
      return { element: h("div", { class: "view" }, h("h1", {}, to.route.title), empty("This can't be shown just now", problem.detail ?? "Reload the page, or try again.", again)) };
    }
  }

  #tell(name, detail) {
    this.live.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #counts(counts) {
    const ran = this.live.counts.schedules !== counts.schedules;
    this.live.counts = counts;
    this.shell.counts({ ...counts, arrived: this.arrivals.count });
    this.#tell("counts", counts);
    if (ran) this.arrivals.look();
  }

  #arrived() {
    this.shell.counts({ ...this.live.counts, arrived: this.arrivals.count });
    this.#tell("arrived", null);
  }

  /** A line may be lost because somebody was signed out, which a stream can't tell. */
  async #connection(state) {
    this.shell.connection(state);
    if (state === "open" || this.#asking || this.#leaving.signal.aborted) return;
    this.#asking = true;
    const entrance = await api.get("/api/entrance").catch(() => null);
    this.#asking = false;
    if (entrance && !entrance.signed_in && !this.#leaving.signal.aborted) this.#end(SIGNED_OUT);
  }

  /** The name, the zone or the accounts may have changed. */
  async #renew() {
    Object.assign(this.me, await api.me());
    setZone(this.me.zone);
    this.shell.renew();
  }

  #fresh() {
    if (this.#shown?.module === "chat") this.#shown.view.fresh();
    else go("/");
  }

  #compose() {
    if (this.#shown?.module !== "chat") go("/");
    else this.#shown.view.compose();
  }

  #say(words, conversation) {
    this.live.words = words;
    go(conversation ? `/c/${encodeURIComponent(conversation)}` : "/");
  }

  async #signOut() {
    await api.post("/api/sign-out").catch(() => {});
    this.#end("");
  }

  #end(words) {
    this.#leaving.abort();
    this.#turn++;
    this.stream.close();
    this.#shown?.view.leave?.();
    if (words) toasts.show(words);
    document.querySelector("dialog[open]")?.close();
    begin();
  }
}

document.body.append(root, toasts.element, toasts.voice);
begin(invitation());
