"""Families of ops, as the reference lists them, and every op by its name.

`engine.ops` fills the table of names as it is imported, and so before any module in it runs: families import this module,
never the reverse.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType

from .facets import Category
from .op import Op


@dataclass(frozen=True)
class Family:
    """Ops that the reference lists under one title."""

    title: str
    category: Category
    """The category of each op whose traits state none."""
    ops: tuple[type[Op], ...]

    @property
    def anchor(self) -> str:
        """The title in a URL."""
        return self.title.lower().replace(",", "").replace(":", "").replace(" ", "-")


def ops_in(*modules: ModuleType) -> tuple[type[Op], ...]:
    """The ops that `modules` define, in order: their classes with a name of their own."""
    return tuple(
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Op)
        if found.__module__ == module.__name__ and "name" in vars(found)
    )


def ops_of(families: Iterable[Family]) -> tuple[type[Op], ...]:
    """The ops of all families, in order."""
    return tuple(op for family in families for op in family.ops)


_TABLE: dict[str, type[Op]] = {}


def fill_op_table(ops: Iterable[type[Op]]) -> None:
    """Add `ops` to the table, each under its name and its aliases."""
    _TABLE.update((name, op_class) for op_class in ops for name in (op_class.name, *op_class.aliases))


def op_table() -> dict[str, type[Op]]:
    """Each op class under its name and its aliases."""
    return _TABLE
