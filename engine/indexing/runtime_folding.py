"""Putting what is known about the operands that runtime variables are read from in their place
(docs/index-maps.md, "Folding runtime variables").

A value that is read from an iota is its own index; one that is read from a constant is that constant. Who
knows the program says so; here the value is clamped, or limited by a constraint, exactly as the run would.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from .clamps import ClampNarrower
from .composition import compose_runtime
from .expressions import Dim, Expression, Runtime, substitute
from .index_map import Constraint, IndexMap, Kind, RuntimeVariable
from .interval import Interval


@dataclass(frozen=True)
class ReadValue:
    """A value as an expression that still needs other values of the run.

    In `expression`, Dim(j) is coordinate j of the element that is read, and Runtime(k) is `runtimes[k]`, whose
    map goes from these coordinates to an element of its own operand.
    """

    expression: Expression
    runtimes: tuple[RuntimeVariable, ...] = ()


Values = Callable[[RuntimeVariable], Expression | ReadValue | None]
"""The value of a runtime variable by the coordinates of the element that it reads; None where it is not known.

An expression is a `ReadValue` that needs no further values: Dim(1) for an iota along dimension 1, Constant(7)
for a splat of 7, Dim(0) * 2 + 84 for what was computed from an iota. It must hold for every element, also where
the program's integers would wrap around.
"""


def fold_runtimes(index_map: IndexMap, values: Values) -> IndexMap:
    """The map with each runtime variable that `values` knows replaced, those of its runtime variables' maps too.

    A clamped variable becomes the value, clamped; one that is not clamped becomes the value, with a constraint that
    it lies in the interval. What clamps one runtime variable narrows its interval; only what clamps more is written
    min(max(value, lower), upper). What stays of the runtime variables is numbered anew. The map is not simplified.
    """
    if index_map.kind is not Kind.NORMAL or not index_map.runtimes:
        return index_map
    folding = _Folding(index_map)
    for number, variable in enumerate(index_map.runtimes):
        own = replace(variable, map=fold_runtimes(variable.map, values))
        found = None if own.map.kind is not Kind.NORMAL else values(own)
        if found is None:
            folding.keep(number, own)
        else:
            folding.fold(number, own, found if isinstance(found, ReadValue) else ReadValue(found))
    return folding.map


class _Folding:
    def __init__(self, index_map: IndexMap) -> None:
        self._map = index_map
        self._replacements: dict[Expression, Expression] = {}
        self._runtimes: list[RuntimeVariable] = []
        self._constraints: list[Constraint] = []

    @property
    def map(self) -> IndexMap:
        results, constraints = self._map.substitute(self._replacements)
        return replace(
            self._map,
            results=results,
            runtimes=tuple(self._runtimes),
            constraints=(*constraints, *self._constraints),
        )

    def keep(self, number: int, variable: RuntimeVariable) -> None:
        self._replacements[Runtime(number)] = self._add(variable)

    def fold(self, number: int, variable: RuntimeVariable, read_value: ReadValue) -> None:
        own, value = variable.map, _clamp_value(read_value, variable.interval if variable.clamped else None)
        # What the element's coordinates need are runtime variables of the owner from now on.
        inner: dict[Expression, Expression] = {
            Runtime(k): self._add(read) for k, read in enumerate(own.runtimes)
        }
        places: dict[Expression, Expression] = {
            Dim(k): substitute(result, inner) for k, result in enumerate(own.results)
        }
        places |= {Runtime(k): self._add(compose_runtime(own, read)) for k, read in enumerate(value.runtimes)}
        found = substitute(value.expression, places)
        if not variable.clamped:
            self._constraints.append((found, variable.interval))
            self._limit_to(own, inner)
        self._replacements[Runtime(number)] = found

    def _limit_to(self, own: IndexMap, inner: dict[Expression, Expression]) -> None:
        """Where it cannot be read, a variable that is not clamped leaves the domain."""
        self._constraints += ((Dim(k), interval) for k, interval in enumerate(own.dimensions))
        self._constraints += ((substitute(e, inner), interval) for e, interval in own.constraints)

    def _add(self, variable: RuntimeVariable) -> Runtime:
        if variable not in self._runtimes:
            self._runtimes.append(variable)
        return Runtime(self._runtimes.index(variable))


def _clamp_value(value: ReadValue, limits: Interval | None) -> ReadValue:
    """The value, clamped to the limits if there are any."""
    narrower = ClampNarrower(value.expression, value.runtimes)
    found = narrower.narrow(value.expression)
    if limits is not None:
        found = narrower.clamp(found, limits)
    return ReadValue(found, narrower.runtimes)
