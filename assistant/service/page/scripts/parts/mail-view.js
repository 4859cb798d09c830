// A mail as text: nothing in it is active, and nothing of it is loaded.

import { add, h, icon, note } from "../dom.js";
import { counted, longDay, clock } from "../words.js";
import { oddly } from "./oddities.js";
import { person, plain, said } from "./plain.js";

/** So many quoted lines are folded. */
const FOLDED = 3;

/** `mail` as the API gives it, with `body`. */
export function mailView(mail) {
  const strange = oddly(mail.oddities);
  return h(
    "article",
    { class: "mail", "aria-label": `Mail: ${plain(mail.subject || "no subject")}` },
    h("h3", { class: "mail-subject" }, said(mail.subject || "(no subject)")),
    mailHeaders([
      ["From", mail.sender ? person(mail.sender) : "unknown"],
      ["Reply to", people(mail.reply_to?.filter((one) => one.email !== mail.sender?.email))],
      ["To", people(mail.to)],
      ["Cc", people(mail.cc)],
      ["Bcc", people(mail.bcc)],
      ["Date", `${longDay(mail.date)}, ${clock(mail.date)}`],
    ]),
    mail.attachments?.length > 0 &&
      h("ul", { class: "attachments", "aria-label": "Attachments" }, mail.attachments.map(attachment)),
    strange && note(strange),
    mailBody(mail.body || mail.snippet || ""),
  );
}

export function mailHeaders(rows) {
  return h(
    "dl",
    { class: "facts mail-headers" },
    rows
      .filter(([, value]) => value && (!Array.isArray(value) || value.length))
      .map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
  );
}

const people = (those) =>
  those?.length
    ? h(
        "ul",
        { class: "mail-people" },
        those.map((one) => h("li", {}, person(one))),
      )
    : null;

function attachment({ filename, content_type: type, size }) {
  return h(
    "li",
    {},
    icon("attachment", 16),
    said(filename || "unnamed"),
    h("span", { class: "muted small" }, plain(`${type}, ${sizeWords(size)}`)),
  );
}

export const sizeWords = (octets) =>
  octets >= 2 ** 20 ? `${(octets / 2 ** 20).toFixed(1)} MB` : `${Math.max(1, Math.floor(octets / 2 ** 10))} kB`;

/** The text, with what it quotes folded. */
export function mailBody(text) {
  const element = h("div", { class: "mail-body" });
  if (!text.trim()) return add(element, h("p", { class: "muted" }, "There is no text in it."));
  for (const { quoted, lines } of parts(plain(text))) {
    const block = h(
      "div",
      { class: ["prose", quoted && "letter-quoted"], dir: "auto" },
      lines.join("\n").replace(/^\n+|\n+$/g, ""),
    );
    if (!block.textContent) continue;
    add(
      element,
      quoted && lines.length > FOLDED
        ? h("details", { class: "unfold" }, h("summary", {}, `${counted(lines.length, "quoted line")}`), block)
        : block,
    );
  }
  return element;
}

function parts(text) {
  const found = [];
  for (const line of text.split("\n")) {
    const quoted = /^\s*>/.test(line);
    if (found.at(-1)?.quoted === quoted) found.at(-1).lines.push(line);
    else found.push({ quoted, lines: [line] });
  }
  return found;
}
