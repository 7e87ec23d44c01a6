"""Fold known operand values into maps (docs/index-maps.md, "Folding runtime variables").

A value read from an iota is its own index; one read from a constant is that constant. The caller supplies
such values; here they are clamped, or limited by a constraint, exactly as in a run.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..core.expressions import (
    Constant,
    Dim,
    Expression,
    Maximum,
    Minimum,
    Runtime,
    maximum,
    minimum,
    rebuild,
    split_coefficient,
    substitute,
    terms_of,
    variables_of,
)
from ..core.index_map import Constraint, IndexMap, Kind, RuntimeVariable
from ..core.interval import INT64_MAX, INT64_MIN, Interval
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


# Rewrite clamps of runtime variables as intervals of the variables, where both are equivalent.
#
# min(max(rt0 + 2, 0), 6) is rt0 + 2 with rt0 clamped to [-2, 4], which is easier to read.


class ClampNarrower:
    """Rewrites clamps in and around `expression`; `runtimes` are its narrowed runtime variables.

    A variable that occurs twice is left unchanged, since its occurrences may need different intervals.
    """

    def __init__(self, expression: Expression, runtimes: Sequence[RuntimeVariable]) -> None:
        self._runtimes = list(runtimes)
        self._counts = Counter(variables_of(expression))

    @property
    def runtimes(self) -> tuple[RuntimeVariable, ...]:
        return tuple(self._runtimes)

    def narrow(self, expression: Expression) -> Expression:
        """An equal expression without minima and maxima of one runtime variable and a constant."""
        if not any(isinstance(met, Runtime) for met in variables_of(expression)):
            return expression
        found = (
            rebuild(expression, list(map(self.narrow, expression.children)))
            if expression.children
            else expression
        )
        match found:
            case Minimum(Constant(limit), value) | Minimum(value, Constant(limit)):
                return self.clamp(value, Interval(INT64_MIN, limit))
            case Maximum(Constant(limit), value) | Maximum(value, Constant(limit)):
                return self.clamp(value, Interval(limit, INT64_MAX))
        return found

    def clamp(self, value: Expression, limits: Interval) -> Expression:
        """The value clamped to `limits`."""
        if self._narrow_variable(value, limits):
            return value
        if limits.lower != INT64_MIN:
            value = maximum(value, Constant(limits.lower))
        return minimum(value, Constant(limits.upper)) if limits.upper != INT64_MAX else value

    def _narrow_variable(self, value: Expression, limits: Interval) -> bool:
        """Narrow the only runtime variable in the value, if that clamps the value."""
        first, *others = terms_of(value)
        atom, factor = split_coefficient(first)
        if not isinstance(atom, Runtime) or any(not isinstance(each, Constant) for each in others):
            return False
        variable = self._runtimes[atom.number]
        if not variable.clamped or self._counts[atom] != 1:
            return False
        constant = sum(each.value for each in others if isinstance(each, Constant))
        ends = [_solve(end, factor, constant) for end in (limits.lower, limits.upper)]
        lower, upper = ends if factor > 0 else reversed(ends)
        if lower is None or upper is None:
            return False
        interval = Interval(
            *(min(max(end, lower), upper) for end in (variable.interval.lower, variable.interval.upper))
        )
        self._runtimes[atom.number] = replace(variable, interval=interval)
        return True


def _solve(end: int, factor: int, constant: int) -> int | None:
    """The integer x with factor * x + constant = end, or `None`; unbounded ends stay unbounded."""
    if end in (INT64_MIN, INT64_MAX):
        return end if factor > 0 else INT64_MIN + INT64_MAX - end
    quotient, rest = divmod(end - constant, factor)
    return None if rest else quotient
