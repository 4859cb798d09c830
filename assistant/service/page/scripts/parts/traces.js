// Where the links, codes, amounts and the like in what would be written came from.

import { h, icon } from "../dom.js";
import { capitalised } from "../words.js";
import { asSent, plain } from "./plain.js";

const KINDS = {
  link: "link",
  secret_link: "sign-in link",
  code: "code",
  amount: "amount",
  phone: "phone number",
  address: "address",
  bank_account: "bank account",
  card_number: "card number",
};
const SOURCES = {
  own_words: "you wrote it",
  earlier_words: "you wrote it earlier",
  contacts: "your contacts",
  thread: "from this exchange",
  event: "in the event",
  template: "your template",
  message: "from the mail by",
  event_text: "from the text of the event",
  nowhere: "stands in no message and not in what you wrote",
};
/** Where it is known whose, and where it is not. */
const BY = { thread: "from this exchange, by" };
const UNKNOWN = { message: "from a mail", event: "in an event", event_text: "from the text of an event" };
const UNNAMED = ["own_words", "earlier_words", "nowhere"];
/** So many are shown before the known ones are folded; what came from nowhere never is. */
const SHOWN = 4;

export function originOf({ source, by }) {
  const words = SOURCES[source] ?? source.replaceAll("_", " ");
  if (!by) return UNKNOWN[source] ?? words;
  return UNNAMED.includes(source) ? words : `${BY[source] ?? words} ${by}`;
}

export function traceList(traces = []) {
  if (!traces.length) return null;
  const ordered = [...traces].sort((one, other) => Number(one.known) - Number(other.known));
  const most = Math.max(SHOWN, ordered.filter((one) => !one.known).length);
  const shown = ordered.length > most + 1 ? most : ordered.length;
  const rest = ordered.slice(shown);
  return h(
    "section",
    { class: "traces", "aria-label": "Where it comes from" },
    h("p", { class: "traces-heading" }, "Where it comes from"),
    h("ul", { class: "traces-list" }, ordered.slice(0, shown).map(trace)),
    rest.length > 0 &&
      h(
        "details",
        { class: "unfold" },
        h("summary", {}, `and ${rest.length} more, all known`),
        h("ul", { class: "traces-list" }, rest.map(trace)),
      ),
  );
}

function trace(one) {
  const kind = KINDS[one.kind] ?? one.kind.replaceAll("_", " ");
  const text = one.kind === "address" ? asSent(one.text) : one.text;
  return h(
    "li",
    { class: ["trace", !one.known && "trace-unknown"] },
    h("span", { class: "trace-kind" }, capitalised(kind)),
    h("bdi", { class: "trace-text", dir: "auto" }, plain(text)),
    h(
      "span",
      { class: "trace-origin" },
      !one.known && icon("alert", 16),
      !one.known && h("strong", {}, "Check this: "),
      h("bdi", {}, plain(originOf(one))),
    ),
  );
}
