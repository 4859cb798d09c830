// One event, by a link: of a briefing that came by mail, or of one that was opened in a tab of its own.

import { h, note } from "../dom.js";
import { eventView } from "../parts/event-view.js";
import { eventOf } from "../parts/opened.js";

export async function view(ctx) {
  return { element: h("div", { class: "view" }, h("h1", { tabindex: "-1" }, "Event"), h("div", { class: "card" }, await found(ctx))) };
}

async function found({ api, params, query }) {
  try {
    return eventView(await eventOf(api, { ...params, recurrence: query.get("recurrence") }));
  } catch (problem) {
    return note(problem.status === 404 ? "It is not there any more, or is not yours." : (problem.detail ?? String(problem)), "high");
  }
}
