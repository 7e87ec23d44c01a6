"""What runtime variables of chains are read from: values of the program, and what ops find out in a run.

Number `v` below the number of values is value `v`. The others are what an op finds out, and values of a function
in the frame of one of its calls; they get numbers as they are met.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from ..indexing import IndexMap
from ..program import BoundFunction, BoundOperation, BoundProgram
from .bodies import bodies, runners, runs_once
from .leaves import Leaf, leaf_name


@dataclass(frozen=True)
class ValueSource:
    """One thing that runtime variables are read from.

    Either `leaf`, or number `found` of what `operation` found out. `calls` are the operations, from outside in,
    that run the function in whose frame it is.
    """

    leaf: Leaf | None = None
    operation: int | None = None
    found: int = 0
    calls: tuple[int, ...] = ()


class Sources:
    """The numbers of all sources of one program, which begins to run at `entry`."""

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
        """What a number stands for; IndexError if nothing."""
        values = len(self.program.values)
        return ValueSource(Leaf(number)) if number < values else self._known[number - values]

    def name(self, number: int) -> str:
        """As the program names it: `%5`, `%5#1`, `%5: permutation`; in a call `%5 in %call`."""
        source = self.source(number)
        if source.leaf is not None:
            text = leaf_name(self.program, source.leaf)
        else:
            assert source.operation is not None
            bound = self.program.ops[source.operation]
            text = f"{_result_name(bound)}: {found_out(bound)[source.found]}"
        return " in ".join((text, *(_result_name(self.program.ops[op]) for op in reversed(source.calls))))

    @cached_property
    def runners(self) -> Mapping[int, tuple[BoundOperation, ...]]:
        """For each block that ops run, those ops."""
        return runners(self.program)

    def handed_in(self, argument: Leaf) -> tuple[Leaf, ...]:
        """What an argument of a function is in each of its calls; nothing where it may be something else."""
        made = self.program.makers.get(argument.value)
        if made is None or made.op is not None or made.block == self._entry:
            return ()
        calls = self.runners.get(made.block, ())
        if not all(map(runs_once, calls)):
            return ()
        return tuple(dict(bodies(self.program, call)[0].arguments)[argument] for call in calls)

    def called(
        self, numbers: set[int], call: int, arguments: Mapping[Leaf, Leaf], inner: frozenset[int]
    ) -> dict[int, int]:
        """New numbers for sources seen from outside of a call: arguments are operands, inner values are the call's.

        `inner` are the values of blocks whose values are apart for each call.
        """
        found: dict[int, int] = {}
        for number in numbers:
            source = self.source(number)
            if source.leaf is not None and source.leaf in arguments and not source.calls:
                found[number] = self.number(ValueSource(arguments[source.leaf]))
            elif self._is_inner(source, inner):
                found[number] = self.number(replace(source, calls=(call, *source.calls)))
        return {old: new for old, new in found.items() if old != new}

    def _is_inner(self, source: ValueSource, inner: frozenset[int]) -> bool:
        if source.calls:
            return self.program.ops[source.calls[0]].block in inner
        if source.leaf is not None:
            made = self.program.makers.get(source.leaf.value)
            return made is not None and made.block in inner
        assert source.operation is not None
        return self.program.ops[source.operation].block in inner


def found_out(bound: BoundOperation) -> tuple[str, ...]:
    """What to call what an op finds out in a run."""
    return bound.op.found_names


def sources_of(index_map: IndexMap) -> set[int]:
    """The sources of all runtime variables of a map, those of their own maps included."""
    found: set[int] = set()
    for variable in index_map.runtimes:
        found |= {variable.operand} | sources_of(variable.map)
    return found


def _result_name(bound: BoundOperation) -> str:
    results = bound.operation.results
    return results[0].name.partition("#")[0] if results else bound.operation.spelled
