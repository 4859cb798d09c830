// The dialog that connects folders of the assistant's own machine.

import { busy, button, field, h, note } from "../dom.js";

const FOLDERS = [
  ["mail", "Mail", "A Maildir++ folder, as mbsync, mutt and notmuch use it."],
  ["calendars", "Calendars", "A folder of .ics files, as vdirsyncer and khal use it."],
  ["contacts", "Contacts", "A folder of .vcf files, as vdirsyncer and khard use it."],
];

/** True where it was connected. */
export function connectFolders(ctx, name) {
  return ctx.dialog("Connect folders", (close) => {
    const called = field("What to call the account", text(name));
    const address = field("Your own mail address", text("", { required: true, autocomplete: "email" }), { hint: "With your name, if you like: Eva Klein <eva@example.org>" });
    const folders = FOLDERS.map(([key, label, hint]) => [key, field(`${label}: folder`, text("", { placeholder: "/home/…" }), { hint })]);
    const create = h("input", { type: "checkbox" });
    const trouble = h("div", { role: "alert" });
    const go = button("Connect", { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      trouble.replaceChildren();
      const paths = Object.fromEntries(folders.map(([key, one]) => [key, one.input.value.trim()]));
      const wanted = { name: called.input.value, address: address.input.value, create: create.checked, ...paths };
      try {
        const made = await busy(go, () => ctx.api.post("/api/accounts/local", wanted));
        ctx.toast(`Connected ${made.name} (${made.address}).`, { kind: "low" });
        close(true);
      } catch (problem) {
        trouble.replaceChildren(note(problem.detail ?? String(problem), "high"));
      }
    };
    return h("form", { class: "stack", onsubmit: submit },
      called.element, address.element,
      h("p", { class: "small muted" }, "Paths on the machine on which the assistant runs. One is enough."),
      folders.map(([, one]) => one.element),
      h("label", { class: "check" }, create, "Make folders that are not there yet"),
      trouble,
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close(false) }), go));
  });
}

const text = (value, more = {}) => h("input", { value, autocomplete: "off", spellcheck: "false", ...more });
