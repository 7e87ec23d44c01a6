"""The ops whose integers decide where something is, how much there is or what runs.

Integer arithmetic wraps around by design where bits are mixed, in hashes and random numbers; in an index it is a fault. So ops
are checked whose results go on to a decision, unless an op that mixes bits is between, or they compute a hash.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from ..ir.element_types import I1
from ..ir.types import TensorType
from ..program import BoundOperation, BoundProgram
from ..value_walks import ArithmeticWalk, ChoosingWalk, DirectWalk, Walk

_LEAST_BITS = 32
"""Minimum bits of a type in which hashes are computed."""
_LEAST_REPEATED = 2
"""Minimum number of products by the same number before one, for it to be part of a hash outside of a loop."""
_MAX_CONSTANT_ELEMENTS = 1 << 12
"""Maximum size of a constant that is searched for a number that is the same everywhere."""


def decisive_ops(program: BoundProgram) -> frozenset[int]:
    """The ops whose integers may wrap around, and whose results go on to a decision, not as a hash."""
    candidates = {bound.id for bound in program.ops if bound.op.findings.may_wrap(bound.op)}
    if not candidates:
        return frozenset()
    walk = program.derive(Walk)
    decisive = candidates & walk.makers_of(walk.reached(walk.decisions()))
    products = {op: factor for op in decisive if (factor := _factor(program, op)) is not None}
    return frozenset(decisive - _scrambled(program, decisive) - _hashes_in_range(program, decisive, products))


def _scrambled(program: BoundProgram, ops: set[int]) -> set[int]:
    """The products by a factor so great that 4 times it is beyond the type, and the ops that compute with these.

    No index is computed so: it would be right for the first few numbers only.
    """
    found = {
        op
        for op in ops
        if program.ops[op].op.findings.multiplies
        and any(_is_great(program, value) for value in program.ops[op].operands)
    }
    for bound in program.ops:
        goes_on = bound.op.findings.moves_elements or _wraps_elements(bound)
        if goes_on and not found.isdisjoint(program.makers[value].op for value in bound.operands):
            found.add(bound.id)
    return found


def _hashes_in_range(program: BoundProgram, ops: set[int], products: Mapping[int, int]) -> set[int]:
    """Those of some ops that compute a hash of which a remainder is taken.

    A hash is multiplied by the same number in each round of a loop, or several times in a row, as `h * 31 + c` or
    `(h << 5) + h + c`; or by a number that is not less than the divisor. An index is not: of a stride only what is below
    the divisor would count. What goes on to a decision in another way too, or is brought into range in each round, is no hash.
    """
    ends = [
        bound
        for bound in program.ops
        if bound.op.findings.takes_remainder and not bound.op.findings.mixes_bits(bound.op)
    ]
    if not ends:
        return set()
    hashes = _repeated(program, products) | _beyond_divisors(program, products, ends)
    direct = program.derive(DirectWalk)
    without_remainder = direct.makers_of(direct.reached(direct.decisions()))
    return {
        op
        for op in ops - without_remainder
        if op in hashes or not hashes.isdisjoint(_arithmetic_behind(program, op))
    }


def _repeated(program: BoundProgram, products: Mapping[int, int]) -> set[int]:
    """Products and left shifts that are applied repeatedly to their results."""
    repeated = {
        bound.id
        for bound in program.ops
        if bound.op.findings.shifts_left and bound.id in _arithmetic_behind(program, bound.id)
    }
    for op, factor in products.items():
        row = {other for other in _arithmetic_behind(program, op) if products.get(other) == factor}
        if op in row or len(row) >= _LEAST_REPEATED:
            repeated |= {op, *row}
    return repeated


def _beyond_divisors(
    program: BoundProgram, products: Mapping[int, int], ends: list[BoundOperation]
) -> set[int]:
    """The products by a number that is not less than the divisor of each remainder which is taken of them."""
    divisions = [
        (_arithmetic_behind(program, end.id, 1), _stated_numbers(program, end.operands[1])) for end in ends
    ]

    def divisors(op: int) -> Iterator[set[int]]:
        return (numbers for dividend, numbers in divisions if op in dividend)

    return {
        op
        for op, factor in products.items()
        if any(divisors(op)) and all(numbers and 0 < max(numbers) <= abs(factor) for numbers in divisors(op))
    }


def _arithmetic_behind(program: BoundProgram, op: int, operands: int | None = None) -> set[int]:
    """The ops that compute the operands of an op, or the first of these, by arithmetic alone."""
    walk = program.derive(ArithmeticWalk)
    return walk.makers_of(walk.reached(program.ops[op].operands[:operands]))


def _wraps_elements(bound: BoundOperation) -> bool:
    return bound.op.traits.is_elementwise and bound.op.findings.may_wrap(bound.op)


def _is_great(program: BoundProgram, value: int) -> bool:
    """Whether a value is a constant all of whose elements are a quarter of the range of their type, or more."""
    maker = program.makers[value].op
    while maker is not None and program.ops[maker].op.findings.moves_elements and program.ops[maker].operands:
        maker = program.makers[program.ops[maker].operands[0]].op
    if maker is None or not _is_stated(program.ops[maker]):
        return False
    constant = program.ops[maker].op.evaluate()
    assert not isinstance(constant, tuple), "a constant has one result"
    if constant.dtype.kind not in "iu" or constant.itemsize * 8 < _LEAST_BITS:
        return False
    least = float(np.abs(constant.astype(np.float64)).min(initial=np.inf))
    return least >= 2.0 ** (constant.itemsize * 8 - 2)


def _is_stated(bound: BoundOperation) -> bool:
    """Whether an op is a constant whose elements the program's text states."""
    return bound.op.traits.is_constant and not bound.operands and bound.op.outside is None


