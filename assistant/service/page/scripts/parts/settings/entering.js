// How one enters: the password, passkeys, and where one is signed in.

import { badge, busy, button, field, h } from "../../dom.js";
import { brief, when } from "../../words.js";
import { attempt } from "../loaded.js";
import { hasPasskeys, registerPasskey } from "../passkeys.js";

export function password(ctx) {
  const old = field("Present password", h("input", { type: "password", autocomplete: "current-password" }), { hint: "Leave it empty if you have none yet." });
  const fresh = field("New password", h("input", { type: "password", autocomplete: "new-password", required: true }));
  const save = button("Change the password", { small: true, type: "submit" });
  const submit = async (event) => {
    event.preventDefault();
    fresh.fail();
    try {
      await busy(save, () => ctx.api.post("/api/password", { old: old.input.value, new: fresh.input.value }));
      old.input.value = fresh.input.value = "";
      ctx.toast("The password is changed. Other browsers are signed out.", { kind: "low" });
    } catch (problem) {
      fresh.fail(problem.detail ?? String(problem));
    }
  };
  return h("form", { class: "stack", onsubmit: submit },
    h("input", { type: "text", class: "visually-hidden", autocomplete: "username", value: ctx.me.user.name, readonly: true, tabindex: "-1", "aria-hidden": "true" }),
    h("div", { class: "view-pair" }, old.element, fresh.element), h("div", { class: "row" }, save));
}

export function passkeys({ ctx, reload }, { items }) {
  const name = field("Name of this device", h("input", { value: "", maxlength: 80, placeholder: "My laptop" }));
  const add = button("Add a passkey", { small: true, icon: "key", type: "submit" });
  const submit = async (event) => {
    event.preventDefault();
    const made = await attempt(ctx, () => busy(add, () => registerPasskey(ctx.api, name.input.value.trim() || "Passkey")));
    if (made) ctx.toast("The passkey is added.", { kind: "low" });
    if (made) await reload();
  };
  return [
    h("p", { class: "muted" }, "Sign in with your device's own lock: no password to remember or to lose."),
    items.length > 0 && h("ul", { class: "list view-rows" }, items.map((one) => h("li", {}, line(one.name, used(one), button("Remove", {
      small: true, kind: "quiet", "aria-label": `Remove the passkey ${one.name}`, onclick: (event) => ended(ctx, `/api/passkeys/${encodeURIComponent(one.id)}`, event.currentTarget, reload),
    }))))),
    hasPasskeys()
      ? h("form", { class: "view-add", onsubmit: submit }, name.element, add)
      : h("p", { class: "muted small" }, "This browser offers no passkeys here; they need https, or the address localhost."),
  ];
}

const used = (one) => (one.used ? `last used ${when(one.used)}` : `added ${brief(one.created)}, not used yet`);

export function line(title, below, ...actions) {
  return h("div", { class: "view-row" }, h("div", { class: "grow" }, h("p", { class: "strong" }, title), h("p", { class: "muted small" }, below)), ...actions);
}

export function browsers({ ctx, reload }, { items }) {
  const others = items.filter((one) => !one.current).length;
  return [
    h("ul", { class: "list view-rows" }, items.map((one) => h("li", {}, line(device(one.agent), `last seen ${when(one.seen)}`, one.current
      ? badge("this one", "accent")
      : button("Sign out", { small: true, kind: "quiet", "aria-label": `Sign out ${device(one.agent)}`, onclick: (event) => ended(ctx, `/api/sessions/${encodeURIComponent(one.id)}`, event.currentTarget, reload) }))))),
    others > 1 && h("div", { class: "row" }, button("Sign out all others", { small: true, onclick: (event) => ended(ctx, "/api/sessions", event.currentTarget, reload) })),
  ];
}

/** "Firefox on Linux", as far as the browser's own words tell. */
function device(agent) {
  const find = (pairs) => pairs.find(([pattern]) => pattern.test(agent))?.[1] ?? "";
  const browser = find([[/Edg\//, "Edge"], [/OPR\//, "Opera"], [/Firefox\//, "Firefox"], [/Chrome\//, "Chrome"], [/Safari\//, "Safari"]]);
  const system = find([[/Android/, "Android"], [/iPhone|iPad/, "iOS"], [/Windows/, "Windows"], [/Mac OS X/, "macOS"], [/Linux/, "Linux"]]);
  return [browser, system].filter(Boolean).join(" on ") || agent.slice(0, 60) || "A browser";
}

export async function ended(ctx, path, pressed, reload) {
  await attempt(ctx, () => busy(pressed, () => ctx.api.delete(path)));
  await reload();
}
