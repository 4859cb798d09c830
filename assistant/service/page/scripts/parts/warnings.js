// What may be wrong with what is proposed, before everything else.

import { h, icon } from "../dom.js";
import { capitalised } from "../words.js";
import { said } from "./plain.js";

/** A clause as a sentence; an address at its beginning keeps its letters. */
export const sentence = (clause) => (/^\S*@/.test(clause) ? clause : capitalised(clause)).replace(/[^.!?…]$/, "$&.");

export function warningList(warnings = []) {
  if (!warnings.length) return null;
  return h(
    "ul",
    { class: "warnings", "aria-label": "Warnings" },
    warnings.map((one) => h("li", {}, icon("alert", 18), h("span", { class: "grow" }, h("strong", {}, "Warning: "), said(sentence(one))))),
  );
}
