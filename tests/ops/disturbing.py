"""Disturbs the elements of an op's operands one after another, to see which elements of its results change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hloscope.engine.ir.element_types import ElementType
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.scalars import as_tensor

from .cases import Case
from .known_insensitive import insensitive_pairs
from .mapping import Key, Table, related
from .running import run

BASES, VALUES = 1_000, 4
"""How many sets of operands are tried until all has changed (few are needed, but for rare chances), and how many
values in each element."""
FLOATS = (
    *(
        *(-np.inf, -2.0, -1.7, -1.5, -1.0, -0.75, -0.5, 0.0, 0.25, 0.3, 0.5, 0.75, 1.0, 1.0, 1.25, 1.5),
        *(2.0, 2.6, 3.0),
    ),
    *(1e3, np.inf, np.nan),
)
"""Ordinary ones, so that some are equal, and some that are not."""
TAME = FLOATS[1:-3]
"""Those that do not spoil sums."""


@dataclass
class Disturbing:
    """One call of an op, and what has changed so far."""

    case: Case
    random: np.random.Generator
    may_rest: tuple[int, ...] = ()
    """Operands of which not all has to change something."""
    waiting: dict[Key, Table] = field(default_factory=dict)
    """What the maps say belongs together, and has not changed yet."""

    def check(self) -> None:
        """That maps name what changes, and nothing that never does."""
        # In one layout: NumPy's products of matrices add up in another order for another one.
        first = tuple(np.array(operand, order="C") for operand in self.case.operands)
        before = run(self.case.op, *first)
        tables = related(self.case.op, first, before)
        may = insensitive_pairs(self.case, first, before)
        self.waiting = {
            key: table & ~may.get(key, np.zeros((), np.bool_))
            for key, table in tables.items()
            if key[1] not in (*self.case.settling, *self.may_rest)
        }
        self._disturb_all(first, before, tables, everywhere=True)
        for _ in range(BASES):
            if not any(map(np.any, self.waiting.values())):
                return
            operands = self._other(first)
            before = run(self.case.op, *operands)
            self._disturb_all(operands, before, related(self.case.op, operands, before), everywhere=False)
        never = {key: np.argwhere(table).tolist() for key, table in self.waiting.items() if table.any()}
        assert not never, f"never changes: {never} of {self.case.op}"

    def _other(self, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """Other data, now and then, in all operands but those that say what the op is."""
        return tuple(
            old
            if number in self.case.settling or self.random.random() < 0.3
            else self._values(number, old.shape)
            for number, old in enumerate(operands)
        )

    def _values(self, number: int, shape: tuple[int, ...]) -> Array:
        """Elements of an operand's type."""
        found = as_tensor(self.case.op.operand_types[number])
        if not isinstance(found, TensorType):
            return self.case.operands[number]  # a token
        dtype = self.case.operands[number].dtype
        if dtype.kind in "iu" and not found.element_type.is_integer:  # indices, quantized numbers
            return self._integers(shape, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)
        largest = self._largest.get(number)
        if largest is not None and self.random.random() < 0.5:
            return self.random.integers(0, largest, shape, np.int64, endpoint=True).astype(dtype)
        return self._elements(found.element_type, shape)

    @cached_property
    def _largest(self) -> dict[int, int]:
        """Of operands that runtime variables are read from, the largest number that means something else."""
        found: dict[int, int] = {}
        for item in self.case.op.index_maps():
            for variable in item.map.runtimes:
                most = min(variable.interval.upper, 100)
                found[variable.operand] = max(most, found.get(variable.operand, 0))
        return found

    def _elements(self, element_type: ElementType, shape: tuple[int, ...]) -> Array:
        dtype, kind = element_type.dtype, element_type.kind
        if kind == "boolean":
            return np.asarray(self.random.random(shape) < self.random.choice((0.1, 0.5, 0.9)))
        if element_type.is_integer:
            width = element_type.bits
            least = -(1 << width - 1) if kind == "signed" else 0
            return self._integers(shape, least, least + (1 << width) - 1).astype(dtype)
        with np.errstate(all="ignore"):
            among = FLOATS if self.random.random() < 0.5 else TAME
            parts = self.random.choice(among, shape)
            if element_type.is_complex:
                parts = parts + 1j * self.random.choice(among, shape)
            ordinary = np.asarray(parts).astype(dtype)
        if among is TAME or element_type.bits < 8 or element_type.name == "tf32":
            return ordinary
        bits = np.frombuffer(self.random.bytes(ordinary.nbytes), dtype).reshape(shape)
        return np.where(self.random.random(shape) < 0.9, ordinary, bits)

    def _integers(self, shape: tuple[int, ...], least: int, most: int) -> Array:
        """Most of them small, so that some are equal; some at the ends."""
        small = self.random.integers(max(least, -2), min(most, 4), shape, np.int64, endpoint=True)
        large = self.random.integers(least, min(most, (1 << 63) - 1), shape, np.int64, endpoint=True)
        ends = np.where(self.random.random(shape) < 0.5, least, most - (1 << 64) * (most >= 1 << 63))
        kind = self.random.random(shape)
        return np.where(kind < 0.75, small, np.where(kind < 0.9, large, ends))

    def _disturb_all(
        self,
        operands: tuple[Array, ...],
        before: tuple[Array, ...],
        tables: dict[Key, Table],
        *,
        everywhere: bool,
    ) -> None:
        """All elements of all operands; not `everywhere`: those on whose changes something waits."""
        for number, old in enumerate(operands):
            if number in self.case.settling:
                continue
            for place in range(old.size):
                if everywhere or self._waits(number, place):
                    self._disturb(operands, before, tables, number, place)

    def _disturb(
        self,
        operands: tuple[Array, ...],
        before: tuple[Array, ...],
        tables: dict[Key, Table],
        number: int,
        place: int,
    ) -> None:
        for disturbed in self._with_others(operands, number, place):
            after = run(self.case.op, *disturbed)
            changed = [_changed(old, new) for old, new in zip(before, after, strict=True)]
            allowed = [tables[r, number][:, place] for r in range(len(before))]
            if number not in self._largest and any(
                np.any(x & ~y) for x, y in zip(changed, allowed, strict=True)
            ):
                # What the op finds out may be another afterwards. Of an index all is known beforehand that it may do.
                others = related(self.case.op, disturbed, after)
                allowed = [y | others[r, number][:, place] for r, y in enumerate(allowed)]
            for r, (x, y) in enumerate(zip(changed, allowed, strict=True)):
                assert not np.any(x & ~y), (
                    f"{r} changes outside of the maps of operand {number}: {self.case.op}"
                )
                if (r, number) in self.waiting:
                    self.waiting[r, number][:, place] &= ~x
            if not self._waits(number, place):
                return

    def _waits(self, number: int, place: int) -> bool:
        """Whether some element of a result has not changed yet that depends on this one."""
        return any(np.any(table[:, place]) for key, table in self.waiting.items() if key[1] == number)

    def _with_others(
        self, operands: tuple[Array, ...], number: int, place: int
    ) -> Iterator[tuple[Array, ...]]:
        """The operands with other elements in one place."""
        for value in (*self._values(number, (VALUES,)), *_equal_ones(operands, number, place)):
            changed = np.array(operands[number])
            if changed.reshape(-1)[place].tobytes() != value.tobytes():
                changed.reshape(-1)[place] = value
                yield (*operands[:number], changed, *operands[number + 1 :])


def _equal_ones(operands: tuple[Array, ...], number: int, place: int) -> Iterator[Array]:
    """The elements at the same place of operands like this one: there are ops that ask whether they are equal."""
    mine = operands[number]
    for other, operand in enumerate(operands):
        if other != number and (operand.shape, operand.dtype) == (mine.shape, mine.dtype):
            yield operand.reshape(-1)[place]


def _changed(old: Array, new: Array) -> Table:
    """Which elements have other bits."""
    assert old.shape == new.shape
    sides = (np.frombuffer(np.ascontiguousarray(x).tobytes(), np.uint8) for x in (old, new))
    left, right = (side.reshape(old.size, old.dtype.itemsize) for side in sides)
    return np.asarray((left != right).any(axis=1))
