"""Values that are no tensors: tuples of values, and tokens, which hold nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def tuple_of(values: Sequence[Array]) -> Array:
    """The values as one: an array of objects, of one dimension.

    It is read-only, and a view, so that whoever counts bytes takes notice of it: its own few are not what it keeps alive.
    """
    found = np.empty(len(values), object)
    for number, value in enumerate(values):
        found[number] = value
    found = found.view()
    found.setflags(write=False)
    return found


def is_tuple(value: Array) -> bool:
    """Whether `value` holds other values."""
    return value.dtype.hasobject


def token() -> Array:
    """A token: it is there, and that is all."""
    return np.empty((0,), np.bool_)


def read_only(value: Array) -> Array:
    """`value`, never to be written again."""
    if value.flags.writeable:
        value.setflags(write=False)
    return value


def freeze(array: Array) -> Array:
    """`array`, read-only from now on; a scalar of NumPy's as an array."""
    if type(array) is not np.ndarray:
        array = np.asarray(array)
    if array.flags.writeable:
        array.setflags(write=False)
    return array


def read_only_view(array: Array) -> Array:
    """A read-only view: the array itself is the caller's."""
    if type(array) is np.ndarray and not array.flags.writeable:
        return array
    found = np.asarray(array).view()
    found.flags.writeable = False
    return found


def leaves(value: Array) -> Iterator[Array]:
    """The arrays without objects that `value` is, or that are somewhere in it, in order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if is_tuple(found):
            waiting.extend(reversed(found.tolist()))
        else:
            yield found
