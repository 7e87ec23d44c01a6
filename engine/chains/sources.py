"""Sources of runtime variables in chains: values of the program, and auxiliary values of ops.

Number `v` below the number of values is value `v`. The others, auxiliary values of ops and values in the
frame of a call, are numbered in the order of their first use.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ..indexing import IndexMap
from ..program import BoundBlock, BoundFunction, BoundOperation, BoundProgram
from .bodies import bodies, runners, runs_once
from .leaves import Leaf, leaf_name


@dataclass(frozen=True)
class ValueSource:
    """A source of runtime variables.

    Either `leaf`, or auxiliary value number `found` of `operation`. `calls` are the operations, outermost
    first, that call the function in whose frame it is.
    """

    leaf: Leaf | None = None
    operation: int | None = None
    found: int = 0
    calls: tuple[int, ...] = ()


class Sources:
    """Numbers all sources of one program that starts at `entry`."""

    def __init__(self, program: BoundProgram, entry: BoundFunction | None = None) -> None:
        self.program = program
        self._entry = entry and entry.block
        self._known: list[ValueSource] = []
        self._numbers: dict[ValueSource, int] = {}

    def number(self, source: ValueSource) -> int:
        """The number of a source."""
        leaf = source.leaf
        if leaf is not None and not leaf.path and not source.calls:
            return leaf.value
        if source not in self._numbers:
            self._numbers[source] = len(self.program.values) + len(self._known)
            self._known.append(source)
        return self._numbers[source]

    def source(self, number: int) -> ValueSource:
        """The source of a number; IndexError if there is none."""
        values = len(self.program.values)
        return ValueSource(Leaf(number)) if number < values else self._known[number - values]

    def name(self, number: int) -> str:
        """The source's name: `%5`, `%5#1`, `%5: permutation`; in a call `%5 in %call`."""
        source = self.source(number)
        if source.leaf is not None:
            text = leaf_name(self.program, source.leaf)
        else:
            assert source.operation is not None
            bound = self.program.ops[source.operation]
            text = f"{_result_name(bound)}: {bound.op.runtime_variables.names_of(bound.op)[source.found]}"
        return " in ".join((text, *(_result_name(self.program.ops[op]) for op in reversed(source.calls))))

    @cached_property
    def runners(self) -> Mapping[int, tuple[BoundOperation, ...]]:
        """For each block, the ops that run it."""
        return runners(self.program)

    def call_arguments(self, argument: Leaf) -> tuple[Leaf, ...]:
        """The operand leaf of a function's argument in each call; empty if it may be anything else."""
        made = self.program.makers.get(argument.value)
        if made is None or made.op is not None or made.block == self._entry:
            return ()
        calls = self.runners.get(made.block, ())
        if not all(map(runs_once, calls)):
            return ()
        return tuple(dict(bodies(self.program, call)[0].arguments)[argument] for call in calls)

    def outside_numbers(
        self, numbers: set[int], call: BoundOperation, arguments: Mapping[Leaf, Leaf], body: BoundBlock
    ) -> dict[int, int]:
        """New numbers for sources in links of `body`, as seen from the block of the op that runs it.

        `arguments` are replaced by their operands. If `body` is in another function, the values of that
        function are those of this call.
        """
        caller, callee = self.program.blocks[call.block].function, body.function
        found: dict[int, int] = {}
        for number in numbers:
            source = self.source(number)
            if source.leaf is not None and source.leaf in arguments and not source.calls:
                found[number] = self.number(ValueSource(arguments[source.leaf]))
            elif caller != callee and self._function(number) == callee:
                found[number] = self.number(replace(source, calls=(call.id, *source.calls)))
        return {old: new for old, new in found.items() if old != new}

    def block(self, number: int) -> int | None:
        """The block that computes a source, or calls its function; `None` outside the program."""
        source = self.source(number)
        if source.calls:
            return self.program.ops[source.calls[0]].block
        if source.leaf is not None:
            made = self.program.makers.get(source.leaf.value)
            return None if made is None else made.block
        assert source.operation is not None
        return self.program.ops[source.operation].block

    def _function(self, number: int) -> str | None:
        block = self.block(number)
        return None if block is None else self.program.blocks[block].function


def sources_of(index_map: IndexMap) -> set[int]:
    """The sources of all runtime variables of a map, including nested ones."""
    found: set[int] = set()
    for variable in index_map.runtimes:
        found |= {variable.operand} | sources_of(variable.map)
    return found


def _result_name(bound: BoundOperation) -> str:
    results = bound.operation.results
    return results[0].name.partition("#")[0] if results else bound.operation.spelled
