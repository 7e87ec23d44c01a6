"""Measures of an op's index maps: elements read, reuse, tiles, accesses of warps."""

from collections.abc import Callable
from typing import Annotated, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Le, MaxLen

from hloscope.engine.indexing.evaluation.bound_map import Operands

from ..present.coalescing import Launch, coalescing_json
from ..present.index_maps import OpMaps
from ..present.measures import measures_json
from ..present.tiles import ChosenTile, NumbersError, tile_json
from ..runs.run import Run
from ..wire.map_numbers import CoalescingInfo, MeasuresInfo, TileInfo
from ..wire.questions import Answer, json_answer
from .index_maps import has_open_sizes, op_maps_of, sources_of_step
from .question import BadQuestion, NotRecorded, Process, RecordingQuestion, Step
from .question import Number as OpNumber

A = TypeVar("A")
Compute: TypeAlias = Callable[[OpMaps, Operands | None], A]
Number = Annotated[int, Ge(0), Le(2**20)]
Numbers = Annotated[str, MaxLen(400)]
"""Integers, separated by commas."""
Small = Annotated[int, Ge(1), Le(1024)]
Axis = Annotated[int, Ge(-64), Le(64)]
LARGEST = 2**53


class MeasuresQuestion(RecordingQuestion[MeasuresInfo]):
    """Elements and bytes read, reuse, utilisation, bijections; of a step also starts and duplicate writers."""

    path = "/maps/{op}/measures"
    examples = ({"op": 2},)

    op: OpNumber
    process: Process = 0
    step: Step | None = None

    def answer(self, run: Run) -> Answer[MeasuresInfo]:
        return _answer(run, self.op, self.process, self.step, measures_json)


class TileQuestion(RecordingQuestion[TileInfo]):
    """The part of each operand that a result's tile needs, or of each result for an operand's.

    Without `offsets` it is any tile of a grid: offsets are formulas of the tile's numbers t0, t1, …
    """

    path = "/maps/{op}/tile"
    examples = ({"op": 2, "sizes": "1,2", "offsets": "1,0"},)

    op: OpNumber
    sizes: Numbers
    of: Number = 0
    offsets: Numbers | None = None
    strides: Numbers = ""
    direction: Literal["output-to-input", "input-to-output"] = "output-to-input"
    process: Process = 0
    step: Step | None = None

    def answer(self, run: Run) -> Answer[TileInfo]:
        tile = ChosenTile(
            self.of,
            sizes=_numbers("sizes", self.sizes),
            offsets=None if self.offsets is None else _numbers("offsets", self.offsets),
            strides=_numbers("strides", self.strides),
            inverse=self.direction == "input-to-output",
        )
        return _answer(
            run, self.op, self.process, self.step, lambda maps, values: tile_json(maps, tile, values)
        )


class CoalescingQuestion(RecordingQuestion[CoalescingInfo]):
    """Sectors, lines and bank conflicts of a result's warps: of one access and in total.

    `loops` are the values of the loops around a thread's vector, `order` the operand's dimensions in memory, the
    minor one first.
    """

    path = "/maps/{op}/coalescing"
    examples = ({"op": 2, "operand": 1, "threads": 32},)

    op: OpNumber
    operand: Number = 0
    result: Number = 0
    kind: Literal["linear", "tiled"] = "linear"
    threads: Small = 128
    vector: Annotated[int, Ge(1), Le(16)] = 1
    x: Axis = -1
    y: Axis = -2
    columns: Small = 32
    rows: Small = 8
    steps: Small = 4
    padding: Annotated[int, Ge(0), Le(1024)] = 0
    order: Numbers = ""
    block: Numbers = "0,0,0"
    warp: Number = 0
    loops: Numbers = ""
    process: Process = 0
    step: Step | None = None

    def answer(self, run: Run) -> Answer[CoalescingInfo]:
        block = _numbers("block", self.block)
        if len(block) != 3:
            raise BadQuestion("block has three numbers: x, y and z.")
        launch = Launch(
            self.operand, self.result, self.kind, self.threads, self.vector, self.x, self.y, self.columns,
            self.rows, self.steps, self.padding, _numbers("order", self.order), block, self.warp,
            _numbers("loops", self.loops),
        )  # fmt: skip
        return _answer(
            run, self.op, self.process, self.step, lambda maps, values: coalescing_json(maps, launch, values)
        )


def _numbers(name: str, text: str) -> tuple[int, ...]:
    """`1,2,3`, or nothing."""
    try:
        found = tuple(int(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        raise BadQuestion(f"{name} are whole numbers with commas between them.") from None
    if any(abs(number) > LARGEST for number in found):
        raise BadQuestion(f"{name} are too large.")
    return found


def _answer(run: Run, op: int, process: int, step: int | None, compute: Compute[A]) -> Answer[A]:
    """A result computed from an op's maps; for a step, with the values that they read there."""
    maps = op_maps_of(run, op)
    values = None if step is None else sources_of_step(run, op, process, step)
    try:
        return json_answer(compute(maps, values), final=not has_open_sizes(maps))
    except NumbersError as error:
        raise BadQuestion(str(error)) from None
    except ValueError:
        if values is not None and any(value is None for value in values):
            raise NotRecorded from None  # a value that a map reads
        raise
