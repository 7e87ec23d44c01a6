"""A program of the processes of a grid, as it runs here and on the reference interpreter."""

from __future__ import annotations

from dataclasses import dataclass

from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.process_groups import Grid

from .cases import Case, typed
from .values import Array, Flavour, array, literal


@dataclass(frozen=True)
class Function:
    """`lines` compute `results` from `%a0`, `%a1`, …"""

    lines: tuple[str, ...]
    types: tuple[TensorType, ...]
    results: tuple[tuple[str, TensorType], ...]

    def text(self, name: str) -> str:
        """The function under a name."""
        given = ", ".join(f"%a{number}: {found}" for number, found in enumerate(self.types))
        body = "".join(f"  {line}\n" for line in self.lines)
        names = ", ".join(name for name, _ in self.results)
        listed = typed(*(found for _, found in self.results))
        return f"func.func @{name}({given}) -> ({listed}) {{\n{body}  return {names} : {listed}\n}}\n"


@dataclass(frozen=True)
class GridCase:
    """One function that all processes run, or one for each."""

    grid: Grid
    functions: tuple[Function, ...]
    seed: int
    flavour: Flavour
    queue: tuple[TensorType, ...] = ()
    """What all processes together can take."""

    @property
    def processes(self) -> tuple[Function, ...]:
        """What each of them runs."""
        count = self.grid.num_processes
        return self.functions if len(self.functions) == count else self.functions * count

    @property
    def operands(self) -> list[tuple[Array, ...]]:
        """Those of each process: no two alike."""
        return [
            tuple(self._value(number, found, process) for number, found in enumerate(function.types))
            for process, function in enumerate(self.processes)
        ]

    def _value(self, number: int, found: TensorType, process: int) -> Array:
        return array(self.seed + 7919 * number + 104729 * process, found, self.flavour)

    @property
    def fed(self) -> list[Array]:
        """What is in the queue."""
        return [self._value(number, found, 97) for number, found in enumerate(self.queue)]

    @property
    def text(self) -> str:
        """The processes' functions: `@process0`, …"""
        return "".join(function.text(f"process{number}") for number, function in enumerate(self.functions))

    @property
    def program(self) -> str:
        """With a `@main` that starts them with constants; what it gives Python can read."""
        return self.main().literal_program + self.text + "".join(self._queue_functions())

    def _queue_functions(self) -> list[str]:
        return [
            Function((f"%v = stablehlo.constant {literal(value, found)}",), (), (("%v", found),)).text(
                f"item{number}"
            )
            for number, (value, found) in enumerate(zip(self.fed, self.queue, strict=True))
        ]

    def main(self) -> Case:
        """`@main` as an op with operands: those of all processes, one behind the other."""
        types = tuple(found for function in self.processes for found in function.types)
        results = tuple(found for function in self.processes for _, found in function.results)
        width = self.grid.num_partitions
        names = [f"@process{number % len(self.functions)}" for number in range(self.grid.num_processes)]
        rows = [f"[{', '.join(names[start : start + width])}]" for start in range(0, len(names), width)]
        queue = ", ".join(f"@item{number}" for number in range(len(self.queue)))
        given = ", ".join(f"%a{number}" for number in range(len(types)))
        name = "%r" if len(results) == 1 else f"%r:{len(results)}"
        statement = (
            f'{name} = "interpreter.run_parallel"({given}) {{'
            f"{f'infeed = [{queue}], ' if queue else ''}programs = [{', '.join(rows)}]}} "
            f": ({typed(*types)}) -> ({typed(*results)})"
        )
        operands = [value for process in self.operands for value in process]
        return Case(statement, types, results, given=dict(enumerate(operands)))
