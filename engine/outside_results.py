"""Results that code outside the program makes, and the values that a user binds to them.

An op with an `outside` (a custom_call of an unknown target, a call of a function that is only declared, a
constant without its data) stops a run unless the run has `Bindings` for its results. These are additional
inputs of a run, the same for every execution of the op.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from .entry import is_of
from .errors import InputError, ProgramError, RunError, UnboundResults
from .ir.types import TupleType, Type, holds_values
from .ops.core.exchanges import GridPosition
from .ops.core.op import Array
from .ops.core.values import read_only_view, token, tuple_of
from .program import BoundFunction, BoundOperation, BoundProgram
from .run_errors import attribute_error
from .source import Span


class Answers(ABC):
    """Results of an op that may differ between executions."""

    @abstractmethod
    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        """The results of an execution, counted from 0 in each process; repeatable.

        Raise `RunError` if there are none.
        """

    @abstractmethod
    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        """The known results of each process, in the order of execution."""


@dataclass(frozen=True)
class ListedAnswers(Answers):
    """Results that were computed elsewhere."""

    of_process: Mapping[int, Sequence[tuple[Array, ...]]]

    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        found = self.of_process.get(process, ())
        if execution >= len(found):
            raise RunError(
                f"is executed more often than the {len(found):,} times for which results are bound"
            )
        return found[execution]

    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        return self.of_process


@dataclass(frozen=True)
class Executions:
    """Values of one result for each execution, along the first dimension, in one process."""

    values: Array


Bindings = Mapping[int, tuple[Array, ...] | Answers]
"""Values for all results of ops, by op number; `()` skips an op without results."""
_LISTED = 12
"""Maximum number of names in a message."""


@dataclass(frozen=True)
class OutsideResult:
    """A result that can be bound; without a type, an op without results that can be skipped."""

    op: int
    number: int
    """Index among the op's results."""
    name: str
    """`%5` or `%r#1`; for an op that can only be skipped the name of its callee, `@log`."""
    type: Type | None = field(hash=False)
    outside: str
    """Its source: `@top_k_of_mine`, `dense_resource<weights>`, or `{...}` in HLO text."""
    maker: str
    """The op and its source: `custom_call @top_k_of_mine`."""
    line: int
    span: Span

    def __str__(self) -> str:
        """`%5 (custom_call @f, line 12)`."""
        place = f"{self.maker}, line {self.line}"
        return f"{self.name} ({place})" if self.type else place


def outside_results(program: BoundProgram, function: BoundFunction) -> tuple[OutsideResult, ...]:
    """The results that a run of `function` may need, in the order of the text, without tokens."""
    reached = (program.ops[number] for number in sorted(program.reachable_ops(function)))
    return tuple(found for bound in reached if bound.op.outside for found in _results(program, bound))


def _results(program: BoundProgram, bound: BoundOperation) -> Iterator[OutsideResult]:
    operation, outside = bound.operation, bound.op.outside or ""
    line = program.line_of(bound.id)
    maker = f"{operation.spelled.rpartition('.')[2]} {outside}"
    given = [(number, value) for number, value in enumerate(operation.results) if holds_values(value.type)]
    for number, value in given:
        yield OutsideResult(bound.id, number, value.name, value.type, outside, maker, line, value.span)
    if not given:
        yield OutsideResult(bound.id, 0, outside, None, outside, maker, line, operation.name_span)


def find_results(results: Sequence[OutsideResult], name: str) -> tuple[OutsideResult, ...]:
    """Resolve a name; raise `InputError` if it is unknown or ambiguous.

    `%5` (or `5`) is one result, and `@f` all results of all calls of @f. A suffix `:12` restricts either to
    line 12, because names may recur in other functions and regions.
    """
    found = _of_name(results, name)
    bare, _, line = name.rpartition(":")
    if not found and bare and line.isdecimal():
        found = tuple(result for result in _of_name(results, bare) if str(result.line) == line)
    if not found:
        raise InputError(f"no code outside the program makes '{name:.200}'", hint=_list_known(results))
    if len(found) > 1 and name not in (found[0].outside, f"{found[0].outside}:{line}"):
        names = " or ".join(f"{result.name}:{result.line}" for result in found[:_LISTED])
        raise InputError(f"there are {len(found)} results of the name {name}", hint=f"write {names}")
    return found


def _of_name(results: Sequence[OutsideResult], name: str) -> tuple[OutsideResult, ...]:
    exact = tuple(result for result in results if result.name in (name, f"%{name}"))
    return tuple(result for result in results if result.outside == name) or exact


