"""What each writer to a server wrote last."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "writer",
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_writer"),
    )


def downgrade() -> None:
    op.drop_table("writer")
