"""Values of many iterations of a scalar loop: one array per op instead of one per step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..events import Iterated
from ..ops.core.op import Array
from ..ops.core.values import read_only
from ..scalar_loops import Slots, scalar_slots, value_at

Arrays = tuple[Array, ...]


@dataclass(frozen=True)
class LoopValues:
    """Values of the iterations of one event; `columns` has an array per slot."""

    told: Iterated
    columns: Mapping[int, Array]
    base: int = 0
    """The smallest key of the process."""

    @classmethod
    def of(cls, told: Iterated, base: int = 0) -> LoopValues:
        """Transpose the rows of an outcome into columns."""
        loop = told.loop
        results = [place for place in loop.result_places if place is not None]
        wanted = set(scalar_slots([*results, *loop.condition_arguments, *loop.body_arguments]))
        by_slot = list(zip(*told.outcome.rows, strict=True))
        return cls(told, {slot: _column(by_slot[slot]) for slot in wanted}, base)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(column.nbytes for column in self.columns.values())

    @property
    def first_key(self) -> int:
        """The smallest key of a step in these iterations."""
        return self.base + 2 * self.told.step

    def get(self, key: int) -> Arrays | None:
        """The results of a step (even key) or arguments of a frame (odd key), if they are here."""
        number, is_frame = divmod(key - self.base, 2)
        return self._arguments(number) if is_frame else self._results(number)

    def scalars(self, steps: NDArray[np.intp], op: int) -> tuple[Array, NDArray[np.intp]] | None:
        """The real scalars that an op made in some of these steps, and which of the steps those are."""
        ops = self.told.loop.ops
        place = self.told.loop.result_places[ops.index(op)] if op in ops else None
        return self._scalars(place, (steps - self.told.step) // len(ops))

    def argument_scalars(self, frames: NDArray[np.intp], index: int) -> tuple[Array, NDArray[np.intp]] | None:
        """The real scalars that are an argument of some of these frames of one block, and which frames those are."""
        loop, offsets = self.told.loop, frames - self.told.frame
        places = loop.body_arguments if offsets[-1] % 2 else loop.condition_arguments
        return self._scalars(places[index] if index < len(places) else None, offsets // 2)

    def _scalars(
        self, place: Slots | None, iterations: NDArray[np.intp]
    ) -> tuple[Array, NDArray[np.intp]] | None:
        of = np.flatnonzero((iterations >= 0) & (iterations < self.told.outcome.iterations))
        if not len(of) or not isinstance(place, int) or not _is_exact_in_f64(self.columns[place]):
            return None
        return self.columns[place][iterations[of]], of

    def _results(self, step: int) -> Arrays | None:
        places = self.told.loop.result_places
        iteration, position = divmod(step - self.told.step, len(places))
        place = places[position]
        if not 0 <= iteration < self.told.outcome.iterations or place is None:
            return None
        return (self._value(place, iteration),)

    def _arguments(self, frame: int) -> Arrays | None:
        iteration, is_body = divmod(frame - self.told.frame, 2)
        if not 0 <= iteration < self.told.outcome.iterations:
            return None
        loop = self.told.loop
        places = loop.body_arguments if is_body else loop.condition_arguments
        return tuple(self._value(place, iteration) for place in places)

    def _value(self, place: Slots, iteration: int) -> Array:
        return read_only(value_at(place, lambda slot: read_only(np.array(self.columns[slot][iteration]))))


def _is_exact_in_f64(column: Array) -> bool:
    """Whether f64 represents these numbers exactly."""
    if column.dtype.kind in "iu" and column.dtype.itemsize == 8:
        return (
            bool(np.all((column >= -(1 << 53)) & (column <= 1 << 53)))
            if column.dtype.kind == "i"
            else bool(np.all(column <= 1 << 53))
        )
    return column.dtype.kind not in "cO"


def _column(values: tuple[object, ...]) -> Array:
    first = values[0]
    column = np.empty(len(values), np.asarray(first).dtype)
    column[:] = values
    return column
