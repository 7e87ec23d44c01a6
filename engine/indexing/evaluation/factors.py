"""Factorise an index map into factors that share no variable.

A dot reads (the rows) x (the contracted indices) of its left operand, independently of the columns: counting
each factor separately takes 3 * 4096 steps instead of 4096 x 4096 x 4096.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

from ..core.expressions import Constant, Dim, Expression, Range, Runtime, substitute, variables_of
from ..core.index_map import IndexMap, Kind, RuntimeVariable
from ..core.interval import Interval
from .array_values import Int64Array
from .bound_map import BoundMap, Operands, read_runtimes
from .connected_groups import connected_groups
from .points import Points, span

_ZERO = Interval(0, 0)


@dataclass(frozen=True)
class Factor:
    """A part of the map `whole`, given by the numbers of its results, constraints and variables.

    The map relates the products of what its factors relate. Factors are disjoint, except that runtime
    variables with one value for all elements may belong to several.
    """

    whole: IndexMap
    results: tuple[int, ...]
    constraints: tuple[int, ...]
    runtimes: tuple[int, ...]
    dimensions: tuple[int, ...]
    ranges: tuple[int, ...]

    @cached_property
    def map(self) -> IndexMap:
        """The factor as a map; variables of other factors are fixed at 0."""
        whole, own = self.whole, self.variables
        renumbered: dict[Expression, Expression] = {
            Runtime(k): Runtime(n) for n, k in enumerate(self.runtimes)
        }
        sides = tuple(interval if variable in own else _ZERO for variable, interval in whole.bounds.items())
        rank = len(whole.dimensions)
        stated = (whole.constraints[number] for number in self.constraints)
        return IndexMap(
            tuple(substitute(whole.results[number], renumbered) for number in self.results),
            sides[:rank],
            sides[rank : rank + len(whole.ranges)],
            tuple(whole.runtimes[number] for number in self.runtimes),
            tuple((substitute(expression, renumbered), interval) for expression, interval in stated),
        )

    @cached_property
    def variables(self) -> tuple[Expression, ...]:
        return (*map(Dim, self.dimensions), *map(Range, self.ranges))

    @cached_property
    def points(self) -> Points:
        """All combinations of its variables, inside the domain or not."""
        return Points({variable: span(self.whole.bounds[variable]) for variable in self.variables})

    @property
    def candidates(self) -> int:
        """Number of combinations of its variables, inside the domain or not."""
        return prod(self.whole.bounds[variable].size for variable in self.variables)

    def table(self, operands: Operands = ()) -> tuple[Int64Array, Int64Array]:
        """The combinations in the domain: own dimensions, int64 [n, .], and results, int64 [n, .]."""
        own = list(map(Dim, self.dimensions))
        rows = BoundMap(self.map, operands).image(self.points, own)
        return rows[:, : len(own)], rows[:, len(own) :]


def whole_factor(index_map: IndexMap) -> Factor:
    """The whole map as one factor."""
    here = index_map
    parts = (here.results, here.constraints, here.runtimes, here.dimensions, here.ranges)
    return Factor(here, *(tuple(range(len(part))) for part in parts))


_Item = tuple[str, int, tuple[Expression, ...]]
"""The kind of a part of a map, its number, and its variables."""


def factors_of(
    index_map: IndexMap,
    joined: Collection[Expression] = (),
    constants: Collection[Expression] = (),
    settled: Collection[int] = (),
) -> tuple[Factor, ...]:
    """The smallest factors of a map, neither undefined nor empty, in order of their first variable.

    A result or constraint without variables is a separate factor with one combination. The variables `joined`
    belong to one factor, used or not. The runtime variables `constants`, which have one value for all
    elements, belong to every factor that uses them. The constraints numbered `settled` are left out.
    """
    items = _items(index_map, constants, settled)
    alone = [joined] if joined else []
    alone += [(each,) for each in index_map.bounds if each not in constants]
    links = [used for _, _, used in items]
    if constants:
        links = [tuple(each for each in used if each not in constants) for used in links]
    groups = connected_groups([*alone, *links])
    return tuple(
        _factor(index_map, group.variables, [items[k - len(alone)] for k in group.numbers if k >= len(alone)])
        for group in groups
    )


def _items(index_map: IndexMap, constants: Collection[Expression], settled: Collection[int]) -> list[_Item]:
    """The parts of a map, without the given runtime variables and constraints."""
    items: list[_Item] = [
        ("results", number, variables_of(result)) for number, result in enumerate(index_map.results)
    ]
    for number, (expression, _) in enumerate(index_map.constraints):
        if number not in settled:
            items.append(("constraints", number, variables_of(expression)))
    for number, variable in enumerate(index_map.runtimes):
        if Runtime(number) not in constants:
            items.append(("runtimes", number, (Runtime(number), *deciding_variables(variable))))
    return items


def _factor(index_map: IndexMap, own: Collection[Expression], items: Sequence[_Item]) -> Factor:
    results = tuple(sorted(number for kind, number, _ in items if kind == "results"))
    constraints = tuple(sorted(number for kind, number, _ in items if kind == "constraints"))
    used = {variable for _, _, variables in items for variable in variables}
    runtimes = tuple(sorted(each.number for each in used if isinstance(each, Runtime)))
    dimensions = tuple(sorted(each.number for each in own if isinstance(each, Dim)))
    ranges = tuple(sorted(each.number for each in own if isinstance(each, Range)))
    return Factor(index_map, results, constraints, runtimes, dimensions, ranges)


def deciding_variables(variable: RuntimeVariable) -> frozenset[Expression]:
    """The dimension and range variables that determine the value of a runtime variable."""
    here = variable.map
    items = [*here.results, *(expression for expression, _ in here.constraints)]
    found: set[Expression] = {
        each for item in items for each in variables_of(item) if not isinstance(each, Runtime)
    }
    for inner in here.runtimes:
        found |= deciding_variables(inner)
    return frozenset(found)


def bind_scalars(index_map: IndexMap, operands: Operands) -> IndexMap:
    """Replace the runtime variables that have one value for all elements by that value."""
    lonely = [n for n, variable in enumerate(index_map.runtimes) if not deciding_variables(variable)]
    if not lonely or index_map.is_known_empty or index_map.is_undefined:
        return index_map
    return _with_values(index_map, operands, lonely, {})


def bind_cases(index_map: IndexMap, operands: Operands, most: int) -> Iterator[IndexMap] | None:
    """Disjoint maps without runtime variables whose union is the map in a run.

    There is one for each combination of the variables that determine runtime values; `None` if more than
    `most`.
    """
    if index_map.is_known_empty or index_map.is_undefined or not index_map.runtimes:
        return iter([index_map])
    deciding = {each for variable in index_map.runtimes for each in deciding_variables(variable)}
    spans = {each: span(index_map.bounds[each]) for each in sorted(deciding, key=repr)}
    if prod(map(len, spans.values())) > most:
        return None
    numbers = range(len(index_map.runtimes))
    cases = (dict(zip(spans, values, strict=True)) for values in product(*spans.values()))
    return (_with_values(index_map, operands, numbers, case) for case in cases)


def _with_values(
    index_map: IndexMap, operands: Operands, numbers: Iterable[int], fixed: Mapping[Expression, int]
) -> IndexMap:
    """The map with some variables fixed, and the runtime variables `numbers` replaced by their values."""
    replaced = [(number, index_map.runtimes[number]) for number in numbers]
    values, known = read_runtimes(replaced, operands, fixed)
    if not known:
        return replace(index_map, runtimes=(), constraints=(), kind=Kind.KNOWN_EMPTY)
    kept = [n for n in range(len(index_map.runtimes)) if Runtime(n) not in values]
    to: dict[Expression, Expression] = {Runtime(old): Runtime(new) for new, old in enumerate(kept)}
    to |= {runtime: Constant(int(value)) for runtime, value in values.items()}
    results, constraints = index_map.substitute(to)
    pinned = [(variable, Interval(value, value)) for variable, value in fixed.items()]
    return replace(
        index_map,
        results=results,
        constraints=(*constraints, *pinned),
        runtimes=tuple(index_map.runtimes[n] for n in kept),
    )
