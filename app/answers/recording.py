"""What a worker answers about a recording: bytes as they go to the browser, and whether they may change."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from hloscope.engine.debugger.address import Address
from hloscope.engine.ir.types import TensorType

from .. import present
from ..present.elements import storage
from ..present.numbers import exact_number
from ..runs.run import Run
from ..wire.pair_questions import OpenQuestion
from ..wire.program import OpDetails, ProgramInfo
from ..wire.questions import (
    Answer,
    ElementQuestion,
    FramesQuestion,
    NonfiniteQuestion,
    NpyQuestion,
    OpQuestion,
    OutlineQuestion,
    PrintsQuestion,
    ProgramQuestion,
    Question,
    SummariesQuestion,
    SummaryQuestion,
    ThumbnailsQuestion,
    WindowQuestion,
    WindowsQuestion,
)
from ..wire.values import (
    ElementKind,
    ElementText,
    NonfiniteElement,
    PlainSummary,
    PrintedText,
    ThumbnailInfo,
    ValueSummary,
)
from . import findings as finding_answers
from . import grid as grid_answers
from . import handouts as handout_answers
from . import index_maps as index_answers
from . import index_numbers as number_answers
from . import provenance as provenance_answers
from . import search as search_answers
from .answer import BadQuestion, NotRecorded, address_at, chunk_answer, handler, tensor_at

A = TypeVar("A")
MOST_THUMBNAILS = 128
MOST_WINDOW_BYTES = 4 << 20
"""Several windows in one answer end behind the first that exceeds it."""
PIECE_BYTES = 4 << 20
MOST_PRINTS = 1_000
"""What a program prints is shown so many times, and each time as so many characters."""
PRINT_CHARACTERS = 10_000
PRINTS_AT_ONCE = 100


def answer(run: Run, question: Question[A]) -> Answer[A]:
    """The answer to a question about a recording."""
    try:
        return HANDLERS[type(question)](run, question)
    except (KeyError, IndexError) as error:
        raise NotRecorded from error
    except present.WindowError as error:
        raise BadQuestion(str(error)) from None


def _open(run: Run, question: OpenQuestion) -> Answer[bool]:
    return question.answer(True, final=False)


def _program(run: Run, question: ProgramQuestion) -> Answer[ProgramInfo]:
    return question.answer(present.program_table(run.recording.program))


def _op(run: Run, question: OpQuestion) -> Answer[OpDetails]:
    return question.answer(
        present.op_details(run.recording.program, question.op, index_answers.chains_of(run))
    )


def _outline(run: Run, question: OutlineQuestion) -> Answer[bytes]:
    chunk = present.outline_chunk(run.recording, question.chunk, question.process)
    return chunk_answer(run, question, chunk, "X-Steps")


def _frames(run: Run, question: FramesQuestion) -> Answer[bytes]:
    chunk = present.frames_chunk(run.recording, question.chunk, question.process)
    return chunk_answer(run, question, chunk, "X-Frames")


def _summary(run: Run, question: SummaryQuestion) -> Answer[ValueSummary | PlainSummary]:
    return question.answer(_summary_at(run, question.address))


def _summary_at(run: Run, text: str) -> ValueSummary | PlainSummary:
    address = address_at(text)
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        return present.summary_without_value(str(address), type, run.language)
    array = run.recording.value(address)
    return present.value_summary(str(address), array, type, _lanes(run, address), run.language)


def _summaries(run: Run, question: SummariesQuestion) -> Answer[dict[str, ValueSummary | PlainSummary]]:
    """The summaries of the values that are recorded; others are left out."""
    found = {}
    for text in question.addresses:
        with suppress(KeyError, IndexError):
            found[text] = _summary_at(run, text)
    is_whole = len(found) == len(set(question.addresses))
    if run.replaying and not is_whole:
        raise NotRecorded
    return question.answer(found, final=is_whole)


def _element(run: Run, question: ElementQuestion) -> Answer[ElementText]:
    array, type = tensor_at(run, question.address)
    inside = len(question.element) == array.ndim and all(
        0 <= place < size for place, size in zip(question.element, array.shape, strict=True)
    )
    if not inside:
        raise BadQuestion(f"{question.address} has no element {list(question.element)}.")
    text = exact_number(array[tuple(question.element)])
    return question.answer({"text": text, "kind": _kind_of(type)})


def _kind_of(type: TensorType) -> ElementKind:
    match storage(type.element_type).kind:
        case "boolean":
            return "truth"
        case "signed" | "unsigned" | "index":
            return "integer"
        case "complex":
            return "complex"
        case _:
            return "float"


def _nonfinite(run: Run, question: NonfiniteQuestion) -> Answer[NonfiniteElement]:
    array, _ = tensor_at(run, question.address)
    found = present.nonfinite_element(array, question.after, back=question.direction == "back")
    return question.answer(found)


def _window(run: Run, question: WindowQuestion) -> Answer[bytes]:
    return question.answer(_window_bytes(run, question))


def _window_bytes(run: Run, question: WindowQuestion) -> bytes:
    array, type = tensor_at(run, question.address)
    window = present.Window.parse(
        question.rows, question.columns, question.at, question.start, question.size, question.level
    )
    return present.window_bytes(array, type, window)


def _windows(run: Run, question: WindowsQuestion) -> Answer[bytes]:
    """The windows that are recorded, as far as they are not too much for one answer; of others no bytes."""
    parts, left, is_whole = [], MOST_WINDOW_BYTES, True
    for fields in question.windows:
        data = b""
        with suppress(KeyError, IndexError):
            data = _window_bytes(run, WindowQuestion(*fields)) if left > 0 else b""
        is_whole &= data != b""
        left -= len(data)
        parts.append(struct.pack("<Q", len(data)) + data + bytes(-len(data) % 8))
    if run.replaying and not is_whole:
        raise NotRecorded
    return question.answer(b"".join(parts), final=is_whole)


def _thumbnails(run: Run, question: ThumbnailsQuestion) -> Answer[dict[str, ThumbnailInfo]]:
    """The thumbnails of the values that are recorded; others are left out."""
    found, missing = {}, False
    for text in question.addresses:
        try:
            array, type = tensor_at(run, text)
        except (KeyError, IndexError):
            missing = True
        except BadQuestion:
            continue
        else:
            lanes = _lanes(run, address_at(text))
            found[text] = present.thumbnail(array, type, lanes, run.language)
    if missing and run.replaying:
        raise NotRecorded
    return question.answer(found, final=not missing)


def _prints(run: Run, question: PrintsQuestion) -> Answer[list[PrintedText]]:
    """What the program has printed in a process, from a number on: some at a time, and not all of it."""
    start, track = question.start, run.recording.tracks[question.process]
    if run.replaying and start >= len(track.prints):
        raise NotRecorded
    found = track.prints[start : min(start + PRINTS_AT_ONCE, MOST_PRINTS)]
    return question.answer([{"step": step, "text": _truncate(text)} for step, text in found], final=False)


def _truncate(text: str) -> str:
    return text if len(text) <= PRINT_CHARACTERS else f"{text[:PRINT_CHARACTERS]}…"


def _npy(run: Run, question: NpyQuestion) -> Answer[bytes]:
    """A piece of the file, so that the server never holds a large one whole."""
    address, start = question.address, question.start
    if run.file is None or run.file[0] != address:
        run.file = (address, present.npy_bytes(tensor_at(run, address)[0]))
    data = run.file[1]
    piece = data[start : start + PIECE_BYTES]
    if start + len(piece) >= len(data):
        run.file = None
    return question.answer(piece, headers={"X-Total": str(len(data))})


def _lanes(run: Run, address: Address) -> tuple[int, ...] | None:
    frame, track = address.number, run.recording.tracks[address.process]
    if address.kind == "s":
        frame = int(track.columns(frame, frame + 1)[1][0])
    return track.frame_lanes.get(frame)


HANDLERS: Mapping[type[Question[Any]], Callable[[Run, Any], Answer[Any]]] = dict(
    (
        *grid_answers.HANDLERS,
        *provenance_answers.HANDLERS,
        *search_answers.HANDLERS,
        *finding_answers.HANDLERS,
        *index_answers.HANDLERS,
        *number_answers.HANDLERS,
        *handout_answers.HANDLERS,
        handler(OpenQuestion, _open),
        handler(ProgramQuestion, _program),
        handler(OpQuestion, _op),
        handler(OutlineQuestion, _outline),
        handler(FramesQuestion, _frames),
        handler(SummaryQuestion, _summary),
        handler(SummariesQuestion, _summaries),
        handler(ElementQuestion, _element),
        handler(NonfiniteQuestion, _nonfinite),
        handler(WindowQuestion, _window),
        handler(WindowsQuestion, _windows),
        handler(ThumbnailsQuestion, _thumbnails),
        handler(NpyQuestion, _npy),
        handler(PrintsQuestion, _prints),
    )
)
