"""Calls, composite ops, and the ends of functions and regions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...errors import UnboundResults
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import Attribute, DictionaryAttribute
from ...ir.module import Module, Region
from ...ir.types import FunctionType, Type
from ..core.facets import Explanation, HloSpelling, Section, Traits, numbered
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Callee, CallFunction, Constraint, Op, no_cost

_NAMESPACED = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*([.][a-zA-Z0-9_$]+)+")


@dataclass(frozen=True)
class Composite(AskingOp):
    """Runs `decomposition`, a function of the module, which says what the op `name` does in terms of other ops.

    `composite_attributes` and `version` are for those who know the op by its name; here the decomposition is what
    runs, and it can be stepped into like any function. Regions, which newer programs may have, are handed to such
    a reader only. Specification: composite.
    """

    name = "stablehlo.composite"
    findings = Findings(moves_elements=True)
    explanation = Explanation(passes_values=True, calls_function=True)
    short_form = "$name operands attr-dict : functional-type"
    hlo = HloSpelling(
        "call",
        "CompositeCall",
        note="It is a `call` with `is_composite=true`; the name and the version are in `frontend_attributes`.",
    )
    section = Section(
        input_labels=numbered("inputs composite_name composite_attributes decomposition version")
    )

    inputs: tuple[Type, ...]
    composite_name: str = field(metadata={"attribute": "name"})
    decomposition: str
    results: tuple[Type, ...]
    composite_attributes: DictionaryAttribute | None = None
    version: int = 0
    composite_regions: tuple[Region, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        sentence = f"'{self.composite_name}' is not a name of an op in a namespace, like my_namespace.my_op"
        yield "C1", _NAMESPACED.fullmatch(self.composite_name) is not None, sentence

    def callees(self) -> tuple[Callee, ...]:
        return (Callee(self.decomposition, FunctionType(self.inputs, self.results), ("C2", "C3", "C4")),)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, CallFunction(self.decomposition, operands))

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        """Unknown from here: the ops of the decomposition have maps."""
        for result in range(len(self.results)):
            for operand in range(len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    cost = no_cost


@dataclass(frozen=True)
class Call(AskingOp):
    """Runs the function `callee` of the module; that it exists and fits is a rule of the whole module.

    A function may be declared without a body, which is then outside of the program: a run stops there.
    """

    name = "func.call"
    findings = Findings(moves_elements=True)
    short_form = "$callee ( operands ) attr-dict : functional-type"
    hlo = HloSpelling("call", "Call", note="`to_apply` names the computation.")
    aliases = ("call",)
    explanation = Explanation(passes_values=True, calls_function=True)

    operands: tuple[Type, ...]
    callee: str
    results: tuple[Type, ...]
    no_inline: bool = False
    arg_attrs: Attribute | None = None
    res_attrs: Attribute | None = None
    is_declared: bool = field(default=False, metadata={"settled": True})
    """Whether the function has no body, which the verifier finds out."""

    def callees(self) -> tuple[Callee, ...]:
        return (Callee(self.callee, FunctionType(self.operands, self.results)),)

    def link(self, module: Module) -> Call:
        called = module.function(self.callee)
        return replace(self, is_declared=called is not None and called.body is None)

    @property
    def outside(self) -> str | None:
        return f"@{self.callee}" if self.is_declared else None

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        if self.is_declared:
            message = f"@{self.callee} is declared without a body: its results are not in this program"
            go_on = "bind values for the call's results" if self.results else "tell the run to skip the call"
            raise UnboundResults(message, hint=f"add the body of @{self.callee}, or {go_on} to continue")
        return Ask(None, CallFunction(self.callee, operands))

    cost = no_cost


@dataclass(frozen=True)
class FuncReturn(Op):
    """Ends a function with its results."""

    name = "func.return"
    short_form = "attr-dict operands? (: operand-types)?"
    aliases = ("return",)
    traits = Traits(is_terminator=True)

    operands: tuple[Type, ...]


@dataclass(frozen=True)
class Return(Op):
    """Ends a region of an op with the results of the region."""

    name = "stablehlo.return"
    short_form = "operands? attr-dict (: operand-types)?"
    traits = Traits(is_terminator=True)
    section = Section(input_labels={})

    operands: tuple[Type, ...]
