// The service's API. Every error is a Problem, whose `detail` is one sentence for people.

export class Problem extends Error {
  constructor({ status = 0, title = "", detail = "" } = {}) {
    super(detail || title || "Something went wrong.");
    this.status = status;
    this.title = title;
    this.detail = this.message;
  }

  /** The service was not reached; what was asked may or may not have happened. */
  get unreachable() {
    return this.status === 0;
  }
}

export const UNREACHABLE = "The assistant can't be reached just now.";

export class Api extends EventTarget {
  #csrf = "";

  /** Who is signed in (GET /api/me), or null. Keeps the token that every change must carry. */
  async me() {
    const who = await this.get("/api/me").catch((problem) => {
      if (problem.status === 401) return null;
      throw problem;
    });
    this.#csrf = who?.csrf ?? "";
    return who;
  }

  get(path, { query, signal } = {}) {
    return this.#ask("GET", path, { query, signal });
  }

  /** `key` makes a repeat of the same request harmless; `headers` are further ones. */
  post(path, body = {}, { key = "", signal, query, headers } = {}) {
    return this.#ask("POST", path, { body, key, signal, query, headers });
  }

  patch(path, body, options = {}) {
    return this.#ask("PATCH", path, { ...options, body });
  }

  put(path, body, options = {}) {
    return this.#ask("PUT", path, { ...options, body });
  }

  delete(path, { query, signal, body } = {}) {
    return this.#ask("DELETE", path, { query, signal, body });
  }

  async #ask(method, path, options) {
    const response = await this.#send(method, path, options);
    if (response.ok) return read(response);
    const problem = await problemOf(response);
    if (problem.status === 403 && method !== "GET" && (await this.#renewed())) {
      const again = await this.#send(method, path, options);
      if (again.ok) return read(again);
      throw await problemOf(again);
    }
    if (problem.status === 401 && this.#csrf) this.dispatchEvent(new Event("signed-out"));
    throw problem;
  }

  async #send(method, path, { body, query, signal, key, headers: more }) {
    const headers = { Accept: "application/json", ...more };
    if (method !== "GET" && this.#csrf) headers["X-CSRF-Token"] = this.#csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (key) headers["Idempotency-Key"] = key;
    const text = body === undefined ? undefined : JSON.stringify(body);
    try {
      return await fetch(path + asked(query), { method, headers, signal, body: text, credentials: "same-origin", cache: "no-store" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Problem({ detail: UNREACHABLE });
    }
  }

  /** Signed in anew in another tab: the token is another then. */
  async #renewed() {
    const before = this.#csrf;
    const who = await this.me().catch(() => null);
    return Boolean(who && before && this.#csrf !== before);
  }
}

/** Unset and empty values are left out; lists become repeated names. */
export function asked(query) {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined && one !== null && one !== "") params.append(name, one);
  }
  const text = params.toString();
  return text && `?${text}`;
}

async function read(response) {
  if (response.status === 204) return null;
  const text = await response.text();
  return text ? JSON.parse(text) : null;
}

async function problemOf(response) {
  const told = await response.json().catch(() => ({}));
  const detail = typeof told.detail === "string" ? told.detail : response.status >= 500 ? "The assistant had trouble with this." : "";
  return new Problem({ status: response.status, title: told.title ?? response.statusText, detail });
}
