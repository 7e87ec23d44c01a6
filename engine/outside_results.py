"""Results that code outside of the program makes, and the values that a user gives for them.

An op that has an `outside` (a custom_call of an unknown target, a call of a function that is only declared, a
constant without its data) stops a run, unless the run was given its results: `Bindings`. They are further inputs
of a run, and stay the same however often the op is executed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from .entry import is_of
from .errors import InputError, ProgramError, RunError, UnboundResults
from .ir.types import TupleType, Type, holds_values
from .ops.core.exchanges import Place
from .ops.core.op import Array
from .ops.core.values import read_only_view, token, tuple_of
from .program import BoundFunction, BoundOperation, BoundProgram
from .run_errors import attribute_error
from .source import Span


class Answers(ABC):
    """Results of an op that may differ from one execution to the next."""

    @abstractmethod
    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        """All results of an execution, counted from 0 in each process; the same whenever it is asked again.

        `RunError` where there are none.
        """

    @abstractmethod
    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        """Those that are known, of each process in the order of execution."""


@dataclass(frozen=True)
class ListedAnswers(Answers):
    """Results that were made elsewhere."""

    of_process: Mapping[int, Sequence[tuple[Array, ...]]]

    def answer(self, process: int, execution: int, operands: Sequence[Array]) -> tuple[Array, ...]:
        found = self.of_process.get(process, ())
        if execution >= len(found):
            raise RunError(f"is executed more often than the {len(found):,} times that results are given for")
        return found[execution]

    def listed(self) -> Mapping[int, Sequence[tuple[Array, ...]]]:
        return self.of_process


@dataclass(frozen=True)
class Executions:
    """What is given for one result, for each execution of a run of one process: the first dimension counts them."""

    values: Array


Bindings = Mapping[int, tuple[Array, ...] | Answers]
"""All results of ops, by the number of the op. Those of an op without results are `()`: the run goes past it."""
_LISTED = 12
"""Names that a message lists at most."""


@dataclass(frozen=True)
class OutsideResult:
    """A result that can be given; or, without a type, an op that gives nothing and can only be skipped."""

    op: int
    number: int
    """Which of the op's results."""
    name: str
    """`%5` or `%r#1`; of an op that can only be skipped the name of what it calls, `@log`."""
    type: Type | None = field(hash=False)
    outside: str
    """What makes it: `@top_k_of_mine`, `dense_resource<weights>`, `{...}` of a constant in HLO text."""
    maker: str
    """The op that asks for it and what makes it: `custom_call @top_k_of_mine`."""
    line: int
    span: Span

    def __str__(self) -> str:
        """`%5 (custom_call @f, line 12)`."""
        place = f"{self.maker}, line {self.line}"
        return f"{self.name} ({place})" if self.type else place


def outside_results(program: BoundProgram, function: BoundFunction) -> tuple[OutsideResult, ...]:
    """What a run of `function` may ask for, in the order of the text. Tokens need not be given."""
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
    """The results that `name` means; `InputError` if there is none, or if the name is ambiguous.

    `%5` (or `5`) is one result, `@f` is everything that @f gives, wherever it is called. Behind either, `:12` is
    for those on line 12 alone: names may come again in other functions and regions.
    """
    found = _of_name(results, name)
    bare, _, line = name.rpartition(":")
    if not found and bare and line.isdecimal():
        found = tuple(result for result in _of_name(results, bare) if str(result.line) == line)
    if not found:
        raise InputError(f"nothing outside of the program makes '{name:.200}'", hint=_list_known(results))
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
    """What `given` means for each op; `InputError` if it has some results of an op and not the others.

    `None` is for ops without results, which are skipped.
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
    """A value for each result, tokens among them; where a result has one for each execution, those of all executions."""
    listed = {number: value.values for number, value in given.items() if isinstance(value, Executions)}
    same = {number: value for number, value in given.items() if not isinstance(value, Executions)}
    if not listed:
        return complete_results(bound, same)
    count = min(len(values) for values in listed.values())
    each = ({number: values[at] for number, values in listed.items()} for at in range(count))
    return ListedAnswers({0: [complete_results(bound, {**same, **found}) for found in each]})


def complete_results(bound: BoundOperation, given: Mapping[int, Array | None]) -> tuple[Array, ...]:
    """A value for each result of an op, tokens among them."""
    results = enumerate(bound.operation.results)
    found = ((given.get(number), value.type) for number, value in results)
    return tuple(_empty_value(stated) if array is None else array for array, stated in found)


def _empty_value(stated: Type) -> Array:
    """The one value of a type that holds nothing."""
    return (
        tuple_of([_empty_value(part) for part in stated.types]) if isinstance(stated, TupleType) else token()
    )


def check_bindings(program: BoundProgram, bindings: Bindings) -> None:
    """`InputError` unless each op that is given results asks for such."""
    for op, arrays in bindings.items():
        bound = program.ops[op]
        if bound.op.outside is None:
            message = f"op {op} ({bound.operation.name}) makes its results itself"
            raise InputError(message, bound.operation.name_span)
        if not isinstance(arrays, Answers):
            check_results(bound, arrays)


def check_results(bound: BoundOperation, arrays: Sequence[Array]) -> None:
    """`InputError` unless these are results of the op."""
    op, results = bound.id, bound.operation.results
    if len(arrays) != len(results):
        message = f"op {op} ({bound.operation.name}) has {len(results)} results, not {len(arrays)}"
        raise InputError(message, bound.operation.name_span)
    for value, array in zip(results, arrays, strict=True):
        if not is_of(array, value.type):
            found = f"{array.dtype}{list(array.shape)}"
            raise InputError(f"{value.name} is {value.type}, not {found}", value.span)


def same_results(bindings: Bindings, op: int) -> tuple[Array, ...]:
    """What an op is given for all executions; `InputError` where each has results of its own."""
    given = bindings[op]
    if isinstance(given, Answers):
        raise InputError(
            "a run that begins later takes no results that differ from one execution to the next"
        )
    return given


class GivenResults:
    """What a process is given for results from outside; `InputError` unless each op that is given some asks for them."""

    def __init__(self, program: BoundProgram, bindings: Bindings) -> None:
        check_bindings(program, bindings)
        self._bindings = {
            op: given if isinstance(given, Answers) else tuple(map(read_only_view, given))
            for op, given in bindings.items()
        }

    def answer(
        self,
        bound: BoundOperation,
        place: Place,
        counters: Mapping[str, int],
        operands: Sequence[Array],
        unbound: UnboundResults,
    ) -> tuple[tuple[Array, ...], Mapping[str, int]]:
        """The results of an op that is executed, and the counters behind it: executions are counted, also over a replay.

        Raises `unbound` where nothing is given.
        """
        given = self._bindings.get(bound.id)
        if given is None:
            raise attribute_error(unbound, bound) from None
        if not isinstance(given, Answers):
            return given, counters
        name = f"executions of op {bound.id}"
        execution = counters.get(name, 0)
        process = place.process.replica_id * place.grid.num_partitions + place.process.partition_id
        try:
            found = given.answer(process, execution, operands)
            check_results(bound, found)
        except ProgramError as error:
            raise attribute_error(error, bound) from None
        return tuple(map(read_only_view, found)), {**counters, name: execution + 1}
