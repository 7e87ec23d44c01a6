"""An array of a file: its header, and its values, loaded on request."""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec

from ...processes.arrays import Array

MOST_ARRAYS = 4096
"""Maximum arrays of a file: 16 for each of 256 processes."""
MOST_RANK = 64


@dataclass(frozen=True)
class Header:
    """The header of one array of a file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool = False

    @property
    def byte_count(self) -> int:
        """The size of the array in bytes."""
        return prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        is_bits = self.dtype.type is np.void
        dtype = f"{self.dtype.itemsize}-byte bits" if is_bits else self.dtype.name
        return f"{self.name}: {dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class StoredArray:
    """An array that is not loaded yet."""

    header: Header
    load: Callable[[], Array]
    """Load the array. Raises `InputError` if it is truncated."""


class ListedNumbers(np.ndarray[Any, Any]):
    """Numbers of a text without a type; they take the argument's type if it represents them."""


def array_spec(array: Array | None) -> InputSpec:
    """The input specification of an array, which must have the argument's dtype or its bits."""
    return InputSpec("array", array=array, exact=not isinstance(array, ListedNumbers))


def check_shape(name: str, shape: object) -> tuple[int, ...]:
    """Sizes as a file states them. Raises `InputError` if no array can have them."""
    if not isinstance(shape, list | tuple) or len(shape) > MOST_RANK:
        raise InputError(f"{name} has a shape that no array can have")
    if any(type(size) is not int or not 0 <= size < 1 << 48 for size in shape):
        raise InputError(f"{name} has a shape that no array can have")
    return tuple(shape)


def check_count(count: int, file: str) -> None:
    """Raise `InputError` above the maximum number of arrays."""
    if count > MOST_ARRAYS:
        raise InputError(f"{file} holds {count:,} arrays; at most {MOST_ARRAYS:,} are read")


def as_bits(array: Array) -> Array:
    """The array, of a type that NumPy does not have as its bits."""
    if array.dtype.type.__module__ == "numpy":
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}").reshape(array.shape)
