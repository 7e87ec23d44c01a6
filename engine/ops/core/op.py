"""The base class of all ops, in the order of an op's section in the specification, and its facets.

An op is a frozen dataclass: its fields are the section's *Inputs*, `constraints` its *Constraints*, `infer` its
*Outputs*, `evaluate` its *Semantics*; `index_maps` and `cost` are additions of this project. `binding.bind` makes an op
from an operation of the text, once per operation. This module does not know the interpreter.

Every other concern is a facet: a frozen dataclass with defaults in its file, `facets/<facet>.py`, and one class
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

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...indexing import OperandMap
from ...ir.attributes import Attribute
from ...ir.module import Module, Operation
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
    Rounding,
    RuntimeVariables,
    Section,
    Storage,
    Tracing,
    Traffic,
    Traits,
)
from .field_plans import field_plans, inherent_attributes
from .process_groups import Grid

Array = NDArray[Any]
Constraint = tuple[str, bool, str]
"""A label of the specification (`C4`, `I1`), whether the rule holds, and the error message if it does not."""


@dataclass(frozen=True)
class Cost:
    """Upper bounds of the cost of one execution, from types alone."""

    flops: int
    result_bytes: int
    scratch_bytes: int = 0
    """Bytes that evaluation allocates besides operands and results."""


def no_cost(op: Op, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
    """The `cost` of an op that computes and copies nothing; the ops that it runs have their costs."""
    return Cost(0, 0)


class Op:
    """One op of a dialect. Subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """The full name, with the dialect: `stablehlo.add`."""
    short_form: ClassVar[str | None] = None
    """The syntax in MLIR without quotes, in the notation of `syntax/forms/short_forms.py`."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names in texts: `call` for `func.call`."""
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
    storage: ClassVar[Storage[Any]] = Storage()
    traffic: ClassVar[Traffic] = Traffic()

    @classmethod
    def inherent_attributes(cls) -> frozenset[str]:
        """The names of the attributes in the op's definition."""
        return inherent_attributes(cls)

    @classmethod
    def attribute_records(cls, operation: Operation) -> tuple[type[Any], ...]:
        """Dataclasses that `read_record` reads from further attributes of `operation`."""
        return ()

    @classmethod
    def translate(cls, entries: Mapping[str, Attribute]) -> Mapping[str, Attribute]:
        """The attributes of the text under the op's names; unchanged by default."""
        return entries

    @property
    def unpacked(self) -> Op:
        """The op itself; of an op of HLO text that returns one tuple, the StableHLO op inside."""
        return self

    def constraints(self) -> Iterator[Constraint]:
        """The op's rules, evaluated lazily: a later rule may assume that the earlier ones hold."""
        return iter(())

    def cautions(self) -> Iterator[Constraint]:
        """Rules of the specification that MLIR's verifier does not check, where the meaning is clear without them.

        Only called if all `constraints` hold. A program that breaks one runs, with a warning.
        """
        return iter(())

    def infer(self) -> Type | tuple[Type, ...] | None:
        """The result types, by default the field `result`; `None` if only the text states them."""
        return getattr(self, "result", None)

    @property
    def quick(self) -> Callable[..., Array] | None:
        """What `evaluate` computes of operands that own their elements, if one function does."""
        return None

    def evaluate(self, *operands: Array) -> Array | tuple[Array, ...]:
        """The results, as arrays of the result types' dtypes. Operands are read-only."""
        raise NotImplementedError(f"{self.name} has no evaluate")

    @property
    def operand_types(self) -> tuple[Type, ...]:
        """The types of all operands, in order."""
        found: list[Type] = []
        for plan in field_plans(type(self)):
            if plan.source == "operand":
                found.append(getattr(self, plan.name))
            elif plan.source == "operands":
                found.extend(getattr(self, plan.name))
        return tuple(found)

    @property
    def known_results(self) -> tuple[Type, ...]:
        """The types of all results: the inferred ones, otherwise those in the text."""
        found: Type | tuple[Type, ...] | None = self.infer()
        if found is None:
            found = getattr(self, "result", None) or getattr(self, "results", ())
        return (found,) if isinstance(found, Type) else tuple(found or ())

    def index_maps(self) -> Iterator[OperandMap]:
        """For each operand, the elements that one element of a result reads."""
        return self.directed_maps(inverse=False)

    def inverse_index_maps(self) -> Iterator[OperandMap]:
        """For each operand, the elements of a result that read one of its elements."""
        return self.directed_maps(inverse=True)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """The maps of either direction, of ops that state both at one place, as most do."""
        return iter(())

    def value_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps of where values come from, or go to; ops that move chosen elements depend on more than that."""
        return self.inverse_index_maps() if inverse else self.index_maps()

    @property
    def first_auxiliary(self) -> int:
        """The operand number of the first auxiliary value in maps: it follows all tensors of the operands."""
        return sum(map(leaf_count, self.operand_types))

    def on_grid(self, grid: Grid) -> Op:
        """The op on a grid; with a known grid some index maps are more precise."""
        return self

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """The cost of one execution; by default one scalar operation for each result element."""
        results = [t for t in result_types if isinstance(t, TensorType) and t.is_static]
        return Cost(sum(t.element_count for t in results), sum(t.byte_count for t in results))

    def callees(self) -> tuple[Callee, ...]:
        """The functions of the module that the op calls."""
        return ()

    def link(self, module: Module) -> Op:
        """The op, completed with facts about the functions of `module` that it names."""
        return self

    @property
    def outside(self) -> str | None:
        """The code outside the program that makes the results (`@target`), which raises `UnboundResults`; `None` if none."""
        return None

    def unrunnable(self) -> str | None:
        """The reason why a well-formed op cannot run, as a sentence; `None` if it can."""
        return None


@dataclass(frozen=True)
class Callee:
    """A function that an op calls, with its required type."""

    name: str
    type: FunctionType
    labels: tuple[str, str, str] = ("", "", "")
    """Labels of the rules that the function exists, has these inputs, and has these results."""


# Requests are never changed. They are not frozen because a frozen dataclass takes three times as long to make.
@dataclass(slots=True)
class RunRegion:
    """Request that the interpreter runs a region of this op."""

    region: int
    """The number of the region in the operation."""
    arguments: tuple[Array, ...]
    iteration: int = 0
    lanes: tuple[int, ...] | None = None
    """The shape of the lanes of each value, where rank-0 values run lifted; otherwise `None`."""
    asynchronous: bool = False
    """Whether collective ops in it only start, with placeholders as results."""


@dataclass(slots=True)
class CallFunction:
    """Request that the interpreter runs a function of the module."""

    callee: str
    arguments: tuple[Array, ...]
    iteration: int = 0
    lanes: tuple[int, ...] | None = None
    """See `RunRegion`."""


@dataclass(frozen=True)
class Print:
    """Request to report a text to the run's listener."""

    text: str


