// A mail or an event in a dialog over what one is reading; its link also leads to a place of its own.

import { fill, h, note, spinner } from "../dom.js";
import { dialog } from "./dialog.js";
import { eventView } from "./event-view.js";
import { mailView } from "./mail-view.js";

const part = encodeURIComponent;

export const mailPath = ({ account, id }) => `/mail/${part(account)}/${part(id)}`;

export const eventPath = ({ account, calendar, id, recurrence }) =>
  `/event/${part(account)}/${part(calendar)}/${part(id)}${recurrence ? `?recurrence=${part(recurrence)}` : ""}`;

export const mailOf = (api, { account, id }) => api.get(`/api/mails/${part(account)}/${part(id)}`);

export const eventOf = (api, { account, calendar, id, recurrence }) =>
  api.get(`/api/calendar/${part(account)}/${part(calendar)}/${part(id)}`, { query: { recurrence } });

/** A link with `words` that opens it. `line`: what holds a mail or an event. */
export function opening({ mail, event }, words, { api }, props = {}) {
  const open = (pressed) => {
    if (pressed.ctrlKey || pressed.metaKey || pressed.shiftKey || pressed.button) return;
    pressed.preventDefault();
    if (mail) shown("Mail", () => mailOf(api, mail).then(mailView));
    else shown("Event", () => Promise.resolve(eventView(event)));
  };
  return h("a", { ...props, href: `#${mail ? mailPath(mail) : eventPath(event)}`, onclick: open }, words);
}

function shown(title, load) {
  const place = h("div", {}, spinner("Looking it up"));
  load().then(
    (view) => fill(place, view),
    (problem) => fill(place, note(problem.detail ?? String(problem), "high")),
  );
  return dialog(title, () => place, { wide: true });
}
