// The dialog that connects an account at any mail server: the address first, then what was found for it and the password.

import { badge, busy, button, field, fill, h, note } from "../dom.js";

const SERVERS = [
  ["imap", "Mail", "imaps://mail.example.org"],
  ["smtp", "Sending mail", "smtps://mail.example.org"],
  ["caldav", "Calendars", "https://cloud.example.org/remote.php/dav"],
  ["carddav", "Contacts", "https://cloud.example.org/remote.php/dav"],
];
const LABELS = Object.fromEntries(SERVERS);

/** What came of it where something was connected. `address` is that of the account of this name, where it is connected again. */
export function connectMail(ctx, { name, address = "" }) {
  return ctx.dialog("Connect mail", (close) => {
    const place = h("div", { class: "stack" });
    const begin = () => fill(place, asking(ctx, { name, address, back: () => close(), found: (asked, servers) => fill(place, entering(ctx, { asked, servers, back: begin, close })) }));
    begin();
    return place;
  }, { wide: true });
}

function asking(ctx, { name, address, back, found }) {
  const called = field("What to call the account", text(name, { maxlength: 60, required: true, readonly: Boolean(address) }));
  const own = field("Your mail address", text(address, { maxlength: 500, autocomplete: "email", readonly: Boolean(address) }), { hint: address ? "" : "With your name, if you like: Eva Klein <eva@example.org>" });
  const go = button("Find its servers", { kind: "primary", type: "submit" });
  const submit = async (event) => {
    event.preventDefault();
    own.fail();
    const asked = { name: called.input.value.trim(), address: own.input.value.trim() };
    try {
      found(asked, await busy(go, () => ctx.api.post("/api/accounts/imap/servers", asked)));
    } catch (problem) {
      own.fail(problem.detail ?? String(problem));
      own.input.focus();
    }
  };
  return h("form", { class: "stack", onsubmit: submit }, called.element, own.element,
    h("p", { class: "small muted" }, "Nothing secret is asked for yet."),
    h("div", { class: "dialog-actions" }, button("Back", { onclick: back }), go));
}

function entering(ctx, { asked, servers, back, close }) {
  const told = SERVERS.map(([which, label, placeholder]) => [which, field(label, text(servers.servers[which] ?? "", { placeholder, inputmode: "url" }))]);
  const username = field("Username", text("", { maxlength: 500 }), { hint: "Only where it is not the address." });
  const password = field("Password", h("input", { type: "password", autocomplete: "off", maxlength: 1000 }), { hint: servers.password && `${servers.service} takes ${servers.password}.` });
  const sure = h("input", { type: "checkbox" });
  const details = h("details", { open: !servers.servers.imap, "data-key": "servers" }, h("summary", {}, summary(servers.servers)),
    h("div", { class: "stack" }, h("p", { class: "small muted" }, "Leave empty what this account has not got."), told.map(([, one]) => one.element), username.element));
  const result = h("div", { role: "alert", class: "stack-small" });
  const go = button("Connect", { kind: "primary", type: "submit" });
  queueMicrotask(() => password.input.focus());
  const unseen = () => servers.elsewhere.filter((host) => told.some(([which, one]) => one.input.value === servers.servers[which] && one.input.value.includes(host)));
  const submit = async (event) => {
    event.preventDefault();
    password.fail();
    if (!password.input.value) return password.fail("Type the password.");
    if (unseen().length && !sure.checked) {
      sure.focus();
      return fill(result, note("Say first whether the password may go there.", "medium"));
    }
    const wanted = { ...asked, username: username.input.value, password: password.input.value, servers: Object.fromEntries(told.map(([which, one]) => [which, one.input.value.trim()])) };
    try {
      const came = await busy(go, () => ctx.api.post("/api/accounts/imap", wanted));
      if (came.connected) close(came);
      else {
        details.open = true; // the username is in there
        fill(result, note(came.says, "high"), lines(came.servers));
      }
    } catch (problem) {
      fill(result, note(problem.detail ?? String(problem), "high"));
    }
    return undefined;
  };
  return h("form", { class: "stack", onsubmit: submit },
    h("p", {}, h("strong", { dir: "auto" }, asked.address || asked.name), servers.service && ` is at ${servers.service}.`),
    servers.instead && note(`${servers.instead}.`, "accent"),
    servers.elsewhere.length > 0 && h("div", { class: "stack-small" },
      note(`These servers are outside of your address's own domain: ${servers.elsewhere.join(", ")}. Who answers for the network could have made them up.`, "medium"),
      h("label", { class: "check" }, sure, "They are my provider's; my password may go there")),
    details, password.element, result,
    h("div", { class: "dialog-actions" }, button("Back", { onclick: back }), go));
}

/** How it stands with each server. */
export function lines(servers) {
  return h("ul", { class: "stack-small" }, servers.filter((one) => one.server).map((one) => h("li", {},
    badge(LABELS[one.which], one.works ? "low" : "high"), " ", one.works ? one.says : `${one.says.replace(/\.$/, "")}${one.helps && `: ${one.helps}`}.${one.stays && ` The account keeps ${one.stays}.`}`)));
}

function summary(servers) {
  const found = SERVERS.filter(([which]) => servers[which]).map(([, label]) => label.toLowerCase());
  return found.length ? `Servers were found for: ${found.join(", ")}` : "No servers were found: name them";
}

const text = (value, more = {}) => h("input", { value, autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...more });
