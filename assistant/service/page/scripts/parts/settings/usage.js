// What was spent on language models, a bar for each day.

import { h, svg } from "../../dom.js";
import { counted } from "../../words.js";

const DAYS = 30;
const WIDTH = 600;
const HEIGHT = 96;
const GAP = 3;

export function usage(given, { items: lines }) {
  if (!lines.length) return h("p", { class: "muted" }, "No language model was asked in the last 30 days.");
  const days = summed(lines);
  const tokens = days.map((day) => day.tokens);
  const all = tokens.reduce((sum, one) => sum + one, 0);
  const cost = lines.reduce((sum, line) => sum + (line.cost ?? 0), 0);
  const words = `${counted(all, "token")} in ${counted(lines.reduce((sum, line) => sum + line.calls, 0), "call")}${cost ? `, about $${cost.toFixed(2)}` : ""}`;
  return h("figure", { class: "stack-small" }, picture(days, `Tokens by day, ${DAYS} days: ${words}`),
    h("figcaption", { class: "muted small" }, `${words}, in the last ${DAYS} days.`),
    h("details", {}, h("summary", { class: "small" }, "By day and model"), table(lines)));
}

/** The last days in order, those without calls among them. */
function summed(lines) {
  const byDay = new Map();
  for (const line of lines) byDay.set(line.day, (byDay.get(line.day) ?? 0) + line.prompt + line.completion);
  const last = Date.parse(lines.map((line) => line.day).sort().at(-1));
  const names = Array.from({ length: DAYS }, (_, back) => new Date(last - (DAYS - 1 - back) * 86_400_000).toISOString().slice(0, 10));
  return names.map((day) => ({ day, tokens: byDay.get(day) ?? 0 }));
}

function picture(days, label) {
  const most = Math.max(1, ...days.map((day) => day.tokens));
  const wide = WIDTH / days.length;
  return svg("svg", { class: "view-bars", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    days.map(({ day, tokens }, index) => {
      const high = tokens ? Math.max(2, (tokens / most) * (HEIGHT - 4)) : 1;
      return svg("rect", { x: index * wide + GAP / 2, y: HEIGHT - high, width: wide - GAP, height: high, rx: 2, class: tokens ? "" : "none" }, svg("title", {}, `${day}: ${counted(tokens, "token")}`));
    }));
}

const table = (lines) => h("div", { class: "view-scroll" }, h("table", { class: "table small numbers" },
  h("thead", {}, h("tr", {}, ["Day", "Model", "Calls", "In", "Out", "Cost"].map((name) => h("th", { scope: "col" }, name)))),
  h("tbody", {}, lines.map((line) => h("tr", {}, [line.day, line.model, line.calls, line.prompt, line.completion, line.cost === null ? "unknown" : `$${line.cost.toFixed(3)}`].map((cell) => h("td", {}, cell)))))));
