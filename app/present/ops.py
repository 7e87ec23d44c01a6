"""Contents of the op panel: documentation, rules, cost, index maps, attributes of one op."""

from collections.abc import Iterator, Sequence
from inspect import getdoc
from itertools import islice

from hloscope.engine.chains import Chains
from hloscope.engine.indexing import OperandMap, by_pair, print_operand_map
from hloscope.engine.ir.attributes import Attribute, DenseAttribute, OpaqueAttribute
from hloscope.engine.ir.module import Operation
from hloscope.engine.ir.types import TensorType, leaf_types
from hloscope.engine.live_memory.blocks import byte_size
from hloscope.engine.ops import op_table
from hloscope.engine.ops.checking import checklist
from hloscope.engine.program import BoundOperation, BoundProgram
from hloscope.engine.syntax.attributes.print_attributes import print_attribute
from hloscope.engine.syntax.attributes.print_dense import print_dense
from hloscope.engine.syntax.hlo.opcodes import forms_of_ops

from ..wire.program import Attribute as AttributeJson
from ..wire.program import OpDetails, PrintedMap
from .index_maps import OpMaps, maps_of
from .numbers import json_number
from .program import location_frames, op_name

MOST_ELEMENTS = 64
"""Maximum elements of a constant that are printed."""
MOST_MAPS = 1_000
"""Maximum maps shown per direction."""


def op_details(program: BoundProgram, number: int, chains: Chains | None = None) -> OpDetails:
    """Details of operation `number` of the program. Raises `IndexError` if there is none.

    `chains` has the sizes and the grid of a run; without them an op of open sizes has no maps.
    """
    if not 0 <= number < len(program.ops):
        raise IndexError(number)
    chains = chains or Chains(program, program.ops.__getitem__)
    bound = chains.operation(number)
    forward, inverse = _both_ways(bound, program, chains)
    return {
        "name": bound.operation.name,
        # The inner op's: the bound op may only wrap it.
        "documentation": getdoc(op_table()[bound.operation.name]) or "",
        "constraints": [
            {"label": rule.label, "holds": rule.holds, "message": rule.message}
            for rule in checklist(bound.op, bound.operation.function_type.results)
        ],
        "cost": {"flops": json_number(bound.cost.flops), "bytes": json_number(_result_bytes(bound))},
        "maps": forward,
        "inverse": inverse,
        "opName": op_name(bound.operation.location),
        "location": location_frames(bound.operation.location),
        "attributes": _attributes(bound.operation),
        "url": f"/ops/{bound.operation.name}",
    }


def _result_bytes(bound: BoundOperation) -> int:
    """The bytes of the results, whether or not the op computes them itself."""
    return sum(byte_size(leaf) for result in bound.op.known_results for leaf in leaf_types(result))


def _has_sizes(bound: BoundOperation) -> bool:
    types = bound.op.operand_types
    return all(found.is_static for found in types if isinstance(found, TensorType))


def _both_ways(
    bound: BoundOperation, program: BoundProgram, chains: Chains
) -> tuple[list[PrintedMap] | None, list[PrintedMap] | None]:
    """The maps of each operand and result in both directions, as in the index map panel.

    `None` above the maximum: a loop over many values has a map for each pair of them.
    """
    if not _has_sizes(bound):
        return [], []
    if len(list(islice(bound.op.index_maps(), MOST_MAPS + 1))) > MOST_MAPS:
        return None, None
    found = maps_of(bound, program, chains)
    return _printed(found, found.maps), _printed(found, found.inverse)


def _printed(found: OpMaps, maps: Sequence[OperandMap]) -> list[PrintedMap] | None:
    """The maps of each pair as one text, a line for each, in XLA's current format."""
    groups = by_pair(maps)
    if len(groups) > MOST_MAPS:
        return None
    return [
        {
            "operand": found.name_of(operand),
            "result": found.results[result].name,
            "text": "\n".join(
                dict.fromkeys(print_operand_map(item, describe=found.name_of) for item in group)
            ),
        }
        for (operand, result), group in sorted(groups.items())
    ]


def _attributes(operation: Operation) -> list[AttributeJson]:
    """The attributes in the program's language; op name and locations show the metadata."""
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
