"""The bodies of `generators.bodies` as computations of HLO."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hloscope.engine.ir.element_types import I1
from hloscope.engine.ir.types import TensorType

from ..bodies import Body
from .text import Computation, Value

_LINE = re.compile(r"(%\w+) = stablehlo\.(\w+) (?:([A-Z]{2}), )?(.*?) : ")


def computation(name: str, body: Body, scalars: Sequence[TensorType]) -> Computation:
    """Parameters are what is there, then what comes; several results are a tuple."""
    found = Computation(name)
    values = {f"%x{k}": found.parameter(scalar) for k, scalar in enumerate(scalars)}
    values |= {f"%y{k}": found.parameter(scalar) for k, scalar in enumerate(scalars)}
    for line in body.lines:
        match = _LINE.match(line)
        assert match is not None, line
        value, opcode, direction, operands = match.groups()
        shape = scalars[0].with_element_type(I1) if opcode == "compare" else scalars[0]
        attribute = f"direction={direction}" if direction else ""
        values[value] = found.op(
            opcode, [values[operand] for operand in operands.split(", ")], shape, attribute
        )
    returned: list[Value] = [values[value] for value in body.returned]
    found.root = returned[0] if len(returned) == 1 else found.pack(returned)
    return found
