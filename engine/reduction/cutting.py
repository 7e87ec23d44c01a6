"""Subprograms: some of the ops, with parameters bound to the recorded values of the rest."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from ..ir.attributes import IntegerAttribute
from ..ir.module import Operation, Value
from ..ir.types import TupleType
from ..ops.core.op import Array
from ..ops.core.values import is_tuple
from .case import Case
from .editing import fresh_name, inlined, module_with, reads, values_in, with_values
from .recorded import fits

Lookup = Callable[[str], Array | None]
"""Looks up the recorded value of a name."""


def keep(case: Case, kept: Collection[int], recorded: Lookup) -> Case | None:
    """Keep only these ops of the entry; `None` if an operand of theirs has no recorded value.

    The results are those of the case that are still computed, and all unread results of the kept ops.
    """
    operations = [case.operations[number] for number in sorted(kept)]
    made = {value.name for operation in operations for value in operation.results}
    results = [value for value in case.results if value.name in made]
    return assemble(case, operations, [*results, *_ends(operations, results)], recorded)


def cone(case: Case, results: Sequence[Value]) -> set[int]:
    """The numbers of the ops that these values of the entry depend on."""
    makers = {
        value.name: number for number, operation in enumerate(case.operations) for value in operation.results
    }
    found: set[int] = set()
    waiting = [makers[value.name] for value in results if value.name in makers]
    while waiting:
        number = waiting.pop()
        if number not in found:
            found.add(number)
            waiting += [
                makers[value.name] for value in reads(case.operations[number]) if value.name in makers
            ]
    return found


def with_results(case: Case, results: Sequence[Value], recorded: Lookup) -> Case | None:
    """Keep only some results, and the ops that they depend on."""
    operations = [case.operations[number] for number in sorted(cone(case, results))]
    return assemble(case, operations, results, recorded)


def _ends(operations: Iterable[Operation], results: Sequence[Value]) -> list[Value]:
    """Results of ops without readers."""
    operations = list(operations)
    used = {value.name for operation in operations for value in reads(operation)}
    used |= {value.name for value in results}
    return [
        value
        for operation in operations
        if not any(value.name in used for value in operation.results)
        for value in operation.results
    ]


def assemble(
    case: Case,
    operations: Sequence[Operation],
    results: Sequence[Value],
    recorded: Lookup,
    outer: bool = True,
) -> Case | None:
    """Build a case of these ops, with a parameter for each value that they read but do not make.

    Names of the entry's arguments mean these arguments unless the ops belong to another function
    (`outer=False`).
    """
    if not operations:
        return None
    names = [value.name for value in case.entry.arguments] if outer else []
    given = dict(zip(names, case.inputs, strict=outer))
    made = {value.name for operation in operations for value in operation.results}
    needed = {
        value.name: value
        for source in ((value for operation in operations for value in reads(operation)), results)
        for value in source
        if value.name not in made
    }
    arguments = [value for value in case.entry.arguments if outer and value.name in needed]
    inputs = [given[value.name] for value in arguments]
    taken = {value.name for operation in operations for value in values_in(operation)} | set(given)
    parameters = _Parameters(taken)
    for name, value in needed.items():
        if name not in given and not parameters.give(value, recorded(name)):
            return None
    arguments += parameters.arguments
    inputs += parameters.inputs
    renames = parameters.renames
    changed = [with_values(operation, renames) for operation in operations]
    changed = _without_tuples(
        [*parameters.tuples, *changed], {found.results[0].name for found in parameters.tuples}
    )
    ends = [renames.get(value.name, value) for value in results]
    return Case(module_with(case.module, changed, arguments, ends), tuple(inputs))


class _Parameters:
    """Parameters for values that are no longer computed; tuples are rebuilt from their elements."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken
        self.arguments: list[Value] = []
        self.inputs: list[Array] = []
        self.renames: dict[str, Value] = {}
        self.tuples: list[Operation] = []

    def give(self, value: Value, array: Array | None) -> bool:
        """Add a parameter for a value with this array; return whether that is possible."""
        found = None if array is None else self._given(value, array)
        if found is not None:
            self.renames[value.name] = found
        return found is not None

    def _given(self, value: Value, array: Array) -> Value | None:
        named = replace(value, name=fresh_name(value.name, self._taken - {value.name}))
        self._taken.add(named.name)
        if isinstance(value.type, TupleType) and is_tuple(array):
            parts = [
                self._given(Value(f"{value.name}.{number}", type), part)
                for number, (type, part) in enumerate(zip(value.type.types, array.tolist(), strict=True))
            ]
            held = tuple(part for part in parts if part is not None)
            self.tuples.append(Operation("stablehlo.tuple", held, (named,), opcode="tuple"))
            return named if len(held) == len(parts) else None
        if not fits(array, value.type):
            return None
        self.arguments.append(named)
        self.inputs.append(array)
        return named


def _without_tuples(operations: list[Operation], names: set[str]) -> list[Operation]:
    """Remove reads of elements of the named tuples, and tuples that nothing else reads."""
    held = {
        found.results[0].name: found.operands
        for found in operations
        if found.results and found.results[0].name in names
    }
    values: dict[str, Value] = {}
    kept: list[Operation] = []
    for found in operations:
        operation = with_values(found, values)
        index = operation.properties.get("index")
        if operation.name == "stablehlo.get_tuple_element" and isinstance(index, IntegerAttribute):
            operands = held.get(operation.operands[0].name)
            if operands is not None:
                values[operation.results[0].name] = operands[index.value]
                continue
        kept.append(operation)
    read = {value.name for operation in kept for value in reads(operation)}
    return [found for found in kept if not found.results or found.results[0].name not in names - read]


def flatten(case: Case, chosen: Callable[[Operation], bool] = lambda _: True) -> Case | None:
    """Inline the chosen calls in the entry; `None` if there are none."""
    operations, stands = inlined(case.module, case.operations, chosen)
    if not stands:
        return None
    results = [_final(value, stands) for value in case.results]
    return Case(module_with(case.module, operations, case.entry.arguments, results), case.inputs)


def flatten_one(case: Case, number: int) -> Case | None:
    """Inline one call; `None` if the op is not a call."""
    wanted = case.operations[number].results
    return flatten(case, lambda found: found.results == wanted)


def _final(value: Value, stands: dict[str, Value]) -> Value:
    while value.name in stands:
        value = stands[value.name]
    return value
