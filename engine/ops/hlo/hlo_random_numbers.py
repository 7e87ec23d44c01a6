"""rng, rng-get-and-update-state and stochastic-convert: random numbers, and rounding that depends on them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ...indexing import UNDEFINED, OperandMap, elementwise_maps
from ...ir.element_types import F64, ElementType
from ...ir.types import TensorType, Type
from ...source import NOWHERE, Span
from ..core.facets import HloSpelling, Section, Traits
from ..core.facets.findings import Findings
from ..core.facets.rounding import RandomRounding
from ..core.kinds import FLOAT, INTEGER, holds
from ..core.numeric import convert, round_to
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, Count, Op, merged_shape
from ..core.quiet import quiet
from ..elementwise.elementwise import same_shapes
from ..random_numbers.random_numbers import UI64, RngDistribution, bound_constraints, random_numbers


@dataclass(frozen=True)
class HloRng(Op):
    """Random numbers: UNIFORM from `a` up to but not `b`, or NORMAL with mean `a` and standard deviation `b`.

    XLA leaves open how they are made; here as those of stablehlo.rng: they follow from the op's place in the
    text, so that two runs agree and two ops differ. XLA operation semantics: RngUniform, RngNormal.
    """

    name = "hlo.rng"
    traits = Traits(is_random=True)
    hlo = HloSpelling(
        "rng", "RngUniform", note="With `distribution=rng_normal` it is what they call RngNormal."
    )
    section = Section(
        rules=(
            "`a` and `b` are scalars, and hold numbers of one type, which is that of the result's elements.",
            "Normally distributed numbers are floats.",
        )
    )
    rounding = RandomRounding()

    a: TensorType
    b: TensorType
    rng_distribution: RngDistribution
    result: TensorType
    place: Span = NOWHERE

    def constraints(self) -> Iterator[Constraint]:
        return bound_constraints(self.a, self.b, self.rng_distribution, ("", "", "", ""))

    def infer(self) -> TensorType:
        return self.result.with_element_type(self.a.element_type)

    def evaluate(self, *operands: Array) -> Array:
        a, b = operands
        sizes = self.result.sizes
        return random_numbers(self.place, self.rng_distribution, a, b, sizes, self.a.element_type)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Unknown: the maps do not say which elements random numbers depend on."""
        for operand in range(2):
            yield OperandMap(operand, UNDEFINED)

    def unrunnable(self) -> str | None:
        return None if self.result.is_static else f"how many numbers to make is open in {self.result}"

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Some operations for each element; all of them in f64 first."""
        if not self.result.is_static:
            return Cost(0, 0)
        count = self.result.element_count
        return Cost(10 * count, self.result.byte_count, 2 * 8 * count)


_FIRST_STATE = 0x7012395
_MOST = (1 << 64) - 1


@dataclass(frozen=True)
class RngGetAndUpdateState(AskingOp):
    """The state of a random number generator, a number of 128 bits, lower half first; then adds `delta` to it.

    The first execution in a run returns 0x7012395, as on XLA, and each later one the state that the one before has
    left. As on XLA's CPU every operation of the text has a separate state. It belongs to the run: stepping back, or running
    again, shows the same states. XLA operation semantics: RngGetAndUpdateState.
    """

    name = "hlo.rng_get_and_update_state"
    hlo = HloSpelling("rng-get-and-update-state", "RngGetAndUpdateState")
    section = Section(rules=("`delta` is from 0 to 2^64 - 1.", "The result is u64[2]."))

    delta: int
    place: Span = NOWHERE

    def constraints(self) -> Iterator[Constraint]:
        yield "", 0 <= self.delta <= _MOST, f"delta must be from 0 to 2^64 - 1, not {self.delta}"

    def infer(self) -> TensorType:
        return TensorType((2,), UI64)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, Count(f"{self.name} {self.place.start}", self.delta))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        lower, upper = answer[0].tolist()
        lower += _FIRST_STATE
        return (np.array([lower & _MOST, (upper + (lower >> 64)) & _MOST], np.uint64),)


@dataclass(frozen=True)
class StochasticConvert(Op):
    """Converts floats to elements with fewer digits; `random` decides in which direction each is rounded.

    The digits that the result has no room for are cut off; then its magnitude grows by one unit in the last place
    if the number in `random` is less than the fraction that was cut off times 2^width, where both operands are
    width bits wide. Integers saturate and NaN becomes 0, as on XLA's CPU, which converts to signed integers only.
    Floats, for which XLA leaves the matter to the device, stay finite if they are. XLA: stochastic-convert.
    """

    name = "hlo.stochastic_convert"
    findings = Findings(raises_flags=False)
    traits = Traits(category="elementwise", is_elementwise=True)
    hlo = HloSpelling("stochastic-convert")
    section = Section(
        rules=(
            "`operand` holds floats, `random` unsigned integers of as many bits.",
            "`operand`, `random` and the result have the same sizes.",
            "The result holds integers or floats.",
        )
    )

    operand: TensorType
    random: TensorType
    result: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield holds("", "operand", self.operand, FLOAT)
        yield holds("", "random", self.random, ("unsigned",))
        widths = self.operand.element_type.bits, self.random.element_type.bits
        sentence = f"operand has elements of {widths[0]} bits, random of {widths[1]}: both must have the same"
        yield "", widths[0] == widths[1], sentence
        yield same_shapes("", operand=self.operand, random=self.random)
        yield holds("", "the result", self.result, (*INTEGER, *FLOAT))

    def infer(self) -> TensorType:
        shape = merged_shape(self.operand.shape, self.random.shape)
        return self.result.with_shape(shape)

    def evaluate(self, *operands: Array) -> Array:
        operand, random = operands
        value, target = operand.astype(np.float64), self.result.element_type
        with quiet():
            magnitude = np.abs(value)
            below, unit = (_split_number if target.is_integer else _split_representable)(magnitude, target)
            cut = np.ldexp((magnitude - below) / unit, self.operand.element_type.bits)
            threshold = np.where(np.isfinite(cut), cut, 0).astype(np.uint64)
            grown = np.where(random.astype(np.uint64) < threshold, below + unit, below)
            # What is infinite or NaN has nothing cut off.
            chosen = np.copysign(np.where(np.isfinite(value), grown, magnitude), value)
            return np.asarray(convert(chosen, F64, target))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        return elementwise_maps(self.infer().sizes, [self.operand.sizes, self.random.sizes], inverse=inverse)

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """About ten operations for each element, in f64."""
        count = self.infer().element_count
        return Cost(10 * count, self.infer().byte_count, 5 * 8 * count)

    def unrunnable(self) -> str | None:
        found = self.result.element_type
        return f"{found} {_WITHOUT_GRID[found.name]}" if found.name in _WITHOUT_GRID else None


_WITHOUT_GRID = {"f8E8M0FNU": "has no 0 to round to", "tf32": "is no type of HLO"}


def _split_number(magnitude: Array, target: ElementType) -> tuple[Array, Array]:
    """The integer below, and the distance to the next."""
    return np.trunc(magnitude), np.ones_like(magnitude)


def _split_representable(magnitude: Array, target: ElementType) -> tuple[Array, Array]:
    """The element of `target` below, and the distance to the next; from the largest it is infinite."""
    nearest = round_to(magnitude, target)
    largest = float(ml_dtypes.finfo(nearest.dtype).max)
    is_beyond = ~(magnitude < largest)
    # The bit patterns of floats that are not negative are in the order of their values.
    bits = np.ascontiguousarray(nearest).view(f"u{nearest.dtype.itemsize}").reshape(nearest.shape)
    lower = bits - (nearest.astype(np.float64) > magnitude).astype(bits.dtype)
    below, above = (
        pattern.view(nearest.dtype).astype(np.float64) for pattern in (lower, lower + bits.dtype.type(1))
    )
    return np.where(is_beyond, largest, below), np.where(is_beyond, np.inf, above - below)
