"""Lowerings of instructions that run computations: calls become func.call, branches become regions."""

from ..ir.attributes import Attribute, SymbolAttribute
from ..ir.element_types import I1
from ..ir.module import Operation
from ..ir.types import TensorType
from .scope import Lowering, NotStablehlo, Scope, Tree, properties_of


def _call(name: str, attribute: str) -> Lowering:
    """Lowering to a call of the function that the property `attribute` names."""

    def write(operation: Operation, here: Scope) -> Tree:
        properties = properties_of(operation)
        callee = properties.pop(attribute)
        properties.pop("kind", None)
        assert isinstance(callee, SymbolAttribute)
        target = "callee" if name == "func.call" else attribute
        stated: dict[str, Attribute] = {target: SymbolAttribute(here.writer.call(callee.root)), **properties}
        return here.write(operation, name, properties=stated)

    return write


def _conditional(operation: Operation, here: Scope) -> Tree:
    """Write if or case, whose branches take no arguments: branch i reads operand i directly."""
    index, *given = operation.operands
    branches = [
        here.branch(region, here.tree(value)) for region, value in zip(operation.regions, given, strict=True)
    ]
    chooser = here.only(index)
    is_truth = isinstance(chooser.type, TensorType) and chooser.type.element_type == I1
    name = "stablehlo.if" if is_truth else "stablehlo.case"
    return here.write(operation, name, operands=(chooser,), properties={}, regions=branches)


def _async_start(operation: Operation, here: Scope) -> Tree:
    """Write the computation where it starts: StableHLO has no asynchronous form."""
    given = tuple(map(here.tree, operation.operands))
    output = here.inline(operation.regions[0].block, given)
    parts = operation.results[0].type.types  # type: ignore[attr-defined]
    return (given, output, *map(here.blank, parts[2:]))


def _without_form(operation: Operation, here: Scope) -> Tree:
    raise NotStablehlo(f"StableHLO has no form of {operation.spelled}", op=operation.spelled)


LOWERINGS: dict[str, Lowering] = {
    "func.call": _call("func.call", "callee"),
    "hlo.fusion": _call("func.call", "calls"),
    "stablehlo.composite": _call("stablehlo.composite", "decomposition"),
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
"""Lowerings by the name of the op."""
