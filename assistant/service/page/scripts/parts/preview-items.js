// What one action of a preview writes, in the words of its kind and in full.

import { h, icon, note } from "../dom.js";
import { capitalised, clock, counted, dateOf, day, when } from "../words.js";
import { changesTable } from "./changes.js";
import { gapsOf, withGaps } from "./gaps.js";
import { mailHeaders } from "./mail-view.js";
import { plain, prose, said, tame } from "./plain.js";
import { recipientList } from "./recipients.js";
import { repeats } from "./repeats.js";
import { traceList } from "./traces.js";
import { originalOf } from "./original.js";
import { proposedSlot } from "./proposed-slot.js";
import { writtenPart } from "./written.js";
import { lastDay } from "./zoned.js";

const BULK = 3;
const GONE = ["cancelled", "deleted"];
const THINGS = {
  mark_mail: "mails",
  move_mail: "mails",
  delete_draft: "drafts",
  update_event: "events",
  cancel_event: "events",
  answer_invitation: "invitations",
  update_contact: "contacts",
  delete_contact: "contacts",
};
/** The heading of a preview: one clause, or how many things it does. */
export function headline(items) {
  if (items.length === 1) return capitalised(plain(items[0].says));
  const verb = verbOf(items);
  return alike(items) && verb
    ? `${capitalised(verb)} ${items.length} ${THINGS[items[0].action.kind]}`
    : `${items.length} things to do`;
}

/** Enough of the same kind to be a list; what has a text of its own is always shown in full. */
export function alike(items) {
  const kind = items[0].action.kind;
  return items.length >= BULK && kind in THINGS && items.every((item) => item.action.kind === kind && !item.written);
}

function verbOf(items) {
  const first = new Set(items.map((item) => item.says.split(" ")[0]));
  return first.size === 1 ? [...first][0] : "";
}

// --- one by one

export function itemBlock(item, number, several, ctx) {
  return h(
    "section",
    { class: "item", "aria-label": several ? `${number}: ${plain(item.says)}` : "What it does" },
    several && h("h4", { class: "item-heading" }, h("span", { class: "item-number" }, number), said(capitalised(item.says))),
    item.recipients.length > 0 && recipientList(item.recipients),
    contents(item, ctx),
    item.changes.length > 0 && changesTable(item.changes),
    traceList(item.traces),
    remarks(item),
  );
}

export function remarks({ guesses, notes }) {
  if (!guesses.length && !notes.length) return null;
  return h(
    "ul",
    { class: "remarks" },
    guesses.map((guess) =>
      h("li", { class: "remark-guess" }, icon("info", 16), h("span", {}, h("strong", {}, "I assume: "), said(guess))),
    ),
    notes.map((words) => h("li", {}, icon("info", 16), h("span", {}, h("strong", {}, "Note: "), said(words)))),
  );
}

function contents(item, ctx) {
  const { action } = item;
  switch (action.kind) {
    case "send_mail":
    case "save_draft":
      return mail(item, ctx);
    case "create_event":
      return [event(action), proposedSlot(item, ctx)];
    case "update_event":
      return action.start || action.end ? proposedSlot(item, ctx) : null;
    case "create_contact":
      return facts([
        ["Name", action.name],
        ["Nickname", action.nickname],
        ["Address", action.emails.join(", ")],
        ["Phone", action.phones.join(", ")],
        ["Company", action.company],
        ["Title", action.title],
        ["Groups", action.groups.join(", ")],
        ["Note", action.note],
      ]);
    case "save_template":
      return [
        facts([
          ["Template", action.name],
          ["Subject", action.subject],
        ]),
        prose(action.body, "letter"),
      ];
    case "mark_mail":
    case "move_mail":
      return originalOf(action.mail, "Show the mail", ctx);
    default:
      return null;
  }
}

export function facts(rows) {
  const shown = rows.filter(([, value]) => value && (!Array.isArray(value) || value.length));
  return h(
    "dl",
    { class: "facts item-facts" },
    shown.map(([name, value]) => [
      h("dt", {}, name),
      h("dd", {}, typeof value === "string" ? h("bdi", { class: "lines" }, plain(value)) : value),
    ]),
  );
}

// --- mails

function mail({ action, encloses, written }, ctx) {
  const gaps = gapsOf(action);
  const original = action.reply_to ? originalOf(action.reply_to, "Show the mail that this answers", ctx) : null;
  const empty = h("p", { class: "letter muted" }, encloses ? "No words of your own go with it." : "There is no text.");
  return [
    facts([
      [
        "Subject",
        h(
          "bdi",
          { class: "strong" },
          action.subject ? (original ? plain(action.subject) : withGaps(action.subject)) : "(no subject)",
        ),
      ],
      [
        "Goes out",
        action.send_at
          ? h("span", { class: "strong" }, icon("clock", 16), " ", when(action.send_at))
          : action.kind === "save_draft"
            ? "not at all: it is kept as a draft"
            : "",
      ],
    ]),
    action.body
      ? h("div", { class: "prose letter", dir: "auto", "aria-label": "Text", role: "group" }, withGaps(action.body))
      : empty,
    gaps.length > 0 &&
      note(`${counted(gaps.length, "gap")} in square brackets: say what belongs there before it goes out.`, "medium"),
    encloses && enclosed(encloses),
    original,
    written && writtenPart(written, action.body, { ...ctx, whom: ctx.drafted > 1 ? tame(action.to[0]?.name) : "" }),
  ];
}

