// Server-sent events that go on where they were: after a lost line, a sleeping laptop or a hidden tab.

const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;
const GRACE = 2_000;

/**
 * Follows `path`. `on` has a listener for each event's name: `(data) => …`; `onState("open" | "lost")` tells how the line is.
 * A hidden tab lets go of its line (a browser allows few to one host) and takes it up again when seen.
 * Gives `{close()}`.
 */
export function follow(path, { after = "", on, onState = () => {} }) {
  let source = null;
  let cursor = after;
  let wait = FIRST_WAIT;
  let timer = 0;
  let ended = false;

  function open() {
    if (ended || source || document.hidden) return;
    clearTimeout(timer);
    source = new EventSource(cursor ? `${path}?after=${encodeURIComponent(cursor)}` : path);
    source.addEventListener("open", () => {
      wait = FIRST_WAIT;
      onState("open");
    });
    source.addEventListener("error", lost);
    for (const [name, listener] of Object.entries(on)) source.addEventListener(name, (event) => hear(event, listener));
  }

  function hear(event, listener) {
    const data = parsed(event.data);
    if (data !== undefined) listener(data);
    if (event.lastEventId) cursor = event.lastEventId;
  }

  function lost() {
    drop();
    if (ended || document.hidden) return;
    onState("lost");
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(wait * 2, LONGEST_WAIT);
  }

  function drop() {
    source?.close();
    source = null;
  }

  function seen() {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(drop, GRACE);
    else open();
  }

  function close() {
    ended = true;
    clearTimeout(timer);
    drop();
    document.removeEventListener("visibilitychange", seen);
    removeEventListener("online", open);
  }

  document.addEventListener("visibilitychange", seen);
  addEventListener("online", open);
  open();
  return { close };
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
