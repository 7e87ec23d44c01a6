"""A stable merge sort by a comparator that is only asked: all pairs of runs at once, by binary search.

Runs of 1, 2, 4, … elements are merged with their right neighbours. Of each element of a left run the place
among the right run's elements is found by halving, which takes one question more each time that runs double:
of all elements together about log² n / 2 questions, each about half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..core.op import Array
from .sort_keys import comes_before, places_along, take_along

Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Merge:
    """The state of a merge sort, immutable, so that a checkpoint can keep it. The sorted dimension is the last."""

    inputs: Arrays
    """Sorted in runs of `width`."""
    width: int
    left: Array
    """Positions of the elements in left runs that have a right run beside them."""
    right: Array
    """The start of each one's right run."""
    low: Array
    """Each one's place in the right run, at least …"""
    high: Array
    """… and at most: all of the run from there on comes after it, all before `low` comes before it."""
    step: int = 0

    def pairs(self) -> Arrays:
        """The arguments of the comparator: does this element of a right run precede that one of a left run?"""
        # Where the search has ended, the answer does not matter.
        middle = np.minimum(self._middle, self.inputs[0].shape[-1] - 1)
        return tuple(
            side for x in self.inputs for side in (take_along(x, middle, -1), x.take(self.left, axis=-1))
        )

    def after(self, answer: Array) -> Merge | Arrays:
        """The state after the comparator's answer; in the end the sorted inputs."""
        searched = self.low < self.high
        middle = self._middle
        low = np.where(searched & answer, middle + 1, self.low)
        high = np.where(searched & ~answer, middle, self.high)
        if np.any(low < high):
            return replace(self, low=low, high=high, step=self.step + 1)
        sources = self._sources(low)
        inputs = tuple(take_along(x, sources, -1) for x in self.inputs)
        width = 2 * self.width
        return inputs if width >= sources.shape[-1] else _merge(inputs, width, self.step + 1)

    @property
    def _middle(self) -> Array:
        return (self.low + self.high) >> 1

    def _sources(self, places: Array) -> Array:
        """The source positions of merged runs of twice the width, if left elements go to `places` of the right."""
        # A comparator that is no order may give a later element a lower place, which then comes after all the same.
        targets = np.maximum.accumulate(places, axis=-1) - self.right + self.left
        shape = self.inputs[0].shape
        sources, is_left = np.empty(shape, np.int64), np.zeros(shape, np.bool_)
        np.put_along_axis(sources, targets, np.broadcast_to(self.left, targets.shape), axis=-1)
        np.put_along_axis(is_left, targets, np.True_, axis=-1)
        others = np.delete(np.arange(shape[-1]), self.left)
        sources[~is_left] = np.broadcast_to(others, (*shape[:-1], len(others))).reshape(-1)
        return sources


def merge(inputs: Sequence[Array]) -> Merge:
    """The first question about `inputs`, of which there are two or more along the last dimension."""
    return _merge(tuple(inputs), 1, 0)


def order_by_keys(columns: Sequence[Array], axis: int, *, reflexive: bool) -> Array:
    """The order that a merge by keys gives, some of which are NaN: neither above nor below anything."""
    shape = columns[0].shape
    places = np.broadcast_to(places_along(shape, axis), shape)
    state: Merge | Arrays = merge([np.moveaxis(column, axis, -1) for column in (*columns, places)])
    while isinstance(state, Merge):
        pairs = state.pairs()[:-2]
        state = state.after(comes_before(pairs[0::2], pairs[1::2], reflexive=reflexive))
    return np.moveaxis(state[-1], -1, axis)


def question_count(size: int) -> int:
    """Maximum number of calls of the comparator, each on about half of the elements."""
    levels = max(size - 1, 0).bit_length()
    return levels * (levels + 1) // 2


def _merge(inputs: Arrays, width: int, step: int) -> Merge:
    shape = inputs[0].shape
    places = np.arange(shape[-1])
    right = places - places % (2 * width) + width
    is_left = (places < right) & (right < shape[-1])
    left, right = places[is_left], right[is_left]
    lanes = (*shape[:-1], len(left))
    low, high = (np.broadcast_to(x, lanes) for x in (right, np.minimum(right + width, shape[-1])))
    return Merge(inputs, width, left, right, low, high, step)
