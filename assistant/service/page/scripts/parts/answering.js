// Answering an invitation: it reaches others, so that it becomes a preview.

import { spanWords } from "./preview-items.js";
import { tame } from "./plain.js";

const CLAUSES = { accepted: "accept", tentative: "answer “maybe” to", declined: "decline" };

/** Proposes the answer (accepted | tentative | declined) in `conversation`. Gives the turn, which holds the preview. */
export function proposeAnswer(api, conversation, event, how) {
  const { account, calendar, id, etag, recurrence } = event;
  const title = tame(event.title) || "(no title)";
  return api.post(`/api/conversations/${encodeURIComponent(conversation)}/actions`, {
    actions: [{ kind: "answer_invitation", account, event: { account, calendar, id, etag, recurrence }, answer: how }],
    says: [`${CLAUSES[how]} the invitation to “${title}”, ${spanWords(event.start, event.end, event.all_day)}`],
  });
}
