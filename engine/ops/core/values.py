"""Values other than tensors: tuples of values, and tokens, which are empty."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...remote_values import is_remote

Array = NDArray[Any]


def tuple_of(values: Sequence[Array]) -> Array:
    """The values as one array of objects, of one dimension.

    It is read-only, and a view, so that memory accounting counts the values that it keeps alive.
    """
    found = np.empty(len(values), object)
    for number, value in enumerate(values):
        found[number] = value
    found = found.view()
    found.setflags(write=False)
    return found


def is_tuple(value: Array) -> bool:
    """Whether `value` is a tuple of values."""
    return value.dtype.hasobject


def token() -> Array:
    """A token, which is empty."""
    return np.empty((0,), np.bool_)


def read_only(value: Array) -> Array:
    """`value`, made read-only."""
    if value.flags.writeable:
        value.setflags(write=False)
    return value


def freeze(array: Array) -> Array:
    """`array`, made read-only; a NumPy scalar as an array, and a remote value as it is."""
    if type(array) is not np.ndarray:
        if is_remote(array):
            return array
        array = np.asarray(array)
    if array.flags.writeable:
        array.setflags(False)  # type: ignore[call-arg]  # by name takes three times as long
    return array


def read_only_view(array: Array) -> Array:
    """A read-only view; the caller may still write to the array."""
    if type(array) is np.ndarray and not array.flags.writeable:
        return array
    found = np.asarray(array).view()
    found.flags.writeable = False
    return found


def value_at(value: Array, path: Sequence[int]) -> Array:
    """A part of a value: itself, or what is in its tuples; `KeyError` if there is none."""
    for number in path:
        if not is_tuple(value):
            raise KeyError(path)
        value = value[number]
    return value


def leaves(value: Array) -> Iterator[Array]:
    """The leaves of `value` in order: itself, or the arrays in its tuples."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if is_tuple(found):
            waiting.extend(reversed(found.tolist()))
        else:
            yield found
