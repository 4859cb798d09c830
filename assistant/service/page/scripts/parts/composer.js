// Where one writes to the assistant. What was typed and not sent survives a reload.

import { button, h } from "../dom.js";

const draftKey = (conversation) => `draft-${conversation || "new"}`;

export class Composer {
  #past = null;
  #conversation = "";

  /** `acts`: `{send(text), stop(), own()}`; `own()` gives what the user said before, the newest first. */
  constructor(acts) {
    this.acts = acts;
    this.field = h("textarea", {
      class: "composer-field", rows: 1, "aria-label": "Message to the assistant", placeholder: "Ask, or say what to do", enterkeyhint: "send", autocomplete: "off",
      oninput: () => this.#typed(), onkeydown: (event) => this.#key(event),
    });
    this.send = button("Send", { kind: "primary", icon: "send", only: true, type: "submit" });
    this.stop = button("Stop", { icon: "stop", small: true, onclick: () => acts.stop() });
    this.stop.hidden = true;
    this.element = h("form", { class: "composer", onsubmit: (event) => {
      event.preventDefault();
      this.#submit();
    } }, h("div", { class: "composer-box" }, this.field, this.stop, this.send));
  }

  /** Which conversation is written in; its unsent words come back. */
  in(conversation) {
    this.#conversation = conversation;
    this.#set(read(draftKey(conversation)));
  }

  put(words) {
    this.#set(words);
    keep(draftKey(this.#conversation), words);
    this.focus();
  }

  running(yes) {
    this.stop.hidden = !yes;
  }

  focus() {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(this.field.value.length, this.field.value.length);
  }

  #set(words) {
    this.field.value = words;
    this.#grow();
  }

  #typed() {
    this.#past = null;
    keep(draftKey(this.#conversation), this.field.value);
    this.#grow();
  }

  #grow() {
    this.field.style.setProperty("height", "auto");
    if (this.field.value && this.field.isConnected) this.field.style.setProperty("height", `${this.field.scrollHeight}px`);
    this.send.setAttribute("aria-disabled", String(!this.field.value.trim()));
  }

  #submit() {
    const text = this.field.value.trim();
    if (!text) return this.focus();
    keep(draftKey(this.#conversation), "");
    this.#past = null;
    this.#set("");
    return this.acts.send(text);
  }

  #key(event) {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#submit();
    } else if (event.key === "ArrowUp" && (this.#past !== null || !this.field.value)) {
      this.#recall(event, (this.#past ?? -1) + 1);
    } else if (event.key === "ArrowDown" && this.#past !== null) {
      this.#recall(event, this.#past - 1);
    }
  }

  #recall(event, index) {
    const own = this.acts.own();
    if (index >= own.length) return;
    event.preventDefault();
    this.#past = index < 0 ? null : index;
    this.#set(index < 0 ? "" : own[index]);
  }
}

export function keep(key, value) {
  try {
    if (value) sessionStorage.setItem(key, value);
    else sessionStorage.removeItem(key);
  } catch { /* lives as long as the page */ }
}

export function read(key) {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}
