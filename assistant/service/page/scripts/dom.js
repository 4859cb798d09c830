// Elements without markup: everything that is shown goes in as text, so that nothing anybody wrote can become an element.

const SVG = "http://www.w3.org/2000/svg";

/** An element. Props: `class`, `on…` listeners, true/false attributes, `value` and `checked` as properties, all else attributes. */
export function h(tag, props = {}, ...children) {
  return furnish(document.createElement(tag), props, children);
}

export function svg(tag, props = {}, ...children) {
  return furnish(document.createElementNS(SVG, tag), props, children);
}

h.svg = svg;

const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const SHOWN = "\ufffd";

/** Control characters, and those that turn the order of the text round, become a visible replacement. */
export const visible = (text) => String(text).replace(UNSEEN, SHOWN);

/** Puts these in place of all that `element` holds; strings are text, null and false are nothing, lists are flattened. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

/** Makes `element` hold these elements, in order. What stands right is not touched, so that whoever is in it stays there. */
export function arrange(element, wanted) {
  for (const old of [...element.children]) if (!wanted.includes(old)) old.remove();
  wanted.forEach((one, at) => {
    if (element.children[at] !== one) element.insertBefore(one, element.children[at] ?? null);
  });
}

export function add(element, ...children) {
  element.append(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false && one !== true && one !== "")
    .map((one) => (one instanceof Node ? one : document.createTextNode(visible(one))));
}

function furnish(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(element, name, value);
  element.append(...nodes(children));
  return element;
}

function set(element, name, value) {
  if (name.startsWith("on")) {
    if (value) element.addEventListener(name.slice(2).toLowerCase(), value);
  } else if (name === "value" || name === "checked" || name === "disabled" || name === "indeterminate") {
    element[name] = value ?? "";
  } else if (name === "class") {
    const classes = Array.isArray(value) ? value.filter(Boolean).join(" ") : value;
    if (classes) element.setAttribute("class", classes);
  } else if (value === true) {
    element.setAttribute(name, "");
  } else if (value !== false && value !== null && value !== undefined) {
    element.setAttribute(name, visible(value));
  }
}

let counter = 0;
/** An id that is new on this page, for labels and descriptions. */
export const newId = (of = "e") => `${of}-${++counter}`;

// --- parts that every view uses

/** A button. `kind`: primary | danger | quiet | link; `icon`: a name of ICONS; `small`; `only`: the icon alone, `label` is then its name. */
export function button(label, { kind = "", icon: name = "", small = false, only = false, onclick, type = "button", ...more } = {}) {
  const classes = ["button", kind && `button-${kind}`, small && "button-small", only && "button-icon", more.class];
  const named = only ? { "aria-label": label, title: label } : {};
  return h("button", { type, onclick, ...named, ...more, class: classes }, name && icon(name), !only && label);
}

/** A label with its control, hint and place for an error: `{element, input, fail(text)}`. */
export function field(label, input, { hint = "" } = {}) {
  input.id ||= newId("field");
  if (!input.classList.length) input.classList.add("input");
  const told = h("p", { class: "field-hint", id: newId("hint"), hidden: !hint }, hint);
  const error = h("p", { class: "field-error", id: newId("error"), role: "alert" });
  input.setAttribute("aria-describedby", `${told.id} ${error.id}`);
  const fail = (text = "") => {
    error.textContent = text;
    input.setAttribute("aria-invalid", String(Boolean(text)));
  };
  return { element: h("div", { class: "field" }, h("label", { for: input.id }, label), input, told, error), input, fail };
}

/** While `work()` runs the button can't be pressed again. Gives what `work` gives; errors go on to the caller. */
export async function busy(pressed, work) {
  if (pressed.getAttribute("aria-busy") === "true") return undefined;
  pressed.setAttribute("aria-busy", "true");
  pressed.setAttribute("aria-disabled", "true");
  const turning = h("span", { class: "spinner", "aria-hidden": "true" });
  pressed.prepend(turning);
  try {
    return await work();
  } finally {
    turning.remove();
    pressed.removeAttribute("aria-busy");
    pressed.removeAttribute("aria-disabled");
  }
}

/** `kind`: low | medium | high | accent, or none. */
export const badge = (text, kind = "") => h("span", { class: ["badge", kind && `badge-${kind}`] }, text);

export const levelBadge = (level) => badge(`${level} risk`, level);

export function note(text, kind = "", ...more) {
  const names = { low: "check", medium: "alert", high: "alert" };
  return h("div", { class: ["note", kind && `note-${kind}`] }, icon(names[kind] ?? "info"), h("div", { class: "grow" }, text, ...more));
}

/** What stands where nothing is. */
export const empty = (heading, text, ...actions) => h("div", { class: "empty" }, h("h2", {}, heading), h("p", {}, text), ...actions);

export const spinner = (words = "Loading") => h("p", { class: "row muted", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), `${words} …`);

// --- icons: strokes on a grid of 24

