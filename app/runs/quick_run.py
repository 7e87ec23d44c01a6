"""A small program, run to the end: each step with its line and its results as text.

The op reference runs its examples this way, without a session.
"""

from hloscope.engine.debugger.address import result
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.track import Track
from hloscope.engine.ir.module import Language
from hloscope.engine.ir.types import TensorType, TupleType, Type
from hloscope.engine.limits import Limits
from hloscope.engine.ops.core.op import Array
from hloscope.engine.program import BoundOperation
from hloscope.engine.source import Source

from ..present.numbers import exact_number
from ..present.summary import value_text
from ..present.types import type_text
from ..wire.program import QuickRun, QuickRunEnd, QuickRunResult, QuickRunStep
from . import opening

MOST_ELEMENTS = 64
"""Maximum elements of a printed value; a larger one gets a summary."""
LINE_CHARACTERS = 60
MOST_PROCESSES = 16
"""Maximum processes whose results of a step are listed."""


def quick_run(source: Source, limits: Limits, steps: int, milliseconds: int) -> QuickRun:
    """Diagnostics; and if the program may run, its steps and how it ended.

    What several processes do at the same tick with the same op is one step. It has the results of each, and of the
    others that they had of the op before.
    """
    opened = opening.open_run(source, opening.OpenParameters(None, [], []), limits)
    if isinstance(opened, opening.Refusal):
        return {"diagnostics": opened.result["diagnostics"], "steps": [], "state": None}
    recording = opened.run.recording
    state = recording.record(steps, milliseconds / 1000)
    known: dict[int, Known] = {}
    steps_json = [_step(recording, process_steps, source, known) for process_steps in _in_order(recording)]
    end: QuickRunEnd = {"kind": state.kind, "reason": state.reason}
    if state.kind not in ("done", "failed") and not recording.awaited_queues:
        limit = "trial_step_limit" if recording.step_count >= steps else "trial_time_limit_ms"
        reason = f"stopped after {recording.step_count:,} steps ({limit}); the debugger continues"
        end = {"kind": "paused", "reason": reason}
    return {"diagnostics": opened.facts["diagnostics"], "steps": steps_json, "state": end}


ProcessStep = tuple[Track, int]
"""A step of a process."""
Known = dict[int, list[QuickRunResult]]
"""The last results of an op in each process, by process number."""


def _in_order(recording: Recording) -> list[list[ProcessStep]]:
    """The steps of all processes by tick; a failed step is the last."""
    found: dict[tuple[int, int], list[ProcessStep]] = {}
    for track in recording.tracks:
        for step in range(track.step_count):
            found.setdefault((track.tick_of(step), track.op_of(step)), []).append((track, step))
    last = max((key for key in found if _failed_at(recording, key[1])), default=None)
    keys = sorted(found, key=lambda key: (key == last, key[0], found[key][0][0].number))
    return [found[key] for key in keys]


def _failed_at(recording: Recording, op: int) -> bool:
    """Whether the run failed at an op, in its name or anywhere in it."""
    diagnostic, operation = recording.state.diagnostic, recording.program.ops[op].operation
    return diagnostic is not None and diagnostic.span in (operation.name_span, operation.span)


def _step(
    recording: Recording, process_steps: list[ProcessStep], source: Source, known: dict[int, Known]
) -> QuickRunStep:
    track, number = process_steps[0]
    bound = recording.program.ops[track.op_of(number)]
    span = bound.operation.span
    mine = known.setdefault(bound.id, {})
    mine |= {each[0].number: _results(recording, *each, bound) for each in process_steps[:MOST_PROCESSES]}
    results = [found for process in sorted(mine)[:MOST_PROCESSES] for found in mine[process]]
    printed = [text for track, number in process_steps for at, text in track.prints if at == number]
    step: QuickRunStep = {
        "name": bound.operation.name,
        "line": source.line_and_column(span.start)[0],
        "endLine": source.line_and_column(max(span.start, span.end - 1))[0],
        "depth": _depth(recording, track, number),
        "results": results,
    }
    return {**step, "printed": "\n".join(printed)} if printed else step


def _depth(recording: Recording, track: Track, step: int) -> int:
    """The number of frames around a step, including those of the process that opened its grid."""
    depth = int(track.columns(step, step + 1)[2][0])
    opener = recording.launch_groups[track.launch_group].opener
    if opener is None:
        return depth
    process, at = opener
    return depth + 1 + _depth(recording, recording.tracks[process], at)


def _results(recording: Recording, track: Track, number: int, bound: BoundOperation) -> list[QuickRunResult]:
    found: list[QuickRunResult] = []
    language = recording.program.module.language
    lanes = track.frame_lanes.get(track.frame_of(number))
    replica, partition = track.process
    who = f" ({replica}, {partition})" if _has_others(recording, track) else ""
    for which, value in enumerate(bound.operation.results):
        address = result(number, which, track.number)
        try:
            array = recording.value(address)
        except (KeyError, IndexError):  # the run stopped at this op
            continue
        type = recording.type_of(address)
        each = f" in {'×'.join(map(str, lanes))} lanes" if lanes else ""
        spelled = f"{type_text(type, language)}{each}"
        text = _text(array, type, lanes, language)
        found.append({"name": f"{value.name}{who}", "type": spelled, "text": text})
    return found


def _has_others(recording: Recording, track: Track) -> bool:
    return recording.launch_groups[track.launch_group].grid.num_processes > 1


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
    """The elements in brackets; long values in rows, one below the other."""
    words = [exact_number(element) for element in array.reshape(-1)]
    line = _bracket(words, array.shape)
    if array.ndim < 2 or len(line) <= LINE_CHARACTERS:
        return line
    width = max(map(len, words))
    return _bracket([word.rjust(width) for word in words], array.shape, 0)


def _bracket(words: list[str], shape: tuple[int, ...], indent: int | None = None) -> str:
    """A shape in brackets, on one line; with an indent, broken between parts if too long."""
    if not shape:
        return words[0]
    size = len(words) // shape[0]
    parts = [words[at : at + size] for at in range(0, len(words), size)]
    line = f"[{', '.join(_bracket(part, shape[1:]) for part in parts)}]"
    if indent is None or len(shape) == 1 or len(line) <= LINE_CHARACTERS:
        return line
    between = f",\n{' ' * (indent + 1)}"
    return f"[{between.join(_bracket(part, shape[1:], indent + 1) for part in parts)}]"
