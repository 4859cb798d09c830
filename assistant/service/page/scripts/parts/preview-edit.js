// Editing in place: one set of fields for each action, as it is written; what is saved goes through the gate again.

import { add, button, field, h, newId } from "../dom.js";
import { capitalised, clock, dateOf } from "../words.js";
import { plain, said } from "./plain.js";
import { keptField, recipientField } from "./recipient-field.js";
import { timeInput, timeOf } from "./time-input.js";
import { dayAfter, instant, lastDay } from "./zoned.js";

const CONTACT = [
  ["name", "Name"],
  ["nickname", "Nickname"],
  ["emails", "Addresses, with commas between"],
  ["phones", "Phones, with commas between"],
  ["company", "Company"],
  ["title", "Title"],
  ["note", "Note"],
];
const ANSWERS = [
  ["accepted", "Accept"],
  ["tentative", "Maybe"],
  ["declined", "Decline"],
];

/** Ctx: `{api, announce, save(actions, button), back()}`. The element's `begin()` puts the focus to its first field. */
export function editForm(preview, { save, back, ...ctx }) {
  const parts = preview.items.map((item, at) => itemFields(item, at, preview.items.length, ctx));
  const error = h("p", { class: "field-error", role: "alert" });
  const form = h(
    "form",
    {
      class: "edit",
      "aria-label": "Edit",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
      onkeydown: (event) => {
        if (event.key === "Escape" && !event.defaultPrevented) back();
      },
    },
    parts.map((part) => part.element),
  );
  const submit = button("Save changes", { kind: "primary", type: "submit", "data-act": "save" });
  add(form, error, h("div", { class: "row" }, submit, button("Cancel edit", { kind: "quiet", "data-act": "back", onclick: back })));

  function send() {
    const kept = parts.filter((part) => !part.leftOut());
    error.textContent = kept.length ? "" : "Nothing would be left to do: keep something, or cancel the whole.";
    const made = kept.map((part) => part.made());
    if (kept.length && made.every(Boolean)) return alike(made, preview.items) ? back() : save(made, submit);
    return form.querySelector("[aria-invalid='true']")?.focus();
  }
  form.begin = () => form.querySelector("input, textarea, select")?.focus();
  return form;
}

/** Whether nothing was changed. */
const alike = (made, items) => canonical(made) === canonical(items.map((item) => item.action));

const canonical = (value) =>
  JSON.stringify(value, (_, one) => {
    if (typeof one === "string" && /^\d{4}-\d\d-\d\dT/.test(one)) return Date.parse(one);
    return one && typeof one === "object" && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort()) : one;
  });

/** `made()` gives the edited action, or null where something in it can't be. */
function itemFields(item, at, number, ctx) {
  const { action } = item;
  const kind = FIELDS[action.kind]?.(action, ctx) ?? { elements: [], made: () => action };
  const out = h("input", { type: "checkbox" });
  const element = h(
    "fieldset",
    { class: "edit-item" },
    h(
      "legend",
      {},
      number > 1 ? [`${at + 1}. `, said(capitalised(item.says))] : h("span", { class: "visually-hidden" }, plain(item.says)),
    ),
    number > 1 && h("label", { class: "check small" }, out, "Leave this out"),
    kind.elements,
    !kind.elements.length &&
      number === 1 &&
      h("p", { class: "muted" }, "There is nothing in this to edit by hand; say what to change, or cancel it."),
  );
  out.addEventListener("change", () => element.classList.toggle("edit-left-out", out.checked));
  return { element, leftOut: () => out.checked, made: kind.made };
}

const FIELDS = {
  send_mail: mail,
  save_draft: mail,
  create_event: event,
  update_event: eventChange,
  create_contact: contact,
  update_contact: contact,
  save_template: template,
  answer_invitation: invitation,
};

const text = (label, value, { rows = 0 } = {}) =>
  field(
    label,
    rows
      ? h("textarea", { class: "input", dir: "auto", rows, value: plain(value) })
      : h("input", { class: "input", dir: "auto", autocomplete: "off", value: plain(value) }),
  );

