"""Breakpoints: steps at which to stop or log, with a condition or a hit count.

Hits depend on the recording alone: hit 3 is the third step at which the condition holds in a process, in either
direction of the move.
"""

from __future__ import annotations

import operator
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf
from time import perf_counter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ExpressionError
from ..expressions import Parsed, Value, evaluate, parse, truth
from ..expressions.tree import Named, Variable, parts
from ..ir.locations import NameLocation
from ..ir.types import TensorType
from ..ops.core.scalars import as_tensor
from ..program import BoundOperation, BoundProgram
from ..source import Span
from .address import Address
from .condition_bounds import ConditionBounds
from .element_reads import ElementReads, check_element, split_element
from .run_location import RunLocation, values_by_name
from .value_search import ValueSearch

BreakpointKind = Literal["line", "op", "function", "source", "scope", "finding", "value", "read", "differs"]
"""A line, the name of an op, a function, a line of the user's source, a scope of the framework, a kind of finding, a
value when it is computed, a value or one element of it (`%12[3, 5]`) when an op reads it, and a value when it differs
from another run's: `ANY` are the values where a difference arises."""
ANY = "*"
OF_VALUES = {
    "value": "the value that the breakpoint is for",
    "before": "the same value at its previous execution",
}
"""Variables in the expressions of a breakpoint on a value."""

_HITS = re.compile(r"(>=|<=|==|=|>|<|%)?\s*(\d{1,9})")
_EXPRESSION = re.compile(r"\{([^{}]*)\}")
_COMPARISONS: Mapping[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "==": operator.eq,
    "=": operator.eq,
    "": operator.eq,
    "%": lambda hit, number: hit % number == 0,
}
_TOGETHER = 1 << 16
"""Maximum number of steps whose conditions are decided together."""
_BETWEEN_CLOCKS = 64
"""Number of conditions that are evaluated between two looks at the clock."""


@dataclass(frozen=True)
class Hits:
    """The hits at which to stop: `3`, `>= 3`, `% 2`."""

    sign: str
    number: int

    @classmethod
    def parse(cls, text: str) -> Hits:
        """Parse a hit condition; `ExpressionError` if it is invalid."""
        found = _HITS.fullmatch(text.strip())
        if found is None or (found[1] == "%" and int(found[2]) == 0):
            raise ExpressionError(
                f"'{text:.40}' is not a hit count", hint="Write 3, >= 3, > 3, < 3 or % 3 (every third)."
            )
        return cls(found[1] or "", int(found[2]))

    def admits(self, hit: int) -> bool:
        """Whether to stop on hit number `hit`, from 1."""
        return _COMPARISONS[self.sign](hit, self.number)


