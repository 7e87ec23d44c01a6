"""A program of the processes of a grid, as it runs here and on the reference interpreter."""

from __future__ import annotations

from dataclasses import dataclass

from engine.ir.types import TensorType
from engine.ops.process_groups import Grid

from .cases import Case, typed
from .values import Array, Flavour, array


@dataclass(frozen=True)
class GridCase:
    """`lines` compute `results` from `%a0`, `%a1`, … in each process."""

    grid: Grid
    lines: tuple[str, ...]
    types: tuple[TensorType, ...]
    results: tuple[tuple[str, TensorType], ...]
    seed: int
    flavour: Flavour

    @property
    def result_types(self) -> tuple[TensorType, ...]:
        """Those of one process."""
        return tuple(found for _, found in self.results)

    @property
    def operands(self) -> list[tuple[Array, ...]]:
        """Those of each process: no two alike."""
        return [
            tuple(
                array(self.seed + 7919 * number + 104729 * process, found, self.flavour)
                for number, found in enumerate(self.types)
            )
            for process in range(self.grid.num_processes)
        ]

    entry = "process"
    """The function that each process runs where nothing starts them."""

    @property
    def process_program(self) -> str:
        """Without what starts them."""
        return self.process

    @property
    def process(self) -> str:
        """The function that every process runs."""
        given = ", ".join(f"%a{number}: {found}" for number, found in enumerate(self.types))
        body = "".join(f"  {line}\n" for line in self.lines)
        names = ", ".join(name for name, _ in self.results)
        listed = typed(*self.result_types)
        return f"func.func @process({given}) -> ({listed}) {{\n{body}  return {names} : {listed}\n}}\n"

    @property
    def program(self) -> str:
        """With a `@main` that starts them with constants; what it gives Python can read."""
        return self.main().literal_program + self.process

    def main(self) -> Case:
        """`@main` as an op with operands: those of all processes, one behind the other."""
        count = self.grid.num_processes
        types, results = self.types * count, self.result_types * count
        rows = [["@process"] * self.grid.num_partitions] * self.grid.num_replicas
        programs = ", ".join(f"[{', '.join(row)}]" for row in rows)
        given = ", ".join(f"%a{number}" for number in range(len(types)))
        name = "%r" if len(results) == 1 else f"%r:{len(results)}"
        statement = (
            f'{name} = "interpreter.run_parallel"({given}) {{programs = [{programs}]}} '
            f": ({typed(*types)}) -> ({typed(*results)})"
        )
        operands = [value for process in self.operands for value in process]
        return Case(statement, types, results, given=dict(enumerate(operands)))
