// Keys for other programs: what each may do, made once and shown once.

import { busy, button, field, h, note } from "../../dom.js";
import { brief, listed, when } from "../../words.js";
import { ended, line } from "./entering.js";
import { onceShown } from "./once.js";

const SCOPES = [
  ["read", "see your mail, calendar, conversations and what was done"],
  ["propose", "chat, and propose what is to be done"],
  ["approve", "approve and undo in your name; what it says counts as your own words"],
  ["manage", "connect accounts, set up schedules, change settings, and revoke tokens"],
];

export function tokens({ ctx, reload }, { items }) {
  return [
    h("p", { class: "muted" }, "A token lets another program use the assistant in your name. One that may only read and propose can't send anything."),
    items.length > 0 && h("ul", { class: "list view-rows" }, items.map((one) => h("li", {}, line(one.name, told(one), button("Revoke", {
      small: true, kind: "quiet", "aria-label": `Revoke the token ${one.name}`, onclick: (event) => revoked(ctx, one, event.currentTarget, reload),
    }))))),
    h("div", { class: "row" }, button("Make a token", { small: true, icon: "plus", "data-key": "token-new", onclick: async () => (await make(ctx)) && reload() })),
  ];
}

function told(one) {
  const until = one.expires ? `, until ${brief(one.expires)}` : "";
  return `may ${listed(one.scopes)}; ${one.used ? `last used ${when(one.used)}` : "not used yet"}${until}`;
}

async function revoked(ctx, one, pressed, reload) {
  const text = `Whatever uses “${one.name}” can't enter any more.`;
  if (await ctx.confirm({ title: "Revoke this token?", text, yes: "Revoke", danger: true })) await ended(ctx, `/api/tokens/${encodeURIComponent(one.id)}`, pressed, reload);
}

async function make(ctx) {
  const made = await ctx.dialog("A new token", (close) => {
    const name = field("What it is for", h("input", { required: true, maxlength: 80, placeholder: "My chat program" }));
    const days = field("Good for", h("select", { class: "input" }, [["30", "30 days"], ["90", "90 days"], ["365", "a year"], ["", "until it is revoked"]].map(([value, label]) => h("option", { value, selected: value === "90" }, label))));
    const boxes = SCOPES.map(([scope, means]) => [scope, h("input", { type: "checkbox", checked: scope === "read" }), means]);
    const trouble = h("div", { role: "alert" });
    const go = button("Make it", { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      const scopes = boxes.filter(([, box]) => box.checked).map(([scope]) => scope);
      try {
        close(await busy(go, () => ctx.api.post("/api/tokens", { name: name.input.value, scopes, days: Number(days.input.value) || null })));
      } catch (problem) {
        trouble.replaceChildren(note(problem.detail ?? String(problem), "high"));
      }
    };
    return h("form", { class: "stack", onsubmit: submit },
      name.element,
      h("fieldset", { class: "stack-small" }, h("legend", {}, "It may"), boxes.map(([scope, box, means]) => h("label", { class: "check" }, box, h("span", {}, h("strong", {}, scope), `: ${means}`)))),
      days.element, trouble,
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close() }), go));
  });
  if (made) await onceShown(ctx, "Your new token", made.secret, "It is shown this once. Keep it where you keep passwords.");
  return made;
}
