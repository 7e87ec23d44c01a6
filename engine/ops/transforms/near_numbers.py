"""Numbers and how far another computation's may be from them, for the error bounds of several operations in one op."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.bodies import Combiner
from ..core.fold_bounds import fold_bound
from ..core.rounding import (
    NO_ERROR,
    USUAL,
    Array,
    Error,
    are_typical,
    denormal_limit,
    times,
    unit_roundoff,
)


@dataclass(frozen=True)
class Near:
    """Numbers in f64, their error, and the type that both computations round to. NumPy's warnings are off."""

    value: Any
    error: Error
    dtype: np.dtype[Any]

    def __add__(self, other: Near) -> Near:
        return self._rounded(self.value + other.value, self.error + other.error)

    def __sub__(self, other: Near) -> Near:
        return self._rounded(self.value - other.value, self.error + other.error)

    def __mul__(self, other: Near) -> Near:
        handed = times(np.abs(self.value) + self.error, other.error) + times(np.abs(other.value), self.error)
        return self._rounded(self.value * other.value, handed)

    def over(self, divisor: Near) -> Near:
        """The quotient by an exact number, not rounded."""
        return Near(self.value / divisor.value, self.error / divisor.value, self.dtype)

    def without_error(self) -> Near:
        return Near(self.value, NO_ERROR, self.dtype)

    def farthest(self) -> Near:
        """The numbers moved away from 0 by their errors, which are exact then."""
        moves = np.copysign(np.where(np.isfinite(self.error), self.error, 0.0), self.value)
        return Near(self.value + moves, NO_ERROR, self.dtype)

    def moved(self, error: Error) -> Near:
        """The numbers with this error besides."""
        return Near(self.value, self.error + error, self.dtype)

    def spread(self, axes: tuple[int, ...]) -> Near:
        """The numbers with axes of one element besides."""
        return Near(np.expand_dims(self.value, axes), np.expand_dims(self.error, axes), self.dtype)

    def squared_around(self, center: Array) -> Near:
        """The squares of the distances to a number that moves along, not rounded."""
        apart = self.value - center
        return Near(apart**2, times(2 * np.abs(apart) + self.error, self.error), self.dtype)

    def inverse_root(self, least: Any = 0.0) -> Near:
        """One over the square root of numbers of at least `least`; infinitely uncertain where they may not be positive."""
        found, least = 1 / np.sqrt(self.value), np.fmax(self.value - self.error, least)
        return self._rounded(found, np.where(least <= 0, np.inf, 1 / np.sqrt(least) - found))

    def total(self, axes: tuple[int, ...]) -> Near:
        """The sum along `axes`, which stay with one element."""
        found = self.value.sum(axis=axes).astype(self.dtype)
        zero = np.zeros((), self.dtype)
        error = fold_bound(Combiner.ADD, self.value, self.error, zero, NO_ERROR, axes, found)
        kept = np.expand_dims(np.broadcast_to(error, found.shape), axes)
        return Near(self.value.sum(axis=axes, keepdims=True), kept, self.dtype)

    def count(self, axes: tuple[int, ...]) -> Near:
        """How many numbers there are along `axes`."""
        return Near(np.prod([float(self.value.shape[axis]) for axis in axes]), NO_ERROR, self.dtype)

    def mean(self, axes: tuple[int, ...]) -> Near:
        """The mean along `axes`, which stay with one element."""
        found = self.over(self.count(axes)).total(axes)
        return found._rounded(found.value, found.error)

    def _rounded(self, value: Array, error: Error) -> Near:
        """The result of an operation, which both computations round."""
        unit = 2 * unit_roundoff(self.dtype) / (USUAL if are_typical() else 1)
        size = np.abs(value)
        own = unit * size + np.where(size < denormal_limit(self.dtype), denormal_limit(self.dtype), 0.0)
        return Near(value, error + np.where((size == 0) & (error == 0), 0.0, own), self.dtype)
