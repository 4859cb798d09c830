// A secret that is shown once, with a button that copies it.

import { button, h, note } from "../../dom.js";

export function onceShown(ctx, title, secret, says) {
  return ctx.dialog(title, (close) => {
    const shown = h("input", { class: "input mono", value: secret, readonly: true, "aria-label": title, onfocus: (event) => event.target.select() });
    const copy = button("Copy", { icon: "copy", kind: "primary", onclick: async () => {
      shown.select();
      const copied = await navigator.clipboard?.writeText(secret).then(() => true, () => false);
      ctx.toast(copied ? "Copied." : "Copy it with Ctrl+C.", { kind: copied ? "low" : "" });
    } });
    return h("div", { class: "stack" }, note(says, "medium"), h("div", { class: "view-add" }, h("div", { class: "grow" }, shown), copy), h("div", { class: "dialog-actions" }, button("Done", { onclick: () => close() })));
  });
}
