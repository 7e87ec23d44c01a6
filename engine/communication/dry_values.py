"""Values of a dry run: unknown ones, which only have an identity, and small known ones.

Two processes hold the same array object if the program shows that their values are equal. So the identity of an
array stands for a value: results of one op on the same arrays are the same arrays.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..ir.types import Type
from ..ops.collectives.collective_rules import blank_value
from ..ops.core.op import Array
from ..ops.core.values import freeze, is_tuple, leaves, tuple_of

Arrays = tuple[Array, ...]
Roots = frozenset[Hashable]
PROCESS_ID = "process id"
"""The root of values that are computed from the position of a process."""
_MAX_KNOWN = 4096
"""Maximum number of elements of a value that is computed."""


@dataclass(frozen=True)
class _Entry:
    array: Array
    """Keeps the array alive, so that its identity stays unique."""
    is_known: bool
    roots: Roots


class DryValues:
    """The values of all processes of a dry run."""

    def __init__(self) -> None:
        self._entries: dict[int, _Entry] = {}
        self._arrays: dict[Hashable, Array] = {}

    def label(self, value: Array) -> Hashable:
        """The identity of a value: equal labels are equal values."""
        if is_tuple(value):
            return tuple(map(self.label, value))
        self._entry(value)
        return id(value)

    def labels(self, values: Iterable[Array]) -> Hashable:
        """The labels of several values."""
        return tuple(map(self.label, values))

    def are_known(self, values: Iterable[Array]) -> bool:
        """Whether the program determines all of the values."""
        return all(self._entry(leaf).is_known for value in values for leaf in leaves(value))

    def roots(self, values: Iterable[Array]) -> Roots:
        """The inputs of values: parts of arguments, and the process id."""
        return frozenset[Hashable]().union(
            *(self._entry(leaf).roots for value in values for leaf in leaves(value))
        )

    def have_separate_roots(self, one: Array, other: Array) -> bool:
        """Whether each of two values depends on a part that the other does not depend on, and not on the process id."""
        if self.label(one) == self.label(other):
            return False
        first, second = self.roots((one,)), self.roots((other,))
        return PROCESS_ID not in first | second and bool(first - second) and bool(second - first)

    def unknown(self, key: Hashable, like: Type | Array, roots: Roots) -> Array:
        """The unknown value of `key`; of a tuple, one with unknown elements."""
        found = blank_value(like) if isinstance(like, Type) else like
        if is_tuple(found):
            return tuple_of([self.unknown((key, k), item, roots) for k, item in enumerate(found)])
        return self._share(("unknown", key), found.view(), is_known=False, roots=roots)

    def known(self, results: Iterable[Any], roots: Roots) -> Arrays:
        """Computed values, shared by all processes that computed the same; large ones become unknown."""
        return tuple(self._known(freeze(result), roots) for result in results)

    def _known(self, value: Array, roots: Roots) -> Array:
        if is_tuple(value):
            return tuple_of([self._known(item, roots) for item in value])
        if value.size > _MAX_KNOWN:
            return self._share(("large", id(value)), value, is_known=False, roots=roots)
        key = ("known", value.dtype.str, value.dtype.name, value.shape, value.tobytes(), roots)
        return self._share(key, value, is_known=True, roots=roots)

    def _share(self, key: Hashable, array: Array, *, is_known: bool, roots: Roots) -> Array:
        if key not in self._arrays:
            self._arrays[key] = array
            self._entries[id(array)] = _Entry(array, is_known, roots)
        return self._arrays[key]

    def _entry(self, array: Array) -> _Entry:
        """The entry of an array; one that an op made without this table is unknown, and its own root."""
        if id(array) not in self._entries:
            self._entries[id(array)] = _Entry(array, False, frozenset({id(array)}))
        return self._entries[id(array)]


def choice(index: Array, branch: int) -> Array:
    """The value of `index`'s type that chooses a branch: true is branch 0."""
    return np.array(branch == 0 if index.dtype == np.bool_ else branch, index.dtype)
