"""Exercises: whether a changed program passes its check, and what it returns, beside what the solution returns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ml_dtypes
import numpy as np

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.debugger.track import Track
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Parsed, evaluate, parse
from hloscope.engine.expressions.tree import Item, Named, Node
from hloscope.engine.ir.element_types import of_dtype
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.core.ranks import is_inexact

from ..present.numbers import exact_number
from ..wire.lessons import ChangeResult, CheckedValue, PicturedValue, ReturnedValue
from .labels import ExerciseWords
from .runs import Bounds, Recorded, record, shared, shared_runs
from .tree import Change, LessonError, Program
from .values import RUNS, array_text, parts_of, read_expression, reads_runs, written

MOST_VALUES = 8
"""Maximum number of a check's values that are reported."""
FURTHER_RUNS = 2
"""Runs with inputs that the student does not see."""
ENGLISH = ExerciseWords()
ROUNDINGS = 8
"""Units in the last place by which a float may differ from the solution's."""


@dataclass(frozen=True)
class _Scope:
    """The end of a run, and whether the run reached it."""

    place: RunLocation
    runs: bool

    def value(self, name: str, process: int | None) -> Array:
        """See `Scope.value`."""
        return self.place.value(name, process)

    def variable(self, name: str, number: int) -> Any:
        """See `Scope.variable`."""
        return self.runs if name == RUNS else self.place.variable(name, number)


def check_change(
    program: Program, text: str, change: Change, bounds: Bounds, words: ExerciseWords = ENGLISH
) -> ChangeResult:
    """Whether `text` in place of a lesson's program passes an exercise.

    `passes` must hold at the end of its run, and it must return what the solution returns: with the lesson's inputs, and
    with others whose elements are drawn from these.
    """
    found = record(program, bounds, text)
    result = _check_end(found, change.passes, change.process, words)
    solved = record(program, bounds, change.solution_text)
    if not result["passed"]:
        return _with_expected(result, _check_end(solved, change.passes, change.process, words))
    if not change.compares or not found.ended:
        return result
    difference = _find_difference(found, solved, change.further, bounds, words)
    return result if difference is None else difference


def _with_expected(result: ChangeResult, solved: ChangeResult) -> ChangeResult:
    """The values of a failed check beside those of the solution."""
    expected = {value["text"]: value["value"] for value in solved["values"]}
    values: list[CheckedValue] = [
        {**value, "expected": expected[value["text"]]}
        if expected.get(value["text"], value["value"]) != value["value"]
        else value
        for value in result["values"]
    ]
    return {**result, "values": values}


def _check_end(found: Recorded, passes: str, process: int, words: ExerciseWords = ENGLISH) -> ChangeResult:
    """Evaluate `passes` at the end of a run."""
    errors = [each for each in found.diagnostics if each["severity"] == "error"]
    if found.recording is None:
        return _failed(found, words("errors"))
    if process >= len(found.recording.tracks):
        return _failed(found, words("process", process))
    track = found.recording.tracks[process]
    try:
        parsed = parse(passes, found.recording.program.derive(values_by_name), (RUNS,))
    except ExpressionError as error:
        return _failed(found, words("inapplicable", passes, words.reason(error.message)))
    runs = found.ended and not errors
    if not runs and not reads_runs(parsed.tree):
        return _failed(found, _why_not(found, words))
    place = RunLocation(found.recording, process, track.step_count)
    return _judged(found, parsed, _Scope(place, runs), words)


def _why_not(found: Recorded, words: ExerciseWords) -> str:
    if found.stopped:
        return words("unfinished", found.stopped)
    assert found.recording is not None
    return words("stopped", found.recording.state.reason)


def _judged(found: Recorded, parsed: Parsed, scope: _Scope, words: ExerciseWords) -> ChangeResult:
    try:
        given = evaluate(parsed, scope)
    except ExpressionError as error:
        return _failed(found, words("uncomputable", parsed.text, words.reason(error.message)))
    if not isinstance(given, bool):
        return _failed(found, words("several", parsed.text))
    said = words("passes") if given else words("not_yet", parsed.text)
    if not given and not scope.runs and found.recording is not None:
        said = _why_not(found, words)
    return {
        "passed": given,
        "message": said,
        "values": _values(parsed, scope.place),
        "diagnostics": found.diagnostics,
    }


def _failed(found: Recorded, message: str, values: Sequence[CheckedValue] = ()) -> ChangeResult:
    return {"passed": False, "message": message, "values": [*values], "diagnostics": found.diagnostics}


