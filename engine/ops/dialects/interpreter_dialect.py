"""The dialect `interpreter` of StableHLO's own tests: a program that shows, keeps and starts things."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...indexing import IndexMap, OperandMap
from ...ir.attributes import ArrayAttribute, Attribute, SymbolAttribute
from ...ir.module import Module
from ...ir.types import FunctionType, TensorType, Type
from ..core.exchanges import RunGrid
from ..core.facets.findings import Findings
from ..core.op import Array, Ask, AskingOp, Callee, Constraint, Keep, Print, no_cost
from ..core.process_groups import Grid
from ..core.rules import format_list

_SHOWN = 100
"""Elements that are printed; of a larger tensor some of either end."""


@dataclass(frozen=True)
class PrintOp(AskingOp):
    """Prints `operand` into the run's messages; of a large tensor the ends of each dimension."""

    name = "interpreter.print"
    findings = Findings(sends_outside=True)
    short_form = "operands attr-dict : operand-type"

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

    operand: TensorType
    probe_id: str

    def infer(self) -> Type:
        return self.operand

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(operands, Keep(self.probe_id, operands[0]))

    def resume(self, state: Any, answer: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return tuple(state)

    def directed_maps(self, *, inverse: bool) -> Iterator[OperandMap]:
        yield OperandMap(0, IndexMap.identity(self.operand.sizes))


@dataclass(frozen=True)
class RunParallel(AskingOp):
    """Runs a function on each process of a grid, `programs` being replicas x partitions of functions.

    Operands and results are those of the functions, process after process: one behind the other in a row, then the
    next row. `infeed` are functions without inputs: what the n-th of them gives is what the n-th infeed of all
    processes together takes. Without any, the processes take from the queues of the run. The processes share their
    host: a channel on which some send to it and some receive from it is one queue between them.
    """

    name = "interpreter.run_parallel"

    inputs: tuple[Type, ...]
    programs: ArrayAttribute
    results: tuple[Type, ...]
    infeed: ArrayAttribute | None = None
    types: tuple[FunctionType | None, ...] | None = field(default=None, metadata={"settled": True})
    """The types of the functions, in the order in which the op names them; set by the verifier."""

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
        queue = self.infeed.elements if self.infeed else ()
        symbols = all(isinstance(name, SymbolAttribute) for name in queue)
        yield "", symbols, "infeed must hold function names, as in [@first, @second]"
        yield "", self.infeed is None or bool(queue), "infeed must not be empty; leave it out"
        if self.types is not None:
            known = dict(zip(self._names, self.types, strict=True))
            yield from self._program_constraints(known)
            yield from self._infeed_constraints(known)

    def _program_constraints(self, known: Mapping[str, FunctionType | None]) -> Iterator[Constraint]:
        """The functions' inputs and results are the op's operands and results, in order."""
        functions = [
            (name, known[name] or FunctionType((), ())) for row in self.grid_of_names for name in row
        ]
        taken = [(name, found) for name, function in functions for found in function.inputs]
        given = [(name, found) for name, function in functions for found in function.results]
        yield from _fit(self.inputs, taken, "operand", "take")
        yield from _fit(self.results, given, "result", "give")

    def _infeed_constraints(self, known: Mapping[str, FunctionType | None]) -> Iterator[Constraint]:
        for name in self._queue:
            found = known[name]
            inputs = found.inputs if found else ()
            yield "", not inputs, f"@{name} of infeed must take nothing, not {format_list(inputs)}"

    @property
    def grid_of_names(self) -> tuple[tuple[str, ...], ...]:
        """The function of each process, by replica and partition."""
        return tuple(_symbols(row) for row in self.programs.elements)

    @property
    def grid(self) -> Grid:
        """The grid that it starts."""
        names = self.grid_of_names
        return Grid(len(names), len(names[0]))

    @property
    def _queue(self) -> tuple[str, ...]:
        return _symbols(self.infeed)

    @property
    def _names(self) -> tuple[str, ...]:
        """All functions that the op names, each once."""
        return tuple(dict.fromkeys([*(name for row in self.grid_of_names for name in row), *self._queue]))

    def link(self, module: Module) -> RunParallel:
        functions = map(module.function, self._names)
        return replace(self, types=tuple(found.type if found else None for found in functions))

    def callees(self) -> tuple[Callee, ...]:
        """The functions as they are: how they fit is a rule of the op."""
        types = self.types or (None,) * len(self._names)
        return tuple(
            Callee(name, found or FunctionType((), ()))
            for name, found in zip(self._names, types, strict=True)
        )

    def begin(self, operands: tuple[Array, ...]) -> Ask | tuple[Array, ...]:
        return Ask(None, RunGrid(self.grid_of_names, operands, self._queue))

    cost = no_cost


def _fit(
    stated: tuple[Type, ...], wanted: list[tuple[str, Type]], noun: str, verb: str
) -> Iterator[Constraint]:
    """Constraint: the op's operands or results have the types of its functions' arguments or results, in order."""
    count, total = len(stated), len(wanted)
    yield "", count == total, f"must have as many {noun}s as the functions {verb}, {total}, not {count}"
    for number, (found, (name, expected)) in enumerate(zip(stated, wanted, strict=True)):
        sentence = f"{noun} {number} must be {expected}, which @{name} {verb}s, not {found}"
        yield "", found == expected, sentence


def _symbols(found: Attribute | None) -> tuple[str, ...]:
    """The functions that a list names."""
    elements = found.elements if isinstance(found, ArrayAttribute) else ()
    return tuple(name.root for name in elements if isinstance(name, SymbolAttribute))
