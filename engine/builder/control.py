"""Functions that run computations: calls, conditionals, loops; tuples, tokens and what keeps an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

from ..errors import ProgramError
from ..ir.attributes import (
    ArrayAttribute,
    Attribute,
    BoolAttribute,
    DictionaryAttribute,
    OpaqueAttribute,
    StringAttribute,
    SymbolAttribute,
)
from ..ir.element_types import ELEMENT_TYPES
from ..ir.module import Function
from ..ir.types import TensorType, TokenType, TupleType
from ..limits import DEFAULT_LIMITS
from ..ops.core.rules import format_list
from ..syntax.attributes.text_reader import run_reader
from .builder_error import BuilderError
from .computation import XlaComputation
from .handles import XlaOp, check_shape_with_layout
from .property_attributes import integer, integer32
from .recorder import Recorder
from .shape_text import ShapeLike, spell, type_of

Computation = XlaComputation | Callable[..., Any]
_NO_BORDER = '{kind="sharding", entry={replicated}, exit={replicated}}'
S32 = TensorType((), ELEMENT_TYPES["i32"])


class Control(Recorder):
    """Functions about the order of things, and values of several parts."""

    def tuple(self, elements: Sequence[XlaOp]) -> XlaOp:
        """One value of several: `T0, T1, … -> (T0, T1, …)`."""
        return self.emit("stablehlo.tuple", list(elements))

    def get_tuple_element(self, tuple_data: XlaOp, index: int) -> XlaOp:
        """The element of a tuple at a place that is known: `(T0, T1, …) -> T[index]`."""
        return self.emit("stablehlo.get_tuple_element", (tuple_data,), {"index": integer32("index", index)})

    def call(self, computation: Computation, *operands: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Calls a computation: `T0, T1, … -> S`, as it takes and gives."""
        given = _flat(operands)
        function = self._callee(computation, given, "call")
        properties = {"callee": SymbolAttribute(function.name)}
        return self.emit("func.call", given, properties, result=function.result_types[0])

    def composite_call(
        self,
        computation: Computation,
        operands: Sequence[XlaOp],
        name: str,
        attributes: str | None = None,
        version: int | None = None,
    ) -> XlaOp:
        """Calls a computation that says what the op `name`, one of some namespace, does: `T0, T1, … -> S`.

        `attributes` is a dictionary as MLIR writes it, `{n = 1 : i32}`; `version` tells changes of meaning apart.
        """
        function = self._callee(computation, operands, "call")
        properties: dict[str, Attribute] = {
            "name": StringAttribute(name),
            "decomposition": SymbolAttribute(function.name),
            "version": integer32("version", version or 0),
            "composite_attributes": _dictionary(attributes or "{}"),
        }
        return self.emit("stablehlo.composite", operands, properties, result=function.result_types[0])

    def fusion(
        self, computation: Computation, operands: Sequence[XlaOp], fusion_kind: str = "kLoop"
    ) -> XlaOp:
        """Calls a computation that is to become one kernel; `fusion_kind` is kLoop, kInput, kOutput or kCustom."""
        function = self._callee(computation, operands, "fusion")
        properties: Mapping[str, Attribute] = {
            "calls": SymbolAttribute(function.name),
            "kind": StringAttribute(fusion_kind),
        }
        return self.emit("hlo.fusion", operands, properties, result=function.result_types[0])

    def _callee(self, computation: Computation, operands: Sequence[XlaOp], op: str) -> Function:
        types = [self.own(operand, op).type for operand in operands]
        function = self.embed(computation, types, op)
        wanted = [argument.type for argument in function.arguments]
        if wanted != types:
            taken, given = (format_list(map(spell, found)) for found in (wanted, types))
            message = f"the computation '{function.name}' takes {taken}, but the operands are {given}"
            raise BuilderError(message, op=op)
        return function

    def custom_call(
        self,
        target_name: str,
        operands: Sequence[XlaOp],
        shape: ShapeLike,
        opaque: str = "",
        has_side_effect: bool = False,
        called_computations: Sequence[XlaComputation] = (),
        api_version: int = 1,
    ) -> XlaOp:
        """Calls `target_name`, code outside of the program: `T0, T1, … -> shape`.

        Known targets run (the LAPACK family, TopK, markers of sharding, …); of others a run stops and asks for their
        results. `opaque` is what the target is told besides.
        """
        properties: Mapping[str, Attribute] = {
            "call_target_name": StringAttribute(target_name),
            "has_side_effect": BoolAttribute(has_side_effect),
            "feature_group_count": integer("feature_group_count", 1),
            "batch_group_count": integer("batch_group_count", 1),
            "api_version": integer32("api_version", api_version),
            **self._callees(called_computations),
            **({"hlo_backend_config": StringAttribute(opaque)} if opaque else {}),
        }
        attributes = {"backend_config": OpaqueAttribute(_quote(opaque))} if opaque else {}
        return self.emit(
            "stablehlo.custom_call", operands, properties, result=type_of(shape), attributes=attributes
        )

    def _callees(self, computations: Sequence[XlaComputation]) -> dict[str, Attribute]:
        names = tuple(SymbolAttribute(self.embed(found, ()).name) for found in computations)
        return {"called_computations": ArrayAttribute(names)} if names else {}

    @overload
    def conditional(
        self,
        predicate: XlaOp,
        true_operand: XlaOp,
        true_computation: Computation,
        false_operand: XlaOp,
        false_computation: Computation,
    ) -> XlaOp: ...

    @overload
    def conditional(
        self,
        predicate: XlaOp,
        true_operand: Sequence[Computation],
        true_computation: Sequence[XlaOp],
    ) -> XlaOp: ...

    def conditional(
        self,
        predicate: XlaOp,
        true_operand: Any,
        true_computation: Any,
        false_operand: Any = None,
        false_computation: Any = None,
    ) -> XlaOp:
        """One of several computations, each with an operand of its own: `Ti -> S`.

        `conditional(predicate, true_operand, true_computation, false_operand, false_computation)` chooses by a
        `pred[]`; `conditional(branch_index, branch_computations, branch_operands)` by an `s32[]`, and takes the last
        branch for a number that none has.
        """
        if false_computation is not None:
            computations = [true_computation, false_computation]
            operands = [true_operand, false_operand]
        else:
            computations, operands = list(true_operand), list(true_computation)
        if len(computations) != len(operands):
            message = f"there are {len(computations)} computations, but {len(operands)} operands"
            raise BuilderError(message, op="conditional")
        pairs = zip(computations, operands, strict=True)
        regions = [
            self.region(computation, [self.own(operand, "conditional").type], "branch")
            for computation, operand in pairs
        ]
        return self.emit("hlo.conditional", (predicate, *operands), regions=regions)

    def while_(self, condition: Computation, body: Computation, init: XlaOp | Sequence[XlaOp]) -> XlaOp:
        """Runs `body`, `T -> T`, on its own result, `init` first, as long as `condition`, `T -> pred`, is true of it.

        T is any type, mostly a tuple; a sequence of handles is made one.
        """
        start = init if isinstance(init, XlaOp) else self.tuple(init)
        types = [self.own(start, "while").type]
        regions = [self.region(condition, types, "condition"), self.region(body, types, "body")]
        return self.emit("stablehlo.while", (start,), regions=regions)

    # The order of things

    def after_all(self, tokens: Sequence[XlaOp] = ()) -> XlaOp:
        """A token that is there once all of `tokens` are: `token, … -> token`."""
        return self.emit("stablehlo.after_all", list(tokens))

    def create_token(self) -> XlaOp:
        """A token that waits for nothing."""
        return self.after_all()

    def add_dependency(self, operand: XlaOp, token: XlaOp) -> XlaOp:
        """The operand, once the token is there: `T, token -> T`."""
        return self.emit("hlo.add_dependency", (operand, token))

    def optimization_barrier(self, operand: XlaOp) -> XlaOp:
        """The operand, array or tuple; a compiler moves nothing across: `T -> T`."""
        properties = {"takes_tuples": BoolAttribute(True)}
        return self.emit("stablehlo.optimization_barrier", (operand,), properties)

    def domain(self, operand: XlaOp, domain: str = _NO_BORDER) -> XlaOp:
        """The operand on the border of two domains, of which `domain` tells in HLO's words: `T -> T`."""
        return self.emit("hlo.domain", (operand,), attributes={"domain": OpaqueAttribute(domain)})

    # Computations that run meanwhile

    def async_start(self, computation: Computation, operands: Sequence[XlaOp]) -> XlaOp:
        """Begins to run a computation: `T0, T1, … -> ((T0, T1, …), S, s32[])`."""
        function = self._callee(computation, operands, "async-start")
        given = TupleType(tuple(operand.type for operand in operands))
        result = TupleType((given, function.result_types[0], S32))
        region = self.region(XlaComputation((function,)), ())
        return self.emit("hlo.async_start", operands, regions=[region], result=result)

    def async_update(self, operand: XlaOp) -> XlaOp:
        """What `async_start` has given, at a later time: `T -> T`."""
        return self.emit("hlo.async_update", (operand,))

    def async_done(self, operand: XlaOp) -> XlaOp:
        """Waits for the computation that was begun: `((…), S, …) -> S`."""
        return self.emit("hlo.async_done", (operand,))

    # Tokens of infeed and outfeed

    def infeed(self, shape: ShapeLike, config: str = "") -> XlaOp:
        """The next data from the queue that feeds the process: `shape`."""
        return self.get_tuple_element(self.infeed_with_token(self.create_token(), shape, config), 0)

    def infeed_with_token(self, token: XlaOp, shape: ShapeLike, config: str = "") -> XlaOp:
        """`infeed` after a token: `token -> (shape, token)`."""
        properties = {"infeed_config": StringAttribute(config)} if config else {}
        result = TupleType((type_of(shape), TokenType()))
        return self.emit("hlo.infeed", (token,), properties, result=result)

    def outfeed(
        self, operand: XlaOp, shape_with_layout: ShapeLike | None = None, outfeed_config: str = ""
    ) -> XlaOp:
        """Puts the operand into the queue that the process feeds: `T -> token`."""
        return self.outfeed_with_token(operand, self.create_token(), shape_with_layout, outfeed_config)

    def outfeed_with_token(
        self,
        operand: XlaOp,
        token: XlaOp,
        shape_with_layout: ShapeLike | None = None,
        outfeed_config: str = "",
    ) -> XlaOp:
        """`outfeed` after a token: `T, token -> token`."""
        check_shape_with_layout(shape_with_layout, self.own(operand, "outfeed"), "outfeed")
        properties = {"outfeed_config": StringAttribute(outfeed_config)} if outfeed_config else {}
        return self.emit("hlo.outfeed", (operand, token), properties)


def _flat(operands: tuple[XlaOp | Sequence[XlaOp], ...]) -> list[XlaOp]:
    """Operands that were given one by one, or as one sequence."""
    if len(operands) == 1 and not isinstance(operands[0], XlaOp):
        return list(operands[0])
    for operand in operands:
        if not isinstance(operand, XlaOp):
            raise BuilderError(f"an operand must be a handle, not {operand!r}", op="call")
    return [operand for operand in operands if isinstance(operand, XlaOp)]


def _dictionary(text: str) -> DictionaryAttribute:
    try:
        return DictionaryAttribute(run_reader(text, DEFAULT_LIMITS, lambda reader: reader.dictionary()))
    except ProgramError as error:
        raise BuilderError(f"attributes '{text}': {error.message}", op="call") from None


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
