"""Index maps of collectives, between a process's result and the operand of a peer process.

Each function returns a map and the peer's position in the group, over the variables of the map
(docs/index-maps.md, "Collectives"). The own position, and the size of groups of unequal sizes, are runtime
variables, read from auxiliary values of rank 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..core.expressions import Constant, Expression, Range, Runtime, add, dims, floor_divide, modulo, multiply
from ..core.index_map import Constraint, IndexMap, RuntimeVariable
from ..core.interval import Interval

Shape = Sequence[int]
OWN_PLACE, GROUP_SIZE = "place in the group", "size of the group"
"""Names of the first two auxiliary values."""
PlacedMap = tuple[IndexMap, Expression]
"""A map, and the group position of the peer process."""


@dataclass(frozen=True)
class Group:
    """The group of a process, as maps refer to it."""

    most: int
    """Maximum size of a group."""
    first: int
    """Number of the operand that holds the own position in the group; -1 outside all groups."""
    is_fixed: bool = True
    """Whether all groups have `most` processes. If not, the next operand holds the size of the group."""
    may_leave_out: bool = False
    """Whether a process may be in no group; its maps are then empty."""

    def own_place(self, shape: Shape, places: Interval | None = None) -> RuntimeVariable:
        """The own position, outside the domain if it is not one of `places`."""
        interval = places or Interval(0, self.most - 1)
        return RuntimeVariable(interval, self.first, IndexMap.scalar(shape), clamped=False)

    def own(self, shape: Shape) -> tuple[Expression, tuple[RuntimeVariable, ...]]:
        """The own position as the first runtime variable of a map; 0 in a group of one."""
        if self.most == 1 and not self.may_leave_out:
            return Constant(0), ()
        return Runtime(0), (self.own_place(shape),)

    def size(self, shape: Shape) -> RuntimeVariable:
        """The size of the group."""
        return RuntimeVariable(Interval(1, self.most), self.first + 1, IndexMap.scalar(shape), clamped=False)

    def with_each_place(
        self,
        index: Sequence[Expression],
        shape: Shape,
        runtimes: Sequence[RuntimeVariable] = (),
        constraints: Sequence[Constraint] = (),
    ) -> PlacedMap:
        """`index` over all indices of `shape`, in the process at every position of the group."""
        if self.most == 1:
            return IndexMap.of(index, shape, (), runtimes, constraints), Constant(0)
        if not self.is_fixed:
            below = add(Range(0), multiply(Runtime(len(runtimes)), -1))
            runtimes = (*runtimes, self.size(shape))
            constraints = (*constraints, (below, Interval(-self.most, -1)))
        return IndexMap.of(index, shape, [self.most], runtimes, constraints), Range(0)

    def taking_part(self, shape: Shape) -> tuple[RuntimeVariable, ...]:
        """Runtime variables that exclude processes outside all groups, if there may be any."""
        return (self.own_place(shape),) if self.may_leave_out else ()


def all_reduce_map(shape: Shape, group: Group) -> PlacedMap:
    """(d0, d1) -> (d0, d1), at every position: all operands are combined into one result for all."""
    return group.with_each_place(dims(len(shape)), shape, group.taking_part(shape))


def all_gather_map(operand_shape: Shape, result_shape: Shape, dimension: int) -> PlacedMap:
    """(d0, d1) -> (d0, d1 mod size), at position d1 floordiv size: operands are concatenated."""
    size = max(1, operand_shape[dimension])
    index: list[Expression] = list(dims(len(result_shape)))
    place = floor_divide(index[dimension], size)
    index[dimension] = modulo(index[dimension], size)
    return IndexMap.of(index, result_shape), place


def inverse_all_gather_map(operand_shape: Shape, dimension: int, group: Group) -> PlacedMap:
    """(d0, d1){rt0} -> (d0, rt0 * size + d1), at every position, where rt0 is the own position."""
    index: list[Expression] = list(dims(len(operand_shape)))
    own, runtimes = group.own(operand_shape)
    index[dimension] = _part(own, operand_shape[dimension], index[dimension])
    return group.with_each_place(index, operand_shape, runtimes)


def all_to_all_map(operand_shape: Shape, split: int, concat: int, group: Group) -> PlacedMap:
    """Part rt0 along `split`, of the peer at that place along `concat`; rt0 is the own position."""
    result_shape = _exchanged_shape(operand_shape, split, concat, group.most)
    part = operand_shape[split] // group.most
    joined = max(1, part if split == concat else operand_shape[concat])
    index: list[Expression] = list(dims(len(operand_shape)))
    place = floor_divide(index[concat], joined)
    index[concat] = modulo(index[concat], joined)
    own, runtimes = group.own(result_shape)
    index[split] = _part(own, part, index[split])
    return IndexMap.of(index, result_shape, (), runtimes), place


def inverse_all_to_all_map(operand_shape: Shape, split: int, concat: int, group: Group) -> PlacedMap:
    """To the process that gets the part, where the own position rt0 locates it along `concat`."""
    part = max(1, operand_shape[split] // group.most)
    index: list[Expression] = list(dims(len(operand_shape)))
    place = floor_divide(index[split], part)
    index[split] = modulo(index[split], part)
    own, runtimes = group.own(operand_shape)
    index[concat] = _part(own, part if split == concat else operand_shape[concat], index[concat])
    return IndexMap.of(index, operand_shape, (), runtimes), place


def open_all_to_all_map(shape: Shape, dimension: int, group: Group, part: int) -> PlacedMap:
    """As `all_to_all_map` along one dimension, for an unknown part size, which operand `part` holds.

    (d0)[s0]{rt0, rt1} -> (d0 - s0 * rt1 + rt0 * rt1), at position s0, for d0 - s0 * rt1 in the part. The map
    is its own inverse: part p of an operand goes to p, and part q of a result came from q.
    """
    size = max(1, shape[dimension])
    own, part_size = Runtime(0), Runtime(1)
    index: list[Expression] = list(dims(len(shape)))
    within = add(index[dimension], multiply(multiply(Range(0), part_size), -1))
    index[dimension] = add(within, multiply(own, part_size))
    constraints = (
        (within, Interval(0, size - 1)),
        (add(within, multiply(part_size, -1)), Interval(-size, -1)),
    )
    read = RuntimeVariable(Interval(1, size), part, IndexMap.scalar(shape), clamped=False)
    runtimes = (group.own_place(shape), read)
    return IndexMap.of(index, shape, [min(group.most, size)], runtimes, constraints), Range(0)


def broadcast_map(shape: Shape, group: Group) -> PlacedMap:
    """(d0, d1) -> (d0, d1), at position 0."""
    return IndexMap.of(dims(len(shape)), shape, (), group.taking_part(shape)), Constant(0)


def inverse_broadcast_map(shape: Shape, group: Group) -> PlacedMap:
    """(d0, d1){rt0} -> (d0, d1), at every position, where the own position rt0 is 0."""
    first = (group.own_place(shape, Interval(0, 0)),)
    return group.with_each_place(dims(len(shape)), shape, first)


def rooted_map(shape: Shape, group: Group, roots: int, number: int) -> PlacedMap:
    """(d0, d1){rt0} -> (d0, d1), at position rt0, which is element `number` of operand `roots`."""
    runtimes = (_root(shape, group, roots, number), *group.taking_part(shape))
    return IndexMap.of(dims(len(shape)), shape, (), runtimes), Runtime(0)


def root_map(shape: Shape, group: Group, number: int) -> IndexMap:
    """(d0, d1) -> (number), from an element to the root that it comes from."""
    return IndexMap.of([Constant(number)], shape, (), group.taking_part(shape))


def inverse_root_map(shape: Shape, group: Group, number: int, count: int) -> IndexMap:
    """(d0)[s0, s1] -> (s0, s1), where d0 is the number of the operand whose root it is."""
    index = [Range(k) for k in range(len(shape))]
    is_own = (dims(1)[0], Interval(number, number))
    return IndexMap.of(index, (count,), shape, group.taking_part((count,)), [is_own])


def inverse_rooted_map(shape: Shape, group: Group, roots: int, number: int) -> PlacedMap:
    """(d0, d1){rt0, rt1} -> (d0, d1), at every position, where the own position rt1 is the root rt0."""
    runtimes = (_root(shape, group, roots, number), group.own_place(shape))
    is_root = (add(Runtime(0), multiply(Runtime(1), -1)), Interval(0, 0))
    return group.with_each_place(dims(len(shape)), shape, runtimes, [is_root])


def _root(shape: Shape, group: Group, roots: int, number: int) -> RuntimeVariable:
    places, read = Interval(0, group.most - 1), IndexMap.of([Constant(number)], shape)
    return RuntimeVariable(places, roots, read, clamped=False)


def permute_map(shape: Shape, other: int) -> PlacedMap:
    """(d0, d1){rt0} -> (d0, d1), at position rt0, which operand `other` holds: -1 for no process."""
    # The peers of a process are its source, itself and its target.
    place = RuntimeVariable(Interval(0, 2), other, IndexMap.scalar(shape), clamped=False)
    return IndexMap.of(dims(len(shape)), shape, (), [place]), Runtime(0)


def _exchanged_shape(shape: Shape, split: int, concat: int, count: int) -> tuple[int, ...]:
    sizes = list(shape)
    sizes[split] //= count
    sizes[concat] *= count
    return tuple(sizes)


def _part(place: Expression, size: int, within: Expression) -> Expression:
    return add(multiply(place, size), within)
