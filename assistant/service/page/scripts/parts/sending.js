// Messages on their way to the service: each arrives once, also where the line breaks or the page is reloaded meanwhile.

import { keep, read } from "./composer.js";

const FRESH = 2 * 60_000;
const keyOf = (conversation) => `sending-${conversation}`;

export class Sending {
  constructor(api) {
    this.api = api;
  }

  /** Sends `text`, or sends it again under the key that it had. */
  async send(conversation, text, key = crypto.randomUUID?.() ?? random()) {
    keep(keyOf(conversation), JSON.stringify({ text, key, at: Date.now() }));
    const path = `/api/conversations/${encodeURIComponent(conversation)}/messages`;
    await this.api.post(path, { text }, { key, headers: { Prefer: "respond-async" } });
    this.done(conversation);
  }

  done(conversation) {
    keep(keyOf(conversation), "");
  }

  /** What was under way when the page was left: `{text, key, fresh}`; null where nothing was, or where it arrived. */
  left(conversation, items) {
    const kept = parsed(read(keyOf(conversation)));
    if (!kept) return null;
    const arrived = items.some((one) => one.role === "user" && one.text.trim() === kept.text.trim() && Date.parse(one.at) > kept.at - 10_000);
    if (arrived) this.done(conversation);
    return arrived ? null : { ...kept, fresh: Date.now() - kept.at < FRESH };
  }
}

/** `randomUUID` is there only where the page comes over TLS or from this machine. */
const random = () => [...crypto.getRandomValues(new Uint8Array(16))].map((one) => one.toString(16).padStart(2, "0")).join("");

function parsed(text) {
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
