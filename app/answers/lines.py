"""Answers in few lines, for readers without a page: one JSON object per line, and where the next lines begin.

What a command prints with `--json` has the same form here.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.debugger.address import Address
from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.types import TensorType
from hloscope.engine.value_facts import as_numbers

from ..base.errors import as_sentence
from ..base.failure import Failure
from ..present.elements import Array
from ..present.findings import bad_input_json, finding_line
from ..present.html.maps import operand_png
from ..present.html.pictures import heat_map_png
from ..present.numbers import exact_number
from ..present.run_comparison import comparison_json
from ..present.statistics import statistics_of
from ..present.summary import facts_text, short_type, value_text
from ..present.types import type_text
from ..runs.chunks.map_sections import STYLE_OF, WantedMaps, program_sections
from ..runs.chunks.outcome import count_text
from ..runs.recorded import places
from ..runs.recorded.values import RecordedFrame, RecordedStep, RecordedValue
from ..runs.run import Run
from ..wire.questions import Answer, json_answer
from .comparison import pair_of
from .findings import report_of
from .question import BadQuestion, NotRecorded, Other, PairQuestion, RecordingQuestion, has_ended

Lines = dict[str, Any]
"""`lines`: objects; `total`: of all lines, if it is known; `next`: the number of the first one that is left, or null."""
Line = dict[str, Any]

MOST_VALUES = 8
"""Maximum operands or results that a line lists."""
MOST_ELEMENTS = 64
WHOLE = 16
"""Maximum elements of a value that are listed without a slice."""
LONGEST_TEXT = 300
NO_NUMBERS = "Nfi"
"""The last letters of NaN, +Inf and -Inf, and complex numbers."""
COMPARE_SECONDS = 3.0
_ON_LINE = re.compile(r"(?:line )?(\d{1,9})")


class StepLinesQuestion(RecordingQuestion[Lines]):
    """The steps of a process in order, each with its results; without those inside of loops, calls and branches.

    `inside`: the step of a loop, call or branch whose steps in `iteration` are listed. `find` lists the steps of an op, a
    value, a line of the text or of the user's code, or a scope, wherever they are.
    """

    start: int = 0
    limit: int = 20
    find: str = ""
    inside: int | None = None
    iteration: int = 0
    process: int = 0

    def answer(self, run: Run) -> Answer[Lines]:
        if run.replaying:
            raise NotRecorded
        chosen = self._found(run) if self.find else self._own(run)
        page = _page(chosen, self.start, self.limit)
        found = {**page, "lines": [_step_line(run, step) for step in page["lines"]]}
        return json_answer(found, final=has_ended(run))

    def _own(self, run: Run) -> Sequence[RecordedStep]:
        if self.inside is None:
            _check_process(run, self.process)
            if not run.recording.tracks[self.process].frame_count:
                return ()
            return RecordedFrame(run.recording, 0, self.process).steps
        step = _step_at(run, self.inside, self.process)
        iterations = step.iterations
        if not 0 <= self.iteration < len(iterations):
            told = (
                f"ran {len(iterations):,} iterations, numbered from 0"
                if iterations
                else "runs no other steps"
            )
            raise BadQuestion(
                f"Step {self.inside}, {step.op}, {told}: there is no iteration {self.iteration}."
            )
        return [inner for frame in iterations[self.iteration] for inner in frame.steps]

    def _found(self, run: Run) -> Sequence[RecordedStep]:
        text = self.find.strip()
        if (line := _ON_LINE.fullmatch(text)) is not None:
            return places.steps_where(
                run.recording, lambda bound: run.recording.program.line_of(bound.id) == int(line[1])
            )
        if ".py:" in text:
            found: Sequence[RecordedStep] = _named(lambda: places.steps_of_source(run.recording, text))
            return found
        if text.startswith(("%", "@")):
            values = _values(run, text)
            return [step for value in values if (step := value.step) is not None]
        by_op = places.steps_where(
            run.recording,
            lambda bound: text in (bound.operation.name, bound.operation.name.partition(".")[2]),
        )
        return by_op or places.steps_in_scope(run.recording, text)


class StepQuestion(RecordingQuestion[Line]):
    """A step: its op, where it is from, its operands and results, and the findings about it."""

    step: int
    process: int = 0

    def answer(self, run: Run) -> Answer[Line]:
        step = _step_at(run, self.step, self.process)
        frame, found = step.frame, report_of(run).findings
        return json_answer(
            {
                **_place(step),
                "text": _cut(step.text),
                "source": step.source,
                "scope": step.scope or None,
                "function": frame.function,
                "iteration": frame.iteration if frame.parent is not None else None,
                "operands": _value_lines(run, step.operands),
                "results": _value_lines(run, _results(step)),
                **_opened(step),
                "findings": [
                    each.sentence
                    for each in found
                    if any((at.process, at.step) == (self.process, self.step) for at in each.occurrences)
                ],
                "path": places.path_of(run.recording, self.step) if self.process == 0 else [],
            },
            final=has_ended(run),
        )


class ValueQuestion(RecordingQuestion[Line]):
    """A value by name or address: its statistics, and elements: of a slice, the worst ones, or all of a small value.

    Of a name that was computed several times, the last value. `picture`: a PNG of it, as base64.
    """

    value: str
    slice: str = ""
    worst: int = 0
    picture: bool = False

    def answer(self, run: Run) -> Answer[Line]:
        if run.replaying:
            raise NotRecorded
        found = _values(run, self.value)
        value = found[-1]
        type = run.recording.type_of(value.address)
        line: Line = {
            "name": value.name,
            "address": str(value.address),
            "type": type_text(type, run.language),
        }
        if not isinstance(type, TensorType):
            return json_answer(line)
        array = run.recording.value(value.address)
        step = value.step
        line |= {"times": len(found)} if len(found) > 1 else {}
        line |= {"step": step.number, "line": step.line, "op": step.op} if step is not None else {}
        line["text"] = value_text(array, type, None, run.language)
        line["statistics"] = statistics_of(array).statistics_json()
        line |= self._elements(array)
        if self.picture:
            line["picture"] = b64encode(heat_map_png(array)).decode()
        return json_answer(line, final=has_ended(run))

    def _elements(self, array: Array) -> Line:
        found: Line = {}
        if self.worst:
            found["worst"] = [
                {"index": list(index), "value": exact_number(array[index])}
                for index in _worst(array, self.worst)
            ]
        if self.slice or (not self.worst and array.size <= WHOLE):
            part = _sliced(array, self.slice)
            found["elements"] = nested(part)
        return found


class FindingLinesQuestion(RecordingQuestion[Lines]):
    """What `hloscope findings --json` lists: inputs that are not finite, then findings, the harmful ones first."""

    start: int = 0
    limit: int = 20

    def answer(self, run: Run) -> Answer[Lines]:
        if run.replaying:
            raise NotRecorded
        report = report_of(run)
        lines: list[Line] = [dict(bad_input_json(each)) for each in report.bad_inputs]
        lines += [finding_line(run.recording, each) for each in report.findings]
        lines.sort(key=lambda line: line["grade"] != "harmful")  # stable: then in the order of the run
        return json_answer(
            {
                **_page(lines, self.start, self.limit),
                "harmful": sum(line["grade"] == "harmful" for line in lines),
                "rest": "; ".join(filter(None, (report.rest, report.elsewhere))),
            },
            final=has_ended(run) and report.complete,
        )


class MapLinesQuestion(RecordingQuestion[Lines]):
    """What `hloscope maps --json` lists about an op, as texts; with `compose` from its result to the program's inputs."""

    value: str
    direction: str = "output-to-input"
    compose: bool = False
    limit: int = 20
    picture: bool = False
    """Whether to draw an operand too, as a PNG in base64, if the maps are known without a run."""

    def answer(self, run: Run) -> Answer[Lines]:
        op, program = self.value, run.recording.program
        if places.address_in(op) is not None:
            if run.replaying:
                raise NotRecorded
            value = _values(run, op)[0]
            op = f"@{value.frame.function}:{value.name}"
        wanted = WantedMaps(op, self.direction, compose=self.compose, entry=run.entry.function.name)
        try:
            found = program_sections(program, wanted)
        except Failure as failure:
            raise BadQuestion(str(failure)) from None
        style = STYLE_OF[wanted.style]
        listed = [
            {name: part for name, part in line.items() if name != "maps"}
            for section in found
            for line in section.json(style)
        ]
        lines = listed[: self.limit]
        answer: Lines = {"lines": lines, "total": len(listed), "next": None}
        drawn = (
            operand_png([group for section in found for group in section.groups]) if self.picture else None
        )
        return json_answer(answer if drawn is None else {**answer, "picture": b64encode(drawn).decode()})


