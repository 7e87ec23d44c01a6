"""Values of a recording: summaries, thumbnails, windows, single elements, files for NumPy.

Values computed from recorded ones have addresses of their own. `e0.137.TEXT`: an expression at step 137 of process 0,
its text in base64 for URLs. `l0.s12.0`: the digits that each element of a value has lost, known once the program has
run in more digits.
"""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, TypeAlias

import numpy as np
from annotated_types import Ge, Le, MaxLen

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.run_location import values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import evaluate, parse
from hloscope.engine.ir.element_types import F64, of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..present.elements import storage
from ..present.npy import npy_bytes
from ..present.numbers import exact_number
from ..present.summary import (
    computed_summary,
    summary_without_value,
    thumbnail,
    thumbnail_of_facts,
    value_summary,
)
from ..present.value_search import nonfinite_element
from ..present.value_windows import Window, window_bytes
from ..runs.run import Run, kept
from ..wire import values as wire
from ..wire.questions import Answer, bytes_answer, json_answer
from .expressions import location_at
from .precision import shadow_of
from .question import (
    BadQuestion,
    Direction,
    Named,
    NotRecorded,
    Planes,
    RecordingQuestion,
    SeveralQuestion,
    Short,
    address_at,
    has_ended,
    split_addresses,
    tensor_type_at,
)
from .question import tensor_at as recorded_tensor_at

MOST_CHARACTERS = 1_000
"""Maximum length of an expression."""
_EXPRESSION = re.compile(r"e(\d{1,9})\.(\d{1,18})\.([\w-]+)", re.ASCII)


def is_derived(text: str) -> bool:
    """Whether an address is that of a computed value."""
    return text[:1] in ("e", "l")


def tensor_at(run: Run, text: str) -> tuple[Array, TensorType]:
    """The value at an address, recorded or computed, and its type."""
    if not is_derived(text):
        return recorded_tensor_at(run, text)
    array = _computed(run, text)
    type = of_dtype(array.dtype)
    if type is None:
        raise BadQuestion(f"NumPy's {array.dtype} has no counterpart in StableHLO.")
    return array, TensorType(array.shape, F64 if text[0] == "l" else type)


@kept
def _computed(run: Run, text: str) -> Array:
    return _lost_digits(run, text[1:]) if text[0] == "l" else _evaluated(run, text)


def _evaluated(run: Run, text: str) -> Array:
    match = _EXPRESSION.fullmatch(text)
    if match is None:
        raise BadQuestion(f"{text[:80]!r} is not the address of an expression.")
    process, step, coded = match.groups()
    try:
        expression = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except ValueError:
        raise BadQuestion(f"{text[:80]!r} is not the address of an expression.") from None
    if len(expression) > MOST_CHARACTERS:
        raise BadQuestion(f"An expression has at most {MOST_CHARACTERS:,} characters.")
    place = location_at(run, int(process), int(step))
    try:
        found = evaluate(parse(expression, run.recording.program.derive(values_by_name)), place)
    except ExpressionError as error:
        raise BadQuestion(f"{expression}: {error.message}.") from None
    if isinstance(found, str):
        raise BadQuestion(f"{expression} is a string, which has no elements.")
    return np.asarray(found)


def _lost_digits(run: Run, text: str) -> Array:
    address, shadow = address_at(text), shadow_of(run)
    if isinstance(shadow, str):
        raise BadQuestion(shadow)
    if (found := shadow.lost_digits(address)) is None:
        raise BadQuestion("Only floating-point numbers lose digits.")
    return found


MOST_THUMBNAILS = 128
MOST_SUMMARIES = 32
MOST_WINDOWS = 32
MOST_WINDOW_BYTES = 4 << 20
"""Maximum bytes of several windows; the answer ends after the first that exceeds it."""
PIECE_BYTES = 4 << 20
"""Maximum length of one part of a file, so that the server never holds a large file whole."""
WINDOW_FIELDS = ("address", "rows", "columns", "at", "from", "size", "level")
"""Fields of each window of a list, in order."""

Addresses = Annotated[str, MaxLen(8_000)]
"""Addresses, separated by commas."""


