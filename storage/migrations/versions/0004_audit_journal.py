"""The audit journal."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.Column("kind", AutoString(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=False),
        sa.Column("preview_id", AutoString(), nullable=False),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("content", sa.Text(), nullable=True),
        sa.Column("digest", AutoString(), nullable=False),
        sa.Column("previous", AutoString(), nullable=False),
        sa.Column("hash", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_audit_user_id"),
        sa.PrimaryKeyConstraint("seq", name="pk_audit"),
    )
    for column in ("flow_id", "preview_id", "key"):
        op.create_index(f"ix_audit_{column}", "audit", [column])
    head = op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("hash", AutoString(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_head"),
    )
    op.bulk_insert(head, [{"id": 1, "count": 0, "hash": "0" * 64}])


def downgrade() -> None:
    op.drop_table("audit_head")
    op.drop_table("audit")
