"""The elements that each op of a program reads, and the reverse, as formulas and as JSON, by the names of results."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from hloscope.engine.chains import (
    Chains,
    Leaf,
    MapSource,
    Reach,
    ValueMap,
    leaf_name,
    leaves,
    map_sources,
    maps_of_function,
    operation_maps,
    result_leaves,
    run_blocks,
)
from hloscope.engine.indexing import KNOWN_EMPTY, OperandMap, Style
from hloscope.engine.ir.types import TensorType, TupleType
from hloscope.engine.program import BoundFunction, BoundOperation, BoundProgram

from ...base.failure import Failure
from ...present.index_maps import operand_map_json
from ...present.map_texts import (
    MapGroup,
    as_xla_prints,
    group_maps,
    map_lines,
    print_groups,
    source_text,
    title,
    value_text,
)
from .reading import entry_function

DIRECTIONS = {"output-to-input": (False,), "input-to-output": (True,), "both": (False, True)}
"""Whether maps are inverse, in the order in which they are printed."""
STYLE_OF = {"xla": Style.CURRENT, "xla-2024": Style.XLA_2024}
ENCLOSED = "output -> input: one map for each input, which encloses what is read; --style xla has it exactly"
OPEN = "sizes that only a run shows"


@dataclass(frozen=True)
class WantedMaps:
    """Whose maps are wanted, and in which form."""

    op: str | None = None
    """The op that computes this value: `%5`, `%5#1`, `@f:%5`; `None` for all ops."""
    direction: str = "output-to-input"
    style: str = "xla"
    compose: bool = False
    """Whether the maps lead to the arguments of the function."""
    entry: str | None = None


@dataclass(frozen=True)
class Section:
    """The maps of one op, or of a chain of ops."""

    title: str
    op: str
    function: str
    groups: Sequence[MapGroup]
    describe: Callable[[int], str]
    note: str = ""
    """A remark on the form of the maps."""

    def text(self, style: Style) -> Iterator[str]:
        """A heading, then the maps."""
        yield f"# {self.title}"
        if self.note:
            yield f"# {self.note}"
        lines = list(print_groups(self.groups, style, self.describe))
        yield from lines or ["reads no elements"]

    def json(self, style: Style) -> Iterator[dict[str, Any]]:
        """One object for each pair of operand and result, in each direction."""
        for group in self.groups:
            yield {
                "op": self.op,
                "function": self.function,
                "direction": "input-to-output" if group.inverse else "output-to-input",
                "operand": {"number": group.operand, "name": group.operand_name},
                "result": {"number": group.result, "name": group.result_name},
                "text": "\n".join(map_lines(group.items, style, self.describe)),
                "maps": [operand_map_json(item) for item in group.items],
            }


def program_sections(program: BoundProgram, wanted: WantedMaps) -> list[Section]:
    """The wanted maps. `Failure` if the program has no such op or entry."""
    return list(_sections(program, program.functions[bound_entry(program, wanted.entry)], wanted))


def bound_entry(program: BoundProgram, name: str | None) -> str:
    """The name by which a program knows the entry function `name`, by default its only one."""
    wanted = entry_function(program, name)
    return next(name for name, bound in program.functions.items() if bound.function is wanted)


def _sections(program: BoundProgram, function: BoundFunction, wanted: WantedMaps) -> Iterator[Section]:
    directions, style = DIRECTIONS[wanted.direction], STYLE_OF[wanted.style]
    # The document shows runtime variables as they are read; XLA writes out the known ones.
    chains = Chains(program, folds=style is Style.CURRENT, entry=function)
    maps = _Maps(chains, function, directions, style)
    if wanted.op is None:
        if wanted.compose:
            yield maps.of_function()
            return
        for block in executed_blocks(program, function.block):
            for bound in program.blocks[block].operations:
                if bound.results:
                    yield maps.of_operation(bound, None)
        return
    for bound, result in find_operations(program, function.block, wanted.op):
        yield maps.to_inputs(bound, result) if wanted.compose else maps.of_operation(bound, result)


@dataclass(frozen=True)
class _Maps:
    """The maps of an entry function in the wanted directions and style."""

    chains: Chains
    function: BoundFunction
    directions: Sequence[bool]
    style: Style

    def of_operation(self, bound: BoundOperation, result: int | None) -> Section:
        """The maps of an op, for one result or for all."""
        program = self.chains.program
        sources = map_sources(program, bound.id, chains=self.chains)
        groups = [
            group for inverse in self.directions for group in self._groups(bound, result, sources, inverse)
        ]

        def describe(number: int) -> str:
            source = sources[number]
            if source.leaf and not source.calls:
                return value_text(program, source.leaf, self.style)
            return source.name

        note = ENCLOSED if False in self.directions and self._is_enclosed(bound) else ""
        if bound.dynamic and any(item.map.is_undefined for group in groups for item in group.items):
            note = OPEN
        return self._section(bound, groups, describe, note)

    def of_function(self) -> Section:
        """The maps from the function's results to its arguments."""
        program = self.chains.program
        block = program.blocks[self.function.block]
        arguments = leaves(program, block.arguments)
        results = leaves(program, block.operations[-1].operands)
        name = block.function
        groups: list[MapGroup] = []
        for inverse in self.directions:
            found = maps_of_function(program, name, inverse=inverse, chains=self.chains)
            groups += _argument_groups(program, found, arguments, results, inverse)
        return Section(f"@{name}", f"@{name}", name, groups, self._source_text)

    def to_inputs(self, bound: BoundOperation, result: int | None) -> Section:
        """The maps from an op's results to the arguments of the program."""
        program = self.chains.program
        arguments = leaves(program, program.blocks[self.function.block].arguments)
        results = result_leaves(program, bound)
        wanted = [leaf for number, leaf in enumerate(results) if result in (None, number)]
        groups: list[MapGroup] = []
        for inverse in self.directions:
            starts, ends = (arguments, wanted) if inverse else (wanted, arguments)
            found = [
                item
                for value in dict.fromkeys(leaf.value for leaf in starts)
                for reach in [Reach(self.chains, value, inverse=inverse)]
                for end in dict.fromkeys(leaf.value for leaf in ends)
                for item in reach.to(end)
                if item.start in starts and item.end in ends
            ]
            groups += _argument_groups(program, found, arguments, results, inverse)
        return self._section(bound, groups, self._source_text)

    def _section(
        self,
        bound: BoundOperation,
        groups: Sequence[MapGroup],
        describe: Callable[[int], str],
        note: str = "",
    ) -> Section:
        blocks = self.chains.program.blocks
        name, op = blocks[bound.block].function, bound.operation
        inside = "" if name == blocks[self.function.block].function else f", in @{name}"
        return Section(title(op) + inside, op.results[0].name.partition("#")[0], name, groups, describe, note)

    def _source_text(self, number: int) -> str:
        return source_text(self.chains, self.style, number)

    def _groups(
        self, bound: BoundOperation, result: int | None, sources: Sequence[MapSource], inverse: bool
    ) -> Iterator[MapGroup]:
        """The maps of one direction, for one result or for all."""
        chains = self.chains
        names = [leaf_name(chains.program, leaf) for leaf in result_leaves(chains.program, bound)]
        documented = self.style is Style.XLA_2024
        found = operation_maps(
            chains.program, bound.id, inverse=inverse, documented=documented, chains=chains
        )
        chosen = [item for item in found if result is None or item.result == result]
        if not documented:
            chosen = [*as_xla_prints(chosen), *_unread_maps(bound, chosen, sources, result, len(names))]
        given = [source.name for source in sources]
        operands = sum(source.role == "operand" for source in sources)
        parts = _parts(source.leaf for source in sources)
        return group_maps(chosen, given, names, inverse=inverse, operand_count=operands, parts=parts)

    def _is_enclosed(self, bound: BoundOperation) -> bool:
        """Whether the document's form of the op's maps differs from the exact one."""
        if self.style is not Style.XLA_2024:
            return False
        exact, stated = (
            operation_maps(self.chains.program, bound.id, documented=documented, chains=self.chains)
            for documented in (False, True)
        )
        return set(exact) != set(stated)


