"""What a question covers until it is answered: what it asks about, and the values that repeat the answer."""

from collections.abc import Iterator, Sequence

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation

from ..present.repeats import Answer, Number, Shape, alike, find_repeats
from ..present.typed_answers import EXACT
from ..wire.lessons import AskBlock, HiddenValue
from .resolver import Resolver
from .tree import Ask, LessonError
from .values import Read


def number_asked(ask: AskBlock) -> Number:
    """The answer to a question that asks for a number."""
    return Number(ask["number_kind"] or "float", ask["digits"] or EXACT, str(ask["truth"]))


def covers(
    resolver: Resolver, ask: Ask, block: AskBlock, reads: Sequence[Read], place: RunLocation | None
) -> list[HiddenValue]:
    """The values that a question reads, and those that repeat what it asks for; `LessonError` if the run is too long."""
    recording = resolver.recorded(ask.program, ask.line).recording
    assert recording is not None
    read = [each for each in reads if not is_given(place, each.address)]
    found = [
        resolver.hidden(ask.program, address, each.index)
        for each in read
        for address in alike(recording, *_of(each), is_shape=ask.kind == "shape")
    ]
    for asked, answer in _answers(recording, block, read):
        repeats = find_repeats(recording, asked, answer)
        if repeats.beyond:
            raise LessonError(
                ask.line,
                "after the asked value the run is too long to search for values that repeat it",
                "Ask about a smaller run.",
            )
        found += [resolver.hidden(ask.program, address, None) for address in repeats.addresses]
    return found


def _answers(
    recording: Recording, block: AskBlock, reads: Sequence[Read]
) -> Iterator[tuple[list[Address], Answer]]:
    """What a question asks for, each with the values that show it."""
    asked = [address for each in reads for address in alike(recording, *_of(each))]
    match block["ask"]:
        case "number" if asked:
            yield asked, number_asked(block)
        case "shape" if asked:
            yield asked, Shape(tuple(size for size in block["truth"] or () if isinstance(size, int)))
        case "choice" | "cell":
            for each in reads:
                element = np.asarray(recording.value(each.address))[() if each.index is None else each.index]
                if element.ndim == 0 and element.dtype.kind not in "Oc":
                    yield [*alike(recording, *_of(each))], Number.of(element)


def _of(read: Read) -> tuple[Address, tuple[int, ...] | None]:
    return read.address, read.index


def is_given(place: RunLocation | None, address: Address) -> bool:
    """Whether a value is an argument of the run or a constant, which is always visible."""
    if place is None:
        return False
    track = place.recording.tracks[address.process]
    if address.kind == "f":
        return address.number == 0
    return place.recording.program.ops[track.op_of(address.number)].operation.name.endswith("constant")
