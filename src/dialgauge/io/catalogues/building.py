"""Make large things out of a catalogue without the garbage collector, which would look for garbage where none is."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def without_collecting() -> Iterator[None]:
    """Let the collector rest in the block: all that is made there stays, and each pass over it takes longer."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
