"""The dialect `interpreter` of StableHLO's own tests: a program that shows, keeps and starts things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import RunError
from ..indexing import IndexMap, OperandMap
from ..ir.attributes import ArrayAttribute, SymbolAttribute
from ..ir.types import FunctionType, TensorType, Type
from .op import Array, Ask, AskingOp, Callee, CallFunction, Constraint, Cost, Keep, Op, Print

_SHOWN = 100
"""Elements that are printed; of a larger tensor some of either end."""


@dataclass(frozen=True)
class PrintOp(AskingOp):
    """Prints `operand` into the run's messages; of a large tensor the ends of each dimension."""

    name = "interpreter.print"
    short_form = "operands attr-dict : operand-type"
    input_labels: ClassVar = {}

    operand: TensorType

    def infer(self) -> tuple[Type, ...]:
        return ()

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        value = operands[0]
        shown = np.array2string(value, separator=", ", threshold=_SHOWN, formatter={"float_kind": str})
        return Ask(None, Print(f"{self.operand.with_shape(value.shape)} {shown}"))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return ()


@dataclass(frozen=True)
class Probe(AskingOp):
    """Gives `operand` as it is, and keeps it under `probe_id` for `check.expect_serialized_eq` and for files."""

    name = "interpreter.probe"
    short_form = "operands , probe_id = $probe_id attr-dict : same-type"
    input_labels: ClassVar = {}

    operand: TensorType
    probe_id: str

    def infer(self) -> Type:
        return self.operand

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands, Keep(self.probe_id, operands[0]))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return tuple(state)

    def index_maps(self) -> Iterator[OperandMap]:
        yield OperandMap(0, IndexMap.identity(self.operand.sizes))

    inverse_index_maps = index_maps


@dataclass(frozen=True)
class RunParallel(AskingOp):
    """Runs a function on each process of a grid, `programs` being replicas x partitions of functions.

    Operands and results are those of the processes, one behind the other. A run has one process so far: a grid of
    one runs here, as a call; a run stops at a larger one. `infeed` are functions that give what `infeed` takes.
    """

    name = "interpreter.run_parallel"
    input_labels: ClassVar = {}

    inputs: tuple[Type, ...]
    programs: ArrayAttribute
    results: tuple[Type, ...]
    infeed: ArrayAttribute | None = None

    def constraints(self) -> Iterator[Constraint]:
        rows = self.programs.elements
        fine = bool(rows) and all(isinstance(row, ArrayAttribute) and row.elements for row in rows)
        yield "", fine, "programs must be rows of functions, as in [[@a, @b], [@c, @d]]"
        names = [name for row in rows if isinstance(row, ArrayAttribute) for name in row.elements]
        yield (
            "",
            all(isinstance(name, SymbolAttribute) for name in names),
            "programs must hold function names",
        )
        lengths = sorted({len(row.elements) for row in rows if isinstance(row, ArrayAttribute)})
        yield "", len(lengths) == 1, f"rows of programs must have one length, not {lengths}"

    @property
    def _grid(self) -> list[list[str]]:
        rows = [row for row in self.programs.elements if isinstance(row, ArrayAttribute)]
        return [[name.root for name in row.elements if isinstance(name, SymbolAttribute)] for row in rows]

    @property
    def _only(self) -> str | None:
        """The function of a grid of one."""
        grid = self._grid
        return grid[0][0] if len(grid) == 1 and len(grid[0]) == 1 else None

    def callees(self) -> tuple[Callee, ...]:
        if self._only is None:
            return ()
        return (Callee(self._only, FunctionType(self.inputs, self.results)),)

    def unrunnable(self) -> str | None:
        if self._only is not None:
            return None
        replicas, partitions = len(self._grid), len(self._grid[0])
        return f"runs {replicas} x {partitions} processes, and this run has one"

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        if self._only is None:
            raise RunError(str(self.unrunnable()))
        return Ask(None, CallFunction(self._only, operands))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return answer

    def cost(self, operand_types: tuple[Type, ...], result_types: tuple[Type, ...]) -> Cost:
        return Cost(0, 0)  # what it runs has a cost of its own


OPS: tuple[type[Op], ...] = (PrintOp, Probe, RunParallel)
