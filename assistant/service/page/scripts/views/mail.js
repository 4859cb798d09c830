// One mail, by a link: of a briefing that came by mail, or of one that was opened in a tab of its own.

import { h, note } from "../dom.js";
import { mailView } from "../parts/mail-view.js";
import { mailOf } from "../parts/opened.js";

export async function view(ctx) {
  return { element: h("div", { class: "view" }, h("h1", { tabindex: "-1" }, "Mail"), h("div", { class: "card" }, await found(ctx))) };
}

async function found({ api, params }) {
  try {
    return mailView(await mailOf(api, params));
  } catch (problem) {
    return note(problem.status === 404 ? "It is not there any more, or is not yours." : (problem.detail ?? String(problem)), "high");
  }
}
