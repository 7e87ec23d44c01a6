"""What a worker answers about the numbers of index maps: measures, tiles and the accesses of warps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hloscope.engine.indexing.factors import Operands

from ..present.coalescing import ThreadQuestion, coalescing_json
from ..present.index_maps import OpMaps, maps_of
from ..present.measures import measures_json
from ..present.tiles import NumbersError, TileQuestion, tile_json
from .answering import Answer, BadQuestion, NotRecorded, json_answer
from .index_answers import chains_of, sources_of_step
from .runs import Run

JSON = dict[str, Any]
_Question = Callable[[OpMaps, JSON, Operands | None], JSON]


def _measures(described: OpMaps, parameters: JSON, values: Operands | None) -> JSON:
    return measures_json(described, values)


def _tile(described: OpMaps, parameters: JSON, values: Operands | None) -> JSON:
    return tile_json(described, TileQuestion(**parameters["tile"]), values)


def _coalescing(described: OpMaps, parameters: JSON, values: Operands | None) -> JSON:
    return coalescing_json(described, ThreadQuestion(**parameters["threads"]), values)


def _asked(question: _Question) -> Callable[[Run, JSON], Answer]:
    """A question about an op, or, where a step is named, about what the op did there."""

    def answer(run: Run, parameters: JSON) -> Answer:
        chains, number = chains_of(run), parameters["op"]
        if not 0 <= number < len(run.recording.program.ops):
            raise IndexError(number)
        described = maps_of(chains.operation(number), run.recording.program, chains)
        values = None if parameters.get("step") is None else sources_of_step(run, parameters)
        open_sizes = any(tensor.has_open_sizes for tensor in (*described.operands, *described.results))
        try:
            return json_answer(question(described, parameters, values), final=not open_sizes)
        except NumbersError as error:
            raise BadQuestion(str(error)) from None
        except ValueError:
            if values is not None and any(
                value is None for value in values
            ):  # what a map reads is not recorded yet
                raise NotRecorded from None
            raise

    return answer


QUESTIONS: Mapping[str, Callable[[Run, JSON], Answer]] = {
    "maps_measures": _asked(_measures),
    "maps_tile": _asked(_tile),
    "maps_coalescing": _asked(_coalescing),
}
