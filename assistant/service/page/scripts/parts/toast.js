// Short words at the foot of the page, and a voice for those who listen to it.

import { button, h } from "../dom.js";

const SHOWN = 6_000;
const SHOWN_WITH_ACTION = 12_000;

export class Toasts {
  constructor() {
    this.element = h("div", { class: "toasts", role: "status", "aria-live": "polite" });
    this.voice = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  }

  /** `kind`: high for trouble, low for what went well; `action`: `{label, run}`; `stays` until it is put away. Gives what does that. */
  show(text, { kind = "", action = null, stays = false } = {}) {
    const close = () => shown.remove();
    const act = action && button(action.label, { small: true, onclick: () => { close(); action.run(); } });
    const shown = h("div", { class: ["toast", kind && `toast-${kind}`] },
      h("span", { class: "grow" }, text), act, button("Dismiss", { kind: "quiet", icon: "close", only: true, small: true, onclick: close }));
    this.element.append(shown);
    if (!stays) this.#fade(shown, action ? SHOWN_WITH_ACTION : SHOWN);
    while (this.element.children.length > 3) this.element.firstChild.remove();
    return close;
  }

  /** Said, not shown. */
  say(words) {
    this.voice.append(h("p", {}, words));
    while (this.voice.children.length > 5) this.voice.firstChild.remove();
  }

  /** Goes by itself, but not under somebody's pointer or focus. */
  #fade(shown, after) {
    const held = () => shown.matches(":hover") || shown.contains(document.activeElement);
    setTimeout(() => (held() ? this.#fade(shown, 2_000) : shown.remove()), after);
  }
}