class PairLinesQuestion(PairQuestion[Lines]):
    """What `hloscope compare --json` prints: the verdict, and the first pairs of values that differ.

    Until it is `done`, the verdict is that so far, and a repetition compares further.
    """

    absolute: float | None = None
    relative: float | None = None
    start: int = 0
    limit: int = 10

    def answer(self, run: Run, other: Other) -> Answer[Lines]:
        stated = self.absolute is not None or self.relative is not None
        tolerance = Tolerance(self.absolute or 0.0, self.relative or 0.0) if stated else None
        pair = pair_of(run, other, tolerance)
        pair.go_on(COMPARE_SECONDS)
        found = pair.so_far()
        *differing, verdict = comparison_json(run.recording, found)
        return json_answer(
            {
                "verdict": verdict,
                **_page(differing, self.start, self.limit),
                "done": pair.ended,
            },
            final=pair.ended and has_ended(run) and has_ended(other),
        )


def _page(lines: Sequence[Any], start: int, limit: int) -> Lines:
    end = start + limit
    return {"lines": lines[start:end], "total": len(lines), "next": end if end < len(lines) else None}


def _named(find: Any) -> Any:
    """What `find` returns; a `BadQuestion` for a name that the program does not have."""
    try:
        return find()
    except ProgramError as error:
        parts = (as_sentence(part) for part in (error.message, error.hint) if part)
        raise BadQuestion(" ".join(parts)) from None


