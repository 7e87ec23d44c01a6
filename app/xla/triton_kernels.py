"""Describe a Triton kernel as JSON, from the MLIR bytecode in a program: jaxlib has the dialect.

The bytes are untrusted and the reader is native code, so it runs in its own process or in a confined worker.
"""

from __future__ import annotations

import json
import socket
from typing import Any

import numpy as np
from jaxlib.mlir import ir
from jaxlib.triton import dialect

from ..processes.arrays import pack, unpack_all
from ..processes.framing import Channel

_MOST_WORDS = 200
Numbers = dict[Any, int]


def serve(connection: socket.socket) -> None:
    """Answer requests to convert a kernel, as `child` answers those for programs, without loading jax."""
    channel = Channel(connection)
    while (frame := channel.receive()) is not None:
        (code,) = unpack_all(frame.message["arrays"], frame.buffers[0])
        try:
            text = describe_kernel(code.tobytes())
        except ValueError as error:
            channel.send({"refused": str(error)}, [b""])
            continue
        described, data = pack([np.frombuffer(text.encode(), np.uint8)])
        channel.send({"about": {}, "arrays": described}, [data])


def describe_kernel(data: bytes) -> str:
    """The kernel as `engine/ops/custom_calls/triton/kernel.py` reads it. Raises `ValueError` with MLIR's words."""
    context = ir.Context()
    dialect.register_dialect(context)
    with context, ir.Location.unknown():
        try:
            module = ir.Module.parse(data)
        except Exception as error:  # jaxlib's exception classes have no public common base
            raise ValueError(" ".join(str(error).split())[:_MOST_WORDS]) from None
        functions = [op for op in module.body.operations if op.operation.name == "tt.func"]
        if len(functions) != 1:
            raise ValueError(f"it has {len(functions)} functions instead of one")
        return json.dumps(_function(functions[0].operation))


def _function(function: Any) -> dict[str, Any]:
    numbers: Numbers = {}
    body = _block(function.regions[0], numbers)
    arguments = function.regions[0].blocks[0].arguments
    return {
        "name": ir.StringAttr(function.attributes["sym_name"]).value,
        "arguments": [_type(argument.type) for argument in arguments],
        "body": body,
        "value_count": len(numbers),
    }


def _block(region: Any, numbers: Numbers) -> dict[str, Any]:
    """The only block of a region; an `else` may have none."""
    blocks = list(region.blocks)
    if len(blocks) > 1:
        raise ValueError(f"a region has {len(blocks)} blocks instead of one")
    arguments = [_number(argument, numbers) for block in blocks for argument in block.arguments]
    operations = [_operation(op.operation, numbers) for block in blocks for op in block.operations]
    return {"arguments": arguments, "operations": operations}


def _operation(op: Any, numbers: Numbers) -> dict[str, Any]:
    return {
        "name": op.name,
        "operands": [_number(value, numbers) for value in op.operands],
        "operand_types": [_type(value.type) for value in op.operands],
        "results": [_number(value, numbers) for value in op.results],
        "types": [_type(value.type) for value in op.results],
        "attributes": {name: _attribute(op.attributes[name]) for name in op.attributes},
        "regions": [_block(region, numbers) for region in op.regions],
    }


def _number(value: Any, numbers: Numbers) -> int:
    return numbers.setdefault(value, len(numbers))


def _type(found: Any) -> tuple[list[int], str]:
    """The shape, and MLIR's name of the elements, after `*` where they are pointers."""
    if isinstance(found, ir.RankedTensorType):
        return list(found.shape), _type(found.element_type)[1]
    if isinstance(found, dialect.PointerType):
        return [], f"*{found.pointee_type}"
    return [], str(found)


def _attribute(found: Any) -> Any:
    """The value of an attribute; the text of any that no operation needs."""
    match found:
        case ir.BoolAttr() | ir.IntegerAttr() | ir.FloatAttr() | ir.StringAttr():
            return found.value
        case ir.DenseElementsAttr() if found.is_splat:
            return _attribute(found.get_splat_value())
        case ir.DenseElementsAttr():
            return np.array(found).reshape(-1).tolist()
        case ir.DenseI32ArrayAttr():
            return list(found)
    return str(found)
