// What stands around every view: navigation, notices, and the line about the connection.

import { add, button, fill, h, icon, note } from "./dom.js";
import { shortcuts } from "./keys.js";
import { dialog } from "./parts/dialog.js";
import { isDark, toggleTheme } from "./theme.js";
import { nowIn } from "./words.js";

const ITEMS = [
  { key: "chat", path: "/", label: "Chat", count: (c) => c.arrived ?? 0, thing: "with something new" },
  { key: "today", path: "/today", label: "Today" },
  { key: "approvals", path: "/approvals", label: "Approvals", count: (c) => (c.previews ?? 0) + (c.questions ?? 0), thing: "waiting" },
  { key: "tasks", path: "/tasks", label: "Tasks", count: (c) => c.resting ?? 0, thing: "resting" },
  { key: "schedules", path: "/schedules", label: "Schedules", second: true },
  { key: "outgoing", path: "/outgoing", label: "Outgoing", count: (c) => c.outgoing ?? 0, thing: "not gone out yet", second: true },
  { key: "activity", path: "/activity", label: "Activity", second: true },
  { key: "accounts", path: "/accounts", label: "Accounts", second: true },
  { key: "settings", path: "/settings", label: "Settings", second: true },
];

const [CHAT, , APPROVALS] = ITEMS;
const LOST_AFTER = 2_500;
const LOST = "Connecting again … nothing is lost.";
const OFFLINE = "You are offline. What you type is kept.";

export class Shell {
  #links = new Map();
  #title = "";
  #waiting = 0;
  #losing = 0;

