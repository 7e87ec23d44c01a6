"""Index maps of reduce, dot_general, einsum and ragged_dot (docs/index-maps.md, "Reduce and contractions")."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..core.expressions import Constant, Dim, Expression, Range, Runtime
from ..core.index_map import IndexMap, OperandMap, RuntimeVariable
from ..core.interval import INT64_MAX, Interval
from .data_movement_maps import ZERO, Shape


def reduce_maps(
    input_shapes: Sequence[Shape], dimensions: Sequence[int], *, inverse: bool = False
) -> Iterator[OperandMap]:
    """Operands are the inputs, then the initial values; every result may read every operand.

    The range variables follow the input's dimensions, not the order in `dimensions`.
    """
    shape = input_shapes[0]
    reduced = sorted(dimensions)
    kept = [k for k in range(len(shape)) if k not in dimensions]
    result_shape = [shape[k] for k in kept]
    if inverse:
        onward = IndexMap.of(map(Dim, kept), shape)
        yield from pairs_with_each_result(len(input_shapes), onward, IndexMap.everything(result_shape))
        return
    index = [Range(reduced.index(k)) if k in dimensions else Dim(kept.index(k)) for k in range(len(shape))]
    data = IndexMap.of(index, result_shape, [shape[k] for k in reduced])
    yield from pairs_with_each_result(len(input_shapes), data, IndexMap.scalar(result_shape))


def dot_general_maps(
    lhs_shape: Shape,
    rhs_shape: Shape,
    lhs_batching_dimensions: Sequence[int],
    rhs_batching_dimensions: Sequence[int],
    lhs_contracting_dimensions: Sequence[int],
    rhs_contracting_dimensions: Sequence[int],
    *,
    inverse: bool = False,
) -> Iterator[OperandMap]:
    """The result's dimensions are batching, lhs free, rhs free; s_j runs over the j-th contracted pair.

    An element goes to all results with its batch and free index; there, s runs over the other free index. XLA's document
    prints that map of input_2 with the contracted index in the result, which is wrong (docs/index-maps.md, "Errors in
    XLA's document").
    """
    lhs_free = _free(lhs_shape, lhs_batching_dimensions, lhs_contracting_dimensions)
    rhs_free = _free(rhs_shape, rhs_batching_dimensions, rhs_contracting_dimensions)
    if inverse:
        from_lhs = (
            *map(Dim, lhs_batching_dimensions),
            *map(Dim, lhs_free),
            *map(Range, range(len(rhs_free))),
        )
        yield OperandMap(0, IndexMap.of(from_lhs, lhs_shape, [rhs_shape[k] for k in rhs_free]))
        from_rhs = (
            *map(Dim, rhs_batching_dimensions),
            *map(Range, range(len(lhs_free))),
            *map(Dim, rhs_free),
        )
        yield OperandMap(1, IndexMap.of(from_rhs, rhs_shape, [lhs_shape[k] for k in lhs_free]))
        return
    batch = [lhs_shape[k] for k in lhs_batching_dimensions]
    result_shape = [*batch, *(lhs_shape[k] for k in lhs_free), *(rhs_shape[k] for k in rhs_free)]
    contracted = [lhs_shape[k] for k in lhs_contracting_dimensions]
    sides = (
        (lhs_batching_dimensions, lhs_contracting_dimensions, lhs_free, len(batch)),
        (rhs_batching_dimensions, rhs_contracting_dimensions, rhs_free, len(batch) + len(lhs_free)),
    )
    for number, (batching, contracting, free, first_free) in enumerate(sides):
        source: dict[int, Expression] = {k: Dim(at) for at, k in enumerate(batching)}
        source |= {k: Dim(first_free + at) for at, k in enumerate(free)}
        source |= {k: Range(at) for at, k in enumerate(contracting)}
        yield OperandMap(number, IndexMap.of((source[k] for k in sorted(source)), result_shape, contracted))


def labelled_maps(
    operand_labels: Sequence[Sequence[str]],
    operand_shapes: Sequence[Shape],
    result_labels: Sequence[str],
    sizes: Mapping[str, int],
) -> Iterator[OperandMap]:
    """einsum: labels of the result are dimensions, all other labels are range variables.

    A dimension of size 1 is broadcast to the size that its label has elsewhere.
    """
    result_shape = [sizes[label] for label in result_labels]
    place: dict[str, Expression] = {label: Dim(at) for at, label in enumerate(result_labels)}
    for number, (labels, shape) in enumerate(zip(operand_labels, operand_shapes, strict=True)):
        own = (label for label, size in zip(labels, shape, strict=True) if size == sizes[label])
        summed = list(dict.fromkeys(label for label in own if label not in place))
        source = place | {label: Range(at) for at, label in enumerate(summed)}
        index = [
            Constant(0) if size != sizes[label] else source[label]
            for label, size in zip(labels, shape, strict=True)
        ]
        ranges = [sizes[label] for label in summed]
        yield OperandMap(number, IndexMap.of(index, result_shape, ranges))


def inverse_labelled_maps(
    operand_labels: Sequence[Sequence[str]],
    operand_shapes: Sequence[Shape],
    result_labels: Sequence[str],
    sizes: Mapping[str, int],
) -> Iterator[OperandMap]:
    """Only elements on the diagonal of dimensions with equal labels go anywhere."""
    for number, (labels, shape) in enumerate(zip(operand_labels, operand_shapes, strict=True)):
        place: dict[str, Expression] = {}
        diagonal: list[tuple[Expression, Interval]] = []
        for at, (label, size) in enumerate(zip(labels, shape, strict=True)):
            if label in place:
                diagonal.append((Dim(at) - place[label], Interval(0, 0)))
            elif size == sizes[label]:
                place[label] = Dim(at)
        free = [label for label in result_labels if label not in place]
        place |= {label: Range(at) for at, label in enumerate(free)}
        index = [place[label] for label in result_labels]
        ranges = [sizes[label] for label in free]
        yield OperandMap(number, IndexMap.of(index, shape, ranges, constraints=diagonal))


def _free(shape: Shape, batching: Sequence[int], contracting: Sequence[int]) -> list[int]:
    return [k for k in range(len(shape)) if k not in batching and k not in contracting]


def pairs_with_each_result(inputs: int, data: IndexMap, initial: IndexMap) -> Iterator[OperandMap]:
    """`data` from each of `inputs` results to each input, `initial` to each initial value after them."""
    for result in range(inputs):
        yield from (OperandMap(operand, data, result) for operand in range(inputs))
        yield from (OperandMap(inputs + operand, initial, result) for operand in range(inputs))


# Index maps of ragged_dot, in both directions: an einsum with consecutive groups known in a run.
#
# A label names dimensions with the same index. Groups lie along the last of the labels `at`; for each index of
# these, an auxiliary value gives the group number, or the number of groups for no group.


Labels = Sequence[str]
GROUP, SIZE = "group", "size"
"""The label of groups in rhs or in the result, and that of group sizes in the last operand."""
_FOUND = 3


@dataclass(frozen=True)
class RaggedIndexing:
    """The maps for lhs, rhs and group sizes; `at` is empty if groups have no effect."""

    operands: Sequence[Labels]
    result: Labels
    sizes: Mapping[str, int]
    at: Labels

    def index_maps(self) -> Iterator[OperandMap]:
        for number, labels in enumerate(self.operands):
            yield OperandMap(number, self._map(self.result, labels))

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        for number, labels in enumerate(self.operands):
            yield OperandMap(number, self._map(labels, self.result))

    def _map(self, source: Labels, target: Labels) -> IndexMap:
        place: dict[str, Expression] = {label: Dim(k) for k, label in enumerate(source)}
        constraints = self._never()
        grouped = SIZE not in (*source, *target)
        # Sums of a group read its own elements; a group of the result reads whole dimensions.
        has_group = bool(self.at) and (grouped or GROUP not in self.result)
        if has_group and grouped and GROUP in place:
            constraints.append((place[GROUP] - Runtime(0), ZERO))
        elif has_group and grouped:
            place[GROUP] = Runtime(0)
        free = [label for label in target if label not in place]
        place |= {label: Range(k) for k, label in enumerate(free)}
        if not grouped:
            # The content of a group depends on its end, hence on its size and those before it.
            group = Runtime(0) if has_group else place[GROUP]
            constraints.append((group - place[SIZE], Interval(0, INT64_MAX)))
        shape, ranges = ([self.sizes[label] for label in labels] for labels in (source, free))
        groups = [self._group(place, shape, ranges, only_some=grouped)] if has_group else []
        return IndexMap.of([place[label] for label in target], shape, ranges, groups, constraints)

    def _group(
        self, place: Mapping[str, Expression], shape: Shape, ranges: Shape, *, only_some: bool
    ) -> RuntimeVariable:
        """The group number; elements of no group are not multiplied, but depend on all sizes."""
        read = IndexMap.of([place[label] for label in self.at], shape, ranges)
        count = self.sizes[SIZE]
        return RuntimeVariable(Interval(0, count - only_some), _FOUND, read, clamped=False)

    def _never(self) -> list[tuple[Expression, Interval]]:
        """Sums over no elements read nothing."""
        summed = (size for label, size in self.sizes.items() if label not in (*self.result, GROUP, SIZE))
        return [(Constant(0), Interval(1, 1))] if 0 in summed else []
