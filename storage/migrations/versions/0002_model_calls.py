"""Calls to language models."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "model_call",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=False),
        sa.Column("role", AutoString(), nullable=False),
        sa.Column("model", AutoString(), nullable=False),
        sa.Column("prompt", sa.Integer(), nullable=False),
        sa.Column("cached", sa.Integer(), nullable=False),
        sa.Column("completion", sa.Integer(), nullable=False),
        sa.Column("cost", sa.Float(), nullable=True),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("trouble", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_model_call_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_model_call"),
    )
    op.create_index("ix_model_call_user_id_at", "model_call", ["user_id", "at"])
    op.create_index("ix_model_call_flow_id", "model_call", ["flow_id"])


def downgrade() -> None:
    op.drop_table("model_call")