const ICONS = {
  chat: ["M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2h-7l-5 4v-4a2 2 0 0 1-2-2z"],
  today: ["M5 6h14v14H5z", "M5 10h14", "M9 3v4", "M15 3v4"],
  approvals: ["M12 3l7 3v5c0 4.5-3 8-7 10-4-2-7-5.5-7-10V6z", "M9 12l2 2 4-4"],
  tasks: ["M9 6h11", "M9 12h11", "M9 18h11", "M4 6h.01", "M4 12h.01", "M4 18h.01"],
  schedules: ["M20 12a8 8 0 1 0-3 6.200", "M20.5 15.500l-3 3-2.500-3", "M12 8v4l3 2"],
  outgoing: ["M21 3L10 14", "M21 3l-7 18-4-7-7-4z"],
  activity: ["M3 12h4l3 8 4-16 3 8h4"],
  accounts: ["M4 6h16v12H4z", "M4 7l8 6 8-6"],
  settings: ["M4 7h9", "M17 7h3", "M4 17h3", "M11 17h9", "M15 5v4", "M9 15v4"],
  more: ["M5 12h.01", "M12 12h.01", "M19 12h.01"],
  plus: ["M12 5v14", "M5 12h14"],
  close: ["M6 6l12 12", "M18 6L6 18"],
  check: ["M5 12.500l4.5 4.500L19 7.5"],
  alert: ["M12 4l9 16H3z", "M12 10v4", "M12 17h.01"],
  info: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 11v5", "M12 8h.01"],
  send: ["M12 20V5", "M6 11l6-6 6 6"],
  stop: ["M7 7h10v10H7z"],
  menu: ["M4 7h16", "M4 12h16", "M4 17h16"],
  search: ["M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14z", "M16 16l5 5"],
  edit: ["M4 20l1-4L16 5l3 3L8 19z", "M14 7l3 3"],
  undo: ["M9 7L4 12l5 5", "M4 12h10a6 6 0 0 1 6 6"],
  clock: ["M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18z", "M12 7v5l3 2"],
  person: ["M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M4 20c1-4 4-6 8-6s7 2 8 6"],
  people: ["M9 12a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z", "M3 20c.5-4 3-6 6-6s5.5 2 6 6", "M16 5a3.5 3.5 0 0 1 0 7", "M18 14.500c1.8.8 2.8 2.7 3 5.5"],
  key: ["M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M11 12l8-8", "M16 7l3 3"],
  lock: ["M6 11h12v9H6z", "M8.5 11V8a3.5 3.5 0 0 1 7 0v3"],
  out: ["M14 4h5v16h-5", "M10 8l-4 4 4 4", "M6 12h9"],
  sun: ["M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8z", "M12 2v2", "M12 20v2", "M2 12h2", "M20 12h2", "M5 5l1.5 1.5", "M17.5 17.500L19 19", "M5 19l1.5-1.5", "M17.5 6.500L19 5"],
  moon: ["M20 14.500A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.500z"],
  trash: ["M5 7h14", "M9 7V4h6v3", "M7 7l1 13h8l1-13"],
  reply: ["M10 7L5 12l5 5", "M5 12h8a6 6 0 0 1 6 6v1"],
  attachment: ["M20 11l-8.5 8.500a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.700L9.5 17a1.7 1.7 0 0 1-2.4-2.400L14 7.7"],
  place: ["M12 21c4-4.5 6-8 6-11a6 6 0 1 0-12 0c0 3 2 6.5 6 11z", "M12 12a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"],
  repeat: ["M4 12V9a3 3 0 0 1 3-3h12", "M16 3l3 3-3 3", "M20 12v3a3 3 0 0 1-3 3H5", "M8 21l-3-3 3-3"],
  left: ["M15 5l-7 7 7 7"],
  right: ["M9 5l7 7-7 7"],
  down: ["M5 9l7 7 7-7"],
  up: ["M5 15l7-7 7 7"],
  arrow: ["M5 12h14", "M13 6l6 6-6 6"],
  pause: ["M9 6v12", "M15 6v12"],
  play: ["M8 5l11 7-11 7z"],
  refresh: ["M20 11a8 8 0 0 0-14-4L4 9", "M4 4v5h5", "M4 13a8 8 0 0 0 14 4l2-2", "M20 20v-5h-5"],
  offline: ["M3 3l18 18", "M5 10a11 11 0 0 1 4-2.3", "M13 7.200a11 11 0 0 1 6 2.8", "M8 14a6 6 0 0 1 5-1.8", "M12 18h.01"],
  download: ["M12 4v12", "M7 11l5 5 5-5", "M5 20h14"],
  copy: ["M9 9h11v11H9z", "M5 15H4V4h11v1"],
  keyboard: ["M3 7h18v10H3z", "M7 11h.01", "M11 11h.01", "M15 11h.01", "M17 11h.01", "M8 14h8"],
};

/** Beside words it is decoration and hidden from readers; alone its button carries the name. */
export function icon(name, size = 20) {
  const paths = (ICONS[name] ?? ICONS.info).map((d) => svg("path", { d }));
  return svg("svg", {
    class: "icon", viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "stroke-width": 1.8,
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true", focusable: "false",
  }, ...paths);
}
