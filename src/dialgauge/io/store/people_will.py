"""What people want done with their data: they agree to a text, withdraw, and have their codes blanked."""

from datetime import datetime

import sqlalchemy as sa

from dialgauge.errors import InputError
from dialgauge.io.store.engine import explaining
from dialgauge.io.store.people_tables import consents, people, withdrawals
from dialgauge.io.words import clip

BLANK = "\x1f"
"""What a blanked code begins with: no code that somebody enters can have it."""


class WithdrawnError(InputError):
    """A person who withdrew asks for something to rate, or answers."""


class ConsentError(InputError):
    """A person has not agreed to the text of the study, so that they are given nothing to rate."""


def show_code(code: str) -> str:
    """Return a code as it is shown: "" where it was blanked."""
    return "" if code.startswith(BLANK) else code


def find_code(connection: sa.Connection, code: str) -> str | None:
    """Return the rater who entered with ``code``, large and small letters being the same; the exact code goes first."""
    exact = connection.scalar(sa.select(people.c.rater).where(people.c.code == code))
    if exact is not None:
        return str(exact)
    folded = code.casefold()
    rows = connection.execute(sa.select(people.c.rater, people.c.code).order_by(people.c.id))
    return next((rater for rater, known in rows if known.casefold() == folded), None)


def check_entered(connection: sa.Connection, rater: str) -> None:
    """Raise InputError where nobody has entered as ``rater``, WithdrawnError where they withdrew."""
    if connection.scalar(sa.select(people.c.id).where(people.c.rater == rater)) is None:
        raise InputError(f"nobody has entered as {clip(rater)!r}; enter with a code first")
    check_stays(connection, rater)


def check_stays(connection: sa.Connection, rater: str) -> None:
    """Raise WithdrawnError where ``rater`` withdrew."""
    if connection.scalar(sa.select(withdrawals.c.id).where(withdrawals.c.rater == rater)) is not None:
        raise WithdrawnError(f"{clip(rater)!r} withdrew from the study and cannot rate in it; enter with another code")


def has_agreed(connection: sa.Connection, rater: str, text_hash: str) -> bool:
    """Whether ``rater`` agreed to the text with this hash."""
    own = sa.select(consents.c.id).where(consents.c.rater == rater, consents.c.text_hash == text_hash)
    return connection.scalar(own) is not None


def note_agreement(connection: sa.Connection, rater: str, text_hash: str, *, at: datetime) -> None:
    """Keep that ``rater`` agreed to a text; the first moment stays."""
    check_entered(connection, rater)
    if not has_agreed(connection, rater, text_hash):
        connection.execute(sa.insert(consents), {"rater": rater, "text_hash": text_hash, "at": at})


def note_withdrawal(connection: sa.Connection, rater: str, *, at: datetime) -> bool:
    """Keep that ``rater`` withdrew, and return whether that is new; InputError where nobody has entered as them."""
    try:
        check_entered(connection, rater)
    except WithdrawnError:
        return False
    connection.execute(sa.insert(withdrawals), {"rater": rater, "at": at})
    return True


def blank_codes(connection: sa.Connection, rater: str | None) -> int:
    """Put nothing in the place of the code of ``rater``, or of all codes (None); return how many there were.

    In SQLite what stood there is overwritten.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("PRAGMA secure_delete = ON")
    codes = sa.update(people).where(~people.c.code.startswith(BLANK))
    if rater is not None:
        codes = codes.where(people.c.rater == rater)
    return connection.execute(codes.values(code=sa.literal(BLANK) + people.c.rater)).rowcount


def empty_log(engine: sa.Engine) -> None:
    """Put what was written into the file of SQLite itself and empty the -wal file, which holds old pages too."""
    if engine.dialect.name != "sqlite":
        return
    with explaining(engine), engine.connect() as connection:
        driver = connection.connection.driver_connection
        if driver is not None:  # outside of a transaction, which SQLAlchemy would open
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