function enclosed(mailed) {
  const attached = mailed.attachments;
  const also = attached.length ? `, with ${counted(attached.length, "attachment")}` : "";
  return h(
    "details",
    { class: "unfold", open: true },
    h("summary", {}, icon("arrow", 16), h("span", {}, "Goes along: ", said(mailed.subject || "(no subject)"), also)),
    h(
      "div",
      { class: "unfolded" },
      mailHeaders([
        ["From", said(mailed.sender)],
        ["Date", when(mailed.date)],
        ["Subject", said(mailed.subject)],
      ]),
      attached.length > 0 &&
        h(
          "ul",
          { class: "attachments", "aria-label": "Attachments that go along" },
          attached.map((name) => h("li", {}, icon("attachment", 16), said(name))),
        ),
      prose(mailed.text, "letter", "letter-quoted"),
      mailed.text.length >= 2000 && h("p", { class: "small muted" }, "This is how it begins; all of it goes along."),
    ),
  );
}

// --- events

function event(action) {
  return facts([
    ["Title", h("bdi", { class: "strong" }, plain(action.title))],
    ["When", h("span", { class: "strong" }, spanWords(action.start, action.end, action.all_day))],
    ["Repeats", capitalised(repeats(action.rrule))],
    ["Place", action.location],
    ["Calendar", action.calendar],
    ["Text", action.description],
  ]);
}

/** "Mon 23 Nov, 15:00–16:00"; `end` is exclusive. */
export function spanWords(start, end, allDay = false) {
  if (allDay) {
    const last = lastDay(start, end);
    return last === dateOf(start) ? `${day(start)}, all day` : `${day(start)} – ${day(Date.parse(end) - 1)}, all day`;
  }
  if (dateOf(start) === dateOf(end)) return `${day(start)}, ${clock(start)}–${clock(end)}`;
  return `${day(start)}, ${clock(start)} – ${day(end)}, ${clock(end)}`;
}

// --- many of a kind

/** One line for each; what happens to all alike, and the people, stand once. */
export function itemList(items, ctx) {
  const verb = verbOf(items);
  const common = commonChange(items);
  const [guesses, notes] = [sharedRemarks(items, "guesses"), sharedRemarks(items, "notes")];
  const reached = [
    ...new Map(
      items.flatMap((item) => item.recipients).map((one) => [`${one.address.email} ${one.origin} ${one.line}`, one]),
    ).values(),
  ];
  return [
    common &&
      !GONE.includes(common.after) &&
      h(
        "p",
        { class: "bulk-common" },
        "Each: ",
        said(common.field),
        " ",
        h("del", {}, said(common.before)),
        " → ",
        h("ins", {}, said(common.after)),
      ),
    reached.length > 0 && recipientList(reached),
    traceList([...new Map(items.flatMap((item) => item.traces ?? []).map((one) => [JSON.stringify(one), one])).values()]),
    h(
      "ol",
      { class: "bulk" },
      items.map((item) => bulkRow(item, verb, common, new Set([...guesses, ...notes]), ctx)),
    ),
    remarks({ guesses, notes }),
  ];
}

/** Without what stands at more than one of them. */
const ownRemarks = (item, shared) =>
  remarks({ guesses: item.guesses.filter((one) => !shared.has(one)), notes: item.notes.filter((one) => !shared.has(one)) });

function sharedRemarks(items, of) {
  const counts = new Map();
  for (const words of items.flatMap((item) => [...new Set(item[of])])) counts.set(words, (counts.get(words) ?? 0) + 1);
  return [...counts].filter(([, number]) => number > 1).map(([words]) => words);
}

function bulkRow(item, verb, common, shared, ctx) {
  const own = common ? [] : item.changes.filter((change) => !GONE.includes(change.after));
  const what = plain(item.says).slice(verb.length).trim();
  return h(
    "li",
    {},
    h(
      "div",
      {},
      said(verb ? what : capitalised(item.says)),
      own.map((change) => h("div", { class: "small muted" }, said(`${change.field}: ${change.before} → ${change.after}`))),
    ),
    ownRemarks(item, shared),
    item.action.mail && originalOf(item.action.mail, "Show", ctx),
  );
}

/** The one change that all of them undergo. */
function commonChange(items) {
  const words = new Set(items.map((item) => JSON.stringify(item.changes)));
  return words.size === 1 && items[0].changes.length === 1 ? items[0].changes[0] : null;
}

// --- in one sentence

/** What will happen, to be read once more before it does. */
export function deed(item) {
  const { action } = item;
  const names = item.recipients.map((one) => one.address);
  if (action.kind !== "send_mail") return [said(capitalised(item.says)), "."];
  const what = action.forward_of ? "is forwarded" : action.reply_to ? "goes out as an answer" : "goes out";
  const moment = action.send_at ? when(action.send_at) : "now";
  return [
    "The mail “",
    said(action.subject || "(no subject)"),
    `” ${what} ${moment}, to ${counted(names.length, "address", "addresses")}.`,
  ];
}

/** Everybody whom it reaches, each once, unknown ones first: `[{address, known}]`. */
export function everybody(items) {
  const found = new Map();
  for (const one of items.flatMap((item) => item.recipients)) if (!found.has(one.address.email)) found.set(one.address.email, one);
  return [...found.values()].sort((one, other) => Number(one.known) - Number(other.known));
}
