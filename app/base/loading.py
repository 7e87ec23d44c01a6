"""Loading of what a process keeps: its modules, a large program."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Load what stays without the garbage collector, which would take a sixth of the time and find nothing.

    It skips what is loaded from then on. Only for our own processes: in the user's it would skip the user's objects too.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
