"""How far flows and previews that have ended were made smaller."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("flow", "preview"):
        op.add_column(name, sa.Column("thinned", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    for name in ("flow", "preview"):
        with op.batch_alter_table(name) as table:
            table.drop_column("thinned")
