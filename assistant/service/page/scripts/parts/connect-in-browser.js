// The dialog before the browser leaves for a provider's consent page.

import { busy, button, field, h, note } from "../dom.js";

const LONGEST = 100_000;

const CLICKS = {
  google: [
    ["Create a project", "https://console.cloud.google.com/projectcreate", "under any name"],
    ["Enable three APIs", "https://console.cloud.google.com/apis/library", "Gmail API, Google Calendar API and People API"],
    ["Get started with the consent screen", "https://console.cloud.google.com/auth/overview", "audience External, then Publish app, so that it says In production"],
    ["Create a client", "https://console.cloud.google.com/auth/clients", ""],
  ],
  microsoft: [
    ["Register an application", "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/CreateApplicationBlade", "under any name, for any Entra ID tenant and personal Microsoft accounts"],
    ["Open it among the App registrations", "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade", ""],
    ["Allow it to ask", "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade", "under API permissions, Microsoft Graph, Delegated permissions, add Mail.ReadWrite, Mail.Send, Calendars.ReadWrite, Contacts.ReadWrite and User.Read"],
    ["Copy its ID", "https://entra.microsoft.com/#view/Microsoft_AAD_RegisteredApps/ApplicationsListBlade", "the Application (client) ID, from Overview"],
  ],
};

/** What is said before the browser leaves. */
const WARNINGS = {
  google: "Google warns that it has not verified the program, which is yours: choose Advanced, then Go to. Tick every box.",
  microsoft: "Choose your account there, and accept all of what Microsoft asks.",
};

/** `known`: another account has a client already, which can be used again. */
export function connectInBrowser(ctx, { kind, name: provider }, { name, known }) {
  return ctx.dialog(`Connect ${provider}`, (close) => {
    const called = field("What to call the account", h("input", { value: name, maxlength: 60, autocomplete: "off", spellcheck: "false", required: true }));
    const registration = (kind === "microsoft" ? byId : byFile)(known);
    const go = button(`Go on to ${provider}`, { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      registration.fields[0].fail();
      called.fail();
      await busy(go, () => begun(ctx, kind, called, registration)).catch((problem) => (problem.field ?? registration.fields[0]).fail(problem.detail ?? problem.message));
    };
    return h("form", { class: "stack", onsubmit: submit },
      CLICKS[kind] && clicks(kind, known),
      called.element, registration.fields.map((one) => one.element),
      note(`The browser goes to ${provider} now and comes back. ${WARNINGS[kind] ?? ""}`.trim()),
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close() }), go));
  }, { wide: true });
}

function clicks(kind, known) {
  const last = kind === "microsoft" ? toMicrosoft() : toGoogle();
  const steps = CLICKS[kind].map(([what, address, how]) => h("li", {},
    h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, what), `: ${how || last}`));
  return h("details", { open: !known }, h("summary", {}, "Once, in ten minutes: register the assistant as a program of your own"), h("ol", { class: "view-clicks small" }, steps));
}

function toMicrosoft() {
  const here = local() ? "http://localhost" : location.origin; // Microsoft knows no other name of this machine, and asks for no port
  return `under Authentication add the redirect address ${here}/api/accounts/microsoft/answer, of the platform Mobile and desktop applications, and set Allow public client flows to Yes`;
}

function toGoogle() {
  return local()
    ? "of the type Desktop app, and download its JSON"
    : `of the type Web application, with ${location.origin}/api/accounts/google/answer as its redirect address, and download its JSON`;
}

function local() {
  return ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
}

function byFile(known) {
  const file = field("The client's file (JSON)", h("input", { type: "file", accept: ".json,application/json" }), {
    hint: known ? "Not needed again, unless you want to use another client." : "",
  });
  return { fields: [file], told: () => read(file.input.files[0]) };
}

function byId(known) {
  const typed = { autocomplete: "off", spellcheck: "false", maxlength: 200 };
  const id = field("Application (client) ID", h("input", typed), {
    hint: known ? "Not needed again, unless you want to use another registration." : "",
  });
  const tenant = field("Directory (tenant) ID", h("input", typed), { hint: "Only where the registration is for one organisation." });
  const secret = field("Client secret", h("input", { ...typed, type: "password" }), { hint: "Only where the redirect address is of the platform Web." });
  const told = async () => {
    const client = { client_id: id.input.value.trim(), tenant: tenant.input.value.trim(), client_secret: secret.input.value.trim() };
    return Object.values(client).some(Boolean) ? client : null;
  };
  return { fields: local() ? [id, tenant] : [id, tenant, secret], told };
}

async function begun(ctx, kind, called, registration) {
  const name = called.input.value.trim();
  if (!name) throw { field: called, detail: "Give the account a name." };
  const client = await registration.told();
  const { address } = await ctx.api.post(`/api/accounts/${encodeURIComponent(kind)}`, { name, client });
  location.assign(address);
}

async function read(file) {
  if (!file) return null;
  try {
    if (file.size < LONGEST) return JSON.parse(await file.text());
  } catch { /* said below */ }
  throw { detail: `${file.name} is not the JSON of a client.` };
}
