// A line of recipients to edit: chips that can be removed, and a box that completes from the contacts.

import { add, fill, h, icon, newId } from "../dom.js";
import { email, fullName, person } from "./plain.js";

const ADDRESS = /^[^\s@<>()[\],;:"]+@[^\s@<>()[\],;:"]+\.[^\s@<>()[\],;:".]+$/;
const PAUSE = 150;
const MOST = 8;

/** "Anna Berg <anna@berg.example>" or a bare address as `{name, email}`; null where it is none. */
export function parseAddress(text) {
  const [, name = "", inner] = /^\s*(?:"?([^"<>]*?)"?\s*)<([^<>]*)>\s*$/.exec(text) ?? [];
  const address = (inner ?? text).trim().toLowerCase();
  return ADDRESS.test(address) ? { email: address, name: name.trim() } : null;
}

const split = (text) =>
  text
    .split(/[,;\n]+(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .map((part) => part.trim())
    .filter(Boolean);

/** `{element, value(), check()}`: `value` gives the addresses, `check` says whether all that is typed is one. */
export function recipientField(label, addresses, { api, announce = () => {} }) {
  const field = new RecipientField(label, addresses, api, announce);
  return { element: field.element, value: () => [...field.chosen], check: () => field.check(), focus: () => field.input.focus() };
}

class RecipientField {
  constructor(label, addresses, api, announce) {
    Object.assign(this, { label, api, announce, chosen: [...addresses], options: [], active: -1, asked: 0 });
    const [id, list, error] = [newId("people"), newId("options"), newId("error")];
    this.input = h("input", {
      id,
      class: "chips-input",
      type: "text",
      role: "combobox",
      autocomplete: "off",
      autocapitalize: "off",
      spellcheck: "false",
      inputmode: "email",
      "aria-expanded": "false",
      "aria-controls": list,
      "aria-autocomplete": "list",
      "aria-describedby": error,
      oninput: () => this.typed(),
      onkeydown: (event) => this.key(event),
      onblur: () => this.close(),
      onpaste: (event) => this.paste(event),
    });
    this.chips = h("ul", { class: "chips-list", "aria-label": `${label}: chosen` });
    this.list = h("ul", {
      id: list,
      class: "chips-options",
      role: "listbox",
      "aria-label": `Suggestions for ${label}`,
      hidden: true,
    });
    this.error = h("p", { id: error, class: "field-error", role: "alert" });
    this.element = h(
      "div",
      { class: "field" },
      h("label", { for: id }, label),
      h(
        "div",
        { class: "chips", onclick: (event) => event.target.classList.contains("chips") && this.input.focus() },
        this.chips,
        this.input,
      ),
      this.list,
      this.error,
    );
    this.draw();
  }

  draw() {
    fill(
      this.chips,
      this.chosen.map((one, at) =>
        h(
          "li",
          { class: "chip" },
          person(one),
          h(
            "button",
            { type: "button", class: "chip-remove", "aria-label": `Remove ${fullName(one)}`, onclick: () => this.remove(at) },
            icon("close", 14),
          ),
        ),
      ),
    );
  }

  remove(at) {
    const [gone] = this.chosen.splice(at, 1);
    this.draw();
    this.announce(`${fullName(gone)} removed from ${this.label}.`);
    this.input.focus();
  }

  take(address) {
    if (!this.chosen.some((one) => one.email === address.email)) this.chosen.push({ email: address.email, name: address.name });
    this.input.value = "";
    this.fail("");
    this.close();
    this.draw();
    this.announce(`${fullName(address)} added to ${this.label}.`);
  }

  /** Takes what is typed where it is one address or several; what is none stays in the box, with what is wrong about it. */
  commit() {
    const left = [];
    for (const part of split(this.input.value)) {
      const address = parseAddress(part);
      if (address) this.take(address);
      else left.push(part);
    }
    this.input.value = left.join(", ");
    this.fail(left.length ? `“${left[0]}” is no address; write it like name@example.org.` : "");
    return left.length === 0;
  }

  check() {
    const whole = this.commit();
    if (!whole) this.input.focus();
    return whole;
  }

  fail(text) {
    this.error.textContent = text;
    this.input.setAttribute("aria-invalid", String(Boolean(text)));
  }

  paste(event) {
    const text = event.clipboardData?.getData("text") ?? "";
    if (!/[,;\n]/.test(text)) return;
    event.preventDefault();
    this.input.value += text;
    this.commit();
  }

  key(event) {
    const open = this.options.length > 0;
    if (event.isComposing) return;
    if (open && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      this.mark((this.active + (event.key === "ArrowDown" ? 1 : -1) + this.options.length) % this.options.length);
    } else if (event.key === "Escape" && open) {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "Enter" || ([",", ";"].includes(event.key) && parseAddress(this.input.value))) {
      event.preventDefault();
      if (event.key === "Enter" && this.active >= 0) this.take(this.options[this.active]);
      else this.commit();
    } else if (event.key === "Backspace" && !this.input.value && this.chosen.length) {
      this.remove(this.chosen.length - 1);
    }
  }

  typed() {
    this.fail("");
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.look(), PAUSE);
  }

  async look() {
    const [name, asked] = [this.input.value.trim(), ++this.asked];
    if (!name) return this.close();
    const found = await this.api.get("/api/contacts", { query: { name, limit: MOST } }).catch(() => ({ items: [] }));
    if (asked !== this.asked || document.activeElement !== this.input) return undefined;
    return this.suggest(
      found.items.flatMap((one) => one.emails.map((address) => ({ email: address, name: one.name }))).slice(0, MOST),
    );
  }

  suggest(people) {
    this.options = people.filter((one) => !this.chosen.some((there) => there.email === one.email));
    fill(
      this.list,
      this.options.map((one, at) =>
        h(
          "li",
          {
            id: `${this.list.id}-${at}`,
            role: "option",
            "aria-selected": "false",
            class: "chips-option",
            onmousedown: (event) => event.preventDefault(),
            onclick: () => {
              this.take(one);
              this.input.focus();
            },
          },
          person(one),
        ),
      ),
    );
    this.list.hidden = !this.options.length;
    this.input.setAttribute("aria-expanded", String(Boolean(this.options.length)));
    // Enter takes what is typed where that is an address already.
    this.mark(this.options.length && !parseAddress(this.input.value) ? 0 : -1);
  }

  mark(at) {
    this.active = at;
    for (const [place, option] of [...this.list.children].entries()) {
      option.setAttribute("aria-selected", String(place === at));
      if (place === at) option.scrollIntoView({ block: "nearest" });
    }
    if (at >= 0) this.input.setAttribute("aria-activedescendant", `${this.list.id}-${at}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    this.asked += 1;
    this.options = [];
    this.list.hidden = true;
    this.input.setAttribute("aria-expanded", "false");
    this.mark(-1);
  }
}

/** Addresses that are to leave or to come, without a box to add any: `{element, value()}` gives those that are kept. */
export function keptField(label, addresses) {
  const kept = new Set(addresses);
  const list = h("ul", { class: "chips-list" });
  const draw = () =>
    fill(
      list,
      [...kept].map((one) =>
        h(
          "li",
          { class: "chip" },
          email(one),
          h(
            "button",
            {
              type: "button",
              class: "chip-remove",
              "aria-label": `Don't take out ${one}`,
              onclick: () => {
                kept.delete(one);
                draw();
              },
            },
            icon("close", 14),
          ),
        ),
      ),
    );
  draw();
  const element = add(h("div", { class: "field", role: "group", "aria-label": label }), h("span", { class: "label" }, label), list);
  return { element, value: () => [...kept] };
}
