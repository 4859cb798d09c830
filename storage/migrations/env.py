"""Alembic's entry. It works on the connection it is given, inside the transaction that is open there."""

from alembic import context

from storage.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
