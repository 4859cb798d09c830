// Changing a schedule: its name, what it does, when, and where the result goes.

import { busy, button, field, h, note } from "../../dom.js";
import { choices } from "./choices.js";

/** Gives the changed schedule; undefined where it stays as it is. */
export async function change(ctx, schedule) {
  const { items } = await ctx.api.get("/api/targets");
  return ctx.dialog("Change the schedule", (close) => {
    const name = field("Its name", h("input", { required: true, maxlength: 100, autocomplete: "off", value: schedule.name }));
    const chosen = choices({ of: schedule });
    chosen.deliverTo(items);
    const trouble = h("div", { role: "alert" });
    const go = button("Save", { kind: "primary", type: "submit" });
    const submit = async (event) => {
      event.preventDefault();
      const value = chosen.value();
      if (!value) return trouble.replaceChildren(note("Something is missing still: say what it is to do, and when.", "medium"));
      try {
        const body = { ...value, name: name.input.value.trim(), version: schedule.version };
        const changed = await busy(go, () => ctx.api.patch(`/api/schedules/${encodeURIComponent(schedule.id)}`, body));
        if (changed) close(changed);
      } catch (problem) {
        trouble.replaceChildren(note(problem.detail ?? String(problem), "high"));
      }
      return undefined;
    };
    return h("form", { class: "stack", onsubmit: submit }, name.element, chosen.element, trouble,
      h("div", { class: "dialog-actions" }, button("Back", { onclick: () => close() }), go));
  }, { wide: true });
}
