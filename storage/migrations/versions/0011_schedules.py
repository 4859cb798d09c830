"""Schedules, the runs of their slots, and where the results went."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "schedule",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("task", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("zone", AutoString(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("targets", sa.JSON(), nullable=False),
        sa.Column("by_program", sa.Boolean(), nullable=False),
        sa.Column("paused", UTCDateTime(), nullable=True),
        sa.Column("since", UTCDateTime(), nullable=False),
        sa.Column("next", UTCDateTime(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("updated", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_schedule_user_id"),
        sa.PrimaryKeyConstraint("id", name="pk_schedule"),
    )
    op.create_table(
        "slot",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("schedule_id", AutoString(), nullable=False),
        sa.Column("slot", AutoString(), nullable=False),
        sa.Column("due", UTCDateTime(), nullable=False),
        sa.Column("status", AutoString(), nullable=False),
        sa.Column("owner", AutoString(), nullable=True),
        sa.Column("lease_until", UTCDateTime(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("stands_for", sa.Integer(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("covered", sa.Text(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("ended", UTCDateTime(), nullable=True),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_slot_user_id"),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.id"], name="fk_slot_schedule_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("schedule_id", "slot", name="pk_slot"),
    )
    op.create_table(
        "delivery",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("schedule_id", AutoString(), nullable=False),
        sa.Column("slot", AutoString(), nullable=False),
        sa.Column("target", AutoString(), nullable=False),
        sa.Column("status", AutoString(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("not_before", UTCDateTime(), nullable=True),
        sa.Column("key", AutoString(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.Column("told", sa.Boolean(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("updated", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_delivery_user_id"),
        sa.ForeignKeyConstraint(
            ["schedule_id", "slot"], ["slot.schedule_id", "slot.slot"], name="fk_delivery_schedule_id_slot", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("schedule_id", "slot", "target", name="pk_delivery"),
    )
    op.create_table(
        "target",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("says", AutoString(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_target_user_id"),
        sa.PrimaryKeyConstraint("user_id", "name", name="pk_target"),
    )
    for table, column in (("schedule", "next"), ("slot", "status"), ("delivery", "status")):
        for name in (column, "user_id"):
            op.create_index(f"ix_{table}_{name}", table, [name])


def downgrade() -> None:
    for table in ("delivery", "slot", "schedule", "target"):
        op.drop_table(table)
