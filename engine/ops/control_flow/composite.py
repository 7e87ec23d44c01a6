"""composite: a function of the module under the name of an operation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import DictionaryAttribute
from ...ir.module import Region
from ...ir.types import FunctionType, Type
from ..core.facets import Explanation, HloSpelling, Section
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Callee, CallFunction, Constraint, no_cost

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
        input_labels={
            "inputs": "I1",
            "composite_name": "I2",
            "composite_attributes": "I3",
            "decomposition": "I4",
            "version": "I5",
        }
    )

    inputs: tuple[Type, ...]
    composite_name: str = field(metadata={"attribute": "name"})
    decomposition: str
    results: tuple[Type, ...]
    composite_attributes: DictionaryAttribute | None = None
    version: int = 0
    composite_regions: tuple[Region, ...] = ()

    def constraints(self) -> Iterator[Constraint]:
        sentence = f"'{self.composite_name}' is no name of an op in a namespace, like my_namespace.my_op"
        yield "C1", _NAMESPACED.fullmatch(self.composite_name) is not None, sentence

    def callees(self) -> tuple[Callee, ...]:
        return (Callee(self.decomposition, FunctionType(self.inputs, self.results), ("C2", "C3", "C4")),)

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, CallFunction(self.decomposition, operands))

    def index_maps(self) -> Iterator[OperandMap]:
        """Unknown from here: the ops of the decomposition have maps."""
        for result in range(len(self.results)):
            for operand in range(len(self.inputs)):
                yield OperandMap(operand, UNDEFINED, result)

    inverse_index_maps = index_maps

    cost = no_cost
