"""A result by mail to the user's own address: through the outbox, like every other mail."""

from dataclasses import dataclass

from assistant.pipeline import auditing
from assistant.pipeline.execute import Executor, Permit
from assistant.pipeline.laying import DELIVER, row_of
from assistant.pipeline.state import FlowState
from assistant.scheduling.delivery.content import Content
from assistant.values import Outcome
from integrations.actions import SendMail
from integrations.registry import Account
from integrations.types import Address
from risk.text import line
from storage import deliveries
from storage.session import Session
from storage.tables import StoredDelivery

NO_ACCOUNT = "There is no account that can send mail; connect one."


@dataclass(frozen=True)
class Mailing:
    executor: Executor

    async def send(self, row: StoredDelivery, state: FlowState, schedule: str, content: Content) -> Outcome | None:
        """One attempt, which begins the row; None where another has begun it. `schedule` is its name. Where there is no account
        for it nothing begins: see `account`."""
        account = self.account
        if account is None:
            return None
        action = to_oneself(account, content)
        permit = Permit("delivery", permitted(row))
        key = row_of(permit, 0, action).key
        says = f"send “{line(content.title)}” to yourself, at {action.to[0].email}"
        entry = auditing.delivered(permit.reference, state, schedule, says, action)

        def claim(s: Session) -> bool:
            return deliveries.start(s, row, self.executor.clock(), key)

        outcomes = await self.executor.carry_out(permit, [action], [says], entry, claim)
        return outcomes[0] if outcomes else None

    @property
    def account(self) -> Account | None:
        """The first from which a mail leaves by itself, else the first that holds mail."""
        every = [*self.executor.accounts.values()]
        leaving = (account for account in every if account.sends)
        return next(leaving, next((account for account in every if account.config.settings.get("mail")), None))


def permitted(row: StoredDelivery) -> str:
    """The reference of the permit for its next attempt: each that came to nothing has had its own."""
    again = f"-{row.attempts + 1}" if row.attempts else ""
    return f"{DELIVER}{row.schedule_id}-{row.slot}{again}"


def to_oneself(account: Account, content: Content) -> SendMail:
    me = Address(email=account.config.address.lower(), name=account.config.owner)
    return SendMail(account=account.config.name, to=(me,), subject=line(content.title, 120), body=content.text, html=content.html)
