// A briefing: what needs an answer first, what looks like phishing set apart; each line opens its mail or event, and says why it is here.

import { badge, button, h, icon, note } from "../dom.js";
import { counted, day, onOneLine, when } from "../words.js";
import { proposeAnswer } from "./answering.js";
import { attempt } from "./loaded.js";
import { opening } from "./opened.js";
import { called, plain, said, tame, tameName } from "./plain.js";

/** How each kind of section looks: an icon, and a colour that means something. */
const LOOKS = {
  answer: ["reply", "medium"],
  waiting: ["clock", ""],
  known: ["person", "accent"],
  newsletters: ["accounts", ""],
  phishing: ["alert", "high"],
  open: ["tasks", ""],
  agenda: ["today", "accent"],
  conflicts: ["alert", "medium"],
  gaps: ["place", "medium"],
  unprepared: ["edit", "medium"],
  invitations: ["people", "accent"],
  free: ["check", "low"],
};
const WARNING = "Do not open links or attachments of these, and do not answer them.";
const CHANGED = /^(new|moved)\b/i;

/** `briefing` as the API gives it. Ctx: `{api, say(words), conversation, onTurn(turn), toast}`. */
export function briefingCard(briefing, ctx) {
  const sections = briefing.sections.map((one) => section(one, ctx));
  const card = h(
    "article",
    { class: "briefing", "aria-label": plain(briefing.title) },
    h("header", { class: "briefing-head" }, h("h3", {}, said(briefing.title)), briefing.lead && h("p", { class: "briefing-lead", dir: "auto" }, plain(briefing.lead))),
    briefing.notices.map((words) => note(said(words), "medium")),
    briefing.looked.filter((one) => one.trouble).map((one) => note([h("strong", {}, said(one.account), ": "), said(one.trouble)], "high")),
    sections.length ? sections : h("p", { class: "briefing-nothing" }, icon("check", 16), " Nothing new needs you."),
    looked(briefing),
  );
  return card;
}

function section({ kind, title, lines, note: left }, ctx) {
  const [name, level] = LOOKS[kind] ?? ["info", ""];
  return h(
    "section",
    { class: ["briefing-section", level && `briefing-${level}`, `briefing-kind-${kind}`], "aria-label": plain(title) },
    h("h4", {}, icon(name, 18), h("span", { class: "grow" }, said(title)), lines.length > 1 && kind !== "free" && h("span", { class: "briefing-count" }, lines.length)),
    kind === "phishing" && h("p", { class: "small strong" }, WARNING),
    lines.length > 0 && (kind === "open" ? inOne(lines, ctx) : h("ol", { class: "briefing-lines" }, lines.map((one) => line(one, kind, ctx)))),
    left && h("p", { class: "small briefing-note" }, said(left)),
  );
}

/** What was told before, in few words. */
function inOne(lines, ctx) {
  return h("ul", { class: "briefing-open" }, lines.map((one) => h("li", {}, number(one), text(one, ctx))));
}

function line(one, kind, ctx) {
  const changed = one.reasons.find((reason) => CHANGED.test(reason));
  const reasons = one.reasons.filter((reason) => kind !== "agenda" || reason !== changed);
  return h(
    "li",
    { class: "briefing-line" },
    number(one),
    h(
      "div",
      { class: "grow" },
      h("p", { class: "briefing-text" }, text(one, ctx), kind === "agenda" && changed && [" ", badge(plain(changed), "accent")]),
      reasons.length > 0 && h("p", { class: "small briefing-why" }, h("span", { class: "visually-hidden" }, "Why: "), said(onOneLine(reasons.join(" · ")))),
      one.with_whom.map((words) => h("p", { class: "small muted" }, said(words))),
    ),
    acts(one, kind, ctx),
  );
}

const number = (one) =>
  h("span", { class: ["briefing-number", !one.number && "briefing-unnumbered"] }, one.number ? [h("span", { class: "visually-hidden" }, "Number "), one.number] : "");

const text = (one, ctx) =>
  one.mail || one.event ? opening(one, said(one.text), ctx, { class: "briefing-link" }) : said(one.text);

// --- what can be done at once: in words that may still be changed, or as a preview

function acts(one, kind, ctx) {
  const some = one.mail ? mailActs(one, kind, ctx) : one.event ? eventActs(one, kind, ctx) : [];
  return some.length > 0 && h("div", { class: "row briefing-acts" }, some);
}

function mailActs({ number: n, mail }, kind, ctx) {
  const from = mail.sender ? called(mail.sender) : "unknown";
  const act = (label, verb, more = "", props = {}) =>
    (n > 0 || nameOf(mail)) &&
    button(label, { small: true, "aria-label": `${label}: the mail from ${from}`, ...props, onclick: (event) => ctx.say(wordsFor(event.currentTarget, verb, more, n, mail)) });
  const archive = act("Archive", "archive", "", { kind: "quiet" });
  if (kind === "phishing") return [archive].filter(Boolean);
  if (!["answer", "known", "waiting"].includes(kind)) return [];
  const answers = kind === "waiting" ? act("Remind them", "reply to", " saying ", { icon: "reply" }) : act("Answer", "answer", " saying ", { icon: "reply" });
  return [answers, archive].filter(Boolean);
}

/** By its number where this is the conversation's last briefing, which numbers are about; else by name and subject. */
function wordsFor(pressed, verb, more, n, mail) {
  const cards = [...document.querySelectorAll(".briefing")];
  const last = cards.at(-1)?.contains(pressed);
  if (n > 0 && last) return `${verb} number ${n}${more}`;
  return `${verb === "answer" ? "reply to" : verb} ${nameOf(mail) || "it"}${more}`;
}

function nameOf({ sender, subject }) {
  const name = tameName(sender?.name ?? "");
  const about = tame(subject);
  return (name || about) && `the mail${name && ` from ${name}`}${about && ` “${about}”`}`;
}

function eventActs({ event }, kind, ctx) {
  if (event.my_answer !== "needs-action" || !["invitations", "conflicts", "unprepared"].includes(kind)) return [];
  const answer = (label, how, look) =>
    button(label, { small: true, kind: look, "aria-label": `${label}: ${plain(event.title)}`, onclick: ({ currentTarget }) => answered(event, how, currentTarget, ctx) });
  return [answer("Accept", "accepted", "primary"), answer("Maybe", "tentative"), answer("Decline", "declined")];
}

async function answered(event, how, pressed, ctx) {
  pressed.disabled = true;
  const turn = await attempt(ctx, () => proposeAnswer(ctx.api, ctx.conversation, event, how));
  pressed.disabled = false;
  if (turn) ctx.onTurn?.(turn);
}

// --- how far it looked

function looked({ looked: accounts, at }) {
  const well = accounts.filter((one) => !one.trouble);
  return h(
    "footer",
    { class: "briefing-foot small muted" },
    well.length > 0 && h("ul", {}, well.map((one) => h("li", {}, said(one.account), `: ${read(one)}`))),
    h("p", {}, "As of ", h("time", { datetime: at }, when(at))),
  );
}

function read({ mails, events, since, until, ahead }) {
  const came = `${counted(mails, "mail")}, ${when(since)} to ${when(until)}`;
  return ahead ? `${came}; ${counted(events, "event")} up to ${day(new Date(Date.parse(ahead) - 1000))}` : came;
}
