// What a text leaves open for somebody to fill in, in square brackets.

import { h } from "../dom.js";
import { plain } from "./plain.js";

/** A number in brackets is a footnote. */
const GAP = /\[(?=[^[\]\n]*\p{L})[^[\]\n]{1,80}\]/gu;

const MAILS = ["send_mail", "save_draft"];

/** The gaps of what `action` would write. Another's subject may hold brackets of its own. */
export function gapsOf(action) {
  if (!MAILS.includes(action.kind)) return [];
  const own = action.reply_to || action.forward_of ? "" : action.subject;
  return [...new Set(`${own}\n${action.body}`.match(GAP) ?? [])];
}

/** The text with its gaps standing out. */
export function withGaps(text) {
  const shown = plain(text);
  const parts = [];
  let from = 0;
  for (const found of shown.matchAll(GAP)) {
    parts.push(shown.slice(from, found.index), h("mark", { class: "gap" }, found[0]));
    from = found.index + found[0].length;
  }
  return [...parts, shown.slice(from)];
}