def _values(run: Run, name: str) -> tuple[RecordedValue, ...]:
    """The values of a name, or the one at an address."""
    address = places.address_in(name)
    if address is not None:
        _check_address(run, address)
        return (RecordedValue(run.recording, address),)
    found: tuple[RecordedValue, ...] = _named(lambda: places.values_named(run.recording, name))
    if not found:
        raise BadQuestion(
            f"The run has not computed {name:.200}: it is in a branch that did not run, or after the end."
        )
    return found


def _check_address(run: Run, address: Address) -> None:
    _check_process(run, address.process)
    try:
        run.recording.value_number(address)
    except LookupError:
        raise BadQuestion(f"This run has no value {address}: outline lists its steps.") from None


def _check_process(run: Run, process: int) -> None:
    count = len(run.recording.tracks)
    if not 0 <= process < count:
        raise BadQuestion(
            f"The run has {count_text(count, 'process', 'processes')}, numbered from 0: there is no process {process}."
        )


def _step_at(run: Run, number: int, process: int) -> RecordedStep:
    _check_process(run, process)
    count = run.recording.tracks[process].step_count
    if not 0 <= number < count:
        if run.active:
            raise NotRecorded
        several = f"Process {process} of the run" if len(run.recording.tracks) > 1 else "The run"
        raise BadQuestion(
            f"{several} has {count_text(count, 'step')}, numbered from 0: there is no step {number}."
        )
    return RecordedStep(run.recording, number, process)


def _results(step: RecordedStep) -> Sequence[RecordedValue]:
    """The results, if the op has finished."""
    finished = step.recording.tracks[step.process].finish_of(step.number) is not None
    return step.results if finished else ()


