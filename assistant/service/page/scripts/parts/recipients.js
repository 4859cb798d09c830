// Whom a preview reaches, each with where the address came from.

import { h, icon } from "../dom.js";
import { counted } from "../words.js";
import { looksOdd, person, plain } from "./plain.js";

const LINES = { to: "To", cc: "Cc", bcc: "Bcc", invited: "Invited", removed: "Taken out", told: "Hears of it" };
/** So many known people of one line are shown before the rest is folded; whoever is not known is never folded. */
const SHOWN = 12;

export function recipientList(recipients) {
  const lines = Object.keys(LINES).filter((line) => recipients.some((one) => one.line === line));
  return h(
    "dl",
    { class: "recipients" },
    lines.map((line) => [h("dt", {}, LINES[line]), h("dd", {}, people(recipients.filter((one) => one.line === line)))]),
  );
}

function people(those) {
  const first = [...those].sort((one, other) => Number(one.known) - Number(other.known));
  const shown = Math.max(SHOWN, first.filter((one) => !one.known).length);
  const rest = first.length > shown + 2 ? first.slice(shown) : [];
  return [
    h("ul", { class: "recipients-list" }, first.slice(0, first.length - rest.length).map(recipient)),
    rest.length > 0 &&
      h(
        "details",
        {},
        h("summary", {}, `and ${counted(rest.length, "more person", "more people")}, all known`),
        h("ul", { class: "recipients-list" }, rest.map(recipient)),
      ),
  ];
}

function recipient({ address, origin, known }) {
  return h(
    "li",
    { class: ["recipient", !known && "recipient-unknown"] },
    person(address),
    h(
      "span",
      { class: "recipient-origin" },
      !known && icon("alert", 16),
      !known && h("strong", {}, "Unknown: "),
      h("bdi", {}, plain(origin)),
    ),
    looksOdd(address.email) &&
      h("span", { class: "recipient-odd" }, icon("alert", 16), "holds letters that can be mistaken for others"),
  );
}
