// A question of the assistant's: its choices as buttons with numbers, else a line to answer in.

import { button, fill, h, icon, newId } from "../dom.js";
import { plain, said } from "./plain.js";

const BY_NUMBER = 9;
const TYPED_IN = "input, textarea, select, [contenteditable]";

/** Ctx: `{api, onTurn(turn), announce(words)}`. The number keys answer while nothing is typed anywhere. */
export function questionCard(question, ctx) {
  const heading = newId("question");
  const error = h("p", { class: "field-error", role: "alert" });
  const hint = question.choices.length ? numbersHint(question.choices.length) : null;
  const element = h(
    "section",
    { class: "card question", "aria-labelledby": heading, "data-question": question.id },
    h("h3", { id: heading, class: "question-text" }, icon("info"), said(question.text)),
    question.choices.length ? choices(question.choices, answer) : line(answer),
    hint,
    error,
  );
  if (question.choices.length) listen(element, question.choices, answer);

  async function answer(words, shown) {
    if (element.getAttribute("aria-busy") === "true") return;
    element.setAttribute("aria-busy", "true");
    lock(element, true);
    error.textContent = "";
    try {
      const turn = await ctx.api.post(`/api/questions/${encodeURIComponent(question.id)}/answer`, { words });
      settle(element, shown);
      ctx.onTurn?.(turn);
    } catch (problem) {
      error.textContent = problem.detail ?? problem.message;
      lock(element, false);
    } finally {
      element.removeAttribute("aria-busy");
    }
  }
  return element;
}

function choices(those, answer) {
  return h(
    "ol",
    { class: "choices" },
    those.map((choice, at) =>
      h(
        "li",
        {},
        h(
          "button",
          { type: "button", class: "choice", onclick: () => answer(wordsOf(choice, those), choice.label) },
          h("kbd", { "aria-hidden": "true" }, at < BY_NUMBER ? at + 1 : "·"),
          said(choice.label),
        ),
      ),
    ),
  );
}

/** The label says in the conversation what was chosen, where no other has the same. */
const wordsOf = ({ id, label }, those) => (those.filter((one) => one.label === label).length === 1 ? label : id);

const numbersHint = (number) =>
  h(
    "p",
    { class: "small muted question-hint" },
    `Press ${["1", "1 or 2"][number - 1] ?? `1 to ${Math.min(number, BY_NUMBER)}`}, or say it in your own words.`,
  );

function line(answer) {
  const input = h("input", { class: "input", "aria-label": "Your answer", autocomplete: "off" });
  return h(
    "form",
    {
      class: "row",
      onsubmit: (event) => {
        event.preventDefault();
        if (input.value.trim()) answer(input.value.trim(), input.value.trim());
      },
    },
    h("div", { class: "grow" }, input),
    button("Answer", { kind: "primary", type: "submit" }),
  );
}

function listen(element, those, answer) {
  const pressed = (event) => {
    if (!element.isConnected || element.classList.contains("question-settled"))
      return document.removeEventListener("keydown", pressed);
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.target.closest?.(TYPED_IN)) return undefined;
    const newest = [...document.querySelectorAll("[data-question]:not(.question-settled)")].at(-1);
    const choice = newest === element && /^[1-9]$/.test(event.key) ? those[Number(event.key) - 1] : undefined;
    return choice && answer(wordsOf(choice, those), choice.label);
  };
  // Only once it is on the page, or the first key would take the listener away.
  requestAnimationFrame(() => document.addEventListener("keydown", pressed));
}

function lock(element, locked) {
  for (const control of element.querySelectorAll("button, input")) control.disabled = locked;
}

function settle(element, shown) {
  element.classList.add("question-settled");
  for (const part of element.querySelectorAll(".choices, form, .question-hint")) part.remove();
  element.append(fill(h("p", { class: "question-answer" }), icon("check", 16), "You answered: ", h("bdi", {}, plain(shown))));
}
