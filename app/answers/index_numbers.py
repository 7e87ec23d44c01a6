"""What a worker answers about the numbers of index maps: measures, tiles and the accesses of warps."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hloscope.engine.indexing.evaluation import Operands

from ..present.coalescing import coalescing_json
from ..present.index_maps import OpMaps, maps_of
from ..present.measures import measures_json
from ..present.tiles import NumbersError, tile_json
from ..runs.run import Run
from ..wire.map_numbers import CoalescingInfo, MeasuresInfo, TileInfo
from ..wire.questions import Answer, CoalescingQuestion, MapNumbersQuestion, MeasuresQuestion, TileQuestion
from .answer import BadQuestion, NotRecorded, handler
from .index_maps import chains_of, sources_of_step

A = TypeVar("A")


def _measures(run: Run, question: MeasuresQuestion) -> Answer[MeasuresInfo]:
    return _answer(run, question, measures_json)


def _tile(run: Run, question: TileQuestion) -> Answer[TileInfo]:
    return _answer(run, question, lambda maps, values: tile_json(maps, question, values))


def _coalescing(run: Run, question: CoalescingQuestion) -> Answer[CoalescingInfo]:
    return _answer(run, question, lambda maps, values: coalescing_json(maps, question, values))


def _answer(
    run: Run, question: MapNumbersQuestion[A], compute: Callable[[OpMaps, Operands | None], A]
) -> Answer[A]:
    """What is computed of an op's maps, where a step is named with what they read there."""
    chains, number, step = chains_of(run), question.op, question.step
    if not 0 <= number < len(run.recording.program.ops):
        raise IndexError(number)
    maps = maps_of(chains.operation(number), run.recording.program, chains)
    values = None if step is None else sources_of_step(run, number, question.process, step)
    open_sizes = any(tensor.has_open_sizes for tensor in (*maps.operands, *maps.results))
    try:
        return question.answer(compute(maps, values), final=not open_sizes)
    except NumbersError as error:
        raise BadQuestion(str(error)) from None
    except ValueError:
        if values is not None and any(value is None for value in values):
            raise NotRecorded from None  # what a map reads
        raise


HANDLERS = (
    handler(MeasuresQuestion, _measures),
    handler(TileQuestion, _tile),
    handler(CoalescingQuestion, _coalescing),
)
