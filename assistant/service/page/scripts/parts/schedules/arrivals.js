// What schedules said while something else was on the screen: told once on each device, and marked as new until it is read.

import { onOneLine } from "../../words.js";
import { said } from "../plain.js";

/** Milliseconds between two looks of a hidden tab, which has let go of its stream. */
const LOOK = 60_000;
const LONGEST = 120;

export class Arrivals {
  #acts;
  #key;
  #looking = null;
  #again = false;
  #state = null;
  #toasts = new Map();
  /** Flows of runs that a conversation on the screen has shown. */
  #seen = new Set();
  /** Schedules whose next run is told by who began it. */
  #hushed = new Set();

  /** `acts`: `{api, user, toast, go, onScreen(), changed()}`; `onScreen` gives the conversation that is read just now. */
  constructor(acts) {
    this.#acts = acts;
    this.#key = `arrivals-${acts.user}`;
  }

  /** Until `signal` ends it. */
  begin(signal) {
    const timer = setInterval(() => document.hidden && this.look(), LOOK);
    signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", () => this.read(), { signal });
    return this.look();
  }

  /** How many conversations have something new in them. */
  get count() {
    return this.#kept().unread.length;
  }

  isNew(conversation) {
    return this.#kept().unread.includes(conversation);
  }

  /** A conversation on the screen shows what this flow came to; of a run one may hear later. */
  seen(flow) {
    if (!document.hidden) this.#seen.add(flow);
  }

  /** `work` runs the schedule, and tells itself what came of it. */
  async hush({ id }, work) {
    this.#hushed.add(id);
    try {
      return await work();
    } finally {
      await this.look();
      this.#hushed.delete(id);
    }
  }

  /** What is on the screen is new no more. */
  read() {
    const conversation = this.#acts.onScreen();
    if (!conversation) return;
    this.#toasts.get(conversation)?.();
    this.#toasts.delete(conversation);
    const kept = this.#kept();
    if (!kept.unread.includes(conversation)) return;
    this.#keep({ ...kept, unread: kept.unread.filter((one) => one !== conversation) });
    this.#acts.changed();
  }

  /** Asks for what has come; of looks that are asked for during one, one more is enough. */
  look() {
    this.#again = true;
    this.#looking ??= this.#looks().finally(() => (this.#looking = null));
    return this.#looking;
  }

  async #looks() {
    while (this.#again) {
      this.#again = false;
      const found = await this.#acts.api.get("/api/schedules").catch(() => null);
      if (found) this.#found(found.items);
    }
  }

  #found(schedules) {
    const ended = schedules.filter(({ last }) => last?.ended && last.flow).sort((one, other) => endOf(one) - endOf(other));
    const kept = this.#kept();
    const newest = ended.length ? endOf(ended.at(-1)) : 0;
    const fresh = kept.told === null ? [] : ended.filter((one) => endOf(one) > kept.told);
    if (kept.told !== null && !fresh.length) return;
    const read = ({ id, conversation, last }) => conversation === this.#acts.onScreen() || this.#seen.has(last.flow) || this.#hushed.has(id);
    const shown = fresh.filter((one) => !read(one));
    this.#keep({ told: Math.max(newest, kept.told ?? 0), unread: [...new Set([...kept.unread, ...shown.map((one) => one.conversation)])] });
    for (const one of shown) this.#tell(one);
    if (shown.length) this.#acts.changed();
  }

  #tell(schedule) {
    const { conversation, last } = schedule;
    const line = onOneLine(wordsOf(schedule));
    const text = line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
    this.#toasts.get(conversation)?.();
    const action = { label: "Show", run: () => this.#acts.go(`/c/${encodeURIComponent(conversation)}`) };
    this.#toasts.set(conversation, this.#acts.toast(said(text), { kind: last.status === "failed" ? "high" : "", action, stays: schedule.task.kind === "remind" }));
  }

  /** `told`: when the last run ended that was told here, null on a device that is new; what came before that is not news. */
  #kept() {
    try {
      const { told = null, unread = [] } = JSON.parse(localStorage.getItem(this.#key)) ?? {};
      return { told, unread };
    } catch {
      return this.#state ?? { told: null, unread: [] };
    }
  }

  #keep(state) {
    this.#state = state;
    try {
      localStorage.setItem(this.#key, JSON.stringify(state));
    } catch { /* known in this tab alone */ }
  }
}

/** A briefing is long: its name is enough. */
function wordsOf({ name, task, last }) {
  if (last.status !== "done" || task.kind === "ask") return `${name}: ${last.result}`;
  return task.kind === "remind" ? last.result : `${name} is here.`;
}

const endOf = ({ last }) => Date.parse(last.ended);
