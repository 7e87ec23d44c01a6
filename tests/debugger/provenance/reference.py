"""What each element depends on, found slowly and in another way: dependences are carried forward through a run of
one's own, element by element, as each op's maps say by enumeration.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ops.control_flow.control_flow import If, While
from hloscope.engine.ops.control_flow.functions import Call
from hloscope.engine.ops.core.bases import Selecting
from hloscope.engine.ops.core.op import Array, Ask, AskingOp, Op
from hloscope.engine.ops.indexed.scatter import Scatter
from hloscope.engine.program import BoundBlock, BoundProgram


@dataclass
class Value:
    """An array, and for each element a set of input elements, as the bits of a number."""

    array: Array
    bits: NDArray[np.object_]


Values = dict[int, Value]


class Reference:
    """One run."""

    def __init__(self, program: BoundProgram) -> None:
        self.program = program

    def results(self, inputs: Sequence[Array]) -> list[Value]:
        """What the entry function gives; input elements are counted through all inputs."""
        values, first = [], 0
        for array in inputs:
            bits = np.empty(array.shape, object)
            for position in range(array.size):
                bits.reshape(-1)[position] = 1 << (first + position)
            first += array.size
            values.append(Value(array, bits))
        entry = self.program.entry
        assert entry is not None
        with np.errstate(all="ignore"):
            return self.block(self.program.blocks[entry.block], {}, values)

    def block(self, block: BoundBlock, around: Values, arguments: Sequence[Value]) -> list[Value]:
        """What a block gives."""
        known = {**around, **dict(zip(block.arguments, arguments, strict=True))}
        for bound in block.operations:
            operands = [known[number] for number in bound.operands]
            if bound.op.traits.is_terminator:
                return operands
            results = self._control(bound, operands, known)
            known.update(zip(bound.results, results, strict=True))
        raise AssertionError("a block without an end")

    def _control(self, bound: object, operands: list[Value], known: Values) -> list[Value]:
        op: Op = bound.op  # type: ignore[attr-defined]
        regions = [self.program.blocks[number] for number in bound.regions]  # type: ignore[attr-defined]
        if isinstance(op, Call):
            return self.block(self.program.blocks[self.program.functions[op.callee].block], {}, operands)
        if isinstance(op, If):
            taken = self.block(regions[0 if operands[0].array else 1], known, [])
            return [_hanging_on(value, _all(operands[0])) for value in taken]
        if isinstance(op, While):
            decided = 0
            while True:
                (more,) = self.block(regions[0], known, operands)
                decided |= _all(more)
                if not more.array:
                    return [_hanging_on(value, decided) for value in operands]
                operands = self.block(regions[1], known, operands)
        return self._ordinary(op, operands)

    def _ordinary(self, op: Op, operands: list[Value]) -> list[Value]:
        arrays = tuple(value.array for value in operands)
        answer = op.begin(arrays) if isinstance(op, AskingOp) else op.evaluate(*arrays)
        assert not isinstance(answer, Ask), op.name
        results = answer if isinstance(answer, tuple) else (answer,)
        given = op.runtime_variables.map_operands(op, arrays)
        found = [Value(np.asarray(array), np.zeros(np.shape(array), object)) for array in results]
        for item in op.value_maps() if isinstance(op, Selecting | Scatter) else op.index_maps():
            if item.operand >= len(operands):
                continue
            bound, bits = BoundMap(item.map, tuple(given)), operands[item.operand].bits
            target = found[item.result].bits
            for index in np.ndindex(target.shape):
                for element in bound.elements(index).indices.tolist():
                    target[index] |= bits[tuple(element)]
                if isinstance(op, Scatter) and item.operand == len(op.inputs):
                    # Every row of indices decides whether an update comes here; the map has those that did.
                    target[index] |= _all(operands[item.operand])
        return found


def _all(value: Value) -> int:
    total = 0
    for bits in value.bits.reshape(-1):
        total |= bits
    return total


def _hanging_on(value: Value, more: int) -> Value:
    bits = value.bits.copy()
    flat = bits.reshape(-1)
    for position in range(flat.size):
        flat[position] |= more
    return Value(value.array, bits)
