// Who else uses this assistant; for the owner.

import { badge, busy, button, field, h } from "../../dom.js";
import { day } from "../../words.js";
import { attempt } from "../loaded.js";
import { line } from "./entering.js";
import { onceShown } from "./once.js";

export function people({ ctx, reload }, { items }) {
  const name = field("Name", h("input", { required: true, maxlength: 80, autocomplete: "off" }));
  const add = button("Invite", { small: true, icon: "plus", type: "submit" });
  const submit = async (event) => {
    event.preventDefault();
    const made = await attempt(ctx, () => busy(add, () => ctx.api.post("/api/users", { name: name.input.value })));
    if (!made) return;
    await invited(ctx, made);
    await reload();
  };
  return [
    h("p", { class: "muted" }, "Each has accounts, conversations and approvals of their own, and sees nobody else's."),
    h("ul", { class: "list view-rows" }, items.map((one) => h("li", {}, person(ctx, one, reload)))),
    h("form", { class: "view-add", onsubmit: submit }, name.element, add),
  ];
}

function person(ctx, one, reload) {
  const name = one.name || "You";
  const since = `${one.disabled ? "locked out" : "here"} since ${day(one.disabled ?? one.created)}`;
  if (one.role === "owner") return line(name, since, badge("owner", "accent"));
  const path = `/api/users/${encodeURIComponent(one.id)}`;
  return line(name, since,
    button("New link", { small: true, kind: "quiet", "aria-label": `A new link for ${name}`, onclick: async (event) => {
      const pressed = event.currentTarget;
      const made = await attempt(ctx, () => busy(pressed, () => ctx.api.post(`${path}/invite`)));
      if (made) await invited(ctx, made);
    } }),
    button("Remove", { small: true, kind: "danger", "aria-label": `Remove ${name}`, onclick: (event) => removed(ctx, name, path, event.currentTarget, reload) }));
}

const invited = (ctx, { link }) => onceShown(ctx, "The invitation", link, "Give this link to them alone: whoever opens it first sets the password. It is shown this once.");

async function removed(ctx, name, path, pressed, reload) {
  const text = `${name} can't enter any more, and what they had here is deleted: conversations, previews, sign-ins. Their mailboxes stay as they are.`;
  if (!await ctx.confirm({ title: `Remove ${name}?`, text, yes: "Remove", danger: true })) return;
  const done = await attempt(ctx, () => busy(pressed, () => ctx.api.delete(path)));
  if (done?.says.length) ctx.toast(done.says.join(" "));
  if (done) await reload();
}
