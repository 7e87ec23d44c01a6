"""Targets of custom calls from outside of the engine, which itself reads no environment.

Code that embeds the engine appends a function that finds a `Target` by its name. The functions are called for names that
the engine does not know, in their order.
"""

from collections.abc import Callable
from typing import Any

FINDERS: list[Callable[[str], Any]] = []


def find_added(name: str) -> Any:
    """The first target that a finder has under this name; `None` if none has."""
    return next((found for find in FINDERS if (found := find(name)) is not None), None)
