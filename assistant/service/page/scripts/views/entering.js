// Coming in: signing in, and the first time by a link that invites.

import { busy, button, field, fill, h, icon, note } from "../dom.js";
import { hasPasskeys, registerPasskey, signInWithPasskey } from "../parts/passkeys.js";

const SHORTEST = 10;

/** `entrance` is what can be offered; `token` an invitation's, empty for none; `done()` when somebody is signed in. Gives an element. */
export function view({ api, entrance, token, done }) {
  const page = h("main", { class: "enter" });
  const show = (...parts) => {
    fill(page, h("div", { class: "enter-card" }, h("img", { src: "/page/icon.svg", alt: "", width: 48, height: 48 }), ...parts));
    queueMicrotask(() => page.querySelector("input")?.focus());
  };
  if (token) show(...welcome({ api, token, entrance, done, signIn: () => show(...signIn({ api, entrance, done })) }));
  else show(...signIn({ api, entrance, done }));
  return page;
}

function signIn({ api, entrance, done }) {
  const name = field("Name", h("input", { class: "input", name: "username", autocomplete: "username webauthn", required: true }));
  const password = passwordField("Password", "current-password");
  const send = button("Sign in", { kind: "primary", type: "submit" });
  const form = h("form", { class: "stack", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    if (!filled(name, "Your name, please.") || !filled(password, "Your password, please.")) return;
    attempt(send, password, async () => {
      await api.post("/api/sign-in", { name: name.input.value.trim(), password: password.input.value });
      done();
    });
  } }, name.element, password.element, send);
  return [
    h("h1", {}, "Sign in"),
    entrance.first_run && note("Nobody has been here yet. Open the address that ", "", h("code", {}, "assistant serve"), " printed when it started."),
    form,
    entrance.passkeys && hasPasskeys() && passkeyPart({ api, done, under: password }),
  ];
}

function passkeyPart({ api, done, under }) {
  const press = button("Sign in with a passkey", { icon: "key", onclick: () => attempt(press, under, async () => {
    if (await signInWithPasskey(api)) done();
  }) });
  return [h("p", { class: "enter-or muted small" }, "or"), press];
}

function welcome({ api, token, entrance, done, signIn: instead }) {
  const first = entrance.first_run;
  const name = field("What shall I call you?", h("input", { class: "input", name: "username", autocomplete: "username", required: true }), { hint: "You sign in with it, too." });
  const password = passwordField("Choose a password", "new-password");
  const rule = h("p", { class: "enter-rule small" });
  const told = () => {
    const length = [...password.input.value].length;
    rule.classList.toggle("ink-low", length >= SHORTEST);
    fill(rule, icon(length >= SHORTEST ? "check" : "info", 16), `At least ${SHORTEST} characters; a few words in a row are easy to remember.`);
  };
  password.input.addEventListener("input", told);
  told();
  let inside = false;
  const enter = async (how) => {
    if (!inside) await api.post("/api/first-run", { token, name: name.input.value.trim(), ...how });
    else if (how.password) await api.post("/api/password", { old: "", new: how.password });
    inside = true;
  };
  const send = button("Begin", { kind: "primary", type: "submit" });
  const withPasskey = hasPasskeys() && named() && button("Use a passkey instead", { icon: "key", onclick: () => {
    if (filled(name, "A name first, please.")) attempt(withPasskey, password, async () => {
      await enter({});
      await api.me();
      if (await registerPasskey(api, "This device")) done();
      else password.fail("No passkey was made. Try again, or choose a password.");
    });
  } });
  const form = h("form", { class: "stack", novalidate: true, onsubmit: (event) => {
    event.preventDefault();
    if (!filled(name, "A name, please.")) return;
    if ([...password.input.value].length < SHORTEST) return password.fail("This one is too short."), password.input.focus();
    attempt(send, name, async () => {
      password.fail();
      await enter({ password: password.input.value });
      done();
    });
  } }, name.element, password.element, rule, send, withPasskey);
  return [
    h("h1", {}, "Welcome"),
    h("p", { class: "muted" }, "I read your mail, calendar and contacts, prepare what you ask for, and show you everything that matters before it happens."),
    first && h("p", { class: "muted" }, "You are the first one here, so this assistant is yours."),
    form,
    h("p", { class: "small muted" }, "You have been here before? ", button("Sign in", { kind: "link", onclick: instead })),
  ];
}

/** Passkeys belong to a name; there are none for an address in numbers. */
const named = () => !/^[\d.]+$|:/.test(location.hostname);

function passwordField(label, autocomplete) {
  const input = h("input", { class: "input", type: "password", name: "password", autocomplete, required: true });
  const made = field(label, input);
  const show = button("Show", { kind: "link", small: true, "aria-pressed": "false", "aria-label": "Show the password", onclick: () => {
    const hidden = input.type === "password";
    input.type = hidden ? "text" : "password";
    show.setAttribute("aria-pressed", String(hidden));
    show.textContent = hidden ? "Hide" : "Show";
  } });
  const head = made.element.firstChild;
  made.element.prepend(h("div", { class: "row spread" }, head, show));
  head.classList.add("label");
  return made;
}

function filled(one, words) {
  const there = one.input.value.trim() !== "";
  one.fail(there ? "" : words);
  if (!there) one.input.focus();
  return there;
}

async function attempt(pressed, shown, work) {
  shown.fail();
  try {
    await busy(pressed, work);
  } catch (problem) {
    shown.fail(problem.detail ?? String(problem));
    shown.input.focus();
  }
}
