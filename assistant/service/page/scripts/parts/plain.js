// What strangers wrote, as text: kept in its own direction, and with nothing in it that hides or turns other characters.

import { h, visible } from "../dom.js";
import { onOneLine } from "../words.js";

const FORMATTING = /\p{Cf}/gu;
const SHOWN = "\ufffd";
const LONGEST = 60;
const MOST_NAMES = 4;
const NAME = /^[\p{Lu}\p{Lo}][\p{L}\p{M}'’-]*\.?$/u;
/** What could make a second request of the rest. */
const JOINS = new Set(["and", "then", "also", "or", "but", "plus", "if", "unless", "otherwise", "saying", "to", "please"]);

/** As `visible`, with line breaks of one kind. */
export const plain = (text) => visible(String(text ?? "").replace(/\r\n?|[\u2028\u2029\u0085]/g, "\n"));

/** Inside a line. */
export const said = (text, props = {}) => h("bdi", props, plain(text));

/** A text of several lines; each paragraph has its own direction. */
export const prose = (text, ...classes) => h("div", { class: ["prose", ...classes], dir: "auto" }, plain(text));

/** An address holds no invisible character, or it shows as one. */
export const email = (address) => h("bdi", { class: "address", dir: "ltr" }, plain(address).replace(FORMATTING, SHOWN));

/** Letters beyond ASCII can look like others. */
export const looksOdd = (address) => /[^\u0020-\u007e]/.test(address ?? "");

/** An address as it goes out: its domain as it is looked up, other letters by their numbers. */
export function asSent(address) {
  if (!looksOdd(address)) return address;
  const at = address.lastIndexOf("@");
  const numbered = (char) => (/[\u0020-\u007e]/.test(char) ? char : `\\u${char.codePointAt(0).toString(16).padStart(4, "0")}`);
  return `${[...address.slice(0, at)].map(numbered).join("")}@${host(address.slice(at + 1))}`;
}

function host(domain) {
  try {
    return new URL(`http://${domain}`).hostname || domain;
  } catch {
    return domain;
  }
}

/** "Anna Berg" with the address behind it, or the address alone; one with other letters than ASCII's also as it goes out. */
export const person = ({ name, email: address }) =>
  h(
    "span",
    { class: "person" },
    name && said(name.replace(FORMATTING, SHOWN), { class: "person-name" }),
    name && " ",
    looksOdd(address) && [email(asSent(address)), " reads "],
    email(address),
  );

/** For sentences: the name, else the address. */
export const called = ({ name, email: address }) => plain(name || address).replace(FORMATTING, SHOWN);

export const fullName = ({ name, email: address }) => plain(name ? `${name} <${address}>` : address).replace(FORMATTING, SHOWN);

const unformatted = (text) => String(text ?? "").replace(FORMATTING, "");

/**
 * A stranger's words to stand in quotation marks inside the user's own: a piece of them on one line, by which they are found again. It
 * ends before a quotation mark, and holds no address, which would count as written by the user.
 */
export function tame(text) {
  const pieces = onOneLine(plain(unformatted(text))).split(/\s*(?:[“”„‟«»"\ufffd]|\S*[@\uff20]\S*)\s*/u);
  const longest = pieces.reduce((one, other) => (other.length > one.length ? other : one));
  return longest.length > LONGEST ? longest.slice(0, LONGEST + 1).replace(/\s*\S*$/, "") || longest.slice(0, LONGEST) : longest;
}

/** A stranger's name to stand there without quotation marks: empty where it could be read as more than a name. */
export function tameName(name) {
  const words = onOneLine(name).split(" ");
  const named = words.length <= MOST_NAMES && words.every((word) => NAME.test(word) && !JOINS.has(word.toLowerCase().replaceAll(".", "")));
  return named ? words.join(" ") : "";
}
