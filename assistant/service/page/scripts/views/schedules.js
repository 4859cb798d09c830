// What runs by itself: briefings, reminders and requests; how each run went, and where its result is sent.

import { empty, h, icon } from "../dom.js";
import { loaded } from "../parts/loaded.js";
import { Adding } from "../parts/schedules/adding.js";
import { isOver, scheduleCard } from "../parts/schedules/card.js";
import { targets } from "../parts/schedules/targets.js";
import { counted } from "../words.js";

const IDEAS = [
  ["Every weekday", "every weekday at 8 summarise my inbox and my day"],
  ["Once a week", "every Sunday at 18:00 brief me on my week"],
  ["One time", "remind me on Friday at 9 to send the weekly report"],
];

export async function view(ctx) {
  const adding = new Adding(ctx, { added: () => shown.reload() });
  const shown = await loaded({
    ctx,
    heading: "Schedules",
    intro: "What I do by myself, each at its time and once. What is to be sent or changed still waits for your approval.",
    head: adding.element,
    events: ["counts", "changed"],
    load: async (signal) => {
      const [schedules, known] = await Promise.all(["/api/schedules", "/api/targets"].map((path) => ctx.api.get(path, { signal })));
      adding.deliverTo(known.items);
      return { schedules: schedules.items, known: known.items };
    },
    show: ({ schedules, known }, reload) => [
      schedules.length > 0
        ? listed(ctx, schedules, reload)
        : empty("Nothing runs by itself yet", "Begin with one of these; you see what I understand before it is added.", ideas(adding)),
      targets(ctx, known, reload),
    ],
  });
  return shown;
}

/** What is over stands last, folded. */
function listed(ctx, schedules, reload) {
  const cards = (those) => h("ul", { class: "stack" }, those.map((one) => h("li", {}, scheduleCard(ctx, one, reload))));
  const over = schedules.filter(isOver);
  return [
    cards(schedules.filter((one) => !isOver(one))),
    over.length > 0 && h("details", { class: "unfold", "data-key": "over" },
      h("summary", {}, icon("check", 16), h("span", {}, `${counted(over.length, "schedule")} that ${over.length === 1 ? "is" : "are"} over`)), h("div", { class: "schedule-over" }, cards(over))),
  ];
}

function ideas(adding) {
  return h("ul", { class: "ideas schedule-ideas", "aria-label": "Suggestions" }, IDEAS.map(([kind, words]) => h("li", {},
    h("button", { type: "button", class: "idea", onclick: () => adding.put(words) }, h("span", { class: "small muted" }, kind), h("span", {}, words)))));
}
