"""Reference for composed maps: element dependences, op by op, without composing formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.chains import Chains, ValueMap
from hloscope.engine.indexing import IndexMap
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ops.control_flow.functions import Call
from hloscope.engine.ops.core.op import Ask, AskingOp
from hloscope.engine.program import BoundBlock, BoundProgram

Array = NDArray[Any]
Matrix = NDArray[np.bool_]
"""[elements of one value, elements of another], row-major: whether the first depends on the second."""
Frame = tuple[int, ...]
"""The calls that contain a value."""


@dataclass
class Run:
    """The values of a run without loops and branches, by call and number."""

    program: BoundProgram
    values: dict[tuple[Frame, int], Array] = field(default_factory=dict)

    def block(self, block: BoundBlock, arguments: Sequence[Array], calls: Frame = ()) -> tuple[Array, ...]:
        for number, value in zip(block.arguments, arguments, strict=True):
            self.values[calls, number] = value
        *operations, end = block.operations
        for bound in operations:
            given = tuple(self.values[calls, number] for number in bound.operands)
            if isinstance(bound.op, Call):
                called = self.program.blocks[self.program.find_callee(block, bound.op.callee).block]
                found = self.block(called, given, (*calls, bound.id))
            else:
                with np.errstate(all="ignore"):  # as in the interpreter
                    op = bound.op
                    answer = op.begin(given) if isinstance(op, AskingOp) else op.evaluate(*given)
                assert not isinstance(answer, Ask)
                found = answer if isinstance(answer, tuple) else (answer,)
            for number, value in zip(bound.results, found, strict=True):
                self.values[calls, number] = value
        return tuple(self.values[calls, number] for number in end.operands)

    def related(self, block: BoundBlock, given: dict[int, Matrix], calls: Frame = ()) -> dict[int, Matrix]:
        """How each value of a block depends on the elements in the rows of `given`."""
        found = dict(given)
        width = next(iter(given.values())).shape[1]
        for bound in block.operations[:-1]:
            if isinstance(bound.op, Call):
                called = self.program.blocks[self.program.find_callee(block, bound.op.callee).block]
                operands = [found.get(number) for number in bound.operands]
                inner = {
                    number: known
                    for number, known in zip(called.arguments, operands, strict=True)
                    if known is not None
                }
                results = self.related(called, inner, (*calls, bound.id)) if inner else {}
                for number, value in zip(bound.results, called.operations[-1].operands, strict=True):
                    if value in results:
                        found[number] = results[value]
                continue
            arrays = [self.values[calls, number] for number in bound.operands]
            for item in bound.op.index_maps():
                operand, result = bound.operands[item.operand], bound.results[item.result]
                if operand not in found:
                    continue
                read = matrix(item.map, self.values[calls, result].shape, arrays[item.operand].shape, arrays)
                known = found.get(result, np.zeros((read.shape[0], width), np.bool_))
                found[result] = known | (read @ found[operand])
        return found


def matrix(index_map: IndexMap, start: Sequence[int], end: Sequence[int], operands: Sequence[Any]) -> Matrix:
    """All pairs of a map, by enumerating indices and ranges."""
    found = np.zeros((prod(start), prod(end)), np.bool_)
    if index_map.is_known_empty:
        return found
    ranges = [range(i.lower, i.upper + 1) for i in index_map.ranges]
    rows = [(*d, *s) for d in product(*map(range, start)) for s in product(*ranges)]
    table = np.array(rows, np.int64).reshape(len(rows), len(start) + len(ranges))
    indices, mask = BoundMap(index_map, tuple(operands)).evaluate(
        table[:, : len(start)], table[:, len(start) :]
    )
    here, there = table[mask, : len(start)], indices[mask]
    assert (there >= 0).all(), "a map leaves the tensor"
    assert (there < np.array(end, np.int64)).all(), "a map leaves the tensor"
    found[_positions(here, start), _positions(there, end)] = True
    return found


def _positions(indices: NDArray[np.int64], shape: Sequence[int]) -> NDArray[np.int64]:
    weights = [prod(shape[k + 1 :]) for k in range(len(shape))]
    return np.asarray(indices @ np.array(weights, np.int64), np.int64)


def united(chains: Chains, maps: Iterable[ValueMap], run: Run, start: int, end: int) -> tuple[Matrix, bool]:
    """The relation of two values of `main` by their chains, and whether it only encloses."""
    shapes = [run.values[(), number].shape for number in (start, end)]
    found = np.zeros((prod(shapes[0]), prod(shapes[1])), np.bool_)
    enclosing = False
    for item in maps:
        found |= matrix(item.map, shapes[0], shapes[1], _read(chains, run, item.map))
        enclosing |= item.enclosing
    return found, enclosing


def _read(chains: Chains, run: Run, index_map: IndexMap) -> list[Array | None]:
    used: set[int] = set()
    waiting = list(index_map.runtimes)
    while waiting:
        variable = waiting.pop()
        used.add(variable.operand)
        waiting.extend(variable.map.runtimes)
    found: list[Array | None] = [None] * (max(used, default=-1) + 1)
    for number in used:
        source = chains.sources.source(number)
        assert source.leaf is not None
        found[number] = run.values[source.calls, source.leaf.value]
    return found