@dataclass(frozen=True)
class Keep:
    """Request to append a value to the values that the run keeps under a name."""

    probe: str
    value: Array


@dataclass(frozen=True)
class Recall:
    """Request for the values that the run has kept under a name, oldest first."""

    probe: str


@dataclass(frozen=True)
class Count:
    """Request to read a counter of the run, 128 bits from 0, and to add `step` to it."""

    counter: str
    step: int

    def advance(self, counters: Mapping[str, int]) -> tuple[Mapping[str, int], tuple[Array, ...]]:
        """The counters after the request, and its answer: the lower and upper half of the counter before."""
        before = counters.get(self.counter, 0)
        halves = np.array([before & _HALF, before >> 64], np.uint64)
        return {**counters, self.counter: (before + self.step) % (1 << 128)}, (halves,)


_HALF = (1 << 64) - 1
Note = Print | Keep | Recall | Count | Where
"""Requests that the run answers immediately."""
Request = RunRegion | CallFunction | Note | Exchange


@dataclass(slots=True)
class Ask:
    """A request of an op, with the op's state.

    `state` is immutable data, so that a checkpoint can keep it.
    """

    state: Any
    request: Request


class AskingOp(Op):
    """An op that runs regions or functions, or needs something of the run; the interpreter answers its requests."""

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        """The results, or the first request."""
        raise NotImplementedError

    def resume(self, state: Any, answer: Any) -> Ask | tuple[Array, ...]:
        """The results, or the next request, after the answer to the last one; by default the answer itself.

        The answer is a tuple of arrays, unless the request says otherwise.
        """
        results: tuple[Array, ...] = answer
        return results


def all_equal(items: Any) -> bool:
    """Whether all items are equal; true of none."""
    iterator = iter(items)
    first = next(iterator, None)
    return all(item == first for item in iterator)


def merged_shape(*shapes: tuple[int | None, ...]) -> tuple[int | None, ...]:
    """The size of each dimension, as far as any of `shapes` states it; the shapes agree."""
    return tuple(
        next((size for size in sizes if size is not None), None) for sizes in zip(*shapes, strict=True)
    )


def shapes_agree(*shapes: tuple[int | None, ...]) -> bool:
    """Whether shapes have one rank and no two known sizes of a dimension differ."""
    if not all_equal(len(shape) for shape in shapes):
        return False
    return all(all_equal(size for size in sizes if size is not None) for sizes in zip(*shapes, strict=True))
