"""rng_bit_generator, the same bits as XLA's; and rng, whose numbers only have to be random."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from ...indexing import UNDEFINED, Constant, Dim, IndexMap, Interval, OperandMap, shared_dimensions_map
from ...ir.element_types import ELEMENT_TYPES, ElementType
from ...ir.types import TensorType, Type
from ...source import NOWHERE, Span
from ..core.dynamic_op import DynamicOp, sizes_fit
from ..core.facets import HloSpelling, Section, Traits, numbered
from ..core.facets.findings import Findings
from ..core.facets.rounding import RandomRounding
from ..core.kinds import BOOLEAN, FLOAT, INTEGER, Kinds, holds
from ..core.numeric import round_to, widen
from ..core.op import Array, Constraint, Cost, Op
from ..core.quiet import quiet
from ..core.rules import agree, is_index_type
from .random_bits import philox_bits, three_fry_bits

UI64 = ELEMENT_TYPES["ui64"]


class RngAlgorithm(StrEnum):
    """`#stablehlo<rng_algorithm …>`."""

    DEFAULT = "DEFAULT"
    THREE_FRY = "THREE_FRY"
    PHILOX = "PHILOX"


_STATE_SIZES = {RngAlgorithm.DEFAULT: (2, 3), RngAlgorithm.THREE_FRY: (2,), RngAlgorithm.PHILOX: (2, 3)}


@dataclass(frozen=True)
class RngBitGenerator(Op):
    """Fills a tensor with random bits that follow from `initial_state` alone, and returns the next state.

    The bits are those that XLA makes: THREE_FRY is Threefry-2x32 with 20 rounds, PHILOX is Philox-4x32 with 10,
    and DEFAULT is PHILOX, as on XLA's CPU. The state is a key and a counter of 64 bits, or for PHILOX of 128. A
    floating-point result has those bits as they are. Specification: rng_bit_generator.
    """

    name = "stablehlo.rng_bit_generator"
    findings = Findings(moves_elements=True)
    short_form = "operands , algorithm = $rng_algorithm<rng_algorithm> attr-dict : functional-type"
    hlo = HloSpelling(
        "rng-bit-generator",
        "RngBitGenerator",
        note="The new state and the bits are one tuple, also where the state is left alone by the algorithm.",
        packs_results=True,
    )
    section = Section(result_labels={"element_type": "C1", "shape": "C1"})

    rng_algorithm: RngAlgorithm
    initial_state: TensorType
    results: tuple[Type, ...]

    def constraints(self) -> Iterator[Constraint]:
        state = self.initial_state
        is_vector = state.rank == 1 and state.element_type == UI64
        yield "I2", is_vector, f"initial_state must be a vector of ui64, not {state}"
        sizes = _STATE_SIZES[self.rng_algorithm]
        sentence = f"for {self.rng_algorithm} initial_state must have {' or '.join(map(str, sizes))} elements, not {state.shape[0]}"
        yield "C2", any(agree(state.shape[0], size) for size in sizes), sentence
        yield "", len(self.results) == 2, f"has 2 results, not {len(self.results)}"
        yield (
            "",
            self._is_filled(),
            f"output must hold integers or floats in a known shape, not {self.results[1]}",
        )

    def _is_filled(self) -> bool:
        output = self.results[1]
        if not isinstance(output, TensorType) or not output.is_static:
            return False
        return output.element_type.is_integer or output.element_type.is_float

    @property
    def output(self) -> TensorType:
        """The type of the bits."""
        found = self.results[1]
        assert isinstance(found, TensorType)
        return found

    def infer(self) -> tuple[Type, ...]:
        return self.initial_state, self.results[1]

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        (state,) = operands
        found = self.output
        make = three_fry_bits if self.rng_algorithm is RngAlgorithm.THREE_FRY else philox_bits
        after, bits = make(state, found.sizes, 64 if found.element_type.bits == 64 else 32)
        return after, _as_elements(bits, found.element_type)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Every bit reads the whole state; of the new state a number is the old one, or has a carry besides."""
        yield from self._state_maps(from_counter=inverse)
        whole = shared_dimensions_map(self.output.sizes, self.initial_state.sizes, {}, inverse=inverse)
        yield OperandMap(0, whole, 1)

    def _state_maps(self, from_counter: bool) -> Iterator[OperandMap]:
        shape = self.initial_state.sizes
        yield OperandMap(0, IndexMap.identity(shape), 0)
        if shape == (3,):
            here, there = (1, 2) if from_counter else (2, 1)
            at = (Dim(0), Interval(here, here))
            yield OperandMap(0, IndexMap.of([Constant(there)], shape, constraints=[at]), 0)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Some tens of operations for each word."""
        count = self.output.element_count
        return Cost(40 * count, self.output.byte_count, 40 * count)


def _as_elements(bits: Array, element_type: ElementType) -> Array:
    """The lowest bits of each number as they are."""
    dtype = element_type.dtype
    if element_type.name == "tf32":  # which has no bits but the highest 19 of f32's
        bits = np.asarray(bits & np.uint32(0xFFFFE000))
    if element_type.is_integer and element_type.bits < 8:
        unused = 8 - element_type.bits
        top = np.asarray(bits << np.uint32(unused)).astype(np.uint8)
        wide = top.view(np.int8 if element_type.kind == "signed" else np.uint8)
        return np.asarray(wide >> unused).astype(dtype)
    if element_type.bits < 8:
        bits = np.asarray(bits & np.uint32((1 << element_type.bits) - 1))
    return np.ascontiguousarray(bits.astype(f"u{dtype.itemsize}")).view(dtype).reshape(bits.shape)


class RngDistribution(StrEnum):
    """`#stablehlo<rng_distribution …>`."""

    UNIFORM = "UNIFORM"
    NORMAL = "NORMAL"


NUMBERS: Kinds = (*BOOLEAN, *INTEGER, *FLOAT)


@dataclass(frozen=True)
class Rng(DynamicOp):
    """Random numbers: UNIFORM from `a` up to but not `b`, or NORMAL with mean `a` and standard deviation `b`.

    The specification leaves open how they are made. Here they follow from the op's place in the text, so that two
    runs of one program agree and two ops of it differ; an op in a loop gives the same numbers each time round.
    Floats are computed in f64 and rounded once, so that a small type may give `b` itself. Where the specification
    leaves the behaviour undefined: an empty interval of integers or booleans gives `a`, one of floats goes down
    from `a`, and a negative deviation counts as positive. Specification: rng.
    """

    name = "stablehlo.rng"
    traits = Traits(is_random=True)
    short_form = "operands , distribution = $rng_distribution<rng_distribution> attr-dict : functional-type"
    hlo = HloSpelling(
        "rng",
        "RngUniform",
        note="`distribution` is `rng_uniform` or `rng_normal`, and the shape is that of the result.",
    )
    dynamic_fields = ("shape",)
    section = Section(
        input_labels=numbered("a b shape rng_distribution"),
        result_labels={"element_type": "C1", "shape": "C3"},
    )
    rounding = RandomRounding()

    a: TensorType
    b: TensorType
    shape: TensorType
    rng_distribution: RngDistribution
    result: TensorType
    place: Span = NOWHERE

    def constraints(self) -> Iterator[Constraint]:
        yield from bound_constraints(self.a, self.b, self.rng_distribution, ("I1", "I2", "C1", "C2"))
        is_vector = self.shape.rank == 1 and is_index_type(self.shape.element_type)
        yield "I3", is_vector, f"shape must be a vector of i64, not {self.shape}"
        sentence = f"shape has {self.shape.shape[0]} elements, but the result has rank {self.result.rank}"
        yield "C3", agree(self.shape.shape[0], self.result.rank), sentence
        if self.numbers is not None:
            yield from sizes_fit("C3", "shape", self.numbers[0], self.result)

    def likely(self) -> tuple[tuple[int | None, ...] | None, ...]:
        return (self.result.shape,)

    def infer(self) -> TensorType:
        shape = self.result.shape if self.numbers is None else self.numbers[0]
        return TensorType(shape, self.a.element_type)

    def evaluate(self, *operands: Array) -> Array:
        a, b, shape = operands
        sizes = tuple(shape.tolist())
        return random_numbers(self.place, self.rng_distribution, a, b, sizes, self.a.element_type)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Unknown: the maps do not say which elements random numbers depend on."""
        for operand in range(3):
            yield OperandMap(operand, UNDEFINED)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Some operations for each element; all of them in f64 first."""
        result = self.infer()
        if not result.is_static:
            return Cost(0, 0)
        count = result.element_count
        return Cost(10 * count, result.byte_count, 2 * 8 * count)


def random_numbers(
    place: Span,
    distribution: RngDistribution,
    a: Array,
    b: Array,
    sizes: tuple[int, ...],
    element_type: ElementType,
) -> Array:
    """The numbers that the op draws in the process at `place`."""
    random = np.random.default_rng(place.start)
    if not element_type.is_float:
        return _random_integers(random, int(widen(a)), int(widen(b)), sizes).astype(element_type.dtype)
    with quiet():
        low, high = (np.float64(widen(bound)) for bound in (a, b))
        if distribution is RngDistribution.UNIFORM:
            return round_to(low + (high - low) * random.random(sizes), element_type)
        return round_to(low + high * random.standard_normal(sizes), element_type)


def bound_constraints(
    a: TensorType, b: TensorType, distribution: RngDistribution, labels: tuple[str, str, str, str]
) -> Iterator[Constraint]:
    """Constraints on the two parameters of a distribution; `labels` for each, for both, and for the distribution."""
    for label, name, found in ((labels[0], "a", a), (labels[1], "b", b)):
        yield holds(label, name, found, NUMBERS)
        yield label, found.rank == 0, f"{name} must have rank 0, not {found.rank}"
    types = a.element_type, b.element_type
    yield labels[2], types[0] == types[1], f"a holds {types[0]}, b {types[1]}"
    fits = types[0].is_float or distribution is not RngDistribution.NORMAL
    yield labels[3], fits, f"NORMAL numbers must be floating-point, not {types[0]}"


def _random_integers(random: np.random.Generator, low: int, high: int, sizes: tuple[int, ...]) -> Array:
    dtype = np.int64 if low < 0 or high < 1 << 63 else np.uint64
    if high <= low:
        return np.full(sizes, low, dtype)
    return random.integers(low, high, sizes, dtype)
