"""fusion and conditional: ops that run computations of the module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from ...indexing import UNDEFINED, OperandMap
from ...ir.element_types import I1, I32
from ...ir.module import Region
from ...ir.types import FunctionType, TensorType, Type, parts
from ..control_flow.control_flow import Branching
from ..core.facets import Explanation, HloSpelling, Part, Section, Storage, Traits
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Callee, CallFunction, Constraint, RunRegion, no_cost
from ..core.regions import region_type, type_agrees, types_agree


class FusionKind(StrEnum):
    """The kind of a fusion: a hint for code generation that changes no value."""

    LOOP = "kLoop"
    INPUT = "kInput"
    OUTPUT = "kOutput"
    CUSTOM = "kCustom"


@dataclass(frozen=True)
class Fusion(AskingOp):
    """Runs the computation `calls` on `inputs`: ops that XLA compiles to one kernel, and that you can step into.

    MHLO has the computation as a region.

    `kind` states how XLA makes the kernel: one loop over the result (kLoop), around a reduction (kInput), around an
    op whose result is worked on (kOutput), or by other means (kCustom). The value is that of the computation in
    any case. XLA operation semantics: Fusion.
    """

    name = "hlo.fusion"
    traits = Traits(is_kernel=True, calls="calls")
    findings = Findings(moves_elements=True)
    hlo = HloSpelling("fusion", "Fusion")
    explanation = Explanation(passes_values=True, calls_function=True)
    storage = Storage(is_kernel=True)
    section = Section(
        rules=(
            "The module has a computation `calls`, which takes values of the types of `inputs` and returns "
            "one of the result's type.",
        ),
    )

    inputs: tuple[Type, ...]
    results: tuple[Type, ...]
    calls: str = ""
    kind: FusionKind = FusionKind.LOOP
    computation: tuple[Region, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        found = len(self.computation) + bool(self.calls)
        yield "", found == 1, "needs one computation, by its name or as a region"
        for region in self.computation:
            own, wanted = region_type(region), FunctionType(self.inputs, self.results)
            yield "", own == wanted, f"the computation is {own}, but operands and results are {wanted}"

    def callees(self) -> tuple[Callee, ...]:
        return (Callee(self.calls, FunctionType(self.inputs, self.results)),) if self.calls else ()

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(0, operands) if self.computation else CallFunction(self.calls, operands))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Unknown from here: the ops of the computation have maps."""
        for result in range(sum(len(parts(found)) for found in self.results)):
            for operand in range(len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    cost = no_cost


class ConditionalExplanation(Explanation["Conditional"]):
    def argument_part(self, op: Conditional, region: int, argument: int, path: tuple[int, ...] = ()) -> Part:
        return 1 + region, path


@dataclass(frozen=True)
class Conditional(Branching):
    """Runs one of `branches` on the operand of that branch.

    A boolean chooses the first of two branches if it is true. A number k chooses branch k, counted from 0, and the
    last one where there is no branch k. Each branch takes one value, mostly a tuple of all that it
    needs. XLA operation semantics: Conditional.
    """

    name = "hlo.conditional"
    hlo = HloSpelling("conditional", "Conditional")
    section = Section(
        rules=(
            "`branch_index` is a scalar of pred or s32; pred goes with two branches.",
            "There is at least one branch, and an operand for each.",
            "A branch takes one argument, of the type of its operand.",
            "All branches return one value of the same type, which is the result's.",
        ),
    )
    explanation = ConditionalExplanation(passes_values=True)

    branch_index: TensorType
    branch_operands: tuple[Type, ...]
    branches: tuple[Region, ...]

    def constraints(self) -> Iterator[Constraint]:
        index, count = self.branch_index, len(self.branches)
        chooses = index.rank == 0 and index.element_type in (I1, I32)
        yield "", chooses, f"operand 0 must be one boolean or i32, which chooses a branch, not {index}"
        yield "", count > 0, "needs at least one branch"
        sentence = f"a boolean chooses one of 2 branches, not of {count}"
        yield "", count == 2 or index.element_type != I1, sentence
        given = len(self.branch_operands)
        yield "", given == count, f"has {count} branches, but operands for {given}"
        for number, branch in enumerate(self.branches):
            yield from self._branch_constraints(number, region_type(branch))

    def _branch_constraints(self, number: int, found: FunctionType) -> Iterator[Constraint]:
        takes = len(found.inputs)
        yield "", takes == 1, f"branch {number} must take one argument, not {takes}"
        given, wanted = self.branch_operands[number], found.inputs[0]
        sentence = f"branch {number} takes {wanted}, but operand {number + 1} is {given}"
        yield "", type_agrees(wanted, given), sentence
        count = len(found.results)
        yield "", count == 1, f"branch {number} must return one value, not {count}"
        first = self.result_types()
        sentence = f"branches 0 and {number} differ: one returns {first[0]}, the other {found.results[0]}"
        yield "", types_agree(first, found.results), sentence

    def infer(self) -> tuple[Type, ...]:
        return self.result_types()

    def result_types(self) -> tuple[Type, ...]:
        return region_type(self.branches[0]).results

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        chosen = self.branch_number(operands[0])
        return Ask(None, RunRegion(chosen, (operands[1 + chosen],)))

    def branch_number(self, index: Array) -> int:
        if self.branch_index.element_type == I1:
            return 0 if index else 1
        last = len(self.branches) - 1
        return int(index) if 0 <= index <= last else last
