"""Measures of an op's maps as JSON: elements read, reuse, starts and writers of a run."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from hloscope.engine.indexing.evaluation.bound_map import Operands
from hloscope.engine.indexing.evaluation.counting import Count
from hloscope.engine.indexing.measures.measure import Measure, Tensor, measures, overlap
from hloscope.engine.indexing.measures.writers import Starts, Writers, starts, writers
from hloscope.engine.ir.types import TensorType

from ..wire import map_numbers as wire
from ..wire.encoding import encoded
from .elements import storage
from .index_maps import MappedTensor, OpMaps
from .numbers import json_number

SECONDS = 2.0
"""Maximum duration of counting; the remaining counts are bounds."""
MOST_OVERLAPS = 16
"""Maximum operand pairs of one value whose common elements are listed."""


def measures_json(described: OpMaps, values: Operands | None = None) -> wire.MeasuresInfo:
    """The measures of each operand for each result; `values` add those of a run."""
    operands, results = tensors_of(described.operands), tensors_of(described.results)
    found = measures(described.maps, described.inverse, operands, results, values, SECONDS)
    dependent = {
        (item.operand, item.result)
        for item in described.maps
        if item.map.runtimes and not item.map.is_known_empty
    }
    return {
        "bound": values is not None,
        "operands": [
            _measure(each, follows=values is None and (each.operand, each.result) in dependent)
            for each in found
        ],
        "overlaps": list(_overlaps(described, values)),
        "starts": [] if values is None else [_starts(each) for each in starts(described.maps, values)],
        "writers": [] if values is None else [_writers(each) for each in writers(described.inverse, values)],
    }


def tensors_of(mapped: Sequence[MappedTensor]) -> dict[int, Tensor]:
    """The tensors to measure; those without known sizes are left out."""
    return {
        number: Tensor(sizes, bits_of(item.type))
        for number, item in enumerate(mapped)
        if (sizes := item.sizes) is not None and isinstance(item.type, TensorType)
    }


def bits_of(found: TensorType) -> int:
    """The bits of an element in memory: a Boolean takes a byte, narrower integers are packed."""
    if found.layout is not None and found.layout.element_size_in_bits:
        return found.layout.element_size_in_bits
    element = storage(found.element_type)
    return 8 if element.kind == "boolean" else element.bits


def count_json(count: Count) -> wire.CountInfo:
    """A number, or its lower and upper bound."""
    return {"least": json_number(count.least), "most": json_number(count.most)}


def _measure(measure: Measure, follows: bool) -> wire.MeasureInfo:
    found = measure.tally
    least, most = measure.utilisation
    return {
        "operand": measure.operand,
        "result": measure.result,
        "size": json_number(measure.size),
        "bits": measure.tensor.bits,
        "elements": count_json(measure.elements),
        "bytes": count_json(measure.bytes),
        "reads": count_json(measure.reads),
        "reuse": {"least": count_json(found.fewest), "most": count_json(found.most), "mean": measure.reuse},
        "utilisation": {"least": least, "most": most},
        "bijection": measure.is_bijection,
        "injective": found.injective,
        "single_valued": found.single_valued,
        "covers": measure.covers,
        "perIndex": measure.per_index,
        "shared": list(measure.shared),
        "note": _note(measure, follows),
    }


def _note(measure: Measure, follows: bool) -> str:
    notes = []
    if not (measure.in_time or measure.is_exact):
        notes.append("Counting all of it takes too long: these are bounds.")
    elif follows and not measure.is_exact:
        notes.append("How much is read depends on values of a run.")
    if measure.enclosing:
        notes.append("The maps include everything that is read and maybe more: these are limits.")
    if measure.places > 1:
        notes.append(f"Of the operands of {measure.places} processes.")
    return " ".join(notes)


def _overlaps(described: OpMaps, values: Operands | None) -> Iterator[wire.OverlapInfo]:
    """The elements that operands of one value both read for one result."""
    numbered = list(enumerate(described.operands))
    pairs = [
        (left, right)
        for (left, mine), (right, theirs) in combinations(numbered, 2)
        if mine.value is not None and (mine.value, mine.path) == (theirs.value, theirs.path)
    ]
    for left, right in pairs[:MOST_OVERLAPS]:
        shape = described.operands[left].sizes
        for result in range(len(described.results)):
            sides = [
                [item.map for item in described.maps if (item.operand, item.result) == (operand, result)]
                for operand in (left, right)
            ]
            known = all(side and not any(each.is_undefined for each in side) for side in sides)
            if shape is not None and known:
                both = overlap(sides[0], sides[1], shape, values)
                yield {"operands": [left, right], "result": result, "elements": count_json(both)}


def _starts(found: Starts) -> wire.StartsInfo:
    interval, dimension = found.interval, found.dimension
    of: wire.StartOf = (
        {"result": found.of, "dimension": dimension}
        if found.of_result
        else {"operand": found.of, "dimension": dimension}
    )
    return encoded(
        wire.StartsInfo,
        found,
        of=of,
        interval=(interval.lower, interval.upper),
        examples=[
            {
                "at": list(place),
                "value": json_number(value),
                "used": max(interval.lower, min(interval.upper, value)) if found.clamped else None,
            }
            for place, value in found.examples
        ],
    )


def _writers(found: Writers) -> wire.WritersInfo:
    return {
        "operand": found.operand,
        "result": found.result,
        "updates": json_number(found.updates),
        "written": json_number(found.written),
        "several": json_number(found.several),
        "dropped": json_number(found.dropped),
        "most": json_number(found.most),
        "examples": [
            {"element": list(element), "updates": [list(update) for update in updates]}
            for element, updates in found.examples
        ],
    }
