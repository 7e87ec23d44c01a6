"""Picture of a step's index map: each element read has the colour of its first reader."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hloscope.engine.colour_scales import LEVELS
from hloscope.engine.debugger.map_operands import op_at, operands_at, read_at
from hloscope.engine.indexing import BoundMap
from hloscope.engine.indexing.core.index_map import OperandMap

from ..elements import Array
from ..html.pictures import palette
from .step_view import StepView
from .svg import Drawing, in_rows, labelled
from .tensors import Cells, Colour, Index, draw_cells, hexadecimal, indices_of, is_written, sheet_of

MOST_ELEMENTS = 512
"""Maximum elements of a result that is drawn with its operands."""
MOST_READ = 1 << 12
WHITE = "#ffffff"


@dataclass(frozen=True)
class Reading:
    """The elements of an operand that each element of the result reads."""

    name: str
    array: Array
    read: dict[Index, frozenset[Index]]
    """The elements read, by the index in the result."""


@dataclass(frozen=True)
class MapPicture:
    """The result of a step, one of its elements, and the operands that the element reads."""

    name: str
    array: Array
    element: Index
    readings: list[Reading]

    @property
    def words(self) -> str:
        """The alternative text of the picture: the elements that are read."""
        told = [f"{_elements(reading.name, reading.read[self.element])}" for reading in self.readings]
        return f"{self.name}{_index(self.element)} reads {'; and '.join(told)}."


def map_picture(moment: StepView) -> MapPicture | str:
    """The picture of the maps, or a sentence with the reason for its absence."""
    step, shown = moment.mapped_step, moment.shown
    if step is None or shown is None or shown.array is None:
        return "No op made this value, so nothing was read for it."
    if shown.address.path:
        return "Choose a whole result: only the debugger shows the maps of a tuple's part."
    array = shown.array
    if not 0 < array.size <= MOST_ELEMENTS:
        return f"The result has {array.size:,} elements; pictures show at most {MOST_ELEMENTS} with what they read."
    readings = _readings(moment, step, shown.address.index, array)
    if not readings:
        return "A picture cannot show the maps of this op: the debugger composes and explains them."
    element = moment.element or _interesting(array, readings)
    return MapPicture(shown.name, array, element, readings)


def _readings(moment: StepView, step: int, result: int, array: Array) -> list[Reading]:
    recording, process = moment.recording, moment.process
    if moment.track.frame_lanes.get(moment.track.frame_of(step)):
        return []
    try:
        op, known = op_at(recording, process, step), operands_at(recording, process, step)
        operands = read_at(recording, process, step)
    except KeyError:
        return []
    maps = [each for each in op.index_maps() if each.result == result] if op.open_sizes.are_known(op) else []
    if any(each.place is not None or each.map.is_undefined or not each.is_certain for each in maps):
        return []
    names = [value.name for value in recording.program.ops[moment.track.op_of(step)].operation.operands]
    found = []
    for number in sorted({each.operand for each in maps}):
        if (
            number < len(operands)
            and isinstance(operands[number], np.ndarray)
            and not operands[number].dtype.hasobject
        ):
            read = _read([each for each in maps if each.operand == number], known, array.shape)
            if read is not None:
                found.append(Reading(names[number], operands[number], read))
    return found


def _read(
    maps: Sequence[OperandMap], known: tuple[Array | None, ...], shape: Index
) -> dict[Index, frozenset[Index]] | None:
    """The elements that each element of the result reads; `None` above the element limit."""
    bound = [BoundMap(each.map, known) for each in maps]
    found: dict[Index, frozenset[Index]] = {}
    for at in indices_of(shape):
        read: set[Index] = set()
        for each in bound:
            elements = each.elements(np.array(at, np.int64), MOST_READ)
            if not elements.complete:
                return None
            read |= {tuple(map(int, element)) for element in elements.indices}
        found[at] = frozenset(read)
    return found


def _interesting(array: Array, readings: Sequence[Reading]) -> Index:
    """An element whose index differs from the indices that it reads."""

    def interest(at: Index) -> tuple[int, int]:
        moved_from = sum(
            reading.read[at] != frozenset((at,)) and bool(reading.read[at]) for reading in readings
        )
        return moved_from, int(np.count_nonzero(at))

    choices = list(indices_of(array.shape))
    best = max(map(interest, choices))
    kept = [at for at in choices if interest(at) == best]
    return kept[len(kept) // 2]


def draw_map(picture: MapPicture, width: float) -> Drawing:
    """The operands, and below them the result; each with its name and the marked elements."""
    colours = _reader_colours(picture.array)
    return in_rows(
        (_labelled(picture, reading, colours, width) for reading in [*picture.readings, None]), width
    )


def _labelled(picture: MapPicture, reading: Reading | None, colours: Colour, width: float) -> Drawing:
    if reading is None:
        label, cells = f"{picture.name}, result", Cells(picture.array, picture.element, colour=colours)
    else:
        read = reading.read[picture.element]
        first = min(read, default=None)
        cells = Cells(reading.array, first, read, _by_first_reader(reading, colours))
        label = f"{reading.name}, {'1 element is' if len(read) == 1 else f'{len(read)} are'} read"
    sheet = sheet_of(cells.array, cells.element)
    drawn = draw_cells(cells if is_written(sheet) else Cells(cells.array, cells.element, cells.marked), width)
    return labelled(f"{label} {sheet.words}".rstrip(), drawn)


def _reader_colours(array: Array) -> Colour:
    """A colour for each element of the result, along viridis."""
    colours, most = palette("viridis"), max(1, array.size - 1)
    shown = {
        at: hexadecimal(colours[round(number / most * LEVELS)])
        for number, at in enumerate(indices_of(array.shape))
    }
    return lambda index: shown[index]


def _by_first_reader(reading: Reading, colours: Colour) -> Colour:
    first: dict[Index, Index] = {}
    for at, elements in reading.read.items():
        for element in elements:
            first.setdefault(element, at)
    return lambda index: colours(first[index]) if index in first else WHITE


def _elements(name: str, read: frozenset[Index]) -> str:
    if not read:
        return f"nothing of {name}"
    told = ", ".join(f"{name}{_index(at)}" for at in sorted(read)[:8])
    return told if len(read) <= 8 else f"{told} and {len(read) - 8} more of {name}"


def _index(at: Index) -> str:
    return f"[{', '.join(map(str, at))}]" if at else ""