# What the program returns.


def _find_difference(
    found: Recorded, solved: Recorded, further: tuple[str, ...], bounds: Bounds, words: ExerciseWords
) -> ChangeResult | None:
    """The first run in which the program returns something other than the solution; None if there is none."""
    student, solution = found.recording, solved.recording
    if student is None or solution is None:
        return None
    if _types(student.launch.inputs[0]) != _types(solution.launch.inputs[0]):
        return _failed(found, words("arguments"))
    if values := differing(student, solution, words):
        return _failed(found, words("differs"), values)
    for pair in _further_runs(found, solved, further, bounds):
        if pair[1].state.kind == "done" and (values := differing(*pair, words)):
            return _failed(found, words("differs_again"), [*_inputs_of(pair[1], words), *values])
    return None


def _further_runs(
    found: Recorded, solved: Recorded, further: tuple[str, ...], bounds: Bounds
) -> Iterator[tuple[Recording, Recording]]:
    """The program and the solution with inputs that the student does not see."""
    if further:
        program = replace(found.program, inputs=further)
        student, solution = (record(program, bounds, each.text).recording for each in (found, solved))
        if student is not None and solution is not None:
            yield student, solution
    elif found.recording is not None and solved.recording is not None:
        for seed in range(FURTHER_RUNS):
            yield run_again(found.recording, seed, bounds), run_again(solved.recording, seed, bounds)


def _types(arrays: Sequence[Array]) -> list[tuple[object, ...]]:
    return [(array.dtype, *array.shape) for array in arrays]


def run_again(recording: Recording, seed: int, bounds: Bounds) -> Recording:
    """The program's run with elements drawn from those of its inputs, so that indices stay valid."""
    return shared((recording, seed, bounds), lambda: _run_again(recording, seed, bounds))


def _run_again(recording: Recording, seed: int, bounds: Bounds) -> Recording:
    launch, random = recording.launch, np.random.default_rng(seed)
    columns = [_drawn(column, random) for column in zip(*launch.inputs, strict=True)]
    inputs = tuple(zip(*columns, strict=True)) if columns else launch.inputs
    again = Recording(recording.program, replace(launch, inputs=inputs), bounds.limits, recording.entry)
    again.record(bounds.steps, bounds.milliseconds / 1000)
    return again


def _drawn(column: Sequence[Array], random: np.random.Generator) -> list[Array]:
    """One argument of all processes: what was the same for all stays so."""
    first = column[0]
    if all(array is first or array.tobytes() == first.tobytes() for array in column):
        return [_drawn_from(first.reshape(-1), first, random)] * len(column)
    pool = np.concatenate([array.reshape(-1) for array in column])
    return [_drawn_from(pool, array, random) for array in column]


def _drawn_from(pool: Array, array: Array, random: np.random.Generator) -> Array:
    return pool[random.integers(0, max(pool.size, 1), array.shape)] if array.size else array


def differing(student: Recording, solution: Recording, words: ExerciseWords = ENGLISH) -> list[CheckedValue]:
    """The first result that differs, with the solution's."""
    for ours, theirs in zip(student.tracks, solution.tracks, strict=False):
        returned, expected = ours.results() or (), theirs.results() or ()
        if len(returned) != len(expected):
            text = words("count")
            return [{"text": text, "value": str(len(returned)), "expected": str(len(expected))}]
        for number, (value, wanted) in enumerate(zip(returned, expected, strict=True)):
            if not is_same(value, wanted):
                name = "result_of" if len(student.tracks) > 1 else "result"
                text = words(name, number, ours.number)
                return [{"text": text, "value": array_text(value), "expected": array_text(wanted)}]
    return []


def is_same(value: Array, wanted: Array) -> bool:
    """Whether two results are equal; floats within roundings of the largest element."""
    if value.dtype != wanted.dtype or value.shape != wanted.shape:
        return False
    if not is_inexact(wanted.dtype):
        return bool(np.array_equal(value, wanted))
    near = ROUNDINGS * float(ml_dtypes.finfo(wanted.dtype).eps)
    wide = np.complex128 if wanted.dtype.kind == "c" else np.float64
    given, expected = value.astype(wide), wanted.astype(wide)
    largest = np.max(np.abs(expected), initial=0, where=np.isfinite(expected))
    return np.allclose(given, expected, near, near * largest, equal_nan=True)


