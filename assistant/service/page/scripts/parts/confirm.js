// The deliberate second act before something of weight: what will happen, to whom, a box to tick, and only then the button.

import { button, h, icon, newId } from "../dom.js";
import { counted, listed } from "../words.js";
import { gapsOf } from "./gaps.js";
import { person, said } from "./plain.js";
import { deed, everybody } from "./preview-items.js";
import { warningList } from "./warnings.js";

/** Whether approving this takes a second act. */
export const isGrave = (preview) => preview.level === "high" || gapsOf_(preview).length > 0;

const gapsOf_ = (preview) => preview.items.flatMap((item) => gapsOf(item.action));

/** `approve(button)` is called once the box is ticked; `back()` when not. The element's `begin()` puts the focus to its heading. */
export function confirmation(preview, { approve, back }) {
  const people = everybody(preview.items);
  const gaps = gapsOf_(preview);
  const heading = newId("confirm");
  const final = button(finalWords(preview), {
    kind: "primary",
    "data-act": "confirm",
    disabled: true,
    onclick: (event) => approve(event.currentTarget),
  });
  const box = h("input", {
    type: "checkbox",
    "data-act": "read",
    onchange: () => {
      final.disabled = !box.checked;
    },
  });
  const element = h(
    "section",
    {
      class: "confirm",
      "aria-labelledby": heading,
      onkeydown: (event) => {
        if (event.key === "Escape") back();
      },
    },
    h("h4", { id: heading, class: "confirm-heading", tabindex: "-1" }, icon("alert"), "Read once more what will happen"),
    h(
      "ul",
      { class: "confirm-deeds" },
      preview.items.map((item) => h("li", {}, deed(item))),
    ),
    warningList(preview.warnings),
    gaps.length > 0 && h("p", { class: "ink-high strong" }, `It still leaves open: ${listed(gaps)}`),
    h(
      "label",
      { class: "check confirm-check" },
      box,
      h("span", {}, "I have read it, and ", people.length ? ["it shall go to: ", whom(people)] : "it shall be done."),
    ),
    h("div", { class: "row" }, final, button("Not yet", { kind: "quiet", "data-act": "back", onclick: back })),
  );
  element.begin = () => {
    element.querySelector("h4").focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  };
  return element;
}

function finalWords({ items }) {
  const mails = items.filter((item) => item.action.kind === "send_mail");
  if (mails.length === items.length) {
    const later = mails.every((item) => item.action.send_at);
    return `${later ? "Schedule" : "Send"} ${mails.length === 1 ? "it" : counted(mails.length, "mail")}`;
  }
  return items.length === 1 ? "Do it" : `Do all ${items.length}`;
}

function whom(people) {
  return h(
    "ul",
    { class: "confirm-people" },
    people.map(({ address, known, line, origin }) =>
      h(
        "li",
        { class: !known && "recipient-unknown" },
        person(address),
        line === "removed" && " (taken out)",
        !known && h("strong", {}, icon("alert", 14), " unknown: ", said(origin)),
      ),
    ),
  );
}
