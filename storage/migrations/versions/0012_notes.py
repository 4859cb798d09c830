"""What users want remembered."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "note",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("said", sa.Text(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("flow_id", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_note_user_id"),
        sa.PrimaryKeyConstraint("user_id", "number", name="pk_note"),
    )


def downgrade() -> None:
    op.drop_table("note")
