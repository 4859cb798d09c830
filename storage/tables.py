"""The tables, and the frozen values in which their rows are handed out: one definition of the columns for both.

Every row belongs to a user. All times are aware UTC.
"""

from datetime import datetime
from typing import Any, ClassVar, Literal

from sqlalchemy import BigInteger, ForeignKeyConstraint, Index, MetaData, Text, UniqueConstraint, text
from sqlmodel import JSON, Field, SQLModel

OWNER = "owner"
"""Who set the program up; the one user there is at first."""

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
    """`role` is "user", "assistant", "program" for text of another program, or "schedule" for that of a schedule; `id` counts up
    over all conversations; by `mark` its sender knows it again, where they gave it one."""

    id: int = Field(primary_key=True)
    conversation: str
    role: str
    text: str = Field(sa_type=Text)
    flow_id: str | None = None
    at: datetime
    mark: str | None = None


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


class StoredUser(Base):
    """`name` is what they sign in with, unique without regard to case, empty for the owner at first; `password` an argon2 hash, or
    empty; `disabled`: since then nobody may enter as this user. Of one who was `removed` nothing but the id is left, since the
    audit journal names it."""

    id: str = Field(primary_key=True)
    name: str = ""
    email: str = ""
    password: str = ""
    role: str = "member"
    created: datetime
    disabled: datetime | None = None
    removed: datetime | None = None


class StoredSession(Row):
    """One browser that signed in. `id` may be shown; `digest` is the SHA-256 of what its cookie holds; `agent` the browser's own
    words."""

    id: str = Field(primary_key=True)
    digest: str = Field(unique=True)
    created: datetime
    seen: datetime
    expires: datetime
    agent: str = Field(default="", sa_type=Text)


class StoredToken(Row):
    """One program's key. `digest` is its SHA-256, `scopes` are divided by spaces; None in `expires`: never."""

    id: str = Field(primary_key=True)
    digest: str = Field(unique=True)
    name: str
    scopes: str
    created: datetime
    used: datetime | None = None
    expires: datetime | None = None


class StoredPasskey(Row):
    """`id` and `public_key` are base64url."""

    id: str = Field(primary_key=True)
    name: str
    public_key: str = Field(sa_type=Text)
    sign_count: int = 0
    created: datetime
    used: datetime | None = None


class StoredInvitation(Row):
    """A link that lets its user set a password, once. `digest` is the SHA-256 of what it holds."""

    digest: str = Field(primary_key=True)
    expires: datetime


class StoredSchedule(Row):
    """`task` and `rule` are JSON; `zone` empty: the user's; `targets`: where its results go beside the conversation. Slots after
    `since` count; `next` is when the next is due, None: never. `by_program`: another program set it up. `version` counts its
    changes, from 1."""

    id: str = Field(primary_key=True)
    name: str
    task: str = Field(sa_type=Text)
    rule: str = Field(sa_type=Text)
    zone: str = ""
    conversation: str
    targets: list[str] = Field(default=[], sa_type=JSON)
    by_program: bool = False
    paused: datetime | None = None
    since: datetime
    next: datetime | None = None
    version: int = 1
    created: datetime
    updated: datetime


class StoredSlot(Row):
    """One due run of a schedule. `slot` is its wall-clock time, or "now" with an instant where the user wanted it at once;
    `stands_for` counts the earlier slots that were missed and that it makes up for, each of which is `missed`. `covered` is JSON
    for the next run; `result` a sentence. `attempts` counts claims."""

    schedule_id: str = Field(primary_key=True, foreign_key="schedule.id", ondelete="CASCADE")
    slot: str = Field(primary_key=True)
    due: datetime
    status: str = "claimed"
    owner: str | None = None
    lease_until: datetime | None = None
    attempts: int = 1
    stands_for: int = 0
    flow_id: str | None = None
    result: str = Field(default="", sa_type=Text)
    covered: str = Field(default="", sa_type=Text)
    created: datetime
    ended: datetime | None = None


