// Where results can be sent beside the conversation and one's own mail: added once with a secret address that is never shown again.

import { busy, button, field, h, icon, note } from "../../dom.js";
import { attempt } from "../loaded.js";
import { said } from "../plain.js";

const HINT = "An address of Apprise, such as ntfy://ntfy.sh/my-topic, tgram://… or discord://… It often holds a secret, so it is sealed and never shown again.";

export function targets(ctx, known, reload) {
  return h("section", { class: "card stack-small", "aria-label": "Where results can be sent" },
    h("div", { class: "row spread" }, h("h2", {}, "Where results can be sent"),
      button("Add a target", { small: true, icon: "plus", "data-key": "target-new", onclick: async () => (await adding(ctx)) && reload() })),
    h("p", { class: "muted small" }, "Always into the schedule's conversation; by mail to yourself, if you like; and to services that bring it to your phone."),
    known.length > 0 && h("ul", { class: "list view-rows" }, known.map((one) => h("li", {}, row(ctx, one, reload)))));
}

function row(ctx, { name, says }, reload) {
  const path = `/api/targets/${encodeURIComponent(name)}`;
  const tried = async ({ currentTarget }) => {
    const came = await attempt(ctx, () => busy(currentTarget, () => ctx.api.post(`${path}/try`)));
    if (came) ctx.toast(came.arrived ? `A test message has gone to ${name}.` : came.says, { kind: came.arrived ? "low" : "high" });
  };
  const removed = async ({ currentTarget }) => {
    const text = `Nothing is sent to “${name}” any more, and its address is deleted here.`;
    if (!(await ctx.confirm({ title: "Remove this target?", text, yes: "Remove", danger: true }))) return;
    if (await attempt(ctx, () => busy(currentTarget, () => ctx.api.delete(path)))) ctx.toast("Removed.");
    await reload();
  };
  return h("div", { class: "view-row" }, icon("outgoing"),
    h("div", { class: "grow" }, h("p", { class: "strong" }, said(name)), says && h("p", { class: "muted small" }, said(says))),
    button("Try it", { small: true, "data-key": `try-${name}`, "aria-label": `Try it: ${name}`, onclick: tried }),
    button("Remove", { small: true, kind: "quiet", "data-key": `away-${name}`, "aria-label": `Remove ${name}`, onclick: removed }));
}

function adding(ctx) {
  return ctx.dialog("A target for results", (close) => {
    const name = field("Its name", h("input", { required: true, maxlength: 40, autocomplete: "off", placeholder: "phone" }), { hint: "For what you say: “… and send it to my phone”." });
    const address = field("Its address", h("input", { type: "password", required: true, maxlength: 2000, autocomplete: "off", spellcheck: "false" }), { hint: HINT });
    const trouble = h("div", { role: "alert" });
    const go = button("Add it", { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      try {
        const made = await busy(go, () => ctx.api.post("/api/targets", { name: name.input.value.trim(), address: address.input.value.trim() }));
        if (made) close(made);
      } catch (problem) {
        trouble.replaceChildren(note(problem.detail ?? String(problem), "high"));
      }
    };
    return h("form", { class: "stack", onsubmit: submit }, name.element, address.element, trouble,
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close() }), go));
  });
}
