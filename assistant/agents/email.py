"""The email agent: finds, reads and sums up mail; proposes mails, replies, forwards and filing."""

from collections.abc import Mapping

from assistant.agents import answers, composing, filing, ranking, reading, templates
from assistant.agents.base import Handler, SubAgent
from assistant.agents.revise import REVISIONS
from assistant.reasoning.calls import Operation
from assistant.values import AgentName


class EmailAgent(SubAgent):
    name: AgentName = "email"
    can = "find, read, count and sum up, send, reply, forward, draft, mark, archive and trash, and keep reply templates"
    handlers: Mapping[Operation, Handler] = {
        "mail.find": reading.find,
        "mail.read": reading.read,
        "mail.summarise": reading.summarise,
        "mail.count": reading.count,
        "mail.check": reading.check,
        "mail.attention": reading.attention,
        "mail.unanswered": reading.unanswered,
        "mail.answer": answers.answer,
        "mail.rank": ranking.rank_mails,
        "mail.send": composing.send,
        "mail.draft": composing.draft,
        "mail.reply": composing.reply,
        "mail.forward": composing.forward,
        "mail.mark_read": filing.mark_read,
        "mail.mark_unread": filing.mark_unread,
        "mail.flag": filing.flag,
        "mail.unflag": filing.unflag,
        "mail.archive": filing.archive,
        "mail.trash": filing.trash,
        "mail.restore": filing.restore,
        "template.list": templates.list_templates,
        "template.save": templates.save_template,
        "template.delete": templates.delete_template,
        **REVISIONS,
    }
