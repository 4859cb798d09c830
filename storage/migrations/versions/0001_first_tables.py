"""First tables."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    users = op.create_table(
        "user",
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_user"),
    )
    op.bulk_insert(users, [{"id": "owner", "name": ""}])
    op.create_table(
        "account",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("address", AutoString(), nullable=False),
        sa.Column("owner", AutoString(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_account_user_id"),
        sa.PrimaryKeyConstraint("user_id", "name", name="pk_account"),
    )
    op.create_table(
        "conversation",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_conversation_user_id"),
        sa.PrimaryKeyConstraint("user_id", "id", name="pk_conversation"),
    )
    op.create_table(
        "outbox",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("preview_id", AutoString(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("account", AutoString(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("status", AutoString(), nullable=False),
        sa.Column("not_before", UTCDateTime(), nullable=True),
        sa.Column("receipt", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("updated", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_outbox_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_outbox"),
        sa.UniqueConstraint("key", name="uq_outbox_key"),
        sa.UniqueConstraint("preview_id", "position", name="uq_outbox_preview_id_position"),
    )
    op.create_index("ix_outbox_status", "outbox", ["status"])

    op.create_table(
        "setting",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_setting_user_id"),
        sa.PrimaryKeyConstraint("user_id", "key", name="pk_setting"),
    )
    op.create_table(
        "template",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("subject", AutoString(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_template_user_id"),
        sa.PrimaryKeyConstraint("user_id", "name", name="pk_template"),
    )
    op.create_table(
        "flow",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("status", AutoString(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("owner", AutoString(), nullable=True),
        sa.Column("lease_until", UTCDateTime(), nullable=True),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("updated", UTCDateTime(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id", "conversation"],
            ["conversation.user_id", "conversation.id"],
            name="fk_flow_user_id_conversation",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_flow_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_flow"),
    )
    op.create_index("ix_flow_status", "flow", ["status"])
    op.create_index("ix_flow_user_id_conversation_created", "flow", ["user_id", "conversation", "created"])

    op.create_table(
        "event",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("step", AutoString(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"], name="fk_event_flow_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_event_user_id"),
        sa.PrimaryKeyConstraint("flow_id", "seq", name="pk_event"),
    )
    op.create_table(
        "message",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("role", AutoString(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=True),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"], name="fk_message_flow_id", initially="DEFERRED", deferrable=True),
        sa.ForeignKeyConstraint(
            ["user_id", "conversation"],
            ["conversation.user_id", "conversation.id"],
            name="fk_message_user_id_conversation",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_message_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_message"),
    )
    op.create_index("ix_message_user_id_conversation_id", "message", ["user_id", "conversation", "id"])

    op.create_table(
        "preview",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("fingerprint", AutoString(), nullable=False),
        sa.Column("level", AutoString(), nullable=False),
        sa.Column("status", AutoString(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("expires", UTCDateTime(), nullable=False),
        sa.Column("replaces", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["flow_id"], ["flow.id"], name="fk_preview_flow_id", initially="DEFERRED", deferrable=True),
        sa.ForeignKeyConstraint(
            ["user_id", "conversation"],
            ["conversation.user_id", "conversation.id"],
            name="fk_preview_user_id_conversation",
        ),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_preview_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_preview"),
    )
    op.create_index("ix_preview_flow_id", "preview", ["flow_id"])
    op.create_index("ix_preview_user_id_conversation_status", "preview", ["user_id", "conversation", "status"])