def _factor(program: BoundProgram, op: int) -> int | None:
    """The number by which an op multiplies all elements; `None` if it is no constant of 32 bits or more."""
    bound = program.ops[op]
    if not bound.op.findings.multiplies:
        return None
    stated = (_stated_numbers(program, value) for value in bound.operands)
    return next((number for numbers in stated if len(numbers) == 1 for number in numbers), None)


def _stated_numbers(program: BoundProgram, value: int) -> set[int]:
    """The numbers, of 32 bits or more, one of which a value is everywhere, by constants of the program; empty if it is none.

    A `select` that keeps a divisor from being 0 is between two of them.
    """
    walk = program.derive(ChoosingWalk)
    leaves = walk.reached((value,))
    if any(program.makers[leaf].op is None and walk.is_outermost(leaf) for leaf, _ in leaves):
        return set()
    numbers = set[int]()
    for bound in map(program.ops.__getitem__, walk.makers_of(leaves)):
        if _is_stated(bound):
            number = _number_everywhere(bound)
            if number is None:
                return set()
            numbers.add(number)
        elif not (
            walk.goes_through(bound) or bound.op.explanation.passes_values or _makes_booleans(program, bound)
        ):
            return set()
    return numbers


def _makes_booleans(program: BoundProgram, bound: BoundOperation) -> bool:
    """Whether an op makes booleans, which decide at most which number is taken."""
    types = [program.values[result].type for result in bound.results]
    return all(isinstance(found, TensorType) and found.element_type == I1 for found in types)


def _number_everywhere(bound: BoundOperation) -> int | None:
    """The one number of a constant of integers of 32 bits or more."""
    constant = bound.op.evaluate()
    assert not isinstance(constant, tuple), "a constant has one result"
    if not constant.size or constant.dtype.kind not in "iu" or constant.itemsize * 8 < _LEAST_BITS:
        return None
    # What is the same everywhere takes up one element, however large it is.
    too_large = constant.size > _MAX_CONSTANT_ELEMENTS
    if any(constant.strides) and (too_large or (constant != constant.flat[0]).any()):
        return None
    return int(constant.flat[0])
