// What the user asked to remember in a conversation, where they said it, and how to have it forgotten.

import { button, h } from "../../dom.js";
import { brief } from "../../words.js";
import { said } from "../plain.js";
import { ended, line } from "./entering.js";

const BESIDE = 30;

export function notes({ ctx, reload }, { items }) {
  if (items.length === 0) return h("p", { class: "muted" }, "Nothing yet. Say it in a conversation, for instance: “remember that I prefer short mails”.");
  return [
    h("p", { class: "muted" }, "Only what you said yourself. A language model is told it when it plans and writes for you; it never approves anything."),
    h("ul", { class: "list view-rows" }, items.map((one) => h("li", {}, line(said(one.text), origin(one), button("Forget", {
      small: true, kind: "quiet", "data-key": `note-${one.number}`, "aria-label": `Forget: ${one.text}`,
      onclick: (event) => forgotten(ctx, one, event.currentTarget, reload),
    }))))),
    items.length > 1 && h("div", { class: "row" }, button("Forget all of it", { small: true, "data-key": "notes-all", onclick: (event) => allForgotten(ctx, items.length, event.currentTarget, reload) })),
  ];
}

/** A message that was little but the note is not told twice. */
function origin({ at, said: message, text, conversation }) {
  const beside = message.length > text.length + BESIDE ? [" in “", said(message.length > 120 ? `${message.slice(0, 119)}…` : message), "”"] : "";
  return ["You said so on ", brief(at), beside, " (", h("a", { href: `#/c/${encodeURIComponent(conversation)}` }, "conversation"), ")"];
}

async function forgotten(ctx, { number, text }, pressed, reload) {
  const asked = { title: "Forget this?", text: `“${text}” is removed for good. The message in which you said it stays in its conversation.`, yes: "Forget", danger: true };
  if (await ctx.confirm(asked)) await ended(ctx, `/api/notes/${number}`, pressed, reload);
}

async function allForgotten(ctx, number, pressed, reload) {
  const asked = { title: `Forget all ${number} notes?`, text: "They are removed for good. The messages in which you said them stay in their conversations.", yes: "Forget all", danger: true };
  if (await ctx.confirm(asked)) await ended(ctx, "/api/notes", pressed, reload);
}
