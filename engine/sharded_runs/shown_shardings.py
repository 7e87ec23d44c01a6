"""The sharding of each value of a program, from which the page draws a tensor in pieces.

A value is *whole* in each process, and its sharding tells which piece a device would hold; or a process has
only its *part*, as in the body of a manual computation and in partitioned programs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..ir.types import Type
from ..ops.core.exchanges import Array, Box, GridPosition
from ..ops.core.process_groups import Grid, ProcessId
from ..ops.custom_calls import CustomCall
from ..ops.sharded_parts.manual_parts import ManualParts, device_at, process_at
from ..ops.sharded_parts.tiled_parts import TiledParts
from ..ops.sharding.manual_computation import ManualComputation
from ..program import BoundFunction, BoundOperation, BoundProgram
from ..sharding.notation.stated_shardings import StatedShardings, Tilings, leaf_types
from ..sharding.notation.tilings import Tiling
from .sharded_inputs import is_partitioned

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Outline:
    """A piece of a whole tensor, and the processes that hold it."""

    box: Box
    processes: tuple[int, ...]
    """Numbers of the processes that hold a copy, or a term of an unreduced tensor."""


@dataclass(frozen=True)
class ShownSharding:
    """The sharding of one value, as the page shows it."""

    tilings: Tilings
    """One for each leaf of a tuple, or one for the value."""
    is_part: bool
    """Whether a process holds its part instead of the whole."""
    has_other_wholes: bool = False
    """Whether processes may have parts of different wholes, along axes outside the sharding."""

    def describe(self, leaf: int = 0) -> str:
        """Describe the sharding of a leaf in a few words."""
        return self.tilings[leaf].describe()

    def whole_shape(self, shape: Sizes, leaf: int = 0) -> Sizes:
        """The sizes of the whole, for a value with sizes `shape` in a process."""
        return self.tilings[leaf].whole_shape(shape) if self.is_part else shape

    def fits(self, grid: Grid, leaf: int = 0) -> bool:
        """Whether the grid has the devices of the sharding."""
        count = self.tilings[leaf].device_count
        return count is None or count in (grid.num_processes, grid.num_partitions)

    def copies(self, grid: Grid, leaf: int = 0) -> tuple[tuple[int, ...], ...]:
        """Groups of processes whose parts are stated to be equal, separately for each replica.

        There are none for values that are whole, unreduced, or in independent parts.
        """
        tiling = self.tilings[leaf]
        goes_its_way = tiling.is_manual or self.has_other_wholes
        if not self.is_part or goes_its_way or tiling.terms > 1 or not self.fits(grid, leaf):
            return ()
        count = grid.num_partitions
        if tiling.device_count == grid.num_processes:
            return tiling.holders
        held = tiling.holders if tiling.devices is not None else (tuple(range(count)),)
        starts = range(0, grid.num_processes, count)
        return tuple(tuple(start + device for device in devices) for start in starts for devices in held)

    def outlines(self, shape: Sizes, grid: Grid, number: int = 0, leaf: int = 0) -> tuple[Outline, ...]:
        """All pieces of the whole that process `number` sees, for a value with sizes `shape`.

        For parts, these are the pieces of the whole to which its part belongs. Empty if the grid does not fit
        the sharding.
        """
        tiling = self.tilings[leaf]
        if not self.fits(grid, leaf):
            return ()
        whole = self.whole_shape(shape, leaf)
        place = GridPosition.of(number, grid)
        pieces: dict[Box, list[int]] = {}
        for device in _devices(tiling, place, self.is_part):
            box = tiling.box_of(device, whole)
            if box is not None:
                found = Box(tuple(s.start for s in box), tuple(s.stop - s.start for s in box))
                process = process_at(place, device, tiling.device_count)
                pieces.setdefault(found, []).append(_number(process, grid))
        return tuple(Outline(box, tuple(processes)) for box, processes in pieces.items())

    def assemble(
        self, parts: Mapping[int, Array], grid: Grid, number: int = 0, leaf: int = 0
    ) -> Array | None:
        """The whole that contains the part of process `number`, joined from values by process number.

        `None` if a value is missing.
        """
        if not self.is_part:
            return parts.get(number)
        tiling = self.tilings[leaf]
        if not self.fits(grid, leaf):
            return None
        place = GridPosition.of(number, grid)
        count = tiling.device_count
        device = device_at(place, count, "the sharding")
        by_device = {
            int(source): parts.get(_number(process_at(place, int(source), count), grid))
            for source in tiling.sources(device).reshape(-1)
        }
        there = {source: part for source, part in by_device.items() if part is not None}
        if len(there) < len(by_device):
            return None
        shape = tiling.whole_shape(next(iter(there.values())).shape)
        return tiling.join(there, shape, device)


def _number(process: ProcessId, grid: Grid) -> int:
    return process.replica_id * grid.num_partitions + process.partition_id


def _devices(tiling: Tiling, place: GridPosition, is_part: bool) -> Sequence[int]:
    """The devices whose pieces belong to the whole that the process at `place` sees."""
    if tiling.devices is None:
        return range(place.grid.num_processes)
    if not is_part or tiling.is_single:
        return tiling.devices
    found: list[int] = (
        tiling.sources(device_at(place, tiling.device_count, "the sharding")).reshape(-1).tolist()
    )
    return found


class ShownShardings:
    """The shardings of all values of a program, by value number."""

    def __init__(self, program: BoundProgram, entry: BoundFunction) -> None:
        self._program, self._entry = program, entry

    def of(self, value: int) -> ShownSharding | None:
        """The sharding of value number `value`; `None` if it is unknown."""
        return self._known.get(value)

    @property
    def all(self) -> Mapping[int, ShownSharding]:
        """All known shardings."""
        return self._known

    @cached_property
    def _known(self) -> dict[int, ShownSharding]:
        found: dict[int, ShownSharding] = {}
        # A cut is more specific than a stated sharding, which is usually just manual.
        for value, shown in (*self._cuts(), *self._arguments(), *self._stated_shardings()):
            found.setdefault(value, shown)
        return found

    @cached_property
    def _stated(self) -> StatedShardings:
        return StatedShardings(self._program.module)

    @cached_property
    def _is_partitioned(self) -> bool:
        return is_partitioned(self._program, self._entry)

    def _arguments(self) -> Iterator[tuple[int, ShownSharding]]:
        for function in self._program.functions.values():
            block = self._program.blocks[function.block]
            for number, value in enumerate(block.arguments):
                tilings = self._stated.of_argument(function.function, number)
                if tilings is not None:
                    yield value, ShownSharding(tilings, self._is_partitioned)
            if not block.operations:
                continue
            for number, value in enumerate(block.operations[-1].operands):
                if number < len(function.function.result_attributes):
                    stated = function.function.result_attributes[number]
                    tilings = self._stated.read(stated, [function.function.result_types[number]])
                    if tilings is not None:
                        yield value, ShownSharding(tilings, self._is_partitioned)

    def _cuts(self) -> Iterator[tuple[int, ShownSharding]]:
        for bound in self._program.ops:
            op = bound.op
            if isinstance(op, ManualComputation):
                yield from self._manual(bound, op.parts)
            elif isinstance(op, CustomCall) and isinstance(op.shares, ManualParts | TiledParts):
                yield from self._resharding_values(bound, op, op.shares)

    def _stated_shardings(self) -> Iterator[tuple[int, ShownSharding]]:
        for bound in self._program.ops:
            tilings = self._stated.of_operation(bound.operation)
            if tilings is not None and not all(found.is_manual and found.is_whole for found in tilings):
                yield from self._spread_tilings(bound.results, tilings, self._is_partitioned)

    def _manual(self, bound: BoundOperation, parts: ManualParts) -> Iterator[tuple[int, ShownSharding]]:
        """Values at the boundary of the body are parts; the results are whole."""
        block = self._program.blocks[bound.regions[0]]
        returned = block.operations[-1].operands if block.operations else ()
        for values, tilings in ((block.arguments, parts.device_ins), (returned, parts.device_outs)):
            for value, shown in self._spread_tilings(values, tilings, True):
                yield value, replace(shown, has_other_wholes=not parts.are_all_axes)
        yield from self._spread_tilings(bound.results, parts.device_outs, False)

    def _resharding_values(
        self, bound: BoundOperation, op: CustomCall, shares: ManualParts | TiledParts
    ) -> Iterator[tuple[int, ShownSharding]]:
        meets = op.target is not None and op.target.joins
        if isinstance(shares, TiledParts):
            tilings: Tilings = (shares.tiling,)
        else:
            tilings = shares.device_outs if meets else shares.device_ins
        yield from self._spread_tilings(bound.operands, tilings, meets)
        yield from self._spread_tilings(bound.results, tilings, not meets)

    def _spread_tilings(
        self, values: Sequence[int], tilings: Tilings, is_part: bool
    ) -> Iterator[tuple[int, ShownSharding]]:
        """Distribute tilings of leaves to the values that contain them."""
        at = 0
        for value in values:
            stated: Type = self._program.values[value].type
            count = len(list(leaf_types([stated])))
            yield value, ShownSharding(tilings[at : at + count], is_part)
            at += count
