// Light, dark, or as the system has it. Runs before anything is painted.

const KEY = "theme";
const THEMES = ["system", "light", "dark"];

export function theme() {
  const kept = read();
  return THEMES.includes(kept) ? kept : "system";
}

export function setTheme(name) {
  try {
    localStorage.setItem(KEY, name);
  } catch { /* kept for this page only */ }
  apply(name);
}

export const isDark = () => (theme() === "system" ? matchMedia("(prefers-color-scheme: dark)").matches : theme() === "dark");

/** To the other one than is seen now. */
export const toggleTheme = () => setTheme(isDark() ? "light" : "dark");

function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(name) {
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

apply(theme());