def _inputs_of(recording: Recording, words: ExerciseWords) -> Iterator[CheckedValue]:
    for number, array in enumerate(recording.launch.inputs[0]):
        yield {"text": words("argument", number), "value": array_text(array), "expected": None}


def _values(parsed: Parsed, place: RunLocation) -> list[CheckedValue]:
    """The values that a check reads, in their narrowest form: `%2[1,0]` without `%2`."""
    found: dict[str, str] = {}
    for node in _outermost(parsed.tree):
        text = parsed.text[node.span.start : node.span.end]
        try:
            found[text] = written(Parsed(text, node), place, 0)
        except (LessonError, KeyError):
            continue
    return [
        {"text": text, "value": value, "expected": None} for text, value in list(found.items())[:MOST_VALUES]
    ]


def _outermost(tree: Node) -> list[Node]:
    """Values with the parts that are read; whole values if a function or operator takes them."""
    items = [part for part in parts_of(tree) if isinstance(part, Item) and isinstance(part.operand, Named)]
    inner = {id(part.operand) for part in items}
    named = [part for part in parts_of(tree) if isinstance(part, Named) and id(part) not in inner]
    return sorted([*items, *named], key=lambda node: node.span.start)


def check_exercise(program: Program, change: Change, bounds: Bounds) -> None:
    """Verify that an exercise's check fails for the original program and holds for the solution.

    Raises `LessonError`.
    """
    before = _check_end(record(program, bounds), change.passes, change.process)
    if before["passed"]:
        raise LessonError(
            change.line,
            f'passes="{change.passes}" holds before anything is changed',
            "Ask for a change that the program needs.",
        )
    after = check_change(program, change.solution_text, change, bounds)
    if not after["passed"]:
        first = after["diagnostics"][0]["message"] if after["diagnostics"] else ""
        values = ", ".join(f"{value['text']} is {value['value']}" for value in after["values"])
        raise LessonError(
            change.line,
            f"the solution `{change.solution}` does not pass: {after['message']}",
            first or values or None,
        )
    solved = record(program, bounds, change.solution_text)
    assert solved.recording is not None
    read_expression(change.passes, solved.recording.program, change.line, (RUNS,))


MOST_PICTURED = 400
"""Maximum number of elements of a result that is drawn."""


def judge_program(
    program: Program, text: str, change: Change, bounds: Bounds, words: ExerciseWords = ENGLISH
) -> ChangeResult:
    """Whether `text` in place of a lesson's program passes, and what it returns."""
    with shared_runs():
        return {
            **check_change(program, text, change, bounds, words),
            "returned": returned_values(program, text, change, bounds),
        }


def returned_values(program: Program, text: str, change: Change, bounds: Bounds) -> list[ReturnedValue]:
    """The small results of `text` in place of a lesson's program; expected ones if the exercise compares results."""
    ours = _results(record(program, bounds, text), change.process)
    theirs = (
        _results(record(program, bounds, change.solution_text), change.process) if change.compares else ()
    )
    return [
        _returned(value, theirs[number] if number < len(theirs) else None)
        for number, value in enumerate(ours)
        if value.size <= MOST_PICTURED
    ]


def _results(found: Recorded, process: int) -> tuple[Array, ...]:
    tracks: list[Track] = [] if found.recording is None else list(found.recording.tracks)
    return (tracks[process].results() or ()) if process < len(tracks) else ()


def _returned(value: Array, wanted: Array | None) -> ReturnedValue:
    is_pictured = wanted is not None and wanted.size <= MOST_PICTURED
    return {
        "given": _pictured(value),
        "expected": _pictured(wanted) if wanted is not None and is_pictured else None,
        "differs": _differing(value, wanted) if wanted is not None and is_pictured else [],
    }


def _differing(value: Array, wanted: Array) -> list[int]:
    """The elements that differ, in row-major order; none where shapes or types differ, as then all do."""
    if value.dtype != wanted.dtype or value.shape != wanted.shape or is_same(value, wanted):
        return []
    pairs = zip(value.reshape(-1), wanted.reshape(-1), strict=True)
    return [
        at for at, (given, other) in enumerate(pairs) if not is_same(np.asarray(given), np.asarray(other))
    ]


def _pictured(value: Array) -> PicturedValue:
    element = of_dtype(value.dtype)
    assert element is not None
    return {
        "type": str(TensorType(value.shape, element)),
        "shape": list(value.shape),
        "elements": [exact_number(each) for each in value.reshape(-1)],
    }
