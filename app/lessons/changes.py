"""Exercises: whether a changed program passes its check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hloscope.engine.debugger.run_location import RunLocation, values_by_name
from hloscope.engine.errors import ExpressionError
from hloscope.engine.expressions import Parsed, evaluate, parse
from hloscope.engine.expressions.tree import Item, Named, Node
from hloscope.engine.ops.core.op import Array

from ..wire.lessons import ChangeResult, CheckedValue
from .runs import Bounds, Recorded, record
from .tree import Change, LessonError, Program
from .values import RUNS, parts_of, read_expression, reads_runs, written

MOST_VALUES = 8
"""Maximum number of a check's values that are reported."""


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


def check_change(program: Program, text: str, passes: str, process: int, bounds: Bounds) -> ChangeResult:
    """Run `text` in place of a lesson's program, and evaluate `passes` at its end."""
    found = record(program, bounds, text)
    errors = [each for each in found.diagnostics if each["severity"] == "error"]
    if found.recording is None:
        return _failed(found, "The program has errors: see the messages at its lines.")
    if process >= len(found.recording.tracks):
        return _failed(found, f"The check is for process {process}, which this program does not have.")
    track = found.recording.tracks[process]
    try:
        parsed = parse(passes, found.recording.program.derive(values_by_name), (RUNS,))
    except ExpressionError as error:
        return _failed(found, f"The check `{passes}` does not apply to this program: {error.message}.")
    runs = found.ended and not errors
    if not runs and not reads_runs(parsed.tree):
        return _failed(found, _why_not(found))
    place = RunLocation(found.recording, process, track.step_count)
    return _judged(found, parsed, _Scope(place, runs))


def _why_not(found: Recorded) -> str:
    if found.stopped:
        return f"The program did not finish: {found.stopped}."
    assert found.recording is not None
    return f"The program runs but does not finish: {found.recording.state.reason}"


def _judged(found: Recorded, parsed: Parsed, scope: _Scope) -> ChangeResult:
    try:
        given = evaluate(parsed, scope)
    except ExpressionError as error:
        return _failed(found, f"The check `{parsed.text}` cannot be computed: {error.message}.")
    if not isinstance(given, bool):
        return _failed(
            found, f"The check `{parsed.text}` has more than one truth value: write all(…) around it."
        )
    said = "Your program passes." if given else f"Not yet: the check is `{parsed.text}`."
    if not given and not scope.runs and found.recording is not None:
        said = _why_not(found)
    return {
        "passed": given,
        "message": said,
        "values": _values(parsed, scope.place),
        "diagnostics": found.diagnostics,
    }


def _failed(found: Recorded, message: str) -> ChangeResult:
    return {"passed": False, "message": message, "values": [], "diagnostics": found.diagnostics}


def _values(parsed: Parsed, place: RunLocation) -> list[CheckedValue]:
    """The values that a check reads, in their narrowest form: `%2[1,0]` without `%2`."""
    found: dict[str, str] = {}
    for node in _outermost(parsed.tree):
        text = parsed.text[node.span.start : node.span.end]
        try:
            found[text] = written(Parsed(text, node), place, 0)
        except (LessonError, KeyError):
            continue
    return [{"text": text, "value": value} for text, value in list(found.items())[:MOST_VALUES]]


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
    before = check_change(program, program.text, change.passes, change.process, bounds)
    if before["passed"]:
        raise LessonError(
            change.line,
            f'passes="{change.passes}" holds before anything is changed',
            "Ask for a change that the program needs.",
        )
    after = check_change(program, change.solution_text, change.passes, change.process, bounds)
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
