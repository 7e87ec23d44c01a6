"""while, if and case: ops that request runs of their regions and keep their state as plain data."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...indexing import UNDEFINED, IndexMap, OperandMap
from ...ir.element_types import I1, I32
from ...ir.module import Region
from ...ir.types import FunctionType, TensorType, Type
from ..core.facets import Explanation, HloSpelling, Section
from ..core.facets.findings import Findings
from ..core.kinds import is_scalar
from ..core.op import Array, Ask, AskingOp, Constraint, RunRegion, no_cost
from ..core.regions import region_type, types_agree

CONDITION, BODY = 0, 1


class RegionOp(AskingOp):
    """Common base of the three ops."""

    explanation = Explanation(passes_values=True)
    hlo = HloSpelling("conditional", "Conditional")

    cost = no_cost


@dataclass(frozen=True)
class Loop:
    """The state of a `while`: its values, and whether it is the condition that was asked for."""

    values: tuple[Array, ...]
    iteration: int
    testing: bool


@dataclass(frozen=True)
class While(RegionOp):
    """Runs `body` on its own results, `operand` first, as long as `cond` is true of them."""

    name = "stablehlo.while"
    findings = Findings(moves_elements=True, deciding_regions=(CONDITION,))
    short_form = "custom while"
    hlo = HloSpelling(
        "while",
        "While",
        note="There is one operand, usually a tuple; `condition` and `body` name computations with that one "
        "parameter.",
    )
    section = Section(result_labels={"element_type": "C3", "shape": "C3"})

    operand: tuple[Type, ...]
    cond: Region
    body: Region

    def constraints(self) -> Iterator[Constraint]:
        wanted = FunctionType(self.operand, (TensorType((), I1),))
        yield region_is("C1", "cond", self.cond, wanted)
        yield region_is("C2", "body", self.body, FunctionType(self.operand, self.operand))

    def infer(self) -> tuple[Type, ...]:
        return self.operand

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return self.test(operands, 0)

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        assert isinstance(state, Loop)
        if not state.testing:
            return self.test(answer, state.iteration + 1)
        if not answer[0]:
            return state.values
        after = Loop(state.values, state.iteration, testing=False)
        return Ask(after, RunRegion(BODY, state.values, state.iteration))

    def test(self, values: tuple[Array, ...], iteration: int) -> Ask:
        """Asks whether iteration `iteration` is to be run, on `values`."""
        return Ask(Loop(values, iteration, testing=True), RunRegion(CONDITION, values, iteration))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Unknown: how often the body runs is known when it has run, and its own ops have exact maps."""
        for result in range(len(self.operand)):
            for operand in range(len(self.operand)):
                yield OperandMap(operand, UNDEFINED, result)


class Branching(RegionOp):
    """One of several regions without arguments, chosen by operand 0."""

    findings: ClassVar[Findings[Any]] = Findings(moves_elements=True, deciding=(0,))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return answer

    def branch_number(self, index: Array) -> int:
        """The number of the branch that operand 0 chooses."""
        raise NotImplementedError

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunRegion(self.branch_number(operands[0]), ()))

    def result_types(self) -> tuple[Type, ...]:
        """The results of the branches."""
        raise NotImplementedError

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Maps from every element of every result to the choice; the ops of the branch that ran have maps."""
        choice = IndexMap.everything if inverse else IndexMap.scalar
        for result, found in enumerate(self.result_types()):
            if isinstance(found, TensorType) and found.is_static:
                yield OperandMap(0, choice(found.sizes), result)


@dataclass(frozen=True)
class If(Branching):
    """Runs `true_branch` or `false_branch`."""

    name = "stablehlo.if"
    hlo = replace(
        Branching.hlo,
        note="A `conditional` on a `pred` names `true_computation` and `false_computation`; each takes one "
        "operand of the instruction, where regions of StableHLO read the values around them.",
    )
    section = Section(result_labels={"element_type": "C3", "shape": "C3"})

    pred: TensorType
    true_branch: Region
    false_branch: Region

    def constraints(self) -> Iterator[Constraint]:
        yield is_scalar("I1", "pred", self.pred, I1)
        true_branch, false_branch = region_type(self.true_branch), region_type(self.false_branch)
        yield "C1", not true_branch.inputs and not false_branch.inputs, "branches take no arguments"
        same = types_agree(true_branch.results, false_branch.results)
        yield "C2", same, f"branches differ: {describe_types(true_branch)} and {describe_types(false_branch)}"

    def infer(self) -> tuple[Type, ...]:
        return self.result_types()

    def result_types(self) -> tuple[Type, ...]:
        return region_type(self.true_branch).results

    def branch_number(self, index: Array) -> int:
        return 0 if index else 1


@dataclass(frozen=True)
class Case(Branching):
    """Runs the branch numbered `index`, the last one where there is none of that number."""

    name = "stablehlo.case"
    hlo = replace(
        Branching.hlo,
        note="A `conditional` on an `s32` names its `branch_computations`; each takes one operand of the "
        "instruction. An index outside of them takes the last branch.",
    )
    section = Section(result_labels={"element_type": "C4", "shape": "C4"})

    index: TensorType
    branches: tuple[Region, ...]

    def constraints(self) -> Iterator[Constraint]:
        yield is_scalar("I1", "index", self.index, I32)
        yield "C1", len(self.branches) > 0, "needs at least one branch"
        types = [region_type(branch) for branch in self.branches]
        yield "C2", not any(found.inputs for found in types), "branches take no arguments"
        for number, found in enumerate(types):
            same = types_agree(types[0].results, found.results)
            yield (
                "C3",
                same,
                f"branches 0 and {number} differ: {describe_types(types[0])} and {describe_types(found)}",
            )

    def infer(self) -> tuple[Type, ...]:
        return self.result_types()

    def result_types(self) -> tuple[Type, ...]:
        return region_type(self.branches[0]).results

    def branch_number(self, index: Array) -> int:
        last = len(self.branches) - 1
        return int(index) if 0 <= index <= last else last


def region_is(label: str, name: str, region: Region, wanted: FunctionType) -> Constraint:
    """Constraint: a region takes and returns `wanted`, as far as sizes are known."""
    found = region_type(region)
    fits = types_agree(found.inputs, wanted.inputs) and types_agree(found.results, wanted.results)
    return label, fits, f"{name} must be {wanted}, not {found}"


def describe_types(branch: FunctionType) -> str:
    """The types that a branch gives."""
    return f"({', '.join(map(str, branch.results))})"
