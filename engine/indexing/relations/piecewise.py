"""Convert isl relations back to index maps: disjoint maps with our expressions.

Elements determined by an index become expressions of it. If an index has several elements, undetermined
coordinates become range variables, as few as the order of the coordinates allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd
from typing import Any

import islpy as isl

from ..core.expressions import Constant, Dim, Expression, Range, Runtime, add, floor_divide, multiply
from ..core.index_map import Constraint, IndexMap, RuntimeVariable
from ..core.interval import INT64_MAX, INT64_MIN, Interval, box
from .isl_maps import MAX_OPERATIONS, SetTooHard, limit, new_context, union_of
from .relation import number_of

_Variables = tuple[Expression, ...]


def inverse_maps(
    maps: Iterable[IndexMap] | IndexMap, shape: Sequence[int], max_operations: int = MAX_OPERATIONS
) -> tuple[IndexMap, ...]:
    """Invert maps: disjoint maps from elements of `shape` back to indices; none if there are no pairs.

    Maps with different runtime variables may overlap. The maps of runtime variables cannot be inverted: they
    are kept only if the value is the same for all elements. Raises SetTooHard beyond isl's limit and for
    other runtime variables.
    """
    several = (maps,) if isinstance(maps, IndexMap) else tuple(maps)
    groups: dict[tuple[RuntimeVariable, ...], list[IndexMap]] = {}
    for each in several:
        groups.setdefault(each.runtimes, []).append(each)
    found: list[IndexMap] = []
    with limit("invert the maps"):
        for runtimes, group in groups.items():
            turned = union_of(group, new_context(max_operations)).reverse()
            found.extend(maps_of(turned, box(tuple(shape)), _invert_runtimes(runtimes, shape)))
    return tuple(found)


def maps_of(
    relation: Any, dimensions: tuple[Interval, ...], runtimes: tuple[RuntimeVariable, ...] = ()
) -> tuple[IndexMap, ...]:
    """Convert an `isl.Map` with domain in `dimensions` to disjoint maps; `isl.Error` beyond the limit."""
    relation = relation.coalesce()
    free = _free_results(relation)
    function = isl.PwMultiAff.from_map(_with_inputs(relation, free))
    ends = _ends(relation, free)
    found: list[IndexMap] = []

    def take(domain: Any, value: Any) -> None:
        found.extend(_pieces(domain, value, _Form(len(dimensions), free, dimensions, ends, runtimes)))

    function.coalesce().foreach_piece(take)
    return tuple(each for each in found if not each.is_known_empty)


@dataclass(frozen=True)
class _Form:
    """Common parts of the maps; the `free` results are range variables."""

    rank: int
    free: tuple[int, ...]
    dimensions: tuple[Interval, ...]
    ranges: tuple[Interval, ...]
    runtimes: tuple[RuntimeVariable, ...]

    @property
    def inputs(self) -> _Variables:
        return (*map(Dim, range(self.rank)), *map(Range, range(len(self.free))))

    @property
    def parameters(self) -> _Variables:
        return tuple(map(Runtime, range(len(self.runtimes))))


def _pieces(domain: Any, value: Any, form: _Form) -> Iterator[IndexMap]:
    results = [_expression(value.get_aff(k), form) for k in range(value.dim(isl.dim_type.out))]
    for part in domain.compute_divs().make_disjoint().get_basic_sets():
        constraints = [_constraint(each, form) for each in part.get_constraints()]
        yield IndexMap(tuple(results), form.dimensions, form.ranges, form.runtimes, tuple(constraints))


def _free_results(relation: Any) -> tuple[int, ...]:
    """Results that the index and the preceding results do not determine."""
    free: list[int] = []
    for k in range(relation.dim(isl.dim_type.out)):
        seen = _with_inputs(relation, free)
        count = seen.dim(isl.dim_type.out)
        alone = seen.project_out(isl.dim_type.out, k + 1, count - k - 1)
        if not alone.project_out(isl.dim_type.out, 0, k).is_single_valued():
            free.append(k)
    return tuple(free)


def _with_inputs(relation: Any, free: Sequence[int]) -> Any:
    """The relation with copies of the results `free` after the index; all results remain results."""
    if not free:
        return relation
    rank, count = relation.dim(isl.dim_type.in_), relation.dim(isl.dim_type.out)
    given = [f"d{k}" for k in range(rank)]
    results = [f"o{k}" for k in range(count)]
    chosen = [f"o{k}" for k in free]
    text = f"{{ [{', '.join([*given, *chosen])}] -> [[{', '.join(given)}] -> [{', '.join(results)}]] }}"
    pairs = isl.Map.read_from_str(relation.get_ctx(), text)
    return pairs.intersect_range(relation.wrap()).range_factor_range()


def _ends(relation: Any, free: Sequence[int]) -> tuple[Interval, ...]:
    image = relation.range().project_out_all_params()
    ends = ((image.dim_min_val(k), image.dim_max_val(k)) for k in free)
    return tuple(Interval(number_of(low), number_of(high)) for low, high in ends)


def _invert_runtimes(
    runtimes: Iterable[RuntimeVariable], shape: Sequence[int]
) -> tuple[RuntimeVariable, ...]:
    """Runtime variables as seen from the inverse map."""
    turned = []
    for variable in runtimes:
        place = variable.map
        if place.runtimes or place.constraints or not all(isinstance(e, Constant) for e in place.results):
            raise SetTooHard("a runtime value that depends on the element cannot be inverted")
        there = IndexMap(place.results, box(tuple(shape)))
        turned.append(RuntimeVariable(variable.interval, variable.operand, there, variable.clamped))
    return tuple(turned)


def _constraint(given: Any, form: _Form) -> Constraint:
    """Convert `terms + constant = 0` or `>= 0`, moving the constant to the bounds."""
    aff = given.get_aff()
    terms, constant = _terms(aff, form)
    shared = gcd(*(factor for _, factor in terms)) or 1
    sign = -1 if terms and terms[0][1] < 0 else 1
    expression = add(0, *(multiply(each, factor // (sign * shared)) for each, factor in terms))
    least = -(constant // shared)  # terms / shared >= -constant / shared, rounded up
    if given.is_equality():
        exact = -constant // shared if constant % shared == 0 else None
        bounds = Interval(1, 0) if exact is None else Interval(exact, exact)
    else:
        bounds = Interval(least, INT64_MAX)
    return expression, bounds if sign > 0 else Interval(_negate(bounds.upper), -bounds.lower)


def _negate(end: int) -> int:
    return INT64_MIN if end == INT64_MAX else -end


def _expression(aff: Any, form: _Form) -> Expression:
    """Convert a quasi-affine expression; a denominator becomes a floor division."""
    terms, constant = _terms(aff, form)
    whole = add(0, *(multiply(each, factor) for each, factor in terms), constant)
    return floor_divide(whole, _denominator(aff))


def _terms(aff: Any, form: _Form) -> tuple[list[tuple[Expression, int]], int]:
    """The numerator: variables and floors with their factors, and the constant."""
    denominator = _denominator(aff)
    found: list[tuple[Expression, int]] = []

    def take(kind: Any, variables: Sequence[Expression]) -> None:
        for number, variable in enumerate(variables):
            factor = aff.get_coefficient_val(kind, number)
            if not factor.is_zero():
                found.append((variable, _whole(factor, denominator)))

    take(isl.dim_type.in_, form.inputs)
    take(isl.dim_type.param, form.parameters)
    floors = range(aff.dim(isl.dim_type.div))
    needed = [k for k in floors if not aff.get_coefficient_val(isl.dim_type.div, k).is_zero()]
    for number in needed:
        factor = aff.get_coefficient_val(isl.dim_type.div, number)
        found.append((_expression(aff.get_div(number), form), _whole(factor, denominator)))
    return found, _whole(aff.get_constant_val(), denominator)


def _denominator(aff: Any) -> int:
    return number_of(aff.get_denominator_val())


def _whole(value: Any, denominator: int) -> int:
    return number_of(value.mul(isl.Val.int_from_si(value.get_ctx(), denominator)))
