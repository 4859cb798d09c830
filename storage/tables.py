"""The tables, and the frozen values in which their rows are handed out: one definition of the columns for both.

Every row belongs to a user. All times are aware UTC.
"""

from datetime import datetime
from typing import Any, ClassVar, Literal

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, MetaData, Text, UniqueConstraint, text
from sqlmodel import JSON, Field, SQLModel

OWNER = "owner"
"""The one user there is now."""

FlowStatus = Literal["running", "waiting", "suspended", "parked", "done", "failed", "cancelled"]
PreviewStatus = Literal["open", "approved", "superseded", "cancelled", "stale"]
OutboxStatus = Literal["held", "pending", "started", "done", "failed", "unknown"]


METADATA = MetaData(
    # Every constraint has a name, since a migration can only change what it can name.
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    }
)


class Base(SQLModel):
    model_config: ClassVar[Any] = {"frozen": True}
    metadata: ClassVar[MetaData] = METADATA


class Row(Base):
    user_id: str = Field(default=OWNER, foreign_key="user.id")


class StoredAccount(Row):
    """`settings` are the provider's own; `name` is unique for its user; `owner` is the name beside the address."""

    name: str
    kind: str
    address: str
    owner: str = ""
    settings: dict[str, str] = Field(default={}, sa_type=JSON)
    sample: bool = False
    created: datetime


class StoredSecret(Row):
    """What the account of that name signs in with; `sealed` is whatever text the caller saved."""

    account: str
    sealed: str = Field(sa_type=Text)
    updated: datetime


class StoredMessage(Row):
    """`role` is "user", "assistant", or "program" for text of another program; `id` counts up over all conversations."""

    id: int = Field(primary_key=True)
    conversation: str
    role: str
    text: str = Field(sa_type=Text)
    flow_id: str | None = None
    at: datetime


class FlowHead(Row):
    """A flow without its snapshot. `about` is the user's message that began it; `version` counts its saves, from 1; `interrupt`:
    somebody wants it to stop."""

    id: str = Field(primary_key=True)
    conversation: str
    about: str = Field(sa_type=Text)
    goal: str = Field(default="", sa_type=Text)
    status: str
    version: int = 1
    owner: str | None = None
    lease_until: datetime | None = None
    interrupt: bool = False
    created: datetime
    updated: datetime


class StoredFlow(FlowHead):
    """`snapshot` is whatever text the caller saved; `thinned` tells how far it was made smaller since, 0: not at all."""

    snapshot: str = Field(default="", sa_type=Text)
    thinned: int = 0


class StoredEvent(Row):
    """`seq` counts from 1 within its flow; `data` is JSON."""

    flow_id: str = Field(primary_key=True, foreign_key="flow.id", ondelete="CASCADE")
    seq: int = Field(primary_key=True)
    at: datetime
    step: str
    text: str = Field(sa_type=Text)
    data: dict[str, Any] = Field(default={}, sa_type=JSON)


class StoredPreview(Row):
    """`body` is the preview as JSON; `replaces` is the id of the one it stands for, or empty; `thinned` as of a flow."""

    id: str = Field(primary_key=True)
    flow_id: str
    conversation: str
    fingerprint: str
    level: str
    status: str = "open"
    body: str = Field(sa_type=Text)
    created: datetime
    expires: datetime
    replaces: str = ""
    thinned: int = 0


class OutboxRow(Row):
    """One approved action. `action` and `receipt` are JSON; `key` is the idempotency key under which the provider knows it;
    a held row goes out at `not_before`; `unshown`: its failure is still to be shown."""

    id: int = Field(primary_key=True)
    preview_id: str
    position: int
    key: str = Field(unique=True)
    account: str
    action: str = Field(sa_type=Text)
    status: str = Field(default="pending", index=True)
    not_before: datetime | None = None
    receipt: str | None = Field(default=None, sa_type=Text)
    error: str = Field(default="", sa_type=Text)
    unshown: bool = False
    created: datetime
    updated: datetime


class StoredTemplate(Row):
    """A reply template; `name` is unique for its user, without regard to case."""

    name: str
    subject: str = ""
    body: str = Field(sa_type=Text)


class StoredCall(Row):
    """One call to a language model. `cost` in US dollars, None where no price is known; `trouble` is empty if it was answered;
    `estimated`: the endpoint did not count the tokens."""

    id: int = Field(primary_key=True)
    at: datetime
    flow_id: str = ""
    role: str
    model: str
    prompt: int = 0
    cached: int = 0
    completion: int = 0
    cost: float | None = None
    seconds: float = 0.0
    trouble: str = ""
    estimated: bool = False


