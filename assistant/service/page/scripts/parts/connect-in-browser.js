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
};

/** `known`: another account has a client already, which can be used again. */
export function connectInBrowser(ctx, { kind, name: provider }, { name, known }) {
  return ctx.dialog(`Connect ${provider}`, (close) => {
    const called = field("What to call the account", h("input", { value: name, maxlength: 60, autocomplete: "off", spellcheck: "false", required: true }));
    const file = field("The client's file (JSON)", h("input", { type: "file", accept: ".json,application/json" }), {
      hint: known ? "Not needed again, unless you want to use another client." : "",
    });
    const go = button(`Go on to ${provider}`, { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      file.fail();
      called.fail();
      await busy(go, () => begun(ctx, kind, called, file)).catch((problem) => (problem.field ?? file).fail(problem.detail ?? problem.message));
    };
    return h("form", { class: "stack", onsubmit: submit },
      CLICKS[kind] && clicks(kind, known),
      called.element, file.element,
      note(`The browser goes to ${provider} now and comes back. ${provider} warns that it has not verified the program, which is yours: choose Advanced, then Go to. Tick every box.`),
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close() }), go));
  }, { wide: true });
}

function clicks(kind, known) {
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const type = local
    ? "of the type Desktop app, and download its JSON"
    : `of the type Web application, with ${location.origin}/api/accounts/${kind}/answer as its redirect address, and download its JSON`;
  const steps = CLICKS[kind].map(([what, address, how]) => h("li", {},
    h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, what), how ? `: ${how}` : `: ${type}`));
  return h("details", { open: !known }, h("summary", {}, "Once, in ten minutes: register the assistant as a program of your own"), h("ol", { class: "view-clicks small" }, steps));
}

async function begun(ctx, kind, called, file) {
  const name = called.input.value.trim();
  if (!name) throw { field: called, detail: "Give the account a name." };
  const client = await read(file.input.files[0]);
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
