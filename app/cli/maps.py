"""`hloscope maps`: the elements that each op reads, and the reverse, as formulas."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
)
from hloscope.engine.frontend import load
from hloscope.engine.indexing import KNOWN_EMPTY, OperandMap, Style
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.program import BoundFunction, BoundOperation, BoundProgram

from ..base.failure import Failure
from ..base.settings import Settings
from ..present.map_json import operand_map_json
from ..present.map_texts import (
    MapGroup,
    as_xla_prints,
    group_maps,
    map_lines,
    print_groups,
    source_text,
    title,
    value_text,
)
from ..runs.chunks.outcome import Outcome, is_well, outcome_of, print_outcomes, usage_outcome
from ..runs.chunks.program_names import executed_blocks, find_operations
from ..runs.chunks.reading import Chunk, entry_function
from .options import DIRECTIONS, STYLES, add_programs, add_settings, find_style

STYLE_OF = dict(zip(STYLES, (Style.CURRENT, Style.XLA_2024), strict=True))
ENCLOSED = "output -> input: one map for each input, which encloses what is read; --style xla has it exactly"
OPEN = "sizes that only a run shows"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_programs(command)
    command.add_argument(
        "--op",
        metavar="%NAME",
        help="the op that computes this value: %%5 or 5, %%5#1 for one result, @f:%%5 in function f (default: all ops)",
    )
    command.add_argument(
        "--direction",
        choices=tuple(DIRECTIONS),
        default="output-to-input",
        help="map each result to the operand elements it reads, each operand to the result elements that read it, or both "
        "(default: %(default)s)",
    )
    command.add_argument(
        "--style",
        type=find_style,
        choices=STYLES,
        default="xla",
        help="xla: exact maps on one line, as XLA's tools print them; xla-2024: one bound per line and one enclosing map per "
        "operand, as in XLA's document of 2024 (default: %(default)s)",
    )
    command.add_argument(
        "--compose",
        action="store_true",
        help="compose the maps from the results of the function, or of --op, to the function's arguments",
    )
    add_settings(command)


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


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print the maps of each program's ops, or of the selected op.

    With `--json`, a line for each program as `outcome.Outcome.line` writes it, with the maps in `maps`.
    """
    limits = settings.limits()
    style = STYLE_OF[options.style]

    def map_chunk(chunk: Chunk) -> tuple[Outcome, list[str]]:
        outcome, sections = _of_chunk(chunk, options, limits)
        if options.json:
            found = [item for section in sections for item in section.json(style)]
            return replace(outcome, about={"style": options.style, "maps": found}), []
        text = "\n\n".join("\n".join(section.text(style)) for section in sections)
        return outcome, [text] if sections else []

    return print_outcomes(options, limits, map_chunk, divided=True)


def _of_chunk(chunk: Chunk, options: argparse.Namespace, limits: Limits) -> tuple[Outcome, list[Section]]:
    loaded = load(chunk.source, limits)
    program = loaded.program
    if not is_well(loaded) or program is None:
        return outcome_of(chunk, None, loaded.diagnostics), []
    try:
        sections = program_sections(program, options)
    except Failure as problem:
        if not options.json:
            raise
        return usage_outcome(chunk, None, problem), []
    name = program.functions[_entry(program, options.entry)].function.name
    return outcome_of(chunk, name, loaded.diagnostics), sections


def program_sections(program: BoundProgram, options: argparse.Namespace) -> list[Section]:
    """The maps for `op`, `direction`, `style`, `compose` and `entry` of `options`."""
    return list(_sections(program, program.functions[_entry(program, options.entry)], options))


def _entry(program: BoundProgram, name: str | None) -> str:
    wanted = entry_function(program, name)
    return next(name for name, bound in program.functions.items() if bound.function is wanted)


def _sections(
    program: BoundProgram, function: BoundFunction, options: argparse.Namespace
) -> Iterator[Section]:
    directions, style = DIRECTIONS[options.direction], STYLE_OF[options.style]
    # The document shows runtime variables as they are read; XLA writes out the known ones.
    chains = Chains(program, folds=style is Style.CURRENT, entry=function)
    maps = _Maps(chains, function, directions, style)
    if options.op is None:
        if options.compose:
            yield maps.of_function()
            return
        for block in executed_blocks(program, function.block):
            for bound in program.blocks[block].operations:
                if bound.results:
                    yield maps.of_operation(bound, None)
        return
    for bound, result in find_operations(program, function.block, options.op):
        yield maps.to_inputs(bound, result) if options.compose else maps.of_operation(bound, result)


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
