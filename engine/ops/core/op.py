"""The base class of all ops, in the order of an op's section in the specification, and its facets.

An op is a frozen dataclass: its fields are the section's *Inputs*, `constraints` its *Constraints*, `infer` its
*Outputs*, `evaluate` its *Semantics*; `index_maps` and `cost` are additions of this project. `binding.bind` makes an op
from an operation of the text, once per operation. This module does not know the interpreter.

Every other concern is a facet: a frozen dataclass with defaults in a file of its own, `facets/<facet>.py`, and one class
attribute of `Op`. An op that differs sets the attribute again, and writes its own methods directly above its class:

    class SortTracing(Tracing["Sort"]):
        def placement(self, op: Sort) -> Placing: ...

    class Sort(Op):
        traits = Traits(category="movement")
        tracing = SortTracing(only_chooses=True)

A facet holds no op: flags are its fields, readable from the op class too (`Sort.traits.category`), and methods take the
op as first argument (`op.tracing.placement(op)`). `replace(Base.traits, is_constant=True)` changes one inherited flag.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...indexing import OperandMap
from ...ir.attributes import Attribute
from ...ir.module import Module, Operation, Region
from ...ir.types import FunctionType, TensorType, Type, leaf_count
from .exchanges import Exchange, Where
from .facets import (
    Drawing,
    Explanation,
    Findings,
    Folding,
    HloSpelling,
    Lanes,
    OpenSizes,
    Part,
    Rounding,
    RuntimeVariables,
    Section,
    Tracing,
    Traits,
)
from .field_plans import field_plans, inherent_attributes
from .process_groups import Grid

Array = NDArray[Any]
Constraint = tuple[str, bool, str]
"""A label of the specification (`C4`, `I1`), whether it holds, and what is wrong where it does not."""


@dataclass(frozen=True)
class Cost:
    """What one execution takes at most, from types alone."""

    flops: int
    result_bytes: int
    scratch_bytes: int = 0
    """Bytes that evaluation needs besides operands and results."""


class Op:
    """One op of a dialect. Subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """With its dialect: `stablehlo.add`."""
    short_form: ClassVar[str | None] = None
    """How MLIR writes it without quotes; the words are those of `syntax/short_forms.py`."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that the text may use (`call` for `func.call`)."""
    hlo: ClassVar[HloSpelling] = HloSpelling()
    section: ClassVar[Section] = Section()
    traits: ClassVar[Traits] = Traits()
    open_sizes: ClassVar[OpenSizes[Any]] = OpenSizes()
    lanes: ClassVar[Lanes[Any]] = Lanes()
    folding: ClassVar[Folding[Any]] = Folding()
    runtime_variables: ClassVar[RuntimeVariables[Any]] = RuntimeVariables()
    drawing: ClassVar[Drawing[Any]] = Drawing()
    explanation: ClassVar[Explanation[Any]] = Explanation()
    tracing: ClassVar[Tracing[Any]] = Tracing()
    rounding: ClassVar[Rounding[Any]] = Rounding()
    findings: ClassVar[Findings[Any]] = Findings()

    @classmethod
    def inherent_attributes(cls) -> frozenset[str]:
        """The attribute names that the op's definition knows."""
        return inherent_attributes(cls)

    @classmethod
    def attribute_records(cls, operation: Operation) -> tuple[type[Any], ...]:
        """Dataclasses that are read from attributes of `operation` that are no fields of the op: see `read_record`."""
        return ()

    @classmethod
    def translate(cls, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """The attributes of the text as the op has them: as they are."""
        return entries

    @property
    def unpacked(self) -> Op:
        """The op itself, or the StableHLO op that one of HLO text wraps to give its results as one tuple."""
        return self

    def constraints(self) -> Iterator[Constraint]:
        """The op's rules, lazily: a later one may assume that the earlier ones hold."""
        return iter(())

    def cautions(self) -> Iterator[Constraint]:
        """What the specification forbids and MLIR's verifier takes, where it is plain what is meant.

        All `constraints` hold. A program that breaks one of these runs, with a warning.
        """
        return iter(())

    def infer(self) -> Type | tuple[Type, ...] | None:
        """The result types, or `None` where only the text states them."""
        return None

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]:
        """The results, as arrays of the result types' dtypes. Operands are read-only."""
        raise NotImplementedError(f"{self.name} has no evaluate")

    @property
    def operand_types(self) -> tuple[Type, ...]:
        """The types of all operands, in their order."""
        found: list[Type] = []
        for plan in field_plans(type(self)):
            if plan.source == "operand":
                found.append(getattr(self, plan.name))
            elif plan.source == "operands":
                found.extend(getattr(self, plan.name))
        return tuple(found)

    @property
    def known_results(self) -> tuple[Type, ...]:
        """The types of all results: what is inferred, else what the text states."""
        found: Type | tuple[Type, ...] | None = self.infer()
        if found is None:
            found = getattr(self, "result", None) or getattr(self, "results", ())
        return (found,) if isinstance(found, Type) else tuple(found or ())

    def index_maps(self) -> Iterator[OperandMap]:
        """For each operand, which of its elements one element of a result reads."""
        return iter(())

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        """For each operand, which elements of a result read one of its elements."""
        return iter(())

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Where values come from (or go to), which is less than what they depend on in ops that move chosen
        elements.
        """
        return self.inverse_index_maps() if inverse else self.index_maps()

    @property
    def first_auxiliary(self) -> int:
        """The operand number under which maps read the first auxiliary value: the one after all tensors of the operands."""
        return sum(map(leaf_count, self.operand_types))

    def on_grid(self, grid: Grid) -> Op:
        """The op as it is on a grid, where its maps say more than they can without one."""
        return self

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """What one execution takes; by default one scalar operation for each result element."""
        results = [t for t in result_types if isinstance(t, TensorType) and t.is_static]
        return Cost(sum(t.element_count for t in results), sum(t.byte_count for t in results))

    def callees(self) -> tuple[Callee, ...]:
        """The functions of the module that a run of this op calls."""
        return ()

    def link(self, module: Module) -> Op:
        """The op with what it has to know of the functions that it names; they are those of `module`."""
        return self

    @property
    def outside(self) -> str | None:
        """What makes the results where code outside of the program does (`@target`): `UnboundResults` is raised."""
        return None

    def unrunnable(self) -> str | None:
        """Why this op cannot run although it is well formed, as a sentence; `None` if it can."""
        return None


@dataclass(frozen=True)
class Callee:
    """A function that an op calls, and the type that it must have."""

    name: str
    type: FunctionType
    labels: tuple[str, str, str] = ("", "", "")
    """Those of the rules that it is defined, takes such inputs, and has such results."""


# Nothing changes requests and asks; as frozen dataclasses they would take three times as long to make.
@dataclass(slots=True)
class RunRegion:
    """Ask the interpreter to run a region of this op."""

    region: int
    """Which of the operation's regions."""
    arguments: tuple[Array, ...]
    iteration: int = 0
    lanes: tuple[int, ...] | None = None
    """Set where rank-0 values are run lifted: the shape of the lanes that each value then has."""
    asynchronous: bool = False
    """Whether a collective op in it is only started: its results are placeholders."""


