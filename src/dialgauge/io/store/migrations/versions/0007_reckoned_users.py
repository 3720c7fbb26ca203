"""What was taken from the budget for a call of a simulated user whose tokens the endpoint did not count."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add two columns to the calls; earlier ones have no such reckoning."""
    op.add_column("simulated_calls", sa.Column("reckoned_tokens", sa.BigInteger))
    op.add_column("simulated_calls", sa.Column("reckoned_cost", sa.Double))
