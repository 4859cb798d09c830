"""The reasoner that needs no model: grammar, rules and extracts. It answers in milliseconds and nothing leaves the machine."""

from assistant.reasoning.base import Account, Adaptation, Analysis, Draft, Instruction, Request, Setting, Trouble
from assistant.reasoning.calls import Reading
from assistant.values import Brief
from integrations.types import Mail


class OfflineReasoner:
    """Implements the Reasoner protocol; the modules behind a question are imported when it is first asked."""

    @property
    def name(self) -> str:
        return "offline reasoner"

    async def analyse(self, request: Request) -> Analysis:
        from assistant.reasoning.offline.planning.planner import analyse

        analysis = analyse(request)
        writes = any(step.criterion.expects == "proposal" for step in analysis.plan.steps)
        return analysis.model_copy(update={"own": "writes"}) if writes else analysis

    async def choose_calls(self, instruction: Instruction) -> Reading:
        if instruction.grammar.call is not None:
            return instruction.grammar
        from assistant.reasoning.offline.reading.grammar import read

        return read(instruction.text, instruction.setting, instruction.agent)

    async def adapt(self, trouble: Trouble) -> Adaptation:
        from assistant.reasoning.offline.planning.adapting import adapt

        return adapt(trouble)

    async def draft(self, brief: Brief, setting: Setting) -> Draft:
        from assistant.reasoning.offline.saying.writing import draft

        return draft(brief, setting)

    async def reply(self, account: Account) -> str:
        if account.lead:
            return account.lead
        from assistant.reasoning.offline.saying.wording import reply_for

        return reply_for(account)

    async def summarise(self, mails: tuple[Mail, ...], setting: Setting) -> str:
        from assistant.reasoning.offline.saying.summary import summarise

        return summarise(mails)