@dataclass(slots=True)
class CallFunction:
    """Ask the interpreter to run a function of the module."""

    callee: str
    arguments: tuple[Array, ...]
    iteration: int = 0
    lanes: tuple[int, ...] | None = None
    """As of `RunRegion`."""


@dataclass(frozen=True)
class Print:
    """Ask that a text is reported to the listener of the run."""

    text: str


@dataclass(frozen=True)
class Keep:
    """Ask that the run keeps a value, behind those that it already keeps under that name."""

    probe: str
    value: Array


@dataclass(frozen=True)
class Recall:
    """Ask for the values that the run has kept under a name, the oldest first."""

    probe: str


@dataclass(frozen=True)
class Count:
    """Ask where a counter of the run stands, a number of 128 bits that starts at 0, and move it on by `step`."""

    counter: str
    step: int

    def advance(self, counters: Mapping[str, int]) -> tuple[Mapping[str, int], tuple[Array, ...]]:
        """The counters after the op, and its answer: the lower and upper half of the counter before."""
        before = counters.get(self.counter, 0)
        halves = np.array([before & _HALF, before >> 64], np.uint64)
        return {**counters, self.counter: (before + self.step) % (1 << 128)}, (halves,)


_HALF = (1 << 64) - 1
Note = Print | Keep | Recall | Count | Where
"""What the run itself answers, at once."""
Request = RunRegion | CallFunction | Note | Exchange


@dataclass(slots=True)
class Ask:
    """What an op with regions says when it needs something run: its own state, and the request.

    `state` is immutable data: a checkpoint keeps it as it is.
    """

    state: Any
    request: Request


class AskingOp(Op):
    """An op that needs regions or functions run, or something of the run. It asks; it does not reach."""

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        """The results, or the first request."""
        raise NotImplementedError

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        """The results, or the next request, once the last one was answered.

        The answer is a tuple of arrays, unless the request says otherwise.
        """
        raise NotImplementedError


def all_equal(items: Any) -> bool:
    """Whether all items are equal; true of none."""
    iterator = iter(items)
    first = next(iterator, None)
    return all(item == first for item in iterator)


def merged_shape(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """What is known of the size of each dimension from any of `shapes`, which agree."""
    return tuple(
        next((size for size in sizes if size is not None), None) for sizes in zip(*shapes, strict=True)
    )


def shapes_agree(*shapes: tuple[int | None, ...]) -> bool:
    """Whether shapes have one rank and no two known sizes of a dimension differ."""
    if not all_equal(len(shape) for shape in shapes):
        return False
    return all(all_equal(size for size in sizes if size is not None) for sizes in zip(*shapes, strict=True))


__all__ = [
    "Array",
    "Ask",
    "AskingOp",
    "CallFunction",
    "Callee",
    "Constraint",
    "Cost",
    "Count",
    "Keep",
    "Note",
    "Op",
    "OperandMap",
    "Part",
    "Print",
    "Recall",
    "Region",
    "Request",
    "RunRegion",
    "all_equal",
    "merged_shape",
    "shapes_agree",
]
