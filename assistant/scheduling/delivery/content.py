"""What is sent to the user of a run: its briefing, or its reply with what awaits approval. Nothing in it approves anything."""

from collections.abc import Sequence
from html import escape
from urllib.parse import quote

from assistant.briefing import html, text
from assistant.pipeline.state import FlowState
from assistant.reasoning.asked import linkable
from assistant.reasoning.inert import inert
from assistant.reasoning.llm.visible import one_line, visible
from assistant.reasoning.origins import WARNING, person
from integrations.types import Value
from risk.preview import Preview

LONGEST_TITLE = 120
MOST_RECIPIENTS = 50
LONGEST_WARNING = 500
NOT_BY_ANSWER = "An answer to this message approves nothing."


class Content(Value):
    """`html` is a whole document; `link` leads to the conversation on the page, empty where its address is not known."""

    title: str
    text: str
    html: str
    link: str = ""


def content_of(state: FlowState, name: str, opened: Sequence[Preview], base_url: str = "") -> Content:
    """`name` is the schedule's, `opened` are the previews of the flow that are open."""
    link = f"{base_url}/#/c/{quote(state.conversation, safe='')}" if base_url else ""
    if state.briefing is not None:
        told = state.briefing.model_copy(update={"notices": (*filter(None, [state.late]), *state.briefing.notices)})
        title = one_line(told.title, LONGEST_TITLE)
        return Content(title=title, text=inert(text.plain(told)), html=html.page(told, base_url), link=link)
    title = one_line(_title(state, name, opened), LONGEST_TITLE)
    asked = state.question.text if state.question and state.question.text not in state.reply else ""
    as_said = state.analysis is None or state.analysis.as_said
    known = linkable(f"{state.about}\n{state.text}", state.reports, opened, as_said=as_said)
    said = [inert(visible(state.reply), known), inert(visible(asked), known), *(_awaits(preview, base_url) for preview in opened)]
    whole = "\n\n".join(filter(None, said))
    links = [_at(preview, base_url) for preview in opened] if base_url else []
    return Content(title=title, text=whole, html=_page(title, whole, links or ([link] if link else [])), link=link)


def _title(state: FlowState, name: str, opened: Sequence[Preview]) -> str:
    if opened:
        return f"{name}: waits for your approval"
    if state.status == "waiting":
        return f"{name}: a question for you"
    return f"Reminder: {state.text}" if state.course == "remind" else name


def _awaits(preview: Preview, base_url: str) -> str:
    people = dict.fromkeys(one_line(person(who.address), 200) for item in preview.items for who in item.recipients)
    more = f" and {len(people) - MOST_RECIPIENTS} more" if len(people) > MOST_RECIPIENTS else ""
    whom = inert(f"It would reach: {', '.join([*people][:MOST_RECIPIENTS])}{more}.\n") if people else ""
    where = f"Look at it and approve it here: {_at(preview, base_url)}" if base_url else "Approve it in the chat."
    warned = "".join(f"⚠ {WARNING}: {one_line(inert(warning), LONGEST_WARNING)}\n" for warning in preview.warnings)
    return f"This waits for your approval.\n{warned}{whom}{where}\n{NOT_BY_ANSWER}"


def _at(preview: Preview, base_url: str) -> str:
    return f"{base_url}/#/preview/{quote(preview.id, safe='')}"


def _page(title: str, whole: str, links: Sequence[str]) -> str:
    style = f"font-size:15px;line-height:22px;color:{html.INK};white-space:pre-wrap;word-break:break-word;overflow-wrap:anywhere"
    rows = [f'<h1 class="ink" style="margin:0;font-size:20px;line-height:26px;color:{html.INK}">{escape(title)}</h1>']
    rows.append(f'<div class="ink" style="{style}">{escape(whole)}</div>')
    rows += [f'<a href="{escape(link)}" style="color:{html.ACCENT};font-size:15px">Open it in the assistant</a>' for link in links]
    padded = "\n".join(f'<tr><td class="inner" style="padding:20px 28px 4px">{row}</td></tr>' for row in rows)
    padded += '\n<tr><td style="height:20px"></td></tr>'
    return html.PAGE.format(title=escape(title), dark=html.DARK, card=html.CARD, rows=padded)
