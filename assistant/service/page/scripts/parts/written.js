// How a text came about, and the other versions that there are of it.

import { button, h, icon } from "../dom.js";
import { counted } from "../words.js";
import { withGaps } from "./gaps.js";
import { plain, prose, said } from "./plain.js";

const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth"];

/**
 * `body` is the text as it now stands. `ctx.reword(words)` asks for a change in words; without it nothing can be chosen. `ctx.whom` names
 * whom the mail is for, where there are drafts of several.
 */
export function writtenPart(written, body, ctx) {
  const several = written.versions.length > 1;
  if (!several && !written.tokens && !written.posts.length && !written.notes.length) return null;
  return h(
    "details",
    { class: "unfold written" },
    h("summary", {}, icon("edit", 16), h("span", {}, summary(written, body))),
    h(
      "div",
      { class: "unfolded stack-small" },
      [...written.reasons, ...written.notes].map((words) => h("p", { class: "small" }, said(words))),
      several && written.versions.map((version, place) => versionBlock(written, version, place, body, ctx)),
      written.posts.length > 0 && posts(written.posts),
      written.tokens > 0 &&
        h(
          "p",
          { class: "small muted" },
          `${counted(written.tokens, "token")}${written.cost === null ? "" : `, $${written.cost.toFixed(4)}`}`,
        ),
    ),
  );
}

function summary(written, body) {
  const { versions, chosen, rules, picked, votes } = written;
  const winner = versions[chosen];
  if (!winner) return "How it was written";
  const changed = body.trim() === winner.body.trim() ? "" : ", changed since";
  const won = votes.filter((vote) => vote.candidate === winner.by).length;
  const why = picked ? ", your choice" : votes.length ? `, ${won} of ${counted(votes.length, "vote")}` : "";
  return plain(`Draft ${chosen + 1} of ${versions.length} (${winner.by}${rules ? ", by rules" : ""})${changed}${why}`);
}

function versionBlock(written, version, place, body, ctx) {
  const votes = written.votes.filter((vote) => vote.candidate === version.by);
  const current = place === written.chosen && body.trim() === version.body.trim();
  return h(
    "section",
    { class: ["version", current && "version-current"], "aria-label": `Draft ${place + 1}` },
    h(
      "div",
      { class: "row spread" },
      h(
        "h5",
        { class: "version-heading" },
        `Draft ${place + 1}: `,
        said(version.by),
        votes.length > 0 && h("span", { class: "muted" }, ` · ${counted(votes.length, "vote")}`),
      ),
      current
        ? h("span", { class: "badge badge-accent" }, "in use")
        : ctx.reword &&
            button("Use this one", {
              small: true,
              "aria-label": `Use draft ${place + 1}`,
              onclick: (event) => ctx.reword(useWords(place, ctx.whom), event.currentTarget),
            }),
    ),
    version.subject && h("p", { class: "small strong" }, said(version.subject)),
    current
      ? h("p", { class: "small muted" }, "This is the text above.")
      : h("div", { class: "prose letter", dir: "auto" }, withGaps(version.body)),
    votes.length > 0 &&
      h(
        "ul",
        { class: "votes" },
        votes.map((vote) =>
          h("li", { class: "small" }, h("strong", {}, said(vote.voter)), vote.reason && [": ", said(vote.reason)]),
        ),
      ),
  );
}

function useWords(place, whom = "") {
  if (whom) return `use draft ${place + 1} for ${whom}`;
  return place < PLACES.length ? `use the ${PLACES[place]}` : `use draft ${place + 1}`;
}

function posts(those) {
  return h(
    "details",
    { class: "unfold" },
    h("summary", {}, `${counted(those.length, "post")} on the blackboard`),
    h(
      "ul",
      { class: "unfolded stack-small" },
      those.map((post) =>
        h(
          "li",
          {},
          h("p", { class: "small strong" }, said(post.by), " · ", said(post.type.toLowerCase())),
          prose(post.text, "letter"),
        ),
      ),
    ),
  );
}
