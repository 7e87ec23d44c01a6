"""Families of ops: what the reference lists together, and what the marks of the browser tell apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .facets import Category
from .op import Op


@dataclass(frozen=True)
class Family:
    """Ops that a reader looks for under one title."""

    title: str
    category: Category
    """Of each op that states no `category` of its own."""
    ops: tuple[type[Op], ...]

    @property
    def anchor(self) -> str:
        """The title as part of a URL."""
        return self.title.lower().replace(",", "").replace(":", "").replace(" ", "-")


def ops_of(families: Iterable[Family]) -> tuple[type[Op], ...]:
    """The ops of all of them, family by family."""
    return tuple(op for family in families for op in family.ops)
