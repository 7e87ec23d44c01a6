"""The maps of one operation; those of ops with bodies by composition."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from ..indexing import OperandMap
from ..program import BoundOperation, BoundProgram
from .bodies import has_bodies
from .chains import Chains
from .forwarding import own_maps
from .leaves import Leaf, leaf_name, leaves, operand_leaves, result_leaves
from .sources import ValueSource, sources_of

Role = Literal["operand", "captured", "found"]


@dataclass(frozen=True)
class MapSource:
    """The meaning of an operand number in an op's maps.

    It is an operand or a captured value, to which maps go, or an auxiliary value that only runtime variables
    read: one of the op itself (`leaf` is `None`), or a value or auxiliary value in its bodies.
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
    documented: bool = False,
    static_form: Callable[[int], BoundOperation] | None = None,
    chains: Chains | None = None,
) -> tuple[OperandMap, ...]:
    """The maps of any operation, from its results to its operands, or inverse.

    `operand` and `result` count leaves, with tuples flattened. Captured values follow the operands, then
    sources that only runtime variables read: `map_sources` names them all. With `documented`, an op's own
    maps have the form of `Op.documented_maps`. `static_form` gives an op with the sizes known from a run.
    `chains`, of the same program, caches compositions. IndexError if there is no such operation.
    """
    bound = static_form(op_number) if static_form else program.ops[op_number]
    if not has_bodies(bound) and not (chains and chains.folds and not documented):
        return tuple(own_maps(program, bound, inverse=inverse, documented=documented))
    distinct = _DistinctOperands.of(chains or Chains(program, static_form), bound)
    maps = distinct.operand_maps(result_leaves(program, bound), inverse)
    return tuple(sorted(maps, key=lambda item: (item.result, item.operand)))


def map_sources(
    program: BoundProgram,
    op_number: int,
    *,
    static_form: Callable[[int], BoundOperation] | None = None,
    chains: Chains | None = None,
) -> tuple[MapSource, ...]:
    """The meaning of the numbers in `operation_maps`, in order."""
    bound = static_form(op_number) if static_form else program.ops[op_number]
    operands = operand_leaves(program, bound)
    found = [MapSource(leaf_name(program, leaf), "operand", leaf) for leaf in operands]
    if not has_bodies(bound) and not (chains and chains.folds):
        names = enumerate(bound.op.runtime_variables.names_of(bound.op))
        return (*found, *(MapSource(name, "found", None, op_number, number) for number, name in names))
    distinct = _DistinctOperands.of(chains or Chains(program, static_form), bound)
    found += [MapSource(leaf_name(program, leaf), "captured", leaf) for leaf in distinct.captured]
    for number in distinct.found:
        source, name = distinct.chains.sources.source(number), distinct.chains.sources.name(number)
        found.append(MapSource(name, "found", source.leaf, source.operation, source.found, source.calls))
    return tuple(found)


class _DistinctOperands:
    """Links of an op with bodies, with a separate leaf for each operand if a value is passed twice."""

    @classmethod
    def of(cls, chains: Chains, bound: BoundOperation) -> _DistinctOperands:
        """The links of an op in both directions, cached in `chains`."""
        chains.refresh()
        found = chains.answers.get(bound.id)
        if not isinstance(found, cls) or (
            found.made_of[0] is not chains.program or found.made_of[1] is not bound
        ):
            found = chains.answers[bound.id] = cls(chains, bound)
        return found

    def __init__(self, chains: Chains, bound: BoundOperation) -> None:
        self.made_of = chains.program, bound
        program = chains.program
        self.captured = leaves(program, chains.captured_values(bound.id))
        values, operands = list(program.values), list(bound.operands)
        known = {leaf.value for leaf in self.captured}
        for number, value in enumerate(bound.operands):
            if value in known:
                # a fresh value, unknown to the rest of the program
                operands[number] = len(values)
                values.append(program.values[value])
            known.add(value)
        if operands != list(bound.operands):
            program = replace(program, values=tuple(values))
            bound = replace(bound, operands=tuple(operands))
            chains = Chains(program, chains.static_form, folds=chains.folds, entry=chains.entry)
        self.chains = chains
        self.outer = (*operand_leaves(program, bound), *self.captured)
        self.links = {inverse: chains.operation_links(bound, inverse=inverse) for inverse in (False, True)}

    def operand_maps(self, results: Sequence[Leaf], inverse: bool) -> Iterator[OperandMap]:
        """The links of one direction as maps, numbered by operands and `results`."""
        for start, links in self.links[inverse].items():
            for link in links:
                result, operand = (link.end, start) if inverse else (start, link.end)
                index_map = link.map.with_operands(
                    {number: self.numbers[number] for number in sources_of(link.map)}
                )
                ends = link.place, link.enclosing, link.undecided
                yield OperandMap(self.outer.index(operand), index_map, results.index(result), *ends)

    @cached_property
    def found(self) -> tuple[int, ...]:
        """Sources other than operands, in the order in which the maps name them."""
        outer = {self.chains.sources.number(ValueSource(leaf)) for leaf in self.outer}
        found: dict[int, None] = {}
        for links in self.links.values():
            for each in links.values():
                for link in each:
                    found |= dict.fromkeys(sorted(sources_of(link.map) - outer))
        return tuple(found)

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each source in the op's maps."""
        outer = {self.chains.sources.number(ValueSource(leaf)): n for n, leaf in enumerate(self.outer)}
        return outer | {source: len(self.outer) + number for number, source in enumerate(self.found)}
