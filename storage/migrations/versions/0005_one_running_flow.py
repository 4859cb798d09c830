"""One running flow in each conversation, and a flag that asks it to stop."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_NEWER = """SELECT 1 FROM flow AS other
    WHERE other.user_id = flow.user_id AND other.conversation = flow.conversation AND other.status = 'running'
      AND (other.created > flow.created OR (other.created = flow.created AND other.id > flow.id))"""


def upgrade() -> None:
    op.add_column("flow", sa.Column("interrupt", sa.Boolean(), nullable=False, server_default=sa.false()))
    # Two processes could leave one each; the older one rests. Inside a snapshot's texts the quotes are escaped.
    op.execute(
        f"""UPDATE flow SET status = 'suspended', owner = NULL, lease_until = NULL,
            snapshot = replace(snapshot, '"status":"running"', '"status":"suspended"')
        WHERE status = 'running' AND EXISTS ({_NEWER})"""
    )
    op.execute("UPDATE flow SET owner = NULL, lease_until = NULL WHERE status <> 'running'")
    running = sa.text("status = 'running'")
    op.create_index(
        "uq_flow_running", "flow", ["user_id", "conversation"], unique=True, sqlite_where=running, postgresql_where=running
    )


def downgrade() -> None:
    op.drop_index("uq_flow_running", "flow")
    with op.batch_alter_table("flow") as table:
        table.drop_column("interrupt")