def _place(step: RecordedStep) -> Line:
    process = {"process": step.process} if step.process else {}
    return {"step": step.number, **process, "line": step.line, "op": step.op}


def _step_line(run: Run, step: RecordedStep) -> Line:
    return {**_place(step), "results": _value_lines(run, _results(step)), **_opened(step)}


def _opened(step: RecordedStep) -> Line:
    """How many iterations of other steps the op ran."""
    if not step.recording.program.ops[
        step.recording.tracks[step.process].op_of(step.number)
    ].operation.regions:
        frames = len(step.frames) if step.op == "func.call" else 0
        return {"iterations": frames} if frames else {}
    # The body of a reduction runs on all elements at once, so it has no iterations.
    iterations = len(step.iterations)
    return {"iterations": iterations} if iterations or step.op == "stablehlo.while" else {}


def first_of(parts: Sequence[Any], most: int, shown: Callable[[Any], Any] = lambda part: part) -> list[Any]:
    """The first parts, as `shown`; a last text says how many are left out."""
    left = len(parts) - most
    return [*map(shown, parts[:most]), *([f"… {left:,} more"] if left > 0 else [])]


def _value_lines(run: Run, values: Sequence[RecordedValue]) -> list[Line | str]:
    return first_of(values, MOST_VALUES, partial(_value_line, run))


def _value_line(run: Run, value: RecordedValue) -> Line:
    type = run.recording.type_of(value.address)
    line = {"name": value.name, "address": str(value.address)}
    if not isinstance(type, TensorType):
        return {**line, "text": _cut(type_text(type, run.language))}
    facts = run.recording.facts(value.address)
    if facts is not None:
        return {**line, "text": facts_text(facts, type, run.language)}
    try:
        array = run.recording.value(value.address)
    except LookupError:
        return {**line, "text": short_type(type, None, run.language)}
    return {**line, "text": value_text(array, type, None, run.language)}


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def _worst(array: Array, count: int) -> Iterator[tuple[int, ...]]:
    """The indices of elements that are not finite, then of those with the largest magnitude."""
    numbers = as_numbers(array).astype(np.complex128 if array.dtype.kind == "c" else np.float64).ravel()
    sizes = np.abs(numbers)
    keys = np.where(np.isnan(sizes), np.inf, sizes)
    nan = np.flatnonzero(np.isnan(sizes))[:count]
    rest = np.argsort(-keys, kind="stable")[: count + len(nan)]
    chosen = dict.fromkeys([*nan.tolist(), *rest.tolist()])
    for position in islice(chosen, count):
        yield tuple(int(at) for at in np.unravel_index(position, array.shape))


def _sliced(array: Array, text: str) -> Array:
    """The elements that a slice as NumPy's names: `0:2, 3`. `BadQuestion` with the cause."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if len(parts) > array.ndim:
        raise BadQuestion(
            f"The slice '{text:.80}' has {len(parts)} parts, and the value {array.ndim} dimensions."
        )
    try:
        chosen = tuple(_part(part, size) for part, size in zip(parts, array.shape, strict=False))
        found: Array = array[chosen]
    except (ValueError, IndexError):
        raise BadQuestion(
            f"'{text:.80}' is not a slice of a value of the shape {list(array.shape)}: write an index or start:stop for each "
            "dimension, such as 0:4, 3."
        ) from None
    if found.size > MOST_ELEMENTS:
        raise BadQuestion(
            f"The slice has {found.size:,} elements, and an answer at most {MOST_ELEMENTS}: take a smaller one, such as "
            f"{', '.join(['0:4'] * array.ndim)}."
        )
    return found


def _part(text: str, size: int) -> int | slice:
    if ":" not in text:
        return int(text)
    return slice(*(int(number) if number.strip() else None for number in text.split(":")))


def nested(array: Array) -> Any:
    """The elements as nested lists; NaN and infinities as text."""
    if array.ndim:
        return [nested(part) for part in array]
    text = exact_number(array[()])
    return text if text[-1] in NO_NUMBERS else json.loads(text)
