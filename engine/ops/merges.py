"""A stable merge sort by a comparator that is only asked: all pairs of runs at once, by binary search.

Runs of 1, 2, 4, … elements are merged with their right neighbours. Of each element of a left run the place
among the right run's elements is found by halving, which takes one question more each time that runs double:
of all elements together about log² n / 2 questions, each about half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .op import Array
from .sort_keys import comes_before

Arrays = tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Merge:
    """Where the sort is; never changed, so that a checkpoint can keep it. The sorted dimension is the last."""

    inputs: Arrays
    order: Array
    """The places of the elements, sorted in runs of `width`."""
    width: int
    left: Array
    """Where the elements of left runs are that have a right run beside them."""
    right: Array
    """Where each one's right run begins."""
    low: Array
    """For each of these, as many of the right run's elements come before it, at least …"""
    high: Array
    """… and at most."""
    step: int = 0

    def pairs(self) -> Arrays:
        """What the comparator takes: does this element of a right run come before that one of a left run?"""
        # Where the search has ended, the answer does not matter.
        middle = np.minimum(self.right + self._middle, self.order.shape[-1] - 1)
        sides = np.take_along_axis(self.order, middle, axis=-1), self.order[..., self.left]
        return tuple(np.take_along_axis(x, side, axis=-1) for x in self.inputs for side in sides)

    def after(self, answer: Array) -> Merge | Array:
        """Where it is with the comparator's answer; in the end the order."""
        searched = self.low < self.high
        low = np.where(searched & answer, self._middle + 1, self.low)
        high = np.where(searched & ~answer, self._middle, self.high)
        if np.any(low < high):
            return replace(self, low=low, high=high, step=self.step + 1)
        order = self._merged(low)
        width = 2 * self.width
        return order if width >= order.shape[-1] else _merge(self.inputs, order, width, self.step + 1)

    @property
    def _middle(self) -> Array:
        return (self.low + self.high) // 2

    def _merged(self, counts: Array) -> Array:
        """The order in runs of twice the width; `counts` of the right run come before each left element."""
        # A comparator that is no order may count fewer for a later element, which then comes after all the same.
        passed = np.maximum.accumulate(self.right + counts, axis=-1) - self.right
        targets = self.left + passed
        merged, taken = np.empty_like(self.order), np.zeros(self.order.shape, np.bool_)
        np.put_along_axis(merged, targets, self.order[..., self.left], axis=-1)
        np.put_along_axis(taken, targets, np.True_, axis=-1)
        merged[~taken] = np.delete(self.order, self.left, axis=-1).reshape(-1)
        return merged


def merge(inputs: Sequence[Array]) -> Merge:
    """The first question about `inputs`, of which there are two or more along the last dimension."""
    shape = inputs[0].shape
    return _merge(tuple(inputs), np.broadcast_to(np.arange(shape[-1]), shape), 1, 0)


def order_by_keys(columns: Sequence[Array], axis: int, *, reflexive: bool) -> Array:
    """The order that a merge by keys gives, some of which are NaN: neither above nor below anything."""
    last = [np.moveaxis(column, axis, -1) for column in columns]
    state: Merge | Array = merge(last)
    while isinstance(state, Merge):
        pairs = state.pairs()
        state = state.after(comes_before(pairs[0::2], pairs[1::2], reflexive=reflexive))
    return np.moveaxis(state, -1, axis)


def question_count(size: int) -> int:
    """How often the comparator is asked, at most, each time about half of the elements."""
    levels = max(size - 1, 0).bit_length()
    return levels * (levels + 1) // 2


def _merge(inputs: Arrays, order: Array, width: int, step: int) -> Merge:
    size = order.shape[-1]
    places = np.arange(size)
    right = places - places % (2 * width) + width
    is_left = (places < right) & (right < size)
    left, right = places[is_left], right[is_left]
    high = np.minimum(right + width, size) - right
    shape = (*order.shape[:-1], len(left))
    low = np.zeros(shape, np.int64)
    return Merge(inputs, order, width, left, right, low, np.broadcast_to(high, shape), step)