  /** `acts`: `{signOut()}`. */
  constructor(me, acts) {
    this.me = me;
    this.acts = acts;
    this.outlet = h("main", { id: "main", class: "outlet", tabindex: "-1" });
    this.line = h("div", { class: "line", role: "status", "aria-live": "polite" });
    this.foot = h("div", { class: "nav-foot" });
    this.notices = h("div", { class: "notices" });
    this.element = h("div", { class: "shell" },
      h("a", { class: "skip visually-hidden", href: "#main", onclick: (event) => this.#skip(event) }, "Skip to the content"),
      this.#nav(),
      h("div", { class: "stage" }, this.line, this.notices, this.outlet));
    this.renew();
  }

  /** Shows who is signed in, and with which accounts, as `me` has it now. */
  renew() {
    fill(this.foot, this.#person(), h("div", { class: "row" }, this.#tools()));
    fill(this.notices);
    this.#notify();
  }

  /** Puts a view in place. `focus` goes to its heading. */
  show(element, route, { focus = true } = {}) {
    fill(this.outlet, element);
    this.outlet.scrollTop = 0;
    for (const [key, { link }] of this.#links) {
      if (key === route.nav) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.title(route.title);
    if (focus) this.#focus(element);
  }

  title(text) {
    this.#title = text;
    document.title = `${this.#waiting ? `(${this.#waiting}) ` : ""}${text} · Personal assistant`;
  }

  counts(counts) {
    this.#waiting = APPROVALS.count(counts) + CHAT.count(counts);
    for (const { key, count, thing } of ITEMS.filter((item) => item.count)) {
      const number = count(counts);
      const { badge } = this.#links.get(key);
      badge.hidden = !number;
      fill(badge, number > 99 ? "99+" : number, h("span", { class: "visually-hidden" }, ` ${thing}`));
    }
    this.title(this.#title);
  }

  /** The connection: a short break is nobody's business. */
  connection(state) {
    if (state === "open") {
      clearTimeout(this.#losing);
      this.#losing = 0;
      fill(this.line);
    } else this.#losing ||= setTimeout(() => fill(this.line, icon("offline", 16), navigator.onLine ? LOST : OFFLINE), LOST_AFTER);
  }

  #nav() {
    const items = ITEMS.map((item) => h("li", { class: item.second && "nav-second" }, this.#link(item)));
    const more = h("li", { class: "nav-more" }, h("button", { type: "button", class: "nav-link", "aria-haspopup": "dialog", onclick: () => this.#more() },
      icon("more"), h("span", {}, "More")));
    return h("nav", { class: "nav", "aria-label": "Main" },
      h("p", { class: "brand" }, h("img", { src: "/page/icon.svg", alt: "", width: 28, height: 28 }), h("span", {}, "Assistant")),
      h("ul", { class: "nav-list" }, items, more),
      this.foot);
  }

  #link({ key, path, label }) {
    const badge = h("span", { class: "badge badge-count", hidden: true });
    const link = h("a", { class: "nav-link", href: `#${path}` }, icon(key), h("span", { class: "grow" }, label), badge);
    this.#links.set(key, { link, badge });
    return link;
  }

  #person() {
    const { user, accounts = [], sample } = this.me;
    const where = sample ? "sample account" : accounts.map((one) => one.address || one.name).join(", ") || "no account yet";
    return h("p", { class: "nav-person small" }, h("strong", { class: "cut" }, user.name || "You"), h("span", { class: "muted cut", title: where }, where));
  }

  #tools() {
    const theme = button(isDark() ? "Light colours" : "Dark colours", { kind: "quiet", icon: isDark() ? "sun" : "moon", only: true, small: true, onclick: () => {
      toggleTheme();
      const other = this.#tools()[0];
      theme.replaceWith(other);
      other.focus();
    } });
    return [
      theme,
      button("Keys", { kind: "quiet", icon: "keyboard", only: true, small: true, onclick: shortcuts }),
      button("Sign out", { kind: "quiet", icon: "out", only: true, small: true, onclick: () => this.acts.signOut() }),
    ];
  }

  /** The places that a phone's foot has no room for. */
  #more() {
    return dialog("More", (close) => h("div", { class: "stack" },
      h("ul", { class: "menu" }, ITEMS.filter((item) => item.second).map(({ key, path, label }) => h("li", {},
        h("a", { class: "nav-link", href: `#${path}`, onclick: () => close() }, icon(key), h("span", { class: "grow" }, label), this.#links.get(key).badge.cloneNode(true))))),
      h("div", { class: "row spread" }, this.#person(), h("div", { class: "row" }, this.#tools()))));
  }

  #notify() {
    const { sample, offline, zone } = this.me;
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone && here && nowIn(zone) !== nowIn(here)) {
      this.#notice(`zone-${here}`, `Times are those of ${placeOf(zone)}, not of ${placeOf(here)}, where this device is.`, h("a", { href: "#/settings" }, "Change it"));
    }
    if (sample) {
      this.#notice("sample", "Sample account: invented people and mail to try things on.", h("a", { href: "#/accounts" }, "Connect your own"));
    }
    if (offline) {
      this.#notice("offline", "No language model: I work offline, by rules.");
    }
  }

  /** Once: who has put it away does not see it again on this device. */
  #notice(key, ...words) {
    const kept = `notice-${key}-${this.me.user.id}`;
    if (remembered(kept)) return;
    const away = button("Put away", { kind: "quiet", icon: "close", only: true, small: true, onclick: () => {
      remember(kept);
      shown.remove();
    } });
    const shown = note(words[0], "", " ", ...words.slice(1));
    add(this.notices, add(shown, away));
  }

  #skip(event) {
    event.preventDefault();
    this.outlet.focus();
  }

  #focus(element) {
    const heading = element.querySelector("h1");
    if (heading) heading.tabIndex = -1;
    (heading ?? this.outlet).focus({ preventScroll: true });
  }
}

const placeOf = (zone) => zone.replaceAll("_", " ");

function remembered(key) {
  try {
    return localStorage.getItem(key) === "away";
  } catch {
    return false;
  }
}

function remember(key) {
  try {
    localStorage.setItem(key, "away");
  } catch { /* shown again next time */ }
}