class StoredDelivery(Row):
    """One result at one place. `key` is that of its row in the outbox, where it has one; a pending one is tried at `not_before`;
    `told`: the user has heard that it failed or is unknown."""

    schedule_id: str = Field(primary_key=True)
    slot: str = Field(primary_key=True)
    target: str = Field(primary_key=True)
    status: str = "pending"
    attempts: int = 0
    not_before: datetime | None = None
    key: str = ""
    error: str = Field(default="", sa_type=Text)
    told: bool = False
    created: datetime
    updated: datetime


class StoredTarget(Row):
    """Where results can be sent; `name` is unique for its user, without regard to case. `sealed` is its address, which holds a
    secret; `says` is what may be shown of it."""

    name: str
    sealed: str = Field(sa_type=Text)
    says: str = ""
    created: datetime


class StoredNote(Row):
    """What the user wants remembered, in their own words. `number` counts up for its user; `said` is the message it was said in,
    `flow_id` the flow that this began."""

    number: int
    text: str = Field(sa_type=Text)
    said: str = Field(sa_type=Text)
    conversation: str
    flow_id: str
    at: datetime


class UserTable(StoredUser, table=True):
    __tablename__ = "user"
    id: str = Field(primary_key=True)


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


_IS_MARKED = text("mark IS NOT NULL")


class MessageTable(StoredMessage, table=True):
    __tablename__ = "message"
    __table_args__ = (
        _in_conversation(),
        _of_flow(),
        Index(None, "user_id", "conversation", "id"),
        Index(None, "user_id", "mark", sqlite_where=_IS_MARKED, postgresql_where=_IS_MARKED),
    )


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


class SessionTable(StoredSession, table=True):
    __tablename__ = "session"
    __table_args__ = (Index(None, "user_id"),)


class TokenTable(StoredToken, table=True):
    __tablename__ = "api_token"
    __table_args__ = (Index(None, "user_id"),)


class PasskeyTable(StoredPasskey, table=True):
    __tablename__ = "passkey"
    __table_args__ = (Index(None, "user_id"),)


class InvitationTable(StoredInvitation, table=True):
    __tablename__ = "invitation"
    __table_args__ = (Index(None, "user_id"),)


class ScheduleTable(StoredSchedule, table=True):
    __tablename__ = "schedule"
    __table_args__ = (Index(None, "user_id"), Index(None, "next"))


class SlotTable(StoredSlot, table=True):
    """No foreign key to the flow, which may be forgotten before it."""

    __tablename__ = "slot"
    __table_args__ = (Index(None, "status"), Index(None, "user_id"))


class DeliveryTable(StoredDelivery, table=True):
    __tablename__ = "delivery"
    __table_args__ = (
        ForeignKeyConstraint(["schedule_id", "slot"], ["slot.schedule_id", "slot.slot"], ondelete="CASCADE"),
        Index(None, "status"),
        Index(None, "user_id"),
    )


class TargetTable(StoredTarget, table=True):
    __tablename__ = "target"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    name: str = Field(primary_key=True)


class NoteTable(StoredNote, table=True):
    """No foreign keys to the conversation and the flow, which may be made smaller or forgotten before it."""

    __tablename__ = "note"
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    number: int = Field(primary_key=True)


class ContinuationTable(Base, table=True):
    """Which conversation goes on where a program sends a history again: `digest` is of that history, as the program knows it."""

    __tablename__ = "continuation"
    __table_args__ = (Index(None, "user_id", "at"),)
    user_id: str = Field(primary_key=True, foreign_key="user.id")
    digest: str = Field(primary_key=True)
    conversation: str
    at: datetime


USER, ACCOUNT, CONVERSATION, MESSAGE, FLOW, EVENT, PREVIEW, OUTBOX, TEMPLATE, SETTING, CALL, AUDIT, AUDIT_HEAD, SECRET = (
    METADATA.tables[name]
    for name in (
        "user", "account", "conversation", "message", "flow", "event", "preview", "outbox", "template", "setting", "model_call",
        "audit", "audit_head", "secret",
    )
)  # fmt: skip
SESSION, TOKEN, PASSKEY, INVITATION, CONTINUATION = (
    METADATA.tables[name] for name in ("session", "api_token", "passkey", "invitation", "continuation")
)
SCHEDULE, SLOT, DELIVERY, TARGET = (METADATA.tables[name] for name in ("schedule", "slot", "delivery", "target"))
NOTE = METADATA.tables["note"]
