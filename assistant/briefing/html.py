"""A briefing as an HTML mail: tables and inline styles, since that is what mail programs know. Nothing in it is loaded or run."""

import re
from collections.abc import Iterator
from html import escape

from assistant.briefing.facts import Briefing, Line, Section, SectionKind
from assistant.briefing.wording import covered, href, notices, reasons, seen, sentence

FONT = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
INK, QUIET, EDGE, ACCENT, WARN = "#1f2328", "#59636e", "#d8dee4", "#0b57d0", "#9a3412"
WRAPS = f"font-size:15px;line-height:21px;color:{INK};word-break:break-word;overflow-wrap:anywhere"
WARNING: frozenset[SectionKind] = frozenset({"phishing", "conflicts"})

SITE = re.compile(r"(?<=\w)([.@])(?=[^\W\d])")

DARK = """
@media (prefers-color-scheme: dark) {
  .back, .back > tbody > tr > td { background: #0d1117 !important }
  .card { background: #161b22 !important; border-color: #30363d !important }
  .ink, .ink a { color: #e6edf3 !important }
  .ink a { text-decoration-color: #57606a !important }
  .quiet { color: #9aa4af !important }
  .edge { border-color: #30363d !important }
  .number { color: #79b0ff !important; background: #1c2a41 !important }
  .notice { background: #3a2a12 !important; color: #f5d9a8 !important; border-color: #8a5a12 !important }
  .warn { color: #ffa657 !important }
}
@media (max-width: 480px) {
  .back > tbody > tr > td { padding: 0 !important }
  .card { border-left: 0 !important; border-right: 0 !important; border-radius: 0 !important }
  .inner { padding-left: 16px !important; padding-right: 16px !important }
}
"""

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>{title}</title>
<style>{dark}</style>
</head>
<body style="margin:0;padding:0;-webkit-text-size-adjust:100%">
<table role="presentation" class="back" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f3f5f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="{card}">
{rows}
</table>
</td></tr>
</table>
</body>
</html>
"""
CARD = (
    f"max-width:640px;background:#ffffff;border:1px solid {EDGE};border-radius:10px;border-collapse:separate;text-align:left;{FONT}"
)


def page(briefing: Briefing, base_url: str = "") -> str:
    """A whole document. Lines lead to the page under `base_url`, else mails to the reader's mail program."""
    rows = [_title(briefing), *map(_notice, notices(briefing)), _lead(briefing)]
    rows += [row for section in briefing.sections if section.lines or section.note for row in _section(section, base_url)]
    rows.append(_foot(briefing))
    return PAGE.format(title=escape(seen(briefing.title)), dark=DARK, card=CARD, rows="\n".join(filter(None, rows)))


def _row(content: str, padding: str) -> str:
    return f'<tr><td class="inner" style="padding:{padding}">{content}</td></tr>'


def _title(briefing: Briefing) -> str:
    style = f"margin:0;font-size:22px;line-height:28px;color:{INK}"
    return _row(f'<h1 class="ink" style="{style}">{escape(seen(briefing.title))}</h1>', "24px 28px 0")


def _lead(briefing: Briefing) -> str:
    style = f"margin:0;font-size:16px;line-height:24px;color:{INK}"
    return _row(f'<p class="ink" style="{style}">{escape(briefing.lead)}</p>', "10px 28px 0") if briefing.lead else ""


def _notice(notice: str) -> str:
    style = (
        "padding:10px 14px;font-size:14px;line-height:20px;background:#fff4e0;color:#5c3b00;border:1px solid #f0c987;"
        "border-radius:6px"
    )
    return _row(f'<div class="notice" style="{style}">{escape(notice)}</div>', "12px 28px 0")


def _section(section: Section, base_url: str) -> Iterator[str]:
    warns = section.kind in WARNING
    style = f"margin:0;font-size:15px;line-height:20px;font-weight:600;color:{WARN if warns else INK}"
    heading = f'<h2 class="{"warn" if warns else "ink"}" style="{style}">{escape(seen(section.title))}</h2>'
    lines = "\n".join(_line(line, base_url) for line in section.lines) if section.kind != "open" else _in_one(section, base_url)
    yield _row(heading, "24px 28px 4px")
    if section.lines:
        table = '<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">'
        yield _row(f"{table}\n{lines}\n</table>", "0 28px")
    if section.note:
        yield _row(_quiet(sentence(section.note)), "6px 28px 0")


def _line(line: Line, base_url: str) -> str:
    more = [_quiet(said) for said in (_begun(reasons(line)), *map(seen, line.with_whom)) if said]
    return _told(_number(line), f"{_linked(line, base_url)}{''.join(more)}")


def _begun(why: str) -> str:
    """With a capital, where it begins with a word."""
    return f"{why[:1].upper()}{why[1:]}" if why.partition(" ")[0].isalpha() else why


def _in_one(section: Section, base_url: str) -> str:
    """Several short lines as one."""
    return _told("", "; ".join(f"{_number(line)} {_linked(line, base_url)}" for line in section.lines))


def _told(number: str, text: str) -> str:
    cell = f'class="ink edge" valign="top" style="padding:9px 0;border-top:1px solid {EDGE};{WRAPS}"'
    if not number:
        return f'<tr><td {cell} colspan="2">{text}</td></tr>'
    return f'<tr><td {cell} width="34">{number}</td><td {cell}>{text}</td></tr>'


def _number(line: Line) -> str:
    style = (
        f"display:inline-block;min-width:16px;padding:0 4px;text-align:center;font-size:13px;line-height:21px;font-weight:600;"
        f"color:{ACCENT};background:#e8f0fe;border-radius:6px"
    )
    return f'<span class="number" style="{style}">{line.number}</span>' if line.number else ""


def _linked(line: Line, base_url: str) -> str:
    text, where = escape(seen(line.text)), href(line, base_url)
    if not where:
        return _inert(text)
    style = f"color:{INK};text-decoration:underline;text-decoration-color:{EDGE};text-underline-offset:3px"
    return f'<a href="{escape(where)}" style="{style}">{text}</a>'


def _quiet(text: str) -> str:
    return f'<div class="quiet" style="font-size:13px;line-height:19px;color:{QUIET}">{_inert(escape(text))}</div>'


def _inert(escaped: str) -> str:
    """Mail programs make links of names of sites and addresses, which a space without width keeps them from."""
    return SITE.sub(r"\1&#8203;", escaped)


def _foot(briefing: Briefing) -> str:
    told = covered(briefing)
    if not told:
        return ""
    style = f"padding-top:14px;border-top:1px solid {EDGE};font-size:12px;line-height:18px;color:{QUIET}"
    return _row(f'<div class="quiet edge" style="{style}">{escape(told)}</div>', "24px 28px 22px")
