// Inbox and day at a glance: what asks for attention and why, invitations, and the day as a picture.

import { badge, button, empty, fill, h, icon, note, spinner } from "../dom.js";
import { nextRun, startBriefing } from "../parts/schedules/upcoming.js";
import { spanWords } from "../parts/preview-items.js";
import { proposeAnswer } from "../parts/answering.js";
import { originalOf } from "../parts/original.js";
import { called, person, plain, said, tame, tameName } from "../parts/plain.js";
import { timeline } from "../parts/timeline.js";
import { dayAfter } from "../parts/zoned.js";
import { attempt } from "../parts/loaded.js";
import { brief, clock, counted, longDay, today } from "../words.js";

const SETTLES = 800;

export async function view(ctx) {
  const shown = new Today(ctx);
  await shown.open(ctx.query.get("date") ?? "");
  return { element: shown.element, update: (_, query) => shown.open(query.get("date") ?? ""), leave: () => shown.leave() };
}

class Today {
  #leaving = new AbortController();
  #soon = 0;
  #turn = 0;

  constructor(ctx) {
    this.ctx = ctx;
    this.heading = h("h1", { tabindex: "-1" }, "Today");
    this.counts = h("ul", { class: "today-counts row" });
    this.next = h("p", { class: "small muted today-next" });
    this.body = h("div", { class: "today" }, spinner());
    this.element = h(
      "div",
      { class: "view view-wide" },
      h("header", { class: "stack-small" }, h("div", { class: "row spread" }, this.heading, this.#days()), this.counts, this.#briefing()),
      this.body,
    );
    for (const name of ["counts", "went_out", "mail"]) {
      ctx.live?.addEventListener(
        name,
        () => {
          clearTimeout(this.#soon);
          this.#soon = setTimeout(() => this.#load(), SETTLES);
        },
        { signal: this.#leaving.signal },
      );
    }
  }

  leave() {
    clearTimeout(this.#soon);
    this.#leaving.abort();
  }

  async open(date) {
    this.date = /^\d{4}-\d\d-\d\d$/.test(date) ? date : "";
    await this.#load();
  }

  #briefing() {
    const start = ({ currentTarget }) => startBriefing(this.ctx, currentTarget);
    return h("div", { class: "row" }, button("Brief me now", { small: true, icon: "activity", onclick: start }), this.next);
  }

  #days() {
    const step = (days) => () => this.ctx.go(`/today?date=${dayAfter(this.date || today(), days)}`);
    return h(
      "div",
      { class: "row", role: "group", "aria-label": "Day" },
      button("Previous day", { kind: "quiet", icon: "left", only: true, small: true, onclick: step(-1) }),
      button("Today", { kind: "quiet", small: true, onclick: () => this.ctx.go("/today") }),
      button("Next day", { kind: "quiet", icon: "right", only: true, small: true, onclick: step(1) }),
    );
  }

  async #load() {
    const turn = ++this.#turn;
    try {
      const found = await this.ctx.api.get("/api/today", { query: { date: this.date } });
      if (turn === this.#turn) this.#show(found);
      nextRun(this.ctx).then((words) => turn === this.#turn && fill(this.next, words));
    } catch (problem) {
      if (turn === this.#turn)
        fill(
          this.body,
          note(
            problem.detail ?? "The day can't be shown just now.",
            "high",
            " ",
            button("Try again", { kind: "link", onclick: () => this.#load() }),
          ),
        );
    }
  }

  #show(found) {
    fill(this.heading, this.date && this.date !== today() ? longDay(`${found.date}T12:00:00Z`) : "Today");
    fill(this.counts, this.#counted(found));
    // What is being read stays as it is: only what has changed since is shown anew.
    const state = JSON.stringify(found);
    if (state === this.state) return;
    this.state = state;
    fill(
      this.body,
      h(
        "div",
        { class: "today-asks stack" },
        found.skipped.length > 0 && note(found.skipped.join(" "), "medium"),
        found.invitations.length > 0 &&
          section(
            "Invitations",
            found.invitations.map((one) => this.#invitation(one)),
          ),
        section(
          "Needs your attention",
          found.mails.map((one) => this.#mail(one)),
          empty("Nothing needs your attention", "No mail asks anything of you that you have not answered."),
        ),
      ),
      h(
        "section",
        { class: "today-day card", "aria-label": "The day" },
        this.#clashes(found),
        timeline({
          date: found.date,
          starts: found.day_starts,
          ends: found.day_ends,
          events: found.events,
          clashes: found.clashes.flat(),
        }),
      ),
    );
  }

  #counted({ unread, previews, resting, events }) {
    const one = (number, words, href) =>
      h("li", {}, href ? h("a", { class: ["badge", number > 0 && "badge-accent"], href }, words) : badge(words));
    return [
      one(events.length, counted(events.length, "event")),
      one(unread, `${unread} unread`),
      previews > 0 && one(previews, counted(previews, "approval waits", "approvals wait"), "#/approvals"),
      resting > 0 && one(resting, counted(resting, "task rests", "tasks rest"), "#/tasks"),
    ];
  }

  #clashes({ events, clashes }) {
    const found = clashes
      .map((pair) => pair.map((id) => events.find((one) => one.id === id)))
      .filter((pair) => pair.every(Boolean));
    return (
      found.length > 0 &&
      h(
        "ul",
        { class: "stack-small" },
        found.map(([one, other]) =>
          h(
            "li",
            {},
            note(
              [
                h("strong", {}, "Clash: "),
                said(one.title),
                " and ",
                said(other.title),
                ` at ${clock(Date.parse(one.start) > Date.parse(other.start) ? one.start : other.start)}`,
              ],
              "medium",
            ),
          ),
        ),
      )
    );
  }

  // --- what asks for attention; the buttons put words into the chat, where they can be changed before they are said

  #mail({ mail, reasons }) {
    const from = mail.sender ? called(mail.sender) : "unknown";
    const name = tameName(mail.sender?.name ?? "");
    const subject = tame(mail.subject);
    const nameable = name || subject;
    const which = `the mail${name && ` from ${name}`}${subject && ` “${subject}”`}`;
    const suspicious = reasons.some((reason) => reason.startsWith("looks like phishing"));
    return h(
      "li",
      { class: "ask" },
      h(
        "div",
        { class: "row spread row-top" },
        h(
          "h3",
          { class: "ask-subject" },
          mail.unread && h("span", { class: "unread-dot", role: "img", "aria-label": "Unread" }),
          said(mail.subject || "(no subject)"),
        ),
        h("span", { class: "small muted nowrap" }, brief(mail.date)),
      ),
      h("p", { class: "small" }, mail.sender ? person(mail.sender) : "unknown sender"),
      h(
        "ul",
        { class: "row ask-reasons" },
        reasons.map((reason) => h("li", {}, badge(plain(reason), suspicious || reason.startsWith("careful") ? "high" : "medium"))),
      ),
      mail.snippet && h("p", { class: "small muted ask-snippet", dir: "auto" }, plain(mail.snippet)),
      h(
        "div",
        { class: "row" },
        !suspicious &&
          nameable &&
          button("Reply", {
            small: true,
            icon: "reply",
            "aria-label": `Reply to ${from}`,
            onclick: () => this.ctx.say(`reply to ${which} saying `),
          }),
        nameable && button("Summarise", {
          small: true,
          "aria-label": `Summarise the mail from ${from}`,
          onclick: () => this.ctx.say(`summarise ${which}`),
        }),
        nameable && button("Archive", {
          small: true,
          kind: "quiet",
          "aria-label": `Archive the mail from ${from}`,
          onclick: () => this.ctx.say(`archive ${which}`),
        }),
      ),
      originalOf(mail, "Read it", this.ctx),
    );
  }

  #invitation(event) {
    const answer = (words, how, kind) =>
      button(words, {
        small: true,
        kind,
        "aria-label": `${words}: ${plain(event.title)}`,
        onclick: (pressed) => this.#answer(event, how, pressed.currentTarget),
      });
    return h(
      "li",
      { class: "ask" },
      h("h3", { class: "ask-subject" }, said(event.title || "(no title)")),
      h(
        "p",
        { class: "small" },
        icon("clock", 16),
        " ",
        spanWords(event.start, event.end, event.all_day),
        event.location && [" · ", said(event.location)],
      ),
      event.organizer && h("p", { class: "small" }, "from ", person(event.organizer)),
      h(
        "div",
        { class: "row" },
        answer("Accept", "accepted", "primary"),
        answer("Maybe", "tentative"),
        answer("Decline", "declined"),
      ),
    );
  }

  /** Proposes the answer in a conversation of its own, which then shows the preview. */
  async #answer(event, how, pressed) {
    pressed.disabled = true;
    const { api, go } = this.ctx;
    await attempt(this.ctx, async () => {
      const conversation = (await api.post("/api/conversations")).id;
      await proposeAnswer(api, conversation, event, how);
      go(`/c/${encodeURIComponent(conversation)}`);
    });
    pressed.disabled = false;
  }
}

function section(heading, entries, otherwise = null) {
  return h(
    "section",
    { class: "card stack-small", "aria-label": heading },
    h("h2", {}, heading),
    entries.length ? h("ul", { class: "asks" }, entries) : otherwise,
  );
}
