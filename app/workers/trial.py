"""A small program, run at once: every step with the line that it stands on and its results, written out.

The op reference runs its examples so. There is no session, and nothing is kept.
"""

from __future__ import annotations

from typing import Any

from engine.debugger.address import result
from engine.debugger.recording import Recording
from engine.debugger.track import Track
from engine.ir.module import Language
from engine.ir.types import TensorType, TupleType, Type
from engine.limits import Limits
from engine.ops.op import Array
from engine.program import BoundOperation
from engine.source import Source

from ..present import value_text
from ..present.numbers import exact
from ..present.types import type_text
from . import opening

JSON = dict[str, Any]
MOST_ELEMENTS = 64
"""Elements of a value that are written out; of a larger one a summary is."""
LINE_CHARACTERS = 60


def trial(source: Source, limits: Limits, steps: int, milliseconds: int) -> JSON:
    """Diagnostics; and if the program may run, how it ended, and the steps of its first process."""
    opened = opening.open_run(source, opening.Wanted(None, [], []), limits, "", 1)
    answer: JSON = {"diagnostics": opened.result["diagnostics"], "steps": [], "state": None}
    if opened.run is None:
        return answer
    recording = opened.run.recording
    state = recording.record(steps, milliseconds / 1000)
    track = recording.tracks[0]
    answer["processes"] = len(recording.tracks)
    answer["steps"] = [_step(recording, track, number, source) for number in range(track.step_count)]
    for number, text in track.prints:
        answer["steps"][number]["printed"] = text
    answer["state"] = {"kind": state.kind, "reason": state.reason}
    if state.kind not in ("done", "failed") and not recording.hungry:
        limit = "trial_step_limit" if recording.step_count >= steps else "trial_time_limit_ms"
        reason = f"stopped after {recording.step_count:,} steps ({limit}); the debugger goes on"
        answer["state"] = {"kind": "paused", "reason": reason}
    return answer


def _step(recording: Recording, track: Track, number: int, source: Source) -> JSON:
    ops, frames, depths = track.columns(number, number + 1)
    bound = recording.program.ops[int(ops[0])]
    span = bound.operation.span
    return {
        "name": bound.operation.name,
        "line": source.line_and_column(span.start)[0],
        "endLine": source.line_and_column(max(span.start, span.end - 1))[0],
        "depth": int(depths[0]),
        "results": _results(recording, number, bound, track.frame_lanes.get(int(frames[0]))),
    }


def _results(
    recording: Recording, number: int, bound: BoundOperation, lanes: tuple[int, ...] | None
) -> list[JSON]:
    found = []
    language = recording.program.module.language
    for which, value in enumerate(bound.operation.results):
        address = result(number, which)
        try:
            array = recording.value(address)
        except (KeyError, IndexError):  # the run stopped at this op
            continue
        type = recording.type_of(address)
        each = f" in {'×'.join(map(str, lanes))} lanes" if lanes else ""
        spelled = f"{type_text(type, language)}{each}"
        found.append({"name": value.name, "type": spelled, "text": _text(array, type, lanes, language)})
    return found


def _text(array: Array, type: Type, lanes: tuple[int, ...] | None, language: Language) -> str:
    if isinstance(type, TupleType):
        texts = [_text(*each, lanes, language) or "token" for each in zip(array, type.types, strict=True)]
        line = f"({', '.join(texts)})"
        if len(line) <= LINE_CHARACTERS:
            return line
        inside = ",\n".join(texts).replace("\n", "\n ")
        return f"({inside})"
    if not isinstance(type, TensorType) and (array.dtype == object or array.shape == (0,)):
        return ""  # a token
    if isinstance(type, TensorType) and array.size > MOST_ELEMENTS:
        return value_text(array, type, lanes, language)
    return _rows(array) if array.size else "empty"


def _rows(array: Array) -> str:
    """The elements in brackets; what does not fit into a line in rows, one below the other."""
    words = [exact(element) for element in array.reshape(-1)]
    line = _bracketed(words, array.shape)
    if array.ndim < 2 or len(line) <= LINE_CHARACTERS:
        return line
    width = max(map(len, words))
    return _bracketed([word.rjust(width) for word in words], array.shape, 0)


def _bracketed(words: list[str], shape: tuple[int, ...], indent: int | None = None) -> str:
    """In one line; with an indent, what is too long for a line is broken between its parts."""
    if not shape:
        return words[0]
    size = len(words) // shape[0]
    parts = [words[at : at + size] for at in range(0, len(words), size)]
    line = f"[{', '.join(_bracketed(part, shape[1:]) for part in parts)}]"
    if indent is None or len(shape) == 1 or len(line) <= LINE_CHARACTERS:
        return line
    between = f",\n{' ' * (indent + 1)}"
    return f"[{between.join(_bracketed(part, shape[1:], indent + 1) for part in parts)}]"
