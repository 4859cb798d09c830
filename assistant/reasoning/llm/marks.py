"""Marks by which text could pass for somebody else's turn, for a tool's answer or for the end of a mail: broken, but readable."""

import re
import unicodedata

_SPEAKERS = "human|user|assistant|system|developer|tool|function|ai|bot|chatbot|model|instructions?|prompt|response|observation"
_SPEAKS = re.compile(
    rf"[\W_]*(?:(?:{_SPEAKERS})(?:[ _-](?:message|prompt|output|response|results?|instructions?|query|\d{{1,3}}))?[\W_]*?\s?:"
    rf"|(?<=[#=])\s{{0,3}}(?:{_SPEAKERS})\W*$"
    r"|(?:the )?(?:end|start|beginning) of (?:the |this )?"
    r"(?:e-?mails?|mails?|messages?|data|documents?|context|conversation|instructions?|results?)\b)",
    re.IGNORECASE,
)
_BAR = re.compile(r"<(?=\s{0,3}[|\uff5c\u2502])|(?<=[|\uff5c\u2502])(?=\s{0,3}>)|\uff1c(?=\s{0,3}[|\uff5c\u2502])")
_TAG = re.compile(r"<(?=<|[/!]?[a-z_][\w-]{0,40}(?::[a-z][\w-]{0,40})?[\s/>])", re.IGNORECASE)
_BRACKET = re.compile(
    r"\[(?=\s{0,3}/?\s{0,3}(?:inst|sys|system|user|assistant|human|developer|available_tools|tools?|tool_\w{1,20}|e-?mails?|messages?"
    r"|mails?|end|begin|start|context|instructions?|prompt|response|data|document)(?:[\s_:#.-][^\[\]\n]{0,60})?\])",
    re.IGNORECASE,
)
_BRACES = re.compile(r"\{(?=\{)|\}(?=\})")
_LONGEST_LEAD = 200


def harmless(text: str, *, talk: bool = False) -> str:
    """Lines that begin as a speaker's do begin with a bar; in a `talk` only those that are indented."""
    for mark in (_BAR, _TAG, _BRACKET, _BRACES):
        text = mark.sub(lambda found: f"{found[0]} ", text)
    lines = text.split("\n")
    return "\n".join(f"| {line}" if (not talk or line.startswith("  ")) and _speaks(line) else line for line in lines)


def _speaks(line: str) -> bool:
    """Whatever letters it is written in."""
    lead = line.lstrip()[:_LONGEST_LEAD]
    return bool(_SPEAKS.match(lead if lead.isascii() else unicodedata.normalize("NFKC", lead)))
