// A time of day to write, with 24 hours as everywhere on the page, whatever the browser's own fields would show.

import { h } from "../dom.js";

const WRITTEN = /^(\d{1,2})(?:\s*[:.h]?\s*(\d{2}))?\s*(?:([ap])\.?m\.?)?$/i;
const HALF_HOURS = Array.from({ length: 48 }, (_, at) => `${two(at >> 1)}:${at % 2 ? "30" : "00"}`);

/** "15:30" for "15:30", "1530", "3.30 pm" and the like; empty where it is no time. */
export function timeOf(text) {
  const found = WRITTEN.exec(text.trim());
  if (!found) return "";
  const [, hours, minutes = "00", half] = found;
  const twelve = Number(hours) >= 1 && Number(hours) <= 12;
  if (Number(hours) > 23 || Number(minutes) > 59 || (half && !twelve)) return "";
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === "p" ? 12 : 0) : Number(hours);
  return `${two(hour)}:${minutes}`;
}

/** Its value is to be read by `timeOf`. */
export function timeInput({ value = "", ...more } = {}) {
  const input = h("input", { class: "input", type: "text", inputmode: "numeric", autocomplete: "off", placeholder: "15:30", maxlength: 10, list: halfHours(), value, ...more });
  input.addEventListener("input", () => input.setCustomValidity(input.value.trim() && !timeOf(input.value) ? "A time such as 15:30." : ""));
  input.addEventListener("change", () => {
    input.value = timeOf(input.value) || input.value;
  });
  return input;
}

/** The id of one list for all. */
function halfHours() {
  const id = "half-hours";
  if (!document.getElementById(id)) document.body.append(h("datalist", { id }, HALF_HOURS.map((value) => h("option", { value }))));
  return id;
}

function two(number) {
  return String(number).padStart(2, "0");
}
