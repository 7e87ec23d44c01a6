"""What every op answers, in the order of its section in the specification.

An op is a frozen dataclass: its fields are the section's *Inputs*, `constraints` its *Constraints*,
`infer` its *Outputs*, `evaluate` its *Semantics*; `index_maps` and `cost` are ours. `binding.bind`
makes one from an operation of the text, once per operation; nothing here knows the interpreter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...indexing import Expression, OperandMap
from ...ir.attributes import Attribute
from ...ir.module import Module, Operation, Region
from ...ir.types import FunctionType, TensorType, Type, leaf_count
from .bounded import Bounded
from .dimension_roles import Roles, no_names
from .exchanges import Exchange, MeetPeers, Place, Where, meet_nobody
from .explained import Explained, Part
from .families import Category
from .field_plans import field_plans, inherent_attributes
from .integer_folding import Comparison, Index, OperandElements
from .pictures import Picture
from .process_groups import Grid
from .traced_bodies import TracedBodies
from .watched import Watched

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


class Op(Explained, TracedBodies, Watched, Bounded):
    """One op of a dialect. Subclasses are frozen dataclasses."""

    name: ClassVar[str]
    """With its dialect: `stablehlo.add`."""
    short_form: ClassVar[str | None] = None
    """How MLIR writes it without quotes; the words are those of `syntax/forms/short_forms.py`."""
    hlo_opcode: ClassVar[str | None] = None
    """Its opcode in HLO text (`add`), where it has a twin there."""
    hlo_packs: ClassVar[bool] = False
    """Whether HLO text has its results, where they are several, as one tuple."""
    xla_name: ClassVar[str | None] = None
    """Its name in XLA's operation semantics (`Add`)."""
    hlo_note: ClassVar[str] = ""
    """What HLO text says or means otherwise than StableHLO, in sentences."""
    input_labels: ClassVar[Mapping[str, str] | None] = None
    """The specification's label of each field, or parameter of one. `None`: in order of fields, from `I1`.

    Of an op that the specification has no section for: `{}`.
    """
    rules: ClassVar[tuple[str, ...]] = ()
    """The constraints as sentences for the op's page, where the specification has no section with them."""
    dynamic_twin: ClassVar[str | None] = None
    """The op to use where the result has sizes that are not known: in a text, this one has none without a bound."""
    hlo_is_lenient: ClassVar[bool] = False
    """Whether HLO text may have what `cautions` warns of; XLA refuses it elsewhere."""
    result_labels: ClassVar[Mapping[str, str]] = {}
    """Labels of the constraints that tie the result's `element_type` and `shape` to what is inferred.

    `shape 1` is that of the second result, where it has one of its own.
    """
    result_is_requantized: ClassVar[bool] = False
    """Whether a quantized result may have other scales and zero points than what is inferred."""
    has_one_shape: ClassVar[bool] = False
    """Whether all operands and results have one shape, so that the bounds of sizes hold for all of them."""
    elementwise: ClassVar[bool] = False
    """Whether `evaluate` takes arrays of any one shape, so that a lifted region can call it as it is."""
    keeps_points: ClassVar[bool] = False
    """Whether the formulas of its index maps keep dimensions of size 1 as they are, which XLA prints so."""
    terminator: ClassVar[bool] = False
    """Whether it ends a block and hands its operands to whoever opened it."""
    is_constant: ClassVar[bool] = False
    """Whether its result is a value that the text of the program holds."""
    regroups_tuples: ClassVar[bool] = False
    """Whether it only puts values into a tuple, or takes one out."""
    tells_place: ClassVar[bool] = False
    """Whether its result is the place of the process in the grid."""
    reads_sizes_alone: ClassVar[bool] = False
    """Whether it reads the sizes of its operand and none of its elements."""
    lists_operands: ClassVar[bool] = False
    """Whether the result has, in row-major order, the numbers of its operands, one operand after the other."""
    category: ClassVar[Category | None] = None
    """What its mark in the browser tells it apart by, where it is not what it is for the rest of its family."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that the text may use (`call` for `func.call`)."""

    auxiliary_values: ClassVar[tuple[str, ...]] = ()
    """Names of the auxiliary values and the process values, where all ops of the class have the same ones."""

    @classmethod
    def inherent_attributes(cls) -> frozenset[str]:
        """The attribute names that the op's definition knows."""
        return inherent_attributes(cls)

    @classmethod
    def attribute_records(cls, operation: Operation) -> tuple[type[Any], ...]:
        """Dataclasses that are read from attributes of `operation` that are no fields of the op: see `read_record`."""
        return ()

    @property
    def is_lane_by_lane(self) -> bool:
        """Whether `evaluate` takes arrays of any shape for its scalars, each element a lane of its own."""
        return self.elementwise

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

    def scalar_function(self) -> Callable[..., Any]:
        """What the op does to NumPy's scalars, where all operands and the result have rank 0."""
        return lambda *operands: np.asarray(self.evaluate(*map(np.asarray, operands)))[()]

    @property
    def taken_element(self) -> int | None:
        """The number of the element that the op takes out of a tuple; `None` of other ops."""
        return None

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

    def dimension_roles(self) -> Roles:
        """What each dimension of the operands, and of the results, is for: see `dimension_roles`."""
        return no_names(*self.operand_types), no_names(*self.known_results)

    @property
    def has_known_sizes(self) -> bool:
        """Whether the types say all sizes that the index maps need; they may be asked for only then."""
        return all(found.is_static for found in self.operand_types if isinstance(found, TensorType))

    def picture(self) -> Picture | None:
        """The windows and tensors that a picture of the index maps shows beside the cells."""
        return None

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

    def documented_maps(self) -> Iterator[OperandMap]:
        """`index_maps` as XLA's document prints them: where those are a union, one map that encloses it."""
        return self.index_maps()

    def map_operands(self, operands: tuple[Array, ...]) -> tuple[Array, ...]:
        """What the maps' runtime variables are read from: the operands, then the auxiliary values.

        These are computed from the operands: a sort's permutation, the choice of each window.
        """
        return operands

    def process_values(self, place: Place, meet: MeetPeers = meet_nobody) -> tuple[Array | None, ...]:
        """The values behind those of `map_operands` that depend on the process and its peers, such as its place in the group.

        `meet` gives what the process met in the op; the few ops that need it ask for it. `None`: value not known.
        """
        return ()

    @property
    def first_auxiliary(self) -> int:
        """The operand number under which maps read the first auxiliary value: the one after all tensors of the operands."""
        return sum(map(leaf_count, self.operand_types))

    @property
    def auxiliary_names(self) -> tuple[str, ...]:
        """Names of the auxiliary values, then of the process values, in the order in which maps number them."""
        return self.auxiliary_values

    def on_grid(self, grid: Grid) -> Op:
        """The op as it is on a grid, where its maps say more than they can without one."""
        return self

    def fold_element(self, index: Index, operands: OperandElements) -> Expression | None:
        """Element `index` of the op's one result, an integer; `None` where no expression says it.

        It has the variables of `index`, and those of the elements that it reads of `operands`.
        """
        return None

    def fold_comparison(self, index: Index, operands: OperandElements) -> Comparison | None:
        """What makes element `index` of the op's one result, a boolean, true; `None` if no comparison of integers does."""
        return None

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        """What one execution takes; by default one scalar operation for each result element."""
        results = [t for t in result_types if isinstance(t, TensorType) and t.is_static]
        return Cost(sum(t.element_count for t in results), sum(t.byte_count for t in results))

    def stated_sizes(self) -> Iterator[tuple[int, tuple[int | None, ...] | None]]:
        """The operands that state sizes, by number, and which: `None` where any size, or all of them, may do."""
        return iter(())

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