def _list_known(results: Sequence[OutsideResult]) -> str:
    if not results:
        return "this program makes all of its values itself"
    more = "; …" if len(results) > _LISTED else ""
    return f"there are {'; '.join(map(str, results[:_LISTED]))}{more}"


def bindings_of(
    program: BoundProgram,
    results: Sequence[OutsideResult],
    given: Mapping[OutsideResult, Array | Executions | None],
) -> Bindings:
    """Bindings by op; raise `InputError` if an op has values for some of its results only.

    `None` skips an op without results.
    """
    found: dict[int, tuple[Array, ...] | Answers] = {}
    for op, group in groupby(results, key=lambda result: result.op):
        wanted = tuple(group)
        missing = [result for result in wanted if result not in given]
        if not missing:
            found[op] = _complete_results(
                program.ops[op], {result.number: given[result] for result in wanted}
            )
        elif len(missing) < len(wanted):
            message = f"{missing[0]} has no value, but other results of the same op have one"
            raise InputError(message, missing[0].span, hint="give a value to each of its results, or to none")
    return found


def _complete_results(
    bound: BoundOperation, given: Mapping[int, Array | Executions | None]
) -> tuple[Array, ...] | Answers:
    """A value for each result including tokens, for all executions if they differ."""
    listed = {number: value.values for number, value in given.items() if isinstance(value, Executions)}
    same = {number: value for number, value in given.items() if not isinstance(value, Executions)}
    if not listed:
        return complete_results(bound, same)
    count = min(len(values) for values in listed.values())
    each = ({number: values[at] for number, values in listed.items()} for at in range(count))
    return ListedAnswers({0: [complete_results(bound, {**same, **found}) for found in each]})


def complete_results(bound: BoundOperation, given: Mapping[int, Array | None]) -> tuple[Array, ...]:
    """A value for each result of an op, including tokens."""
    results = enumerate(bound.operation.results)
    found = ((given.get(number), value.type) for number, value in results)
    return tuple(_empty_value(stated) if array is None else array for array, stated in found)


def _empty_value(stated: Type) -> Array:
    """The only value of an empty type."""
    return (
        tuple_of([_empty_value(part) for part in stated.types]) if isinstance(stated, TupleType) else token()
    )


def check_bindings(program: BoundProgram, bindings: Bindings) -> None:
    """Raise `InputError` unless each bound op has results from outside."""
    for op, arrays in bindings.items():
        bound = program.ops[op]
        if bound.op.outside is None:
            message = f"op {op} ({bound.operation.name}) makes its results itself"
            raise InputError(message, bound.operation.name_span)
        if not isinstance(arrays, Answers):
            check_results(bound, arrays)


def check_results(bound: BoundOperation, arrays: Sequence[Array]) -> None:
    """Raise `InputError` unless these values have the types of the op's results."""
    op, results = bound.id, bound.operation.results
    if len(arrays) != len(results):
        message = f"op {op} ({bound.operation.name}) has {len(results)} results, not {len(arrays)}"
        raise InputError(message, bound.operation.name_span)
    for value, array in zip(results, arrays, strict=True):
        if not is_of(array, value.type):
            found = f"{array.dtype}{list(array.shape)}"
            raise InputError(f"{value.name} is {value.type}, not {found}", value.span)


def same_results(bindings: Bindings, op: int) -> tuple[Array, ...]:
    """Values for all executions of an op; raise `InputError` if executions differ."""
    given = bindings[op]
    if isinstance(given, Answers):
        raise InputError("a run that begins later cannot use results that differ between executions")
    return given


class GivenResults:
    """Bound results of a process; raises `InputError` unless each bound op needs them."""

    def __init__(self, program: BoundProgram, bindings: Bindings) -> None:
        check_bindings(program, bindings)
        self._bindings = {
            op: given if isinstance(given, Answers) else tuple(map(read_only_view, given))
            for op, given in bindings.items()
        }

    def answer(
        self,
        bound: BoundOperation,
        place: GridPosition,
        counters: Mapping[str, int],
        operands: Sequence[Array],
        unbound: UnboundResults,
    ) -> tuple[tuple[Array, ...], Mapping[str, int]]:
        """The results of an execution, and the next counters, which also survive a replay.

        Raise `unbound` if no value is bound.
        """
        given = self._bindings.get(bound.id)
        if given is None:
            raise attribute_error(unbound, bound) from None
        if not isinstance(given, Answers):
            return given, counters
        name = f"executions of op {bound.id}"
        execution = counters.get(name, 0)
        process = place.number
        try:
            found = given.answer(process, execution, operands)
            check_results(bound, found)
        except ProgramError as error:
            raise attribute_error(error, bound) from None
        return tuple(map(read_only_view, found)), {**counters, name: execution + 1}