class ThumbnailsQuestion(SeveralQuestion[dict[str, wire.ThumbnailInfo]]):
    """Small pictures of values, with their one-line summaries."""

    path = "/thumbnails"
    examples = ({"addresses": "0.s1.0,0.s2.0"},)

    addresses: Addresses

    def answer(self, run: Run) -> Answer[dict[str, wire.ThumbnailInfo]]:
        found, missing = {}, False
        for text in split_addresses(self.addresses, MOST_THUMBNAILS):
            try:
                found[text] = _thumbnail_at(run, text)
            except (KeyError, IndexError):
                missing = True
            except BadQuestion:
                continue
        if missing and run.replaying:
            raise NotRecorded
        return json_answer(found, final=not missing or has_ended(run))

    def parts(self) -> Sequence[RecordingQuestion[Any]]:
        return [ThumbnailsQuestion(text) for text in split_addresses(self.addresses, MOST_THUMBNAILS)]

    def split(self, answer: Answer[dict[str, wire.ThumbnailInfo]]) -> Sequence[Answer[Any]]:
        found = answer.json()
        addresses = split_addresses(self.addresses, MOST_THUMBNAILS)
        return [json_answer({text: found[text]} if text in found else {}) for text in addresses]

    def join(self, answers: Sequence[Answer[Any]]) -> Answer[dict[str, wire.ThumbnailInfo]]:
        found: dict[str, wire.ThumbnailInfo] = {}
        for answer in answers:
            found |= answer.json()
        return json_answer(found)


def _thumbnail_at(run: Run, text: str) -> wire.ThumbnailInfo:
    """The thumbnail of a value; from its facts, if the value would have to be fetched."""
    type = tensor_type_at(run, text)
    address = address_at(text)
    lanes, facts = _lanes(run, address), run.recording.facts(address)
    known = thumbnail_of_facts(facts, type, run.language) if facts is not None and lanes is None else None
    return known or thumbnail(run.recording.value(address), type, lanes, run.language)


Summary: TypeAlias = wire.ValueSummary | wire.PlainSummary


class SummariesQuestion(SeveralQuestion[dict[str, Summary]]):
    """Type, shape, statistics and histogram of several values."""

    path = "/summaries"
    examples = ({"addresses": "0.s1.0,0.s2.0"},)

    addresses: Addresses

    def answer(self, run: Run) -> Answer[dict[str, Summary]]:
        addresses, found = split_addresses(self.addresses, MOST_SUMMARIES), {}
        for text in addresses:
            with suppress(KeyError, IndexError):
                found[text] = _summary_at(run, text)
        is_whole = len(found) == len(set(addresses))
        if run.replaying and not is_whole:
            raise NotRecorded
        return json_answer(found, final=is_whole)

    def parts(self) -> Sequence[RecordingQuestion[Any]]:
        return [SummaryQuestion(text) for text in split_addresses(self.addresses, MOST_SUMMARIES)]

    def split(self, answer: Answer[dict[str, Summary]]) -> Sequence[Answer[Any]]:
        found = answer.json()
        return [json_answer(found[text]) for text in split_addresses(self.addresses, MOST_SUMMARIES)]

    def join(self, answers: Sequence[Answer[Any]]) -> Answer[dict[str, Summary]]:
        addresses = split_addresses(self.addresses, MOST_SUMMARIES)
        return json_answer({text: answer.json() for text, answer in zip(addresses, answers, strict=True)})


class WindowsQuestion(SeveralQuestion[bytes]):
    """Rectangles of several values.

    For each in request order: its number of bytes as little-endian u64, the bytes as `window` of a value returns
    them, zero padding to a multiple of 8. A value that is not recorded, or exceeds the size limit, has no bytes.
    """

    path = "/windows"
    examples = ({"window": "0.s2.0;0;1;0,0;0,0;2,2;0"},)

    window: Annotated[list[Short], MaxLen(MOST_WINDOWS)]

    def answer(self, run: Run) -> Answer[bytes]:
        found, left = list[bytes](), MOST_WINDOW_BYTES
        for question in self.parts():
            data = b""
            with suppress(KeyError, IndexError):
                data = question.data(run) if left > 0 else b""
            left -= len(data)
            found.append(data)
        is_whole = all(found)
        if run.replaying and not is_whole:
            raise NotRecorded
        return bytes_answer(b"".join(map(_framed, found)), final=is_whole)

    def parts(self) -> Sequence[WindowQuestion]:
        return [_window_question(text) for text in self.window]

    def split(self, answer: Answer[bytes]) -> Sequence[Answer[bytes]]:
        found, at, data = list[Answer[bytes]](), 0, bytes(answer.body)
        for _ in self.window:
            (size,) = struct.unpack_from("<Q", data, at)
            found.append(bytes_answer(data[at + 8 : at + 8 + size]))
            at += 8 + size + -size % 8
        return found

    def join(self, answers: Sequence[Answer[bytes]]) -> Answer[bytes] | None:
        found = [bytes(answer.body) for answer in answers]
        if sum(map(len, found[:-1])) >= MOST_WINDOW_BYTES:
            return None
        return bytes_answer(b"".join(map(_framed, found)))


def _framed(window: bytes) -> bytes:
    """A window among others: with its length before it, and zero padding."""
    return struct.pack("<Q", len(window)) + window + bytes(-len(window) % 8)


