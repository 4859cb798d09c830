// The menu that gives the mails of a preview a time of their own.

import { add, button, fill, h, newId } from "../dom.js";
import { today, when } from "../words.js";
import { moment } from "./preview-edit.js";
import { dayAfter, instant, nextWeekday } from "./zoned.js";

/** `revise(actions, button)` is called with the edited actions. */
export function sendLater(items, revise) {
  const id = newId("later");
  const scheduled = items.some((item) => item.action.send_at);
  const place = h("div", { id, class: "later-menu", hidden: true, role: "group", "aria-label": "When it goes out" });
  const opener = button(scheduled ? "Another time" : "Send later", {
    icon: "clock",
    "data-act": "later",
    "aria-expanded": "false",
    "aria-controls": id,
    onclick: () => toggle(place.hidden),
  });
  const element = h(
    "div",
    {
      class: "later",
      onkeydown: (event) => {
        if (event.key !== "Escape" || place.hidden) return;
        event.stopPropagation();
        toggle(false);
        opener.focus();
      },
      onfocusout: (event) => {
        if (event.relatedTarget && !element.contains(event.relatedTarget)) toggle(false);
      },
    },
    opener,
    place,
  );

  function toggle(open) {
    place.hidden = !open;
    opener.setAttribute("aria-expanded", String(open));
    if (open) {
      fill(place, choices());
      place.querySelector("button")?.focus();
    }
  }

  const choose = (at, pressed) =>
    revise(
      items.map(({ action }) => (action.kind === "send_mail" ? { ...action, send_at: at } : action)),
      pressed,
    );

  function choices() {
    const own = moment("At another time", items.find((item) => item.action.send_at)?.action.send_at);
    return [
      presets().map(([words, at]) =>
        h(
          "button",
          { type: "button", class: "later-choice", onclick: (event) => choose(at, event.currentTarget) },
          h("span", {}, words),
          h("span", { class: "muted small" }, when(at)),
        ),
      ),
      scheduled &&
        h(
          "button",
          { type: "button", class: "later-choice", onclick: (event) => choose(null, event.currentTarget) },
          "At once, after your approval",
        ),
      add(
        own.element,
        button("Set this time", {
          small: true,
          onclick: (event) => {
            const at = own.value();
            if (at && Date.parse(at) > Date.now()) choose(at, event.currentTarget);
            else own.fail(at ? "That is in the past." : "Give a day and a time.");
          },
        }),
      ),
    ];
  }
  return element;
}

/** `[words, ISO time]` of those that are still to come. */
export function presets(date = today()) {
  return [
    ["Tonight", instant(date, "18:00")],
    ["Tomorrow morning", instant(dayAfter(date), "08:00")],
    ["Monday morning", instant(nextWeekday(date, 1), "08:00")],
  ].filter(([, at], place, all) => Date.parse(at) > Date.now() && all.findIndex(([, other]) => other === at) === place);
}
