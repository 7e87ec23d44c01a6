"""Fold known operand values into maps (docs/index-maps.md, "Folding runtime variables").

A value read from an iota is its own index; one read from a constant is that constant. The caller supplies
such values; here they are clamped, or limited by a constraint, exactly as in a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ..core.expressions import Dim, Expression, Runtime, substitute
from ..core.index_map import Constraint, IndexMap, Kind, RuntimeVariable
from ..core.interval import Interval
from .clamps import ClampNarrower
from .composition import compose_runtime


@dataclass(frozen=True)
class ReadValue:
    """A value as an expression that may need other runtime values.

    In `expression`, Dim(j) is coordinate j of the element read, and Runtime(k) is `runtimes[k]`, whose map
    goes from these coordinates to an element of its own operand.
    """

    expression: Expression
    runtimes: tuple[RuntimeVariable, ...] = ()


Values = Callable[[RuntimeVariable], Expression | ReadValue | None]
"""Returns the value of a runtime variable by the coordinates of the element read; `None` if unknown.

A plain expression is a `ReadValue` without further reads: Dim(1) for an iota along dimension 1, Constant(7)
for a splat of 7, Dim(0) * 2 + 84 for arithmetic on an iota. It must hold for every element, even where the
program's integers would wrap around.
"""


def fold_runtimes(index_map: IndexMap, values: Values) -> IndexMap:
    """Replace each runtime variable that `values` knows, also in the maps of runtime variables.

    A clamped variable becomes the clamped value; an unclamped one becomes the value, with the constraint that
    it lies in the interval. A clamp of one runtime variable narrows its interval; other clamps become
    min(max(value, lower), upper). The remaining runtime variables are renumbered. The map is not simplified.
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
        # Runtime variables in the element's coordinates become those of the owner.
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
        """An unclamped variable leaves the domain where it cannot be read."""
        self._constraints += ((Dim(k), interval) for k, interval in enumerate(own.dimensions))
        self._constraints += ((substitute(e, inner), interval) for e, interval in own.constraints)

    def _add(self, variable: RuntimeVariable) -> Runtime:
        if variable not in self._runtimes:
            self._runtimes.append(variable)
        return Runtime(self._runtimes.index(variable))


def _clamp_value(value: ReadValue, limits: Interval | None) -> ReadValue:
    """The value, clamped if `limits` are given."""
    narrower = ClampNarrower(value.expression, value.runtimes)
    found = narrower.narrow(value.expression)
    if limits is not None:
        found = narrower.clamp(found, limits)
    return ReadValue(found, narrower.runtimes)
