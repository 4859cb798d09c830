// Which view stands at which address. A view's module is fetched when it is first shown.

export const ROUTES = [
  { path: "/", module: "chat", title: "Chat", nav: "chat" },
  { path: "/c/:id", module: "chat", title: "Chat", nav: "chat" },
  { path: "/today", module: "today", title: "Today", nav: "today" },
  { path: "/approvals", module: "approvals", title: "Approvals", nav: "approvals" },
  { path: "/preview/:id", module: "approvals", title: "Approval", nav: "approvals" },
  { path: "/tasks", module: "tasks", title: "Tasks", nav: "tasks" },
  { path: "/schedules", module: "schedules", title: "Schedules", nav: "schedules" },
  { path: "/mail/:account/:id", module: "mail", title: "Mail", nav: "" },
  { path: "/event/:account/:calendar/:id", module: "event", title: "Event", nav: "" },
  { path: "/outgoing", module: "outgoing", title: "Outgoing", nav: "outgoing" },
  { path: "/activity", module: "activity", title: "Activity", nav: "activity" },
  { path: "/accounts", module: "accounts", title: "Accounts", nav: "accounts" },
  { path: "/settings", module: "settings", title: "Settings", nav: "settings" },
];

/** Where the address leads: `{route, params, query}`; what is unknown leads to the chat. */
export function place(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split("?");
  for (const route of ROUTES) {
    const params = matched(route.path, path || "/");
    if (params) return { route, params, query: new URLSearchParams(query) };
  }
  return { route: ROUTES[0], params: {}, query: new URLSearchParams() };
}

function matched(pattern, path) {
  const wanted = pattern.split("/");
  const given = path.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return null;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = decoded(given[index]);
    else if (part !== given[index]) return null;
  }
  return params;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Goes to "/today" and the like; with `replace` without a step in the browser's history. */
export function go(path, { replace = false } = {}) {
  if (replace) {
    history.replaceState(null, "", `#${path}`);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else {
    location.hash = path;
  }
}
