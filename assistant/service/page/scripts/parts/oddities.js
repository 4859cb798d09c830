// What reading a mail or an event has removed or found strange, in a sentence or two.

const WORDS = {
  forged: "The server that received {what} found that it does not come from where its sender says.",
  unclear: "Who sent {what} can't be told: its sender line names nobody, or several at once.",
  unseen: "Text that you could not have seen was removed from {what}.",
  parts_differ: "The plain text of {what} says something else than its formatted text; you read the plain text.",
  double_header: "The head of {what} names its subject, its sender or its recipients twice; you read the first.",
  size: "Only a part of {what} could be read, since it is too large.",
  charset: "Some letters of {what} could not be read.",
};
const GROUPS = { hidden_text: "unseen", invisible: "unseen", bidi: "unseen", too_deep: "size", too_many: "size", cut: "size" };

/** Empty where there is nothing to tell. */
export function oddly(oddities = [], what = "this mail") {
  const found = new Set(oddities.map((one) => GROUPS[one.kind] ?? one.kind));
  const kinds = Object.keys(WORDS).filter((kind) => found.has(kind));
  return kinds.map((kind) => WORDS[kind].replace("{what}", what)).join(" ");
}
