"""Find, drop and convert variables of a map (docs/index-maps.md, "Unused variables").

Remaining variables are renumbered, also in the maps of runtime variables. An UNDEFINED map is unchanged, and
a KNOWN EMPTY one stays empty.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..core.expressions import Dim, Expression, Range, Runtime, substitute, variables_of
from ..core.index_map import Constraint, IndexMap, Kind, RuntimeVariable
from ..core.interval import Interval
from ..evaluation.bound_map import BoundMap
from ..evaluation.connected_groups import connected_groups
from ..evaluation.points import Points, span
from ..simplifier.term_order import order_key

Variables = set[Expression]
MAX_WITNESSES = 1 << 16  # points tried before a constraint is kept, although nothing may depend on it
FIRST_WITNESSES = 64  # number of points tried first; usually one of them satisfies the constraint


def unused_variables(index_map: IndexMap, needed: Iterable[Expression] = ()) -> Variables:
    """Variables that can be dropped without changing the relation.

    Excluded are `needed` variables, and those that share a constraint with a used variable, with a runtime
    variable, or without a proof that the constraint can hold. A runtime variable that must be inside its
    interval is used.
    """
    if index_map.is_undefined:
        return set()
    if index_map.is_known_empty:
        return set(index_map.bounds) - set(needed)
    used = {variable for result in index_map.results for variable in variables_of(result)} | set(needed)
    used |= {Runtime(k) for k, variable in enumerate(index_map.runtimes) if not variable.clamped}
    groups: list[Variables] = [set(variables_of(expression)) for expression, _ in index_map.constraints]
    used = _close(used, groups, index_map)
    for group in connected_groups(group for group in groups if not group & used):
        if not _can_hold(index_map, group.variables):
            used |= group.variables
    return set(index_map.bounds) - _close(used, groups, index_map)


def remove_unused_symbols(index_map: IndexMap) -> IndexMap:
    """Drop the unused range and runtime variables; every dimension counts as used."""
    return _without(index_map, unused_variables(index_map, map(Dim, range(len(index_map.dimensions)))))


def remove_unused_runtimes(index_map: IndexMap) -> IndexMap:
    """Drop the unused runtime variables; all others count as used."""
    if not index_map.runtimes:
        return index_map
    others = (variable for variable in index_map.bounds if not isinstance(variable, Runtime))
    return _without(index_map, unused_variables(index_map, others))


def ranges_to_dimensions(index_map: IndexMap, numbers: Iterable[int]) -> IndexMap:
    """Convert the range variables with these numbers to additional dimensions, in this order."""
    if index_map.is_undefined:
        return index_map
    moved = tuple(numbers)
    kept = tuple(k for k in range(len(index_map.ranges)) if k not in moved)
    dimensions = tuple(range(len(index_map.dimensions)))
    return _Renumbering(dimensions, kept, tuple(range(len(index_map.runtimes))), moved).of(index_map)


def _without(index_map: IndexMap, unused: Variables) -> IndexMap:
    if not unused or index_map.is_undefined:
        return index_map
    return _Renumbering(
        tuple(k for k in range(len(index_map.dimensions)) if Dim(k) not in unused),
        tuple(k for k in range(len(index_map.ranges)) if Range(k) not in unused),
        tuple(k for k in range(len(index_map.runtimes)) if Runtime(k) not in unused),
    ).of(index_map)


def _close(used: Variables, groups: list[Variables], index_map: IndexMap) -> Variables:
    """Add variables that share a constraint with a used or runtime variable, or locate runtime reads."""
    used = set(used)
    while True:
        found = set(used)
        for group in groups:
            if group & used or any(isinstance(variable, Runtime) for variable in group):
                found |= group
        for variable in used:
            if isinstance(variable, Runtime):
                found |= set(_read_by(index_map.runtimes[variable.number]))
        if found == used:
            return used
        used = found


def _read_by(variable: RuntimeVariable) -> Iterator[Expression]:
    for result in variable.map.results:
        yield from _variables_in_common(result)
    for inner in variable.map.runtimes:
        yield from _read_by(inner)
    if not variable.clamped:
        for expression, _ in variable.map.constraints:
            yield from _variables_in_common(expression)


def _variables_in_common(expression: Expression) -> Iterator[Expression]:
    # Runtime variables of a nested map are not those of the owner with the same number.
    return (variable for variable in variables_of(expression) if not isinstance(variable, Runtime))


def _can_hold(index_map: IndexMap, group: Variables) -> bool:
    """Whether some values of these non-runtime variables satisfy their constraints, by search."""
    constraints = [each for each in index_map.constraints if group.issuperset(variables_of(each[0]))]
    alone = IndexMap((), index_map.dimensions, index_map.ranges, (), tuple(constraints))
    points = Points({each: span(alone.bounds[each]) for each in sorted(group, key=order_key)})
    found = BoundMap(alone).images(points, MAX_WITNESSES, first=FIRST_WITNESSES)
    return any(len(satisfied) for satisfied in found)


@dataclass(frozen=True)
class _Renumbering:
    """Numbers of the remaining variables; range variables in `moved` become dimensions."""

    dimensions: Sequence[int]
    ranges: Sequence[int]
    runtimes: Sequence[int]
    moved: Sequence[int] = ()

    @property
    def _new_places(self) -> dict[Expression, Expression]:
        places: dict[Expression, Expression] = {Dim(old): Dim(new) for new, old in enumerate(self.dimensions)}
        places |= {Range(old): Dim(len(self.dimensions) + new) for new, old in enumerate(self.moved)}
        return places | {Range(old): Range(new) for new, old in enumerate(self.ranges)}

    def of(self, index_map: IndexMap) -> IndexMap:
        places = self._new_places | {Runtime(old): Runtime(new) for new, old in enumerate(self.runtimes)}
        return self._renumber(index_map, index_map.ranges, places, self.runtimes)

    def _renumber(
        self,
        index_map: IndexMap,
        owned: Sequence[Interval],
        places: dict[Expression, Expression],
        runtimes: Sequence[int],
    ) -> IndexMap:
        """Renumber a map; `owned` are the owner's ranges, which a nested map may omit."""
        kept = [index_map.runtimes[k] for k in runtimes]
        return IndexMap(
            tuple(substitute(result, places) for result in index_map.results),
            (
                *(index_map.dimensions[k] for k in self.dimensions),
                *((index_map.ranges or owned)[k] for k in self.moved),
            ),
            tuple(index_map.ranges[k] for k in self.ranges) if index_map.ranges else (),
            tuple(replace(variable, map=self._own(variable.map, owned)) for variable in kept),
            tuple(self._constraints(index_map, places)),
            index_map.kind if index_map.is_known_empty else Kind.NORMAL,
        )

    def _own(self, own: IndexMap, owned: Sequence[Interval]) -> IndexMap:
        if own.is_undefined:
            return own
        inner = range(len(own.runtimes))
        return self._renumber(own, owned, self._new_places | {Runtime(k): Runtime(k) for k in inner}, inner)

    def _constraints(self, index_map: IndexMap, places: dict[Expression, Expression]) -> Iterator[Constraint]:
        for expression, interval in index_map.constraints:
            if places.keys() >= set(variables_of(expression)):
                yield substitute(expression, places), interval
