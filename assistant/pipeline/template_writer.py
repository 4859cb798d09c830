"""Writes reply templates, which are rows of our own, as a provider's writer would."""

from dataclasses import dataclass

from integrations.actions import Action, DeleteTemplate, Receipt, SaveTemplate
from storage import outbox, templates
from storage.database import Database
from storage.session import Session


@dataclass(frozen=True)
class TemplateWriter:
    database: Database
    user: str

    async def execute(self, action: SaveTemplate | DeleteTemplate, key: str) -> Receipt:
        """The receipt is stored in the same transaction, so that it can be asked for."""
        return await self.database.write_synced(lambda s: self._write(s, action, key))

    async def find(self, action: SaveTemplate | DeleteTemplate, key: str) -> Receipt | None:
        row = await self.database.read(lambda s: outbox.by_key(s, key))
        return Receipt.model_validate_json(row.receipt) if row and row.receipt else None

    def _write(self, s: Session, action: SaveTemplate | DeleteTemplate, key: str) -> Receipt:
        inverse = self._inverse(s, action)
        if isinstance(action, SaveTemplate):
            templates.save(s, name=action.name, subject=action.subject, body=action.body, user_id=self.user)
        else:
            templates.delete(s, action.name, user_id=self.user)
        receipt = Receipt(action=action.kind, account="", key=key, id=action.name, undo=(inverse,) if inverse else ())
        if row := outbox.by_key(s, key):
            told = receipt.model_dump_json()
            outbox.advance(s, row.id, expect=("started",), to="started", at=row.updated, receipt=told)
        return receipt

    def _inverse(self, s: Session, action: SaveTemplate | DeleteTemplate) -> Action | None:
        old = templates.get(s, action.name, user_id=self.user)
        if old is not None:
            return SaveTemplate(name=old.name, subject=old.subject, body=old.body)
        return DeleteTemplate(name=action.name) if isinstance(action, SaveTemplate) else None