@dataclass(frozen=True)
class Target:
    """The steps of a breakpoint without its condition: those of some ops, or those with a finding."""

    ops: frozenset[int] = frozenset()
    finding: str = ""
    values: Mapping[int, int] = field(default_factory=dict)
    """For an op, the number of the value that `value` names there."""
    test: Callable[[RunLocation], bool] | None = None
    """Chooses among the steps of the ops. Raises `ExpressionError` if it cannot."""

    @classmethod
    def of(cls, program: BoundProgram, kind: BreakpointKind, at: str) -> Target:
        """The target that `at` describes; without ops if the program has none there.

        Raises `ExpressionError` if a value does not have the stated element. The caller has the `test` of `differs`.
        """
        if kind == "finding":
            return cls(finding=at)
        if kind in ("value", "read", "differs"):
            return cls._of_values(program, kind, at)
        test = _TESTS[kind](program, at)
        return cls(frozenset(op.id for op in program.ops if test(op)))

    @classmethod
    def _of_values(cls, program: BoundProgram, kind: BreakpointKind, at: str) -> Target:
        if kind == "differs" and at == ANY:
            return cls(frozenset(op.id for op in program.ops))
        if kind == "read":
            return cls._of_reads(program, at)
        values, makers = _values_at(program, at), program.makers
        # An argument is computed when its block begins, before the first op.
        made = {
            program.blocks[makers[value].block].operations[0].id
            if (op := makers[value].op) is None
            else op: value
            for value in values
        }
        return cls(frozenset(made), values=made)

    @classmethod
    def _of_reads(cls, program: BoundProgram, at: str) -> Target:
        name, element = split_element(at)
        values = _values_at(program, name)
        for value in values if element else ():
            check_element(program, value, element or ())
        reads = {op.id: value for op in program.ops for value in values if value in op.operands}
        return cls(frozenset(reads), values=reads, test=ElementReads(reads, element) if element else None)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that expressions may name besides those of every step."""
        return tuple(OF_VALUES) if self.values else ()

    @property
    def is_empty(self) -> bool:
        """Whether no step can be one of them."""
        return not self.ops and not self.finding

    def steps(self, place: RunLocation, start: int, end: int) -> NDArray[np.intp]:
        """The steps of a process from `start` to `end` (exclusive)."""
        if self.finding:
            return self._with_finding(place, start, end)
        ops, _, _ = place.track.columns(start, end)
        return np.flatnonzero(np.isin(ops, list(self.ops))) + start

    def _with_finding(self, place: RunLocation, start: int, end: int) -> NDArray[np.intp]:
        found = {
            occurrence.step
            for tally in place.recording.log.tallies.values()
            if tally.kind == self.finding
            for occurrence in tally.occurrences
            if occurrence.process == place.process and start <= occurrence.step < end
        }
        return np.array(sorted(found), np.intp)


def _values_at(program: BoundProgram, at: str) -> list[int]:
    """The values of a name, `%12`, or of one function only, `%12@main`."""
    names = program.derive(values_by_name)
    name, _, function = at.removeprefix("%").rpartition("@")
    if (whole := at.removeprefix("%")) in names:
        return list(names[whole])
    makers, blocks = program.makers, program.blocks
    return [value for value in names.get(name, ()) if blocks[makers[value].block].function == function]


def _in_source(_: BoundProgram, at: str) -> Callable[[BoundOperation], bool]:
    def test(op: BoundOperation) -> bool:
        location = op.operation.location
        found = location.innermost if location else None
        return found is not None and f"{found.file}:{found.line}" == at

    return test


def _in_scope(_: BoundProgram, at: str) -> Callable[[BoundOperation], bool]:
    def test(op: BoundOperation) -> bool:
        location = op.operation.location
        return isinstance(location, NameLocation) and f"{location.name}/".startswith(f"{at}/")

    return test


_TESTS: Mapping[str, Callable[[BoundProgram, str], Callable[[BoundOperation], bool]]] = {
    "line": lambda program, at: lambda op: str(program.line_of(op.id)) == at,
    "op": lambda _, at: lambda op: at in (op.operation.spelled, op.operation.name),
    "function": lambda program, at: lambda op: program.blocks[op.block].function == at,
    "source": _in_source,
    "scope": _in_scope,
}


@dataclass(frozen=True)
class StopScope:
    """The names of a breakpoint's expressions: those of the step, the op's results, and `OF_VALUES`."""

    place: RunLocation
    address: Address | None
    """The value that the breakpoint is for."""
    before: Address | None

    def value(self, name: str, process: int | None) -> Any:
        """See `Scope.value`; the results of the op count as computed."""
        for result, address in self.place.results() if process in (None, self.place.process) else ():
            if result == f"%{name}":
                return self.place.recording.value(address)
        return self.place.value(name, process)

    def variable(self, name: str, number: int) -> Any:
        """See `Scope.variable`."""
        if name not in OF_VALUES:
            return self.place.variable(name, number)
        address = self.address if name == "value" else self.before
        if address is None:
            raise KeyError(name)
        return self.place.recording.value(address)


@dataclass
class Breakpoint:
    """One breakpoint, with its known stops."""

    target: Target
    condition: Parsed | None = None
    hits: Hits | None = None
    message: str | None = None
    """The message of a log point, with expressions in braces."""
    number: int = 0
    errors: dict[tuple[int, int], str] = field(default_factory=dict)
    """Errors of the condition, by process and step; the breakpoint stops there."""
    search: ValueSearch | None = None
    """The statistics of values, if other searches share them."""
    _seen: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))
    _held: defaultdict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _last: dict[tuple[int, int], int] = field(default_factory=dict)
    """The last evaluated step of each op, by process and op."""

    @classmethod
    def parse(
        cls, target: Target, program: BoundProgram, condition: str, hits: str, message: str
    ) -> Breakpoint:
        """Parse a breakpoint; `ExpressionError` for an invalid condition, hit count or message."""
        names = program.derive(values_by_name)
        for found in _EXPRESSION.finditer(message):
            try:
                parse(found[1], names, target.variables)
            except ExpressionError as error:
                if error.span:
                    start = found.start(1)
                    error.span = Span(error.span.start + start, error.span.end + start)
                raise
        parsed = parse(condition, names, target.variables) if condition.strip() else None
        return cls(target, parsed, Hits.parse(hits) if hits.strip() else None, message or None)

    def check_truth(self, program: BoundProgram) -> None:
        """Raise `ExpressionError` if the condition is a tensor or a string at every step."""
        try:
            found = evaluate(self.condition, _Placeholders(program, self.target)) if self.condition else True
        except ExpressionError:
            return  # it depends on sizes and numbers, which are those of a step
        if self.condition and isinstance(found, np.ndarray):
            hint = "Write any(…) or all(…)."
            raise ExpressionError("this is a tensor, not one boolean", self.condition.tree.span, hint=hint)
        if self.condition and isinstance(found, str):
            truth(self.condition, _Placeholders(program, self.target))

    def stops(self, place: RunLocation, start: int, end: int) -> Iterator[int]:
        """The steps of a process from `start` to `end` (exclusive) at which it stops or logs."""
        self.look(place, end)
        yield from self.known_stops(place.process, start, end)

    def known_stops(self, process: int, start: int, end: int) -> Iterator[int]:
        """The stops among the steps that `look` has reached."""
        held = self._held[process]
        for ordinal in range(bisect_left(held, start), bisect_left(held, end)):
            if self.hits is None or self.hits.admits(ordinal + 1):
                yield held[ordinal]

    def look(self, place: RunLocation, end: int, deadline: float = inf) -> int:
        """Evaluate the condition up to step `end`, or until a deadline; return the first step not evaluated."""
        process = place.process
        while (start := self._seen[process]) < end:
            steps = self.target.steps(place, start, end)[:_TOGETHER]
            stop = int(steps[-1]) + 1 if len(steps) == _TOGETHER else end
            self._seen[process] = self._look_at(place, steps, stop, deadline)
            if self._seen[process] < stop or perf_counter() >= deadline:
                break
        return self._seen[process]

    def _look_at(self, place: RunLocation, steps: NDArray[np.intp], stop: int, deadline: float) -> int:
        """Evaluate the condition at `steps`, all before `stop`; return the first step not evaluated."""
        held = self._held[place.process]
        if self.condition is None and self.target.test is None:
            held += steps.tolist()
            return stop
        ops, undecided = place.track.op_column[steps], 0
        holds, fails = self._decide(place, steps, ops, deadline)
        before = self._previous(place.process, steps, ops)
        for at in np.flatnonzero(~fails):
            step = int(steps[at])
            if self.target.test or not holds[at]:
                undecided += 1
                late = undecided % _BETWEEN_CLOCKS == 0 and perf_counter() >= deadline
                if late or self._awaits_result(place, step):
                    stop = step
                    break
            here = RunLocation(place.recording, place.process, step)
            if self._passes(here, int(before[at]), is_proven=bool(holds[at])):
                held.append(step)
        done = steps < stop
        for op in np.unique(ops[done]):
            self._last[place.process, int(op)] = int(steps[done & (ops == op)][-1])
        return stop

    def _previous(self, process: int, steps: NDArray[np.intp], ops: NDArray[np.uint32]) -> NDArray[np.intp]:
        """For each step the previous one of the same op, or -1."""
        before = np.full(len(steps), -1, np.intp)
        for op in np.unique(ops) if self._uses("before") else ():
            same = np.flatnonzero(ops == op)
            before[same] = [self._last.get((process, int(op)), -1), *steps[same[:-1]]]
        return before

    def _awaits_result(self, place: RunLocation, step: int) -> bool:
        """Whether the condition needs a result that the run has not computed yet."""
        program, is_over = place.recording.program, place.recording.state.kind in ("done", "failed")
        if is_over or place.track.finish_of(step) is not None:
            return False
        results = program.ops[place.track.op_of(step)].results
        names = (program.values[value].name.removeprefix("%") for value in results)
        return self.target.test is not None or self._uses("result", "value", *names)

    def _decide(
        self, place: RunLocation, steps: NDArray[np.intp], ops: NDArray[np.uint32], deadline: float
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """The steps at which statistics prove that the condition holds, and that it does not."""
        holds, fails = np.zeros((2, len(steps)), np.bool_)
        if self.condition is None:
            return ~holds, fails
        if self.search is None or self.search.recording is not place.recording:
            self.search = ValueSearch(place.recording)
        bounds = ConditionBounds(self.search, place.process, self.target.values, deadline)
        for op in map(int, np.unique(ops)):
            same = ops == op
            found = bounds.decide(self.condition, op, steps[same])
            holds[same], fails[same] = found.holds, found.fails
        return holds, fails

    def _uses(self, *names: str) -> bool:
        return bool(self._names.intersection(names))

    @cached_property
    def _names(self) -> frozenset[str]:
        """The variables and the values, without `%`, that the condition names."""
        found = parts(self.condition.tree) if self.condition else ()
        return frozenset(part.name for part in found if isinstance(part, Variable | Named))

    def _scope(self, place: RunLocation, before: int) -> StopScope:
        """The scope of expressions at a step; `before` is the previous one of the same value, or -1."""
        previous = None if before < 0 else self._address(RunLocation(place.recording, place.process, before))
        return StopScope(place, self._address(place), previous)

    def _address(self, place: RunLocation) -> Address | None:
        op = place.track.op_of(place.step)
        if op not in self.target.values:
            return None
        value, results = self.target.values[op], place.recording.program.ops[op].results
        if value in results:
            return Address(place.process, "s", place.step, results.index(value))
        return place.address_of(value)

    def _passes(self, place: RunLocation, before: int, *, is_proven: bool) -> bool:
        """Whether the target's test passes and the condition holds, which may be proven already."""
        try:
            if self.target.test and not self.target.test(place):
                return False
            return is_proven or self._holds(place, before)
        except ExpressionError as error:
            self.errors[place.process, place.step] = error.message
            return True

    def _holds(self, place: RunLocation, before: int) -> bool:
        assert self.condition
        if before < 0 and self._uses("before"):
            return False
        return truth(self.condition, self._scope(place, before))

    def said(self, place: RunLocation, show: Callable[[Value], str]) -> str:
        """The message of a log point at a position."""
        program = place.recording.program
        names, variables = program.derive(values_by_name), tuple(OF_VALUES)
        earlier = self.target.steps(place, 0, place.step)
        same = earlier[place.track.op_column[earlier] == place.track.op_of(place.step)]
        scope = self._scope(place, int(same[-1]) if len(same) else -1)

        def value(match: re.Match[str]) -> str:
            try:
                return show(evaluate(parse(match[1], names, variables), scope))
            except ExpressionError as error:
                return f"<{error.message}>"

        return _EXPRESSION.sub(value, self.message or "")


@dataclass(frozen=True)
class _Placeholders:
    """A scope with values of the declared ranks; their sizes are at most 2."""

    program: BoundProgram
    target: Target

    def value(self, name: str, process: int | None) -> Any:
        """See `Scope.value`."""
        return self._of(self.program.derive(values_by_name)[name])

    def variable(self, name: str, number: int) -> Any:
        """See `Scope.variable`."""
        if name == "op":
            return ""
        ops = [self.program.ops[op] for op in self.target.ops]
        match name:
            case "value" | "before":
                return self._of(tuple(self.target.values.values()))
            case "result":
                return self._of([value for op in ops for value in op.results[:1]])
            case "operand":
                return self._of([value for op in ops for value in op.operands[number : number + 1]])
        return 1

    def _of(self, values: Sequence[int]) -> Any:
        types = {as_tensor(self.program.values[value].type) for value in values}
        type = next(iter(types), None)
        if len(types) != 1 or not isinstance(type, TensorType):
            raise KeyError
        return np.ones([2 if size is None else min(size, 2) for size in type.shape], type.element_type.dtype)
