"""Instructions that run computations: calls become func.call, branches and bodies stand in place."""

from __future__ import annotations

from ...ir.attributes import Attribute, SymbolAttribute
from ...ir.element_types import I1
from ...ir.module import Operation
from ...ir.types import TensorType
from ..errors import BuilderError
from .plain import properties_of
from .scope import Lowering, Scope, Tree, as_tree, bare, type_leaves


def _calling(name: str, attribute: str) -> Lowering:
    """A call of the function that a property names."""

    def written(operation: Operation, here: Scope) -> Tree:
        properties = properties_of(operation)
        callee = properties.pop(attribute)
        properties.pop("kind", None)
        assert isinstance(callee, SymbolAttribute)
        target = "callee" if name == "func.call" else attribute
        stated: dict[str, Attribute] = {target: SymbolAttribute(here.writer.call(callee.root)), **properties}
        result = operation.results[0]
        types = [bare(found) for found in type_leaves(result.type)]
        made = here.add(name, here.leaves(*operation.operands), types, stated, base=result.name)
        return as_tree(result.type, iter(made))

    return written


def _conditional(operation: Operation, here: Scope) -> Tree:
    """if or case; branches read what they are given from outside."""
    index, *given = operation.operands
    branches = [
        here.branch(region, here.tree(value)) for region, value in zip(operation.regions, given, strict=True)
    ]
    chooser, result = here.only(index), operation.results[0]
    is_truth = isinstance(chooser.type, TensorType) and chooser.type.element_type == I1
    types = [bare(found) for found in type_leaves(result.type)]
    name = "stablehlo.if" if is_truth else "stablehlo.case"
    made = here.add(name, (chooser,), types, regions=branches, base=result.name)
    return as_tree(result.type, iter(made))


def _async_start(operation: Operation, here: Scope) -> Tree:
    """What is started runs here."""
    given = tuple(map(here.tree, operation.operands))
    output = here.inlined(operation.regions[0].block, given)
    parts = operation.results[0].type.types  # type: ignore[attr-defined]
    return (given, output, *map(here.blank, parts[2:]))


def _without_form(operation: Operation, here: Scope) -> Tree:
    raise BuilderError(f"StableHLO has no form of {operation.spelled}", op=operation.spelled)


LOWERINGS: dict[str, Lowering] = {
    "func.call": _calling("func.call", "callee"),
    "hlo.fusion": _calling("func.call", "calls"),
    "stablehlo.composite": _calling("stablehlo.composite", "decomposition"),
    "hlo.conditional": _conditional,
    "hlo.async_start": _async_start,
    **dict.fromkeys(
        (
            "hlo.stochastic_convert",
            "hlo.rng_get_and_update_state",
            "hlo.ragged_all_to_all",
            "hlo.collective_permute_in_place",
        ),
        _without_form,
    ),
}
"""How each of these instructions is written."""
