"""Several users, and what they come in with."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op
from sqlmodel import UTCDateTime
from sqlmodel.sql.sqltypes import AutoString

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, kind in (("email", AutoString()), ("password", AutoString()), ("role", AutoString())):
        op.add_column("user", sa.Column(name, kind, nullable=False, server_default=""))
    # A required column needs some value for the row that is there, which gets its own at once.
    op.add_column("user", sa.Column("created", UTCDateTime(), nullable=False, server_default="1970-01-01 00:00:00"))
    op.add_column("user", sa.Column("disabled", UTCDateTime(), nullable=True))
    op.add_column("user", sa.Column("removed", UTCDateTime(), nullable=True))
    users = sa.table("user", sa.column("role", AutoString()), sa.column("created", UTCDateTime()))
    op.execute(users.update().values(role="owner", created=datetime.now(UTC)))
    op.create_table(
        "session",
        *_of_user("session"),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("digest", AutoString(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("seen", UTCDateTime(), nullable=False),
        sa.Column("expires", UTCDateTime(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("digest", name="uq_session_digest"),
    )
    op.create_table(
        "api_token",
        *_of_user("api_token"),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("digest", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("scopes", AutoString(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("used", UTCDateTime(), nullable=True),
        sa.Column("expires", UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_token"),
        sa.UniqueConstraint("digest", name="uq_api_token_digest"),
    )
    op.create_table(
        "passkey",
        *_of_user("passkey"),
        sa.Column("id", AutoString(), nullable=False),
        sa.Column("name", AutoString(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("sign_count", sa.Integer(), nullable=False),
        sa.Column("created", UTCDateTime(), nullable=False),
        sa.Column("used", UTCDateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_passkey"),
    )
    op.create_table(
        "invitation",
        *_of_user("invitation"),
        sa.Column("digest", AutoString(), nullable=False),
        sa.Column("expires", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_invitation"),
    )
    op.create_table(
        "continuation",
        *_of_user("continuation"),
        sa.Column("digest", AutoString(), nullable=False),
        sa.Column("conversation", AutoString(), nullable=False),
        sa.Column("at", UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "digest", name="pk_continuation"),
    )
    op.create_index("ix_continuation_user_id_at", "continuation", ["user_id", "at"])
    op.add_column("message", sa.Column("mark", AutoString(), nullable=True))
    marked = sa.text("mark IS NOT NULL")
    op.create_index("ix_message_user_id_mark", "message", ["user_id", "mark"], sqlite_where=marked, postgresql_where=marked)
    for table in ("session", "api_token", "passkey", "invitation"):
        op.create_index(f"ix_{table}_user_id", table, ["user_id"])


def _of_user(table: str) -> tuple[sa.Column[str], sa.ForeignKeyConstraint]:
    return (
        sa.Column("user_id", AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=f"fk_{table}_user_id"),
    )


def downgrade() -> None:
    op.drop_index("ix_message_user_id_mark", "message")
    op.drop_column("message", "mark")
    for table in ("continuation", "invitation", "passkey", "api_token", "session"):
        op.drop_table(table)
    op.execute("DELETE FROM \"user\" WHERE id <> 'owner'")
    with op.batch_alter_table("user") as user:
        for name in ("email", "password", "role", "created", "disabled", "removed"):
            user.drop_column(name)
