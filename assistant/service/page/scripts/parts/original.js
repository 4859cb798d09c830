// A mail that an action is about, looked up when somebody unfolds it.

import { fill, h, icon, spinner } from "../dom.js";
import { mailView } from "./mail-view.js";

export function originalOf(ref, words, { api }) {
  const place = h("div", { class: "unfolded" });
  let asked = false;
  const element = h(
    "details",
    { class: "unfold", ontoggle: () => element.open && !asked && load() },
    h("summary", {}, icon("accounts", 16), h("span", {}, words)),
    place,
  );

  async function load() {
    asked = true;
    fill(place, spinner("Looking it up"));
    try {
      fill(place, mailView(await api.get(`/api/mails/${encodeURIComponent(ref.account)}/${encodeURIComponent(ref.id)}`)));
    } catch (problem) {
      asked = false;
      fill(place, h("p", { class: "small ink-high", role: "alert" }, problem.detail ?? problem.message));
    }
  }
  return element;
}
