// An event as text: when, where, who will be there and how they answered.

import { badge, h, icon, note } from "../dom.js";
import { mailBody } from "./mail-view.js";
import { oddly } from "./oddities.js";
import { person, plain, said } from "./plain.js";
import { spanWords } from "./preview-items.js";

const ANSWERS = {
  accepted: ["comes", "low"],
  declined: ["does not come", "high"],
  tentative: ["perhaps", "medium"],
  "needs-action": ["has not answered", ""],
};
const MINE = {
  accepted: "You have accepted.",
  declined: "You have declined.",
  tentative: "You have answered “maybe”.",
  "needs-action": "You have not answered yet.",
};

/** `event` as the API gives it. */
export function eventView(event) {
  const strange = oddly(event.oddities, "this event");
  return h(
    "article",
    { class: "mail", "aria-label": `Event: ${plain(event.title || "no title")}` },
    h("h3", { class: "mail-subject" }, said(event.title || "(no title)")),
    event.status === "cancelled" && note("It was cancelled.", "high"),
    h("p", { class: "row" }, icon("clock", 16), spanWords(event.start, event.end, event.all_day), event.series && badge("of a series")),
    event.location && h("p", { class: "row" }, icon("place", 16), said(event.location)),
    event.my_answer && h("p", { class: event.my_answer === "needs-action" ? "ink-medium" : "muted" }, MINE[event.my_answer]),
    (event.organizer || event.attendees.length > 0) && people(event),
    strange && note(strange),
    event.description.trim() && mailBody(event.description),
    h("p", { class: "small muted" }, "Calendar: ", said(event.calendar), " (", said(event.account), ")"),
  );
}

function people({ organizer, attendees }) {
  return h(
    "dl",
    { class: "facts mail-headers" },
    organizer && [h("dt", {}, "From"), h("dd", {}, person(organizer))],
    attendees.length > 0 && [
      h("dt", {}, "With"),
      h(
        "dd",
        {},
        h(
          "ul",
          { class: "stack-small" },
          attendees.map((one) => {
            const [words, kind] = ANSWERS[one.answer] ?? ANSWERS["needs-action"];
            return h("li", { class: "row" }, person(one.address), badge(words, kind), one.optional && h("span", { class: "small muted" }, "optional"));
          }),
        ),
      ),
    ],
  );
}
