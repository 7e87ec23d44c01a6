"""What the op panel shows: documentation, rules, cost, index maps and attributes of one operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import getdoc
from itertools import islice
from typing import Any

from hloscope.engine.indexing import OperandMap, print_operand_maps
from hloscope.engine.ir.attributes import Attribute, DenseAttribute, OpaqueAttribute
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops import op_table
from hloscope.engine.ops.checking import checklist
from hloscope.engine.ops.map_operands import leaf_names
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.syntax.hlo.opcodes import forms_of_ops
from hloscope.engine.syntax.print_attributes import print_attribute
from hloscope.engine.syntax.print_dense import print_dense

from .numbers import json_number
from .program import location_frames, op_name

MOST_ELEMENTS = 64
"""Elements of a constant that are written out."""
MOST_MAPS = 1_000
"""Of one direction; nobody reads more."""


def op_details(
    program: BoundProgram, number: int, settled: Callable[[int], BoundOperation] | None = None
) -> dict[str, Any]:
    """Operation `number` of the program; `IndexError` if there is none.

    `settled` gives the op with the sizes that a run has shown; without them an op of open sizes has no maps.
    """
    if not 0 <= number < len(program.ops):
        raise IndexError(number)
    bound = settled(number) if settled else program.ops[number]
    return {
        "name": bound.operation.name,
        # Not that of the bound op, which may only wrap it.
        "documentation": getdoc(op_table()[bound.operation.name]) or "",
        "constraints": [
            {"label": rule.label, "holds": rule.holds, "message": rule.message}
            for rule in checklist(bound.op, bound.operation.function_type.results)
        ],
        "cost": {"flops": json_number(bound.cost.flops), "bytes": json_number(bound.cost.result_bytes)},
        "maps": _maps(bound, bound.op.index_maps()) if _has_sizes(bound) else [],
        "inverse": _maps(bound, bound.op.inverse_index_maps()) if _has_sizes(bound) else [],
        "opName": op_name(bound.operation.location),
        "location": location_frames(bound.operation.location),
        "attributes": _attributes(bound.operation),
        "url": f"/ops/{bound.operation.name}",
    }


def _has_sizes(bound: BoundOperation) -> bool:
    types = bound.op.operand_types
    return all(found.is_static for found in types if isinstance(found, TensorType))


def _maps(bound: BoundOperation, maps: Iterable[OperandMap]) -> list[dict[str, Any]] | None:
    """The maps of each pair of operand and result in one text, as XLA prints them today; `None` of very many.

    A loop over many values has a map for each pair of them.
    """
    listed = list(islice(maps, MOST_MAPS + 1))
    if len(listed) > MOST_MAPS:
        return None
    given = bound.operation.operands
    names = (
        *leaf_names([value.name for value in given], [value.type for value in given]),
        *bound.op.found_names,
    )
    groups: dict[tuple[int, int], list[OperandMap]] = {}
    for item in listed:
        groups.setdefault((item.operand, item.result), []).append(item)
    return [
        {"operand": operand, "result": result, "text": _text(group, names)}
        for (operand, result), group in sorted(groups.items())
    ]


def _text(group: list[OperandMap], names: Sequence[str]) -> str:
    text = print_operand_maps(group, describe=names.__getitem__)
    return text.removeprefix(f"operand id = {group[0].operand} ")


def _attributes(operation: Operation) -> list[dict[str, str]]:
    """As the program's language spells them; metadata are told as the op's name and places."""
    if operation.opcode:
        return [{"name": name, "text": text} for name, text in _hlo_attributes(operation)]
    given = {**operation.properties, **operation.attributes}
    return [{"name": name, "text": _attribute_text(value)} for name, value in given.items()]


def _hlo_attributes(operation: Operation) -> Iterator[tuple[str, str]]:
    form = forms_of_ops().get(operation.name)
    written = form.write(operation) if form else ()
    yield from ((name, text) for name, text in written if name not in operation.attributes)
    for name, value in operation.attributes.items():
        if name != "metadata":
            yield name, value.text if isinstance(value, OpaqueAttribute) else _attribute_text(value)


def _attribute_text(attribute: Attribute) -> str:
    if isinstance(attribute, DenseAttribute):
        return print_dense(attribute.type, attribute.data, MOST_ELEMENTS)
    return print_attribute(attribute)
