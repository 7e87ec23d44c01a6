"""An array of a file: what the file says of it, and its values once somebody wants them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.errors import InputError
from hloscope.engine.inputs import InputSpec

Array = NDArray[Any]
MOST_ARRAYS = 4096
"""Of 256 processes 16 arrays each."""
MOST_RANK = 64


@dataclass(frozen=True)
class Header:
    """What a file says about one of its arrays."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran_order: bool = False

    @property
    def byte_count(self) -> int:
        """Bytes of the array."""
        return prod(self.shape) * self.dtype.itemsize

    def __str__(self) -> str:
        is_bits = self.dtype.type is np.void
        dtype = f"{self.dtype.itemsize}-byte bits" if is_bits else self.dtype.name
        return f"{self.name}: {dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class StoredArray:
    """An array that is still in its file."""

    header: Header
    load: Callable[[], Array]
    """Reads it; `InputError` where it is cut off."""


class ListedNumbers(np.ndarray[Any, Any]):
    """Numbers of a text, which have no type of their own: they become those of the argument, if they are in it."""


def array_spec(array: Array | None) -> InputSpec:
    """The input that an array of a file is: of its argument's dtype or its bits, or numbers that become so."""
    return InputSpec("array", array=array, exact=not isinstance(array, ListedNumbers))


def check_shape(name: str, shape: object) -> tuple[int, ...]:
    """Sizes as a file states them; `InputError` where no array can have them."""
    if not isinstance(shape, list | tuple) or len(shape) > MOST_RANK:
        raise InputError(f"{name} has a shape that no array can have")
    if any(type(size) is not int or not 0 <= size < 1 << 48 for size in shape):
        raise InputError(f"{name} has a shape that no array can have")
    return tuple(shape)


def check_count(count: int, file: str) -> None:
    """`InputError` for more arrays than are read."""
    if count > MOST_ARRAYS:
        raise InputError(f"{file} holds {count:,} arrays; at most {MOST_ARRAYS:,} are read")
