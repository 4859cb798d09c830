// What changes, before and after, with the words that differ marked.

import { h } from "../dom.js";
import { plain } from "./plain.js";
import { repeats } from "./repeats.js";

/** Words and spaces of one text that are compared; longer ones are shown unmarked. */
const LONGEST = 600;

/** `changes` are `{field, before, after}`; `caption` says what the table is for who doesn't see it. */
export function changesTable(changes, caption = "Before and after") {
  return h(
    "table",
    { class: "changes" },
    h("caption", { class: "visually-hidden" }, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "What")),
        h("th", { scope: "col" }, "Before"),
        h("th", { scope: "col" }, "After"),
      ),
    ),
    h("tbody", {}, changes.map(row)),
  );
}

function row({ field, before, after }) {
  const [was, now] = field.startsWith("Repeats")
    ? [repeats(before) || "once", repeats(after) || "once"]
    : [plain(before), plain(after)];
  const [old, fresh] = marked(was, now);
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, plain(field)),
    h("td", { class: "changes-before", "data-label": "Before" }, h("bdi", { class: "lines" }, was ? old : none())),
    h("td", { class: "changes-after", "data-label": "After" }, h("bdi", { class: "lines" }, now ? fresh : none())),
  );
}

const none = () => h("span", { class: "muted" }, "nothing");

/** Both texts as nodes, with what only one of them holds in `del` and `ins`. */
export function marked(before, after) {
  const [old, fresh] = [before, after].map((text) => text.split(/(\s+|[,;])/));
  if (old.length > LONGEST || fresh.length > LONGEST) return [[before], [after]];
  const kept = common(old, fresh);
  return [
    runs(
      old,
      kept.map(([at]) => at),
      "del",
    ),
    runs(
      fresh,
      kept.map(([, at]) => at),
      "ins",
    ),
  ];
}

/** Pairs of places of a longest common subsequence. */
function common(one, other) {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    for (let j = other.length - 1; j >= 0; j--) {
      lengths[i][j] = one[i] === other[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  const pairs = [];
  for (let i = 0, j = 0; i < one.length && j < other.length;) {
    if (one[i] === other[j]) pairs.push([i++, j++]);
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i++;
    else j++;
  }
  return pairs;
}

function runs(words, kept, tag) {
  const stays = new Set(kept);
  // A space between two words that differ belongs to them.
  for (const at of kept)
    if (!words[at].trim() && at > 0 && !stays.has(at - 1) && at + 1 < words.length && !stays.has(at + 1)) stays.delete(at);
  const found = [];
  for (const [at, word] of words.entries()) {
    const same = stays.has(at);
    if (found.at(-1)?.same === same) found.at(-1).text += word;
    else found.push({ same, text: word });
  }
  return found.map(({ same, text }) => (same || !text.trim() ? text : h(tag, {}, text)));
}
