"""What was taken from the budget for a call whose tokens the endpoint did not count."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add two columns to the attempts; earlier ones have no such reckoning."""
    op.add_column("attempts", sa.Column("reckoned_tokens", sa.BigInteger))
    op.add_column("attempts", sa.Column("reckoned_cost", sa.Double))
