// The accounts that are connected: how each stands, what it may be used for, connecting one and disconnecting it.

import { badge, busy, button, fill, h, icon, note } from "../dom.js";
import { connectFolders } from "../parts/connect-folders.js";
import { connectInBrowser } from "../parts/connect-in-browser.js";
import { connectMail, lines } from "../parts/connect-mail.js";
import { attempt, loaded } from "../parts/loaded.js";
import { capitalised } from "../words.js";

const KINDS = {
  google: { name: "Google", says: "Gmail, Google Calendar and Contacts. You allow it at Google, and can take it back at any time." },
  microsoft: { name: "Microsoft", says: "Outlook and Microsoft 365. You allow it at Microsoft, and can take it back at any time." },
  imap: { name: "Mail", says: "Any other service or a server of your own: Fastmail, iCloud, Nextcloud … by IMAP, with CalDAV and CardDAV." },
  local: { name: "Folders", says: "Plain folders on the assistant's own machine, as mbsync, vdirsyncer, mutt and khal use them." },
};

export async function view(ctx) {
  const result = h("div", { role: "status", class: "stack-small" });
  const shown = await loaded({
    ctx,
    heading: "Accounts",
    intro: "Where your mail, calendars and contacts are. The assistant reads them freely, and asks before it acts.",
    head: result,
    load: async (signal) => {
      const found = await ctx.api.get("/api/accounts", { signal });
      return { ...found, kinds: found.kinds.toSorted((one, other) => other.by_browser - one.by_browser) };
    },
    show: ({ items, kinds }, reload) => [
      h("ul", { class: "stack" }, items.map((account) => h("li", {}, card(ctx, account, result, reload)))),
      h("section", { class: "stack-small" },
        h("h2", {}, items.some((account) => !account.sample) ? "Connect another account" : "Connect an account of yours"),
        h("ul", { class: "view-tiles" }, kinds.map((kind) => h("li", {}, tile(ctx, kind, items, result, reload))))),
    ],
  });
  await came(ctx, result);
  return { ...shown, update: async (params, query) => {
    ctx.query = query;
    await came(ctx, result);
    await shown.reload();
  } };
}

/** What came of a sign-in from which the browser has just come back. */
async function came(ctx, place) {
  const name = ctx.query.get("attempt");
  if (!name) return;
  history.replaceState(null, "", "#/accounts");
  const found = await attempt(ctx, () => ctx.api.get(`/api/accounts/attempts/${encodeURIComponent(name)}`));
  if (!found) return;
  const [first, ...rest] = found.says;
  fill(place, note(first, found.connected ? "low" : "high"), rest.map((words) => note(words, "medium")));
}

function card(ctx, account, result, reload) {
  const well = account.state === "connected";
  const state = account.sample ? badge("for trying out", "accent") : badge(account.state, well ? "low" : "high");
  return h("article", { class: "card stack-small" },
    h("div", { class: "row spread" },
      h("div", { class: "row" }, h("h2", {}, account.name), state),
      h("span", { class: "muted small" }, KINDS[account.kind]?.name ?? account.kind)),
    h("p", { class: "muted" }, account.owner ? `${account.owner} <${account.address}>` : account.address),
    account.sample && h("p", { class: "small" }, "Invented people and mail, to try things on. It goes away once you connect an account of your own."),
    account.trouble && note(`${account.trouble}.`.replace(/\.\.$/, "."), "high"),
    account.may.length > 0 && h("details", { class: "small", "data-key": `may-${account.name}` }, h("summary", {}, account.kind === "local" ? "Where it is" : "What it may do"),
      h("ul", { class: "view-may" }, account.may.map((words) => h("li", {}, capitalised(words))))),
    !account.sample && h("div", { class: "row" },
      account.kind !== "local" && button("Connect again", { small: true, kind: well ? "" : "primary", icon: "refresh", "data-key": `again-${account.name}`, onclick: () => again(ctx, account, result, reload) }),
      button("Disconnect", { small: true, kind: "danger", icon: "trash", "data-key": `end-${account.name}`, onclick: (event) => disconnect(ctx, account, event.currentTarget, result, reload) })));
}

async function again(ctx, account, result, reload) {
  if (account.kind !== "imap") return connectInBrowser(ctx, { ...KINDS[account.kind], kind: account.kind }, { name: account.name, known: true });
  return byPassword(ctx, { name: account.name, address: account.address }, result, reload);
}

async function byPassword(ctx, wanted, result, reload) {
  const came = await connectMail(ctx, wanted);
  if (!came?.connected) return;
  fill(result, note(came.says, "low"), lines(came.servers));
  ctx.renew();
  await reload();
}

/** What is told stays in `result`: there may be an address in it to go to. */
async function disconnect(ctx, account, pressed, result, reload) {
  const provider = KINDS[account.kind]?.name ?? account.kind;
  const happens = account.kind === "local"
    ? "The assistant no longer reads these folders. The folders stay as they are."
    : account.kind === "imap" ? "The password is deleted here. Your mail stays where it is."
    : `${account.kind === "microsoft" ? "The sign-in is deleted here; you are told where to take the permission back at Microsoft." : `The permission is taken back at ${provider}, and the sign-in is deleted here.`} Your mail stays where it is.`;
  const text = `${happens}\n\nWhat was done through ${account.name} stays in the activity.`;
  if (!(await ctx.confirm({ title: `Disconnect ${account.name}?`, text, yes: "Disconnect", danger: true }))) return;
  const done = await attempt(ctx, () => busy(pressed, () => ctx.api.delete(`/api/accounts/${encodeURIComponent(account.name)}`)));
  if (done) fill(result, note(done.says, "low"));
  if (done) ctx.renew();
  await reload();
}

function tile(ctx, { kind, by_browser: inBrowser, lacks }, items, result, reload) {
  const { name, says } = KINDS[kind] ?? { name: capitalised(kind), says: "" };
  const owners = kind === "local" && ctx.me.user.role !== "owner";
  const hindered = lacks || (owners ? "Only the owner may connect folders of that machine." : "");
  const connect = async () => {
    const known = items.some((account) => account.kind === kind);
    if (inBrowser) return connectInBrowser(ctx, { name, kind }, { name: free(kind, items), known });
    if (kind === "imap") return byPassword(ctx, { name: free("mail", items) }, result, reload);
    if (!(await connectFolders(ctx, free("folders", items)))) return undefined;
    ctx.renew();
    return reload();
  };
  return h("div", { class: "card stack-small view-tile" },
    h("h3", { class: "row" }, icon(inBrowser ? "key" : "accounts"), name),
    h("p", { class: "muted small grow" }, says),
    hindered ? h("p", { class: "small ink-medium" }, hindered) : button(`Connect ${inBrowser ? name : name.toLowerCase()}`, { small: true, icon: "plus", onclick: connect }));
}

/** "google", then "google-2" */
function free(name, items) {
  const taken = new Set(items.map((account) => account.name));
  for (let number = 1; ; number += 1) {
    const one = number === 1 ? name : `${name}-${number}`;
    if (!taken.has(one)) return one;
  }
}
