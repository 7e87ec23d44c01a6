"""The dialect `check` of StableHLO's own tests: a program that compares its values, and stops where they differ."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...errors import CheckFailed
from ...ir.attributes import DenseAttribute
from ...ir.types import TensorType, Type
from ..core.facets.findings import Findings
from ..core.kinds import same_baseline
from ..core.op import Array, Ask, AskingOp, Constraint, Cost, Op, Recall, shapes_agree
from .agreement import Measure, Sides, close, equal, require, within

TOLERANCE = 1e-4
"""The tolerance of `expect_almost_eq` without a stated one."""
ARE_EQUAL = "must be equal"
_CONSTANT = Sides("the value", "the constant")


@dataclass(frozen=True)
class CheckOp(Op):
    """Common base of the checks: without results or index maps; a failed check stops the run."""

    findings = Findings(sends_outside=True)
    short_form = "operands attr-dict : operand-type"

    def infer(self) -> tuple[Type, ...]:
        return ()

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        self.check(*operands)
        return ()

    def check(self, *operands: Array) -> None:
        """`CheckFailed` unless it holds."""
        raise NotImplementedError

    @property
    def measure(self) -> tuple[Measure, str]:
        """The comparison and its requirement, as part of a sentence."""
        return equal, ARE_EQUAL

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """Some wide copies of the operands."""
        tensors = [t for t in operand_types if isinstance(t, TensorType) and t.is_static]
        return Cost(sum(t.element_count for t in tensors), 0, sum(32 * t.element_count for t in tensors))


class WithTolerance(CheckOp):
    """A check that allows a difference of `tolerance` in every element."""

    tolerance: float

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        yield "", self.tolerance >= 0, f"tolerance must be at least 0, not {self.tolerance:g}"

    @property
    def measure(self) -> tuple[Measure, str]:
        return (within(self.tolerance), f"may differ by at most {self.tolerance:g}")


@dataclass(frozen=True)
class ComparingOp(CheckOp):
    """Compares `lhs` and `rhs`."""

    lhs: TensorType
    rhs: TensorType

    def constraints(self) -> Iterator[Constraint]:
        yield _same_type("lhs", self.lhs, "rhs", self.rhs)

    def check(self, *operands: Array) -> None:
        measure, demand = self.measure
        require(operands[0], operands[1], self.lhs.element_type, measure, demand)


@dataclass(frozen=True)
class ExpectEq(ComparingOp):
    """Stops the run unless every element of `lhs` equals that of `rhs`.

    By IEEE 754: NaN equals nothing, -0 equals 0. Quantized elements are compared by the numbers they stand for.
    """

    name = "check.expect_eq"


@dataclass(frozen=True)
class ConstantCheckOp(CheckOp):
    """Compares `operand` with a constant."""

    short_form = "operands , $value attr-dict"

    operand: TensorType
    value: DenseAttribute

    def constraints(self) -> Iterator[Constraint]:
        yield _same_type("the operand", self.operand, "the constant", self.value.type)

    def check(self, *operands: Array) -> None:
        measure, demand = self.measure
        require(operands[0], self.value.data, self.operand.element_type, measure, demand, _CONSTANT)


@dataclass(frozen=True)
class ExpectEqConst(ConstantCheckOp):
    """Stops the run unless every element equals that of the constant `value`, by the rules of `check.expect_eq`."""

    name = "check.expect_eq_const"


@dataclass(frozen=True)
class ExpectAlmostEq(WithTolerance, ComparingOp):
    """Stops the run unless |`lhs` - `rhs`| is at most `tolerance` in every element, computed in f64.

    NaN matches NaN, and an infinity the same infinity. Complex numbers are compared by their parts.
    """

    name = "check.expect_almost_eq"
    short_form = "operands (, tolerance = $tolerance )? attr-dict : operand-type"

    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class ExpectAlmostEqConst(WithTolerance, ConstantCheckOp):
    """Stops the run unless every element is at most `tolerance` from that of the constant `value`.

    By the rules of `check.expect_almost_eq`.
    """

    name = "check.expect_almost_eq_const"
    short_form = "operands , $value (, tolerance = $tolerance )? attr-dict"

    tolerance: float = TOLERANCE


@dataclass(frozen=True)
class ExpectClose(ComparingOp):
    """Stops the run unless `lhs` and `rhs` are within a number of ULPs, units of the last place, everywhere.

    They are counted in the type's own bits, numbers of opposite signs through 0. NaN is 0 from NaN; all else that is
    not finite is farther than any limit from what it does not equal. Complex numbers are as far apart as their
    farther parts, integers as their difference says.
    """

    name = "check.expect_close"
    short_form = (
        "operands (, max_ulp_difference = $max_ulp_difference<ui64> )?"
        " (, min_ulp_difference = $min_ulp_difference<ui64> )?"
        " attr-dict : operand-type"
    )

    max_ulp_difference: int = 1
    min_ulp_difference: int = 0

    def constraints(self) -> Iterator[Constraint]:
        yield from super().constraints()
        least, most = self.min_ulp_difference, self.max_ulp_difference
        sentence = (
            f"min_ulp_difference {least} and max_ulp_difference {most} must have 0 <= min <= max < 2^64"
        )
        yield "", 0 <= least <= most < 1 << 64, sentence

    @property
    def measure(self) -> tuple[Measure, str]:
        least, most = self.min_ulp_difference, self.max_ulp_difference
        return close(least, most), f"may be {f'{least:,} to ' if least else ''}{most:,} ULPs apart"


@dataclass(frozen=True)
class ExpectSerializedEq(AskingOp):
    """Stops the run unless `expected` equals a value that `interpreter.probe` has kept under `probe_id`.

    `iteration` counts from 0 how often the probe had been passed by then. Elements are compared by the rules of
    `check.expect_eq`.
    """

    name = "check.expect_serialized_eq"
    short_form = "operands , probe_id = $probe_id (, iter|iteration = $iteration )? attr-dict : operand-type"

    expected: TensorType
    probe_id: str
    iteration: int = 0

    def infer(self) -> tuple[Type, ...]:
        return ()

    def constraints(self) -> Iterator[Constraint]:
        yield "", self.iteration >= 0, f"iteration must be at least 0, not {self.iteration}"

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands[0], Recall(self.probe_id))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        if self.iteration >= len(answer):
            passed = f"{len(answer)} time{'' if len(answer) == 1 else 's'}"
            raise CheckFailed(
                f'no iteration {self.iteration} of probe "{self.probe_id}": passed {passed} so far'
            )
        kept = answer[self.iteration]
        if kept.dtype != state.dtype:
            raise CheckFailed(f'probe "{self.probe_id}" has kept {kept.dtype} elements, not {state.dtype}')
        sides = Sides("the value", "the probe")
        require(state, kept, self.expected.element_type, equal, ARE_EQUAL, sides)
        return ()


def _same_type(left: str, left_type: TensorType, right: str, right_type: TensorType) -> Constraint:
    same = same_baseline(left_type.element_type, right_type.element_type)
    fits = same and shapes_agree(left_type.shape, right_type.shape)
    return "", fits, f"{left} and {right} must have one type, not {left_type} and {right_type}"