class AuditEntry(Row):
    """`seq` counts from 1 over the whole database, without a gap. `preview_id` is whatever permits the action, as in the outbox.
    `content` is canonical JSON, None once it was forgotten; `digest` is its SHA-256; `hash` is over all columns but the content,
    `previous` being that of the entry before."""

    seq: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    at: datetime
    kind: str
    flow_id: str = ""
    preview_id: str = ""
    key: str = ""
    content: str | None = Field(default=None, sa_type=Text)
    digest: str
    previous: str
    hash: str


class AuditHead(Base):
    """How many entries the journal has, and the hash of the last: so that entries cut off at its end are missed."""

    id: int = Field(default=1, primary_key=True)
    count: int
    hash: str


class UserTable(Base, table=True):
    __tablename__ = "user"
    id: str = Field(primary_key=True)
    name: str = ""


class AccountTable(StoredAccount, table=True):
    __tablename__ = "account"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    name: str = Field(primary_key=True)


class SecretTable(StoredSecret, table=True):
    """No foreign key to the account, which may be connected anew under its name."""

    __tablename__ = "secret"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    account: str = Field(primary_key=True)


class ConversationTable(Base, table=True):
    """Conversations are named by whoever talks, so two users may use the same name."""

    __tablename__ = "conversation"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    id: str = Field(primary_key=True)
    created: datetime


def _in_conversation() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["user_id", "conversation"], ["conversation.user_id", "conversation.id"])


def _of_flow() -> ForeignKeyConstraint:
    """Checked at the end of the transaction, so that a flow may be stored after what belongs to it."""
    return ForeignKeyConstraint(["flow_id"], ["flow.id"], deferrable=True, initially="DEFERRED")


class MessageTable(StoredMessage, table=True):
    __tablename__ = "message"
    __table_args__ = (_in_conversation(), _of_flow(), Index(None, "user_id", "conversation", "id"))


_IS_RUNNING = text("status = 'running'")


class FlowTable(StoredFlow, table=True):
    __tablename__ = "flow"
    __table_args__ = (
        _in_conversation(),
        Index(None, "user_id", "conversation", "created"),
        Index(None, "status"),
        Index(
            "uq_flow_running",
            "user_id",
            "conversation",
            unique=True,
            sqlite_where=_IS_RUNNING,
            postgresql_where=_IS_RUNNING,
        ),
    )


class EventTable(StoredEvent, table=True):
    __tablename__ = "event"


class PreviewTable(StoredPreview, table=True):
    __tablename__ = "preview"
    __table_args__ = (
        _in_conversation(),
        _of_flow(),
        Index(None, "user_id", "conversation", "status"),
        Index(None, "flow_id"),
    )


class OutboxTable(OutboxRow, table=True):
    """No foreign key to the preview: what the gate lets through by itself has a permit and no preview."""

    __tablename__ = "outbox"
    __table_args__ = (UniqueConstraint("preview_id", "position"),)


class TemplateTable(StoredTemplate, table=True):
    __tablename__ = "template"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    name: str = Field(primary_key=True)


class SettingTable(Base, table=True):
    __tablename__ = "setting"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    key: str = Field(primary_key=True)
    value: str = Field(sa_type=Text)


class CallTable(StoredCall, table=True):
    __tablename__ = "model_call"
    __table_args__ = (Index(None, "user_id", "at"), Index(None, "flow_id"))


class AuditTable(AuditEntry, table=True):
    """No foreign keys to what it tells of: the journal outlives it."""

    __tablename__ = "audit"
    __table_args__ = (Index(None, "flow_id"), Index(None, "preview_id"), Index(None, "key"))


class AuditHeadTable(AuditHead, table=True):
    __tablename__ = "audit_head"


class WriterTable(Base, table=True):
    """Each process that writes to a server, with the number of its last transaction (`storage.postgres`)."""

    __tablename__ = "writer"
    id: str = Field(primary_key=True)
    number: int = Field(sa_type=BigInteger)
    at: datetime


USER, ACCOUNT, CONVERSATION, MESSAGE, FLOW, EVENT, PREVIEW, OUTBOX, TEMPLATE, SETTING, CALL, AUDIT, AUDIT_HEAD, SECRET = (
    METADATA.tables[name]
    for name in (
        "user", "account", "conversation", "message", "flow", "event", "preview", "outbox", "template", "setting", "model_call",
        "audit", "audit_head", "secret",
    )
)  # fmt: skip
