// What one sets for oneself: who one is, how one enters, to whom may be written, and what was spent.

import { fill, h } from "../dom.js";
import { failed, replaced } from "../parts/loaded.js";
import { browsers, passkeys, password } from "../parts/settings/entering.js";
import { notes } from "../parts/settings/notes.js";
import { people } from "../parts/settings/people.js";
import { days, looks, profile } from "../parts/settings/profile.js";
import { recipients } from "../parts/settings/recipients.js";
import { tokens } from "../parts/settings/tokens.js";
import { usage } from "../parts/settings/usage.js";

export async function view(ctx) {
  const owner = ctx.me.user.role === "owner";
  const sections = await Promise.all([
    loadedSection(ctx, "You", "settings", profile),
    loadedSection(ctx, "Who may be written to", "settings", recipients),
    loadedSection(ctx, "Your day", "settings", days),
    loadedSection(ctx, "What you asked me to remember", "notes", notes),
    section("Colours", looks()),
    section("Password", password(ctx)),
    loadedSection(ctx, "Passkeys", "passkeys", passkeys),
    loadedSection(ctx, "Where you are signed in", "sessions", browsers),
    loadedSection(ctx, "Programs", "tokens", tokens),
    owner && loadedSection(ctx, "People", "users", people),
    loadedSection(ctx, "Language models", "usage?days=30", usage),
  ]);
  return { element: h("div", { class: "view" }, h("h1", {}, "Settings"), sections) };
}

const section = (heading, ...inside) => h("section", { class: "card stack" }, h("h2", { tabindex: "-1" }, heading), ...inside);

/** One that loads itself again, so that what is being typed in others stays. */
async function loadedSection(ctx, heading, place, show) {
  const body = h("div", { class: "stack" });
  const element = section(heading, body);
  const put = (...inside) => replaced(body, () => fill(body, ...inside), element.firstChild);
  async function reload() {
    try {
      put(show({ ctx, reload }, await ctx.api.get(`/api/${place}`)));
    } catch (problem) {
      put(failed(problem, reload));
    }
  }
  await reload();
  return element;
}
