"""The positions of a value's parts, for a picture of the whole tensor with outlined pieces."""

from __future__ import annotations

from dataclasses import replace

from hloscope.engine.ir.types import TensorType, Type
from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.program import BoundProgram
from hloscope.engine.sharded_runs.shown_shardings import Outline, ShownSharding, ShownShardings

from ..wire.grid import ShardingInfo


def sharding_json(
    program: BoundProgram, shardings: ShownShardings, grid: Grid, value: int, process: int
) -> ShardingInfo | None:
    """The pieces of a value as `process` sees them; `None` if no sharding applies.

    `assembled`: every process holds the whole value, and the pieces describe the sharding over devices.
    """
    shown = shardings.of(value)
    found = program.values[value].type
    if shown is None or not is_shown(shown, found):
        return None
    assert isinstance(found, TensorType)
    tiling = shown.tilings[0]
    return {
        "value": value,
        "shape": list(shown.whole_shape(found.sizes)),
        "assembled": not shown.is_part,
        "text": shown.describe(),
        "tiles": list(tiling.tiles) or [1] * found.rank,
        "terms": tiling.terms,
        "manual": tiling.is_manual,
        "fits": shown.fits(grid),
        "pieces": [
            {"processes": list(outline.processes), "start": list(outline.box.start), "sizes": list(outline.box.sizes)}
            for outline in _outlines(shown, found, grid, process)
        ],
    }  # fmt: skip


def is_shown(shown: ShownSharding, found: Type) -> bool:
    """Whether a value of this type has a picture of its parts."""
    return isinstance(found, TensorType) and found.is_static and len(shown.tilings) == 1


def _outlines(shown: ShownSharding, found: TensorType, grid: Grid, process: int) -> list[Outline]:
    """The pieces as a process sees them; for replicated pieces, the source process comes first."""
    seen = shown.outlines(found.sizes, grid, process if process < grid.num_processes else 0)
    if not shown.is_part:
        return list(seen)
    everywhere = replace(shown, is_part=False).outlines(shown.whole_shape(found.sizes), grid)
    holders = {outline.box: outline.processes for outline in everywhere}
    return [
        replace(outline, processes=tuple(dict.fromkeys([*outline.processes, *holders.get(outline.box, ())])))
        for outline in seen
    ]
