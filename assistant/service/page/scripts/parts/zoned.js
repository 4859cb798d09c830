// Days and clock times of the user's zone, and the instants that they are.

import { clock, dateOf } from "../words.js";

const MINUTE = 60_000;
const DAY = 86_400_000;

const wall = (instant) => Date.parse(`${dateOf(instant)}T${clock(instant)}:00Z`);
const offset = (instant) => Math.round((wall(instant) - Math.floor(instant / MINUTE) * MINUTE) / MINUTE);

/** ISO 8601 with offset of "2026-11-23" and "15:00"; a time that the clocks skip becomes the one after the gap. Null where it is none. */
export function instant(date, time = "00:00") {
  const guess = Date.parse(`${date}T${time}:00Z`);
  if (Number.isNaN(guess)) return null;
  const first = guess - offset(guess) * MINUTE;
  const exact = guess - offset(first) * MINUTE;
  return iso(exact);
}

function iso(moment) {
  const minutes = offset(moment);
  const local = new Date(moment + minutes * MINUTE).toISOString().slice(0, 19);
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return `${local}${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

export const dayAfter = (date, days = 1) => new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY).toISOString().slice(0, 10);

/** The next such weekday after today; 1 is Monday. */
export function nextWeekday(date, weekday) {
  const days = (weekday - new Date(`${date}T00:00:00Z`).getUTCDay() + 7) % 7;
  return dayAfter(date, days || 7);
}

/** Minutes since the midnight with which `date` begins, at least 0 and at most those of a day. */
export function minutesOf(time, date) {
  const day = dateOf(time);
  if (day !== date) return day < date ? 0 : 1440;
  const [hours, minutes] = clock(time).split(":").map(Number);
  return hours * 60 + minutes;
}

/** The last day of a span whose end is exclusive. */
export const lastDay = (start, end) => (Date.parse(end) > Date.parse(start) ? dateOf(Date.parse(end) - 1) : dateOf(start));
