"""Every op by its name, for what looks ops up below the families: bodies that are run lifted, exported custom calls.

`engine.ops` fills the table as it is imported, and so before any module in it is used: the arrow goes from the
families to here, and nothing here imports them.
"""

from __future__ import annotations

from collections.abc import Iterable

from .op import Op

_TABLE: dict[str, type[Op]] = {}


def fill_op_table(ops: Iterable[type[Op]]) -> None:
    """Adds `ops`, each under its name and its aliases."""
    _TABLE.update((name, op_class) for op_class in ops for name in (op_class.name, *op_class.aliases))


def op_table() -> dict[str, type[Op]]:
    """Each op class under its name and its aliases."""
    return _TABLE