def _unread_maps(
    bound: BoundOperation,
    found: Sequence[OperandMap],
    sources: Sequence[MapSource],
    result: int | None,
    results: int,
) -> Iterator[OperandMap]:
    """KNOWN EMPTY for each operand of which nothing is read, if the sizes are known."""
    read = {item.operand for item in found}
    for number, source in enumerate(sources):
        if source.role != "operand" or source.leaf is None or source.leaf.path or number in read:
            continue
        if not bound.dynamic and isinstance(bound.op.operand_types[number], TensorType):
            numbers = range(results) if result is None else (result,)
            yield from (OperandMap(number, KNOWN_EMPTY, each) for each in numbers)


def _argument_groups(
    program: BoundProgram,
    found: Sequence[ValueMap],
    arguments: Sequence[Leaf],
    results: Sequence[Leaf],
    inverse: bool,
) -> Iterator[MapGroup]:
    """Maps between values, with the arguments as the operands of one op."""
    items = []
    for each in found:
        argument, result = (each.start, each.end) if inverse else (each.end, each.start)
        given = arguments.index(argument)
        # A function may return a value twice.
        numbers = (number for number, leaf in enumerate(results) if leaf == result)
        items += [
            OperandMap(given, each.map, number, each.place, each.enclosing, each.undecided)
            for number in numbers
        ]
    names = [[leaf_name(program, leaf) for leaf in side] for side in (arguments, results)]
    return group_maps(items, *names, inverse=inverse, parts=_parts(arguments))