def _window_question(text: str) -> WindowQuestion:
    fields = text.split(";")
    if len(fields) != len(WINDOW_FIELDS):
        raise BadQuestion(
            f"window={text[:80]}: a window is {len(WINDOW_FIELDS)} fields with semicolons between them:"
            f" {', '.join(WINDOW_FIELDS)}."
        )
    address, rows, columns, at, start, size, level = fields
    return WindowQuestion(address, rows, columns, start, size, at, level)


class NpyQuestion(RecordingQuestion[bytes]):
    """A part of a value as a file for NumPy; `X-Total` is the number of bytes of the whole.

    Its route streams all parts: `app/web/api/question_routes.py`.
    """

    address: str
    start: int

    def answer(self, run: Run) -> Answer[bytes]:
        if run.file is None or run.file[0] != self.address:
            run.file = (self.address, npy_bytes(tensor_at(run, self.address)[0]))
        data = run.file[1]
        piece = data[self.start : self.start + PIECE_BYTES]
        if self.start + len(piece) >= len(data):
            run.file = None
        return bytes_answer(piece, headers={"X-Total": str(len(data))})


class WindowQuestion(RecordingQuestion[bytes]):
    """A rectangle of a value, exact or downsampled.

    With `planes`, a grid of the planes of all other axes, `planes` of them in a row.

    The length of a JSON header as little-endian u32, the header (`WindowHeader`), zero padding to a multiple of
    8, the planes.
    """

    path = "/values/{address}/window"
    examples = ({"address": "0.s2.0", "rows": 0, "columns": 1, "at": "0,0", "start": "0,0", "size": "2,2"},)

    address: str
    rows: Short
    columns: Short
    start: Annotated[str, Named("from"), MaxLen(400)]
    size: Short
    at: Short = ""
    level: Short = "0"
    planes: Planes = 0

    def answer(self, run: Run) -> Answer[bytes]:
        return bytes_answer(self.data(run))

    def data(self, run: Run) -> bytes:
        """The window's bytes."""
        array, type = tensor_at(run, self.address)
        window = Window.parse(
            self.rows, self.columns, self.at, self.start, self.size, self.level, self.planes
        )
        return window_bytes(array, type, window)


class NonfiniteQuestion(RecordingQuestion[wire.NonfiniteElement]):
    """The nearest NaN or infinity after or before an element, by its number in row-major order."""

    path = "/values/{address}/nonfinite"
    examples = ({"address": "0.s2.0"},)

    address: str
    after: Annotated[int, Ge(-1), Le(2**62)] = -1
    direction: Direction = "forward"

    def answer(self, run: Run) -> Answer[wire.NonfiniteElement]:
        array, _ = tensor_at(run, self.address)
        return json_answer(nonfinite_element(array, self.after, back=self.direction == "back"))


class SummaryQuestion(RecordingQuestion[Summary]):
    """Type, shape, statistics and histogram of a value."""

    path = "/values/{address}"
    examples = ({"address": "0.s2.0"},)

    address: str

    def answer(self, run: Run) -> Answer[Summary]:
        return json_answer(_summary_at(run, self.address))


def _summary_at(run: Run, text: str) -> Summary:
    if is_derived(text):
        return computed_summary(text, *tensor_at(run, text), run.language)
    address = address_at(text)
    type = run.recording.type_of(address)
    if not isinstance(type, TensorType):
        return summary_without_value(str(address), type, run.language)
    array = run.recording.value(address)
    return value_summary(str(address), array, type, _lanes(run, address), run.language)


def _lanes(run: Run, address: Address) -> tuple[int, ...] | None:
    frame, track = address.number, run.recording.tracks[address.process]
    if address.kind == "s":
        frame = int(track.columns(frame, frame + 1)[1][0])
    return track.frame_lanes.get(frame)


class ElementQuestion(RecordingQuestion[wire.ElementText]):
    """One element of a value, in all its digits."""

    address: str
    element: Sequence[int]

    def answer(self, run: Run) -> Answer[wire.ElementText]:
        array, type = tensor_at(run, self.address)
        inside = len(self.element) == array.ndim and all(
            0 <= index < size for index, size in zip(self.element, array.shape, strict=True)
        )
        if not inside:
            raise BadQuestion(f"{self.address} has no element {list(self.element)}.")
        return json_answer({"text": exact_number(array[tuple(self.element)]), "kind": _kind_of(type)})


def _kind_of(type: TensorType) -> wire.ElementKind:
    match storage(type.element_type).kind:
        case "boolean":
            return "truth"
        case "signed" | "unsigned" | "index":
            return "integer"
        case "complex":
            return "complex"
        case _:
            return "float"
