// The day around a proposed time, with the slot among its events.

import { fill, h } from "../dom.js";
import { dateOf } from "../words.js";
import { timeline } from "./timeline.js";
import { dayAfter, instant } from "./zoned.js";

const HOUR = 3_600_000;

/** For an event that is created or moved; empty until the day is known, and where it can't be. */
export function proposedSlot({ action }, { api }) {
  const place = h("div", { class: "slot" });
  show(place, action, api).catch(() => place.remove());
  return place;
}

async function show(place, action, api) {
  const date = dateOf(action.start ?? action.end);
  const [{ items }, hours] = await Promise.all([
    api.get("/api/calendar", { query: { start: instant(date), end: instant(dayAfter(date)) } }),
    workingHours(api),
  ]);
  const moved = items.find((event) => event.id === action.event?.id && event.account === action.account);
  const { start, end, all_day: allDay, title } = slotOf(action, moved);
  const others = items.filter((event) => event !== moved && event.status !== "cancelled");
  fill(
    place,
    timeline({
      date,
      ...hours,
      events: moved && dateOf(moved.start) === date ? [...others, { ...moved, leaves: true }] : others,
      proposed: [{ start, end, all_day: allDay, title }],
      size: "small",
    }),
  );
}

/** An end that is not given follows from the length of what is moved, else it is an hour. */
function slotOf(action, moved) {
  const length = moved ? Date.parse(moved.end) - Date.parse(moved.start) : HOUR;
  const start = action.start ?? new Date(Date.parse(action.end) - length).toISOString();
  const end = action.end ?? new Date(Date.parse(action.start) + length).toISOString();
  return { start, end, all_day: action.all_day ?? moved?.all_day ?? false, title: action.title ?? moved?.title ?? "This event" };
}

/** `{starts, ends}` as the user has set them; empty where that can't be known. */
async function workingHours(api) {
  const set = await api.get("/api/settings").catch(() => ({}));
  const [starts, ends] = [set.day_starts ?? set.house?.day_starts, set.day_ends ?? set.house?.day_ends];
  return starts && ends ? { starts, ends } : {};
}