def _parts(given: Iterable[Leaf | None]) -> set[int]:
    """The numbers of the operands that are leaves of tuples."""
    return {number for number, leaf in enumerate(given) if leaf is not None and leaf.path}


def executed_blocks(program: BoundProgram, block: int) -> list[int]:
    """A block and the blocks that its ops execute, in order: called functions, branches, loops.

    Excludes the bodies of reduce and similar ops, whose ops have no values for single elements.
    """
    found: dict[int, None] = {}
    waiting = [block]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found[current] = None
        inner = [
            each.id for bound in program.blocks[current].operations for each in run_blocks(program, bound)
        ]
        waiting.extend(reversed(inner))
    return list(found)


def find_operations(
    program: BoundProgram, block: int, wanted: str
) -> list[tuple[BoundOperation, int | None]]:
    """The ops whose results have a name, with the number of the result if the name has one.

    `%x` and `x` are the same; `%x#1` is a separate result, or element 1 of a tuple; `@f:%x` is one of function
    `f`. Ops of the block itself come first. Raises `Failure` with similar names if there is none.
    """
    function, colon, name = wanted.rpartition(":")
    chosen = function.removeprefix("@")
    name = name.removeprefix("%")
    named = list(_names(program))
    if colon and chosen not in program.functions:
        near = _suggestion(chosen, program.functions)
        raise Failure(f"the program has no function @{chosen}{near}")
    found = [
        (bound, number)
        for known, bound, number in named
        if known == name and (not colon or program.blocks[bound.block].function == chosen)
    ]
    own = {program.blocks[block].function, chosen}
    here = [item for item in found if program.blocks[item[0].block].function in own]
    if here or found:
        return here or found
    arguments = (value for each in program.blocks for value in each.arguments)
    if name in {program.values[value].name.removeprefix("%") for value in arguments}:
        raise Failure(f"%{name} is an argument: no op computes it, so it reads nothing")
    near = _suggestion(name, dict.fromkeys(known for known, _, _ in named if not known.endswith("#0")), "%")
    raise Failure(f"no op of the program computes %{name}{near}")


def _suggestion(name: str, known: Iterable[str], sign: str = "@") -> str:
    near = get_close_matches(name, list(known), 3, 0.5)
    return f"; did you mean {' or '.join(f'{sign}{each}' for each in near)}?" if near else ""


def _names(program: BoundProgram) -> Iterator[tuple[str, BoundOperation, int | None]]:
    for bound in program.ops:
        results = bound.operation.results
        for number, value in enumerate(results):
            name = value.name.removeprefix("%")
            whole, hash_sign, _ = name.partition("#")
            if hash_sign:
                yield name, bound, number
                if number == 0:
                    yield whole, bound, None
                continue
            yield name, bound, None
            if isinstance(value.type, TupleType) and len(results) == 1:
                for element in range(len(value.type.types)):
                    yield f"{name}#{element}", bound, element
            elif len(results) == 1:
                yield f"{name}#0", bound, None
