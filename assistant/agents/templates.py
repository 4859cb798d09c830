"""The user's reply templates."""

from collections.abc import Iterable

from assistant.agents.base import Desk, Template
from assistant.agents.report import Notes, Refusal, not_found
from assistant.agents.words import first_name, fold, listing
from assistant.reasoning.calls import Call
from assistant.values import Data, Proposal
from integrations.actions import DeleteTemplate, SaveTemplate
from integrations.types import Address


def template_called(name: str, desk: Desk) -> Template:
    wanted = fold(name).removesuffix(" template")
    for template in desk.templates:
        if fold(template.name) == wanted:
            return template
    there = listing([template.name for template in desk.templates], 12)
    raise not_found(f"There is no template called {name}; {f'you have {there}' if there else 'you have none yet'}.")


def filled(text: str, people: Iterable[Address]) -> str:
    """With `{name}` replaced by the first names of those it goes to; nothing else is touched."""
    return text.replace("{name}", listing([first_name(person) for person in people]))


async def list_templates(call: Call, desk: Desk, notes: Notes) -> Data:
    lines = tuple(f"{template.name}: {template.body}" for template in desk.templates)
    return Data(kind="templates", reasons=lines, count=len(lines), text="\n".join(lines), heading="your templates")


async def save_template(call: Call, desk: Desk, notes: Notes) -> Data:
    if not (call.template and call.body):
        raise Refusal("not_understood", 'Tell me its name and its text: save a template called thanks: "Thank you, {name}!"')
    action = SaveTemplate(name=call.template, subject=call.subject, body=call.body)
    if any(fold(template.name) == fold(call.template) for template in desk.templates):
        notes.caution(f"replaces your template {call.template}")
    return Data(kind="proposals", proposals=(Proposal(action=action, says=f'save the template "{call.template}"'),))


async def delete_template(call: Call, desk: Desk, notes: Notes) -> Data:
    template = template_called(call.template, desk)
    action = DeleteTemplate(name=template.name)
    return Data(kind="proposals", proposals=(Proposal(action=action, says=f'delete the template "{template.name}"'),))