const lengthened = (value, least) =>
  Math.min(24, Math.max(least, plain(value).split("\n").length + Math.floor(value.length / 80) + 1));

// --- mails

function mail(action, ctx) {
  const to = recipientField("To", action.to, ctx);
  const cc = recipientField("Cc", action.cc, ctx);
  const bcc = recipientField("Bcc", action.bcc, ctx);
  const subject = text("Subject", action.subject);
  const body = text(action.forward_of ? "Text before what is forwarded" : "Text", action.body, {
    rows: lengthened(action.body, 6),
  });
  const goes = action.kind === "send_mail" && action.send_at ? moment("Goes out", action.send_at) : null;
  return {
    elements: [
      to.element,
      folded("Cc and Bcc", action.cc.length + action.bcc.length > 0, cc.element, bcc.element),
      subject.element,
      goes?.element,
      body.element,
    ],
    made() {
      const whole = [to, cc, bcc].map((one) => one.check()).every(Boolean);
      const when = goes ? goes.value() : (action.send_at ?? null);
      if (!whole || when === undefined) return null;
      const made = {
        ...action,
        to: to.value(),
        cc: cc.value(),
        bcc: bcc.value(),
        subject: subject.input.value.trim(),
        body: body.input.value,
      };
      return "send_at" in action ? { ...made, send_at: when } : made;
    },
  };
}

const folded = (words, open, ...elements) =>
  h("details", { class: "unfold edit-more", open }, h("summary", {}, words), h("div", { class: "stack-small" }, elements));

/** A day and a time; `value()` is an ISO time, null where both are left empty, undefined where that is none. */
export function moment(label, iso) {
  const date = h("input", { class: "input", type: "date", "aria-label": `${label}: day`, value: iso ? dateOf(iso) : "" });
  const time = timeInput({ "aria-label": `${label}: time`, value: iso ? clock(iso) : "" });
  const error = h("p", { class: "field-error", role: "alert", id: newId("error") });
  for (const one of [date, time]) one.setAttribute("aria-describedby", error.id);
  const fail = (words = "") => {
    error.textContent = words;
    for (const one of [date, time]) one.setAttribute("aria-invalid", String(Boolean(words)));
  };
  const element = h(
    "div",
    { class: "field", role: "group", "aria-label": label },
    h("span", { class: "label" }, label),
    h("div", { class: "moment" }, date, time),
    error,
  );
  const value = () => {
    fail();
    if (!date.value && !time.value.trim() && !date.validity.badInput) return null;
    const at = timeOf(time.value);
    const found = date.value && at ? instant(date.value, at) : null;
    if (!found) fail(`Give a day and a time for “${label}”.`);
    return found ?? undefined;
  };
  return { element, date, time, value, fail };
}

// --- events

function event(action, ctx) {
  const title = text("Title", action.title);
  const span = spanFields(action);
  const place = text("Place", action.location);
  const people = recipientField("Invited", action.attendees, ctx);
  const words = text("Text", action.description, { rows: lengthened(action.description, 2) });
  return {
    elements: [title.element, ...span.elements, people.element, place.element, words.element],
    made() {
      const times = span.value();
      title.fail(title.input.value.trim() ? "" : "An event needs a title.");
      if (!times || !people.check() || !title.input.value.trim()) return null;
      return {
        ...action,
        ...times,
        title: title.input.value.trim(),
        location: place.input.value.trim(),
        description: words.input.value,
        attendees: people.value(),
      };
    },
  };
}

