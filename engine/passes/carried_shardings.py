"""Shardings of arguments and results for texts that no longer state them.

XLA's partitioner removes all shardings except those of parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..ir.module import Function, Module
from ..ir.types import Type
from ..sharding.notation.stated_shardings import StatedShardings, Tilings, leaf_types
from ..sharding.notation.tilings import Tiling


@dataclass(frozen=True)
class CarriedShardings:
    """Tilings of the leaves of arguments and results, in order; `None` where no text states one."""

    arguments: tuple[Tiling | None, ...] = ()
    results: tuple[Tiling | None, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every leaf has a tiling."""
        return all(found is not None for found in (*self.arguments, *self.results))

    def with_gaps_from(self, other: CarriedShardings) -> CarriedShardings:
        """Fill gaps from `other`; texts with another signature contribute nothing."""
        return CarriedShardings(
            _fill(self.arguments, other.arguments), _fill(self.results, other.results)
        )  # fmt: skip

    def of_arguments(self, types: Sequence[Type]) -> tuple[Tilings | None, ...]:
        """Tilings of arguments of these types, grouped by argument."""
        return _group(self.arguments, types)

    def of_results(self, types: Sequence[Type]) -> tuple[Tilings | None, ...]:
        """Tilings of results of these types, grouped by result."""
        return _group(self.results, types)


def shardings_of(modules: Iterable[Module]) -> CarriedShardings:
    """Collect the shardings from several texts of one program; the first statement wins."""
    found: CarriedShardings | None = None
    for module in modules:
        stated = _stated(module)
        if stated is not None:
            found = stated if found is None else found.with_gaps_from(stated)
        if found is not None and found.is_complete:
            break
    return found or CarriedShardings()


def _stated(module: Module) -> CarriedShardings | None:
    entry = module.entry
    if entry is None:
        return None
    stated = StatedShardings(module)
    arguments: list[Tiling | None] = []
    for number, value in enumerate(entry.arguments):
        arguments += _each(stated.of_argument(entry, number), value.type)
    results: list[Tiling | None] = []
    for number, kind in enumerate(entry.result_types):
        found = stated.of_result(entry, number)
        results += _each(found, kind) if found else _of_elements(stated, entry, number, kind)
    return CarriedShardings(tuple(arguments), tuple(results))


def _of_elements(stated: StatedShardings, entry: Function, number: int, kind: Type) -> list[Tiling | None]:
    """Tilings of a tuple's elements, for a tuple without its own sharding."""
    nothing: list[Tiling | None] = [None] * len(list(leaf_types([kind])))
    if entry.body is None or not entry.body.block.operations:
        return nothing
    place = stated.module.definitions.get(id(entry.body.block.operations[-1].operands[number]))
    maker = place[0] if place else None
    if maker is None or isinstance(maker, Function) or not maker.name.endswith(".tuple"):
        return nothing
    found: list[Tiling | None] = []
    for operand in maker.operands:
        found += _each(stated.of_value(operand), operand.type)
    return found if len(found) == len(nothing) else nothing


def _each(tilings: Tilings | None, kind: Type) -> list[Tiling | None]:
    count = len(list(leaf_types([kind])))
    return list(tilings) if tilings is not None and len(tilings) == count else [None] * count


def _fill(ours: tuple[Tiling | None, ...], others: tuple[Tiling | None, ...]) -> tuple[Tiling | None, ...]:
    if len(ours) != len(others):
        return ours
    return tuple(own or other for own, other in zip(ours, others, strict=True))


def _group(found: Sequence[Tiling | None], types: Sequence[Type]) -> tuple[Tilings | None, ...]:
    counts = [len(list(leaf_types([kind]))) for kind in types]
    if sum(counts) != len(found):
        return (None,) * len(types)
    groups: list[Tilings | None] = []
    at = 0
    for count in counts:
        group = found[at : at + count]
        known = tuple(tiling for tiling in group if tiling is not None)
        groups.append(known if len(known) == count else None)
        at += count
    return tuple(groups)
