"""What accounts sign in with, sealed."""

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "secret",
        sa.Column("user_id", AutoString(), nullable=False),
        sa.Column("account", AutoString(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("updated", UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name="fk_secret_user_id"),
        sa.PrimaryKeyConstraint("user_id", "account", name="pk_secret"),
    )


def downgrade() -> None:
    op.drop_table("secret")
