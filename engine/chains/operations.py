"""The maps of one operation, those of ops that run functions by composition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ..indexing import OperandMap
from ..program import BoundOperation, BoundProgram
from .bodies import has_bodies
from .chains import Chains, Links
from .leaves import Leaf, leaf_name, leaves, operand_leaves, result_leaves
from .ordinary import own_maps
from .sources import ValueSource, found_out, sources_of

Role = Literal["operand", "captured", "found"]


@dataclass(frozen=True)
class MapSource:
    """What a number of an op's maps stands for.

    An operand, or an outer value that the op's regions read: maps go to it. Or what was found out in a run, which
    only runtime variables are read from: by the op itself (`leaf` is `None`), or as a value or another op's find of
    what it ran.
    """

    name: str
    role: Role
    leaf: Leaf | None = None
    operation: int | None = None
    found: int = 0
    calls: tuple[int, ...] = ()


def operation_maps(
    program: BoundProgram,
    op_number: int,
    *,
    inverse: bool = False,
    settled: Callable[[int], BoundOperation] | None = None,
    chains: Chains | None = None,
) -> tuple[OperandMap, ...]:
    """The maps of any operation, from its results to its operands; from `inverse` the other way.

    `operand` and `result` count leaves: the operands and results with tuples taken apart. Behind the operands come
    the outer values that the op's regions read, and behind these what runtime variables alone are read from:
    `map_sources` names them all. `settled` gives an op with the sizes that a run has shown. `chains`, of the same
    program, keeps what was composed for the next question. IndexError if there is no such operation.
    """
    bound = settled(op_number) if settled else program.ops[op_number]
    if not has_bodies(bound):
        return tuple(own_maps(program, bound, inverse=inverse))
    chains = chains or Chains(program, settled)
    numbers = _numbers(chains, bound)
    outer, results = _outer_leaves(chains, bound), result_leaves(program, bound)
    found = []
    for start, links in chains.of_operation(op_number, inverse=inverse).items():
        for link in links:
            result, operand = (link.end, start) if inverse else (start, link.end)
            used = {number: numbers[number] for number in sources_of(link.map)}
            for place in _places(outer, operand):
                index_map = link.map.with_operands(used)
                item = OperandMap(place, index_map, results.index(result), link.place, link.enclosing)
                found.append(item)
    return tuple(sorted(found, key=lambda item: (item.result, item.operand)))


def map_sources(
    program: BoundProgram,
    op_number: int,
    *,
    settled: Callable[[int], BoundOperation] | None = None,
    chains: Chains | None = None,
) -> tuple[MapSource, ...]:
    """What the numbers in `operation_maps` mean, in their order."""
    bound = settled(op_number) if settled else program.ops[op_number]
    operands = operand_leaves(program, bound)
    found = [MapSource(leaf_name(program, leaf), "operand", leaf) for leaf in operands]
    if not has_bodies(bound):
        names = enumerate(found_out(bound))
        return (*found, *(MapSource(name, "found", None, op_number, number) for number, name in names))
    chains = chains or Chains(program, settled)
    captured = leaves(program, chains.captured(op_number))
    found += [MapSource(leaf_name(program, leaf), "captured", leaf) for leaf in captured]
    for number in _found_numbers(chains, bound):
        source = chains.sources.source(number)
        name = chains.sources.name(number)
        found.append(MapSource(name, "found", source.leaf, source.operation, source.found, source.calls))
    return tuple(found)


def _outer_leaves(chains: Chains, bound: BoundOperation) -> tuple[Leaf, ...]:
    return (*operand_leaves(chains.program, bound), *leaves(chains.program, chains.captured(bound.id)))


def _places(outer: tuple[Leaf, ...], leaf: Leaf) -> list[int]:
    """Where a leaf is among the operands: a value may be given twice."""
    return [number for number, found in enumerate(outer) if found == leaf]


def _numbers(chains: Chains, bound: BoundOperation) -> dict[int, int]:
    """The number in the op's maps of each source."""
    outer = _outer_leaves(chains, bound)
    known = {chains.sources.number(ValueSource(leaf)): n for n, leaf in reversed(list(enumerate(outer)))}
    found = _found_numbers(chains, bound)
    return known | {source: len(outer) + number for number, source in enumerate(found)}


def _found_numbers(chains: Chains, bound: BoundOperation) -> tuple[int, ...]:
    """The sources that are no operands, in the order in which the maps of both directions name them."""
    outer = {chains.sources.number(ValueSource(leaf)) for leaf in _outer_leaves(chains, bound)}
    found: dict[int, None] = {}
    for inverse in (False, True):
        links: Links = chains.of_operation(bound.id, inverse=inverse)
        for each in links.values():
            for link in each:
                found |= dict.fromkeys(sorted(sources_of(link.map) - outer))
    return tuple(found)