/** Begin and end; whole days end at the midnight after their last. Moving the begin moves the end with it. */
function spanFields({ start, end, all_day: whole = false }) {
  const from = moment("Begins", start);
  const to = moment("Ends", end);
  const allDay = h("input", { type: "checkbox", checked: Boolean(whole) });
  if (whole) to.date.value = lastDay(start, end);
  const length = Date.parse(end) - Date.parse(start);
  const show = () => {
    for (const one of [from, to]) one.time.hidden = allDay.checked;
  };
  const follow = () => {
    const begins = instant(from.date.value, timeOf(from.time.value) || "00:00");
    if (!begins || allDay.checked || !length) return;
    const ends = Date.parse(begins) + length;
    [to.date.value, to.time.value] = [dateOf(ends), clock(ends)];
  };
  allDay.addEventListener("change", show);
  for (const one of [from.date, from.time]) one.addEventListener("change", follow);
  show();
  return {
    elements: [h("div", { class: "edit-span" }, from.element, to.element), h("label", { class: "check small" }, allDay, "All day")],
    value: () => spanOf(from, to, allDay.checked),
  };
}

function spanOf(from, to, whole) {
  const start = whole ? from.date.value && instant(from.date.value) : from.value();
  const end = whole ? to.date.value && instant(dayAfter(to.date.value)) : to.value();
  if (!start) from.fail("Say when it begins.");
  if (!end) to.fail("Say when it ends.");
  if (!start || !end) return null;
  if (Date.parse(end) < Date.parse(start) || (whole && Date.parse(end) === Date.parse(start))) {
    to.fail("It would end before it begins.");
    return null;
  }
  return { start, end, all_day: whole };
}

/** Only what the change touches, and who else may come. */
function eventChange(action, ctx) {
  const title = action.title === null ? null : text("Title", action.title);
  const span = action.start && action.end ? spanFields({ ...action, all_day: action.all_day ?? false }) : null;
  const place = action.location === null ? null : text("Place", action.location);
  const words = action.description === null ? null : text("Text", action.description, { rows: 3 });
  const added = recipientField("Invite as well", action.add_attendees, ctx);
  const removed = action.remove_attendees.length ? keptField("Taken out", action.remove_attendees) : null;
  return {
    elements: [title, span && { element: span.elements }, place, words, added, removed].filter(Boolean).map((one) => one.element),
    made() {
      const times = span ? span.value() : {};
      if (!times || !added.check()) return null;
      const given = (one, name) => (one ? { [name]: one.input.value.trim() } : {});
      const whole = span && action.all_day === null && !times.all_day ? { all_day: null } : {};
      return {
        ...action,
        ...times,
        ...whole,
        ...given(title, "title"),
        ...given(place, "location"),
        ...given(words, "description"),
        add_attendees: added.value(),
        remove_attendees: removed ? removed.value() : [],
      };
    },
  };
}

function invitation(action) {
  const name = newId("answer");
  const radios = ANSWERS.map(([value, words]) =>
    h("label", { class: "check" }, h("input", { type: "radio", name, value, checked: value === action.answer }), words),
  );
  const element = h("div", { class: "row", role: "radiogroup", "aria-label": "Your answer" }, radios);
  return { elements: [element], made: () => ({ ...action, answer: element.querySelector("input:checked").value }) };
}

// --- contacts and templates

function contact(action) {
  const fields = CONTACT.filter(([name]) => action[name] !== null).map(([name, label]) => {
    const many = Array.isArray(action[name]);
    return { name, many, ...text(label, many ? action[name].join(", ") : action[name]) };
  });
  return {
    elements: fields.map((one) => one.element),
    made() {
      const given = fields.map(({ name, many, input }) => [
        name,
        many
          ? input.value
              .split(",")
              .map((part) => part.trim())
              .filter(Boolean)
          : input.value.trim(),
      ]);
      const nameless = fields.find((one) => one.name === "name" && !one.input.value.trim());
      nameless?.fail("A contact needs a name.");
      return nameless ? null : { ...action, ...Object.fromEntries(given) };
    },
  };
}

function template(action) {
  const [name, subject, body] = [
    text("Name", action.name),
    text("Subject", action.subject),
    text("Text", action.body, { rows: lengthened(action.body, 6) }),
  ];
  return {
    elements: [name.element, subject.element, body.element],
    made() {
      name.fail(name.input.value.trim() ? "" : "A template needs a name.");
      return name.input.value.trim()
        ? { ...action, name: name.input.value.trim(), subject: subject.input.value.trim(), body: body.input.value }
        : null;
    },
  };
}
