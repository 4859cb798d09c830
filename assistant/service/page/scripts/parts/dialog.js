// Dialogs over the page. The browser keeps the focus inside, closes on Esc, and gives the focus back.

import { button, fill, h, newId } from "../dom.js";

/** Opens a dialog with a heading and what `build(close)` gives. Resolves with what `close(value)` was given, undefined on Esc. */
export function dialog(title, build, { wide = false } = {}) {
  return new Promise((resolve) => {
    const heading = h("h2", { id: newId("dialog"), class: "grow" }, title);
    const element = h("dialog", { class: wide && "dialog-wide", "aria-labelledby": heading.id });
    let answer;
    const close = (value) => {
      answer = value;
      element.close();
    };
    const leave = button("Close", { kind: "quiet", icon: "close", only: true, small: true, onclick: () => close() });
    fill(element, h("div", { class: "row row-top" }, heading, leave), build(close));
    element.addEventListener("close", () => {
      element.remove();
      resolve(answer);
    });
    element.addEventListener("click", (event) => event.target === element && outside(element, event) && close());
    document.body.append(element);
    element.showModal();
  });
}

/** Asks before something that can't be taken back. */
export async function confirm({ title, text, yes = "Yes", danger = false }) {
  const answer = await dialog(title, (close) => [
    h("p", { class: "lines dialog-text" }, text),
    h("div", { class: "dialog-actions" },
      button("Back", { onclick: () => close(false), autofocus: true }),
      button(yes, { kind: danger ? "danger" : "primary", onclick: () => close(true) })),
  ]);
  return answer === true;
}

function outside(element, { clientX: x, clientY: y }) {
  const box = element.getBoundingClientRect();
  return x < box.left || x > box.right || y < box.top || y > box.bottom;
}
