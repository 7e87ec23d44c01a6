"""One op with its operands, and the programs that run it: here, on the reference interpreter, on XLA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType

from .values import Array, Flavour, array, literal

_READABLE = {
    "i2": "i8",
    "i4": "i8",
    "ui2": "ui8",
    "ui4": "ui8",
    "complex<f32>": "f32",
    "complex<f64>": "f64",
}

_EDGES: tuple[Flavour, ...] = ("edges",)


@dataclass(frozen=True)
class Case:
    """`statement` computes `%r` (or `%r:2`) from `%a0`, `%a1`, …"""

    statement: str
    types: tuple[TensorType, ...]
    results: tuple[TensorType, ...]
    seed: int = 0
    flavours: tuple[Flavour, ...] = ()
    given: dict[int, Array] = field(default_factory=dict)
    """Operands that cannot be just anything (indices)."""
    functions: str = ""
    """Functions that the statement calls; their names start with `@aux`."""
    ulps: int = 0
    """How far a result may be away, in units of the last place."""
    outside: bool = False
    """Whether a window reaches out of the operand."""
    relative: float = 0.0
    """Or as a part of the largest magnitude, where the order of summation is open."""
    own: float = 0.0
    """Or as a part of the element's own magnitude, of a complex one its modulus; zeros of either sign are equal."""
    interpreter_only: bool = False
    """Whether XLA refuses to compile it."""
    alone: bool = False
    """Whether XLA is to compile it in a program of its own."""
    parallel: bool = False
    """Whether the reference interpreter wants to be told that it runs a grid of processes, of one process here."""

    @cached_property
    def operands(self) -> tuple[Array, ...]:
        """One array for each operand."""
        flavours: tuple[Flavour, ...] = self.flavours or _EDGES * len(self.types)
        return tuple(
            self.given[number] if number in self.given else array(self.seed + 7919 * number, found, flavour)
            for number, (found, flavour) in enumerate(zip(self.types, flavours, strict=True))
        )

    @property
    def program(self) -> str:
        """The op in `@main`, its operands as arguments."""
        arguments = ", ".join(f"%a{number}: {found}" for number, found in enumerate(self.types))
        names = ", ".join(result_names(self.results))
        listed = ", ".join(map(str, self.results))
        return (
            f"func.func @main({arguments}) -> ({listed}) {{\n"
            f"  {self.statement}\n  return {names} : {listed}\n}}\n{self.functions}"
        )

    @property
    def literal_program(self) -> str:
        """The same with constants, results converted to what Python can read from a literal."""
        lines = [
            f"%a{number} = stablehlo.constant {literal(value, found)}"
            for number, (value, found) in enumerate(zip(self.operands, self.types, strict=True))
        ]
        if self.parallel:
            process = replace(self, statement=self._in_a_grid, parallel=False, functions="")
            return process.literal_program + self.program.replace("@main", "@process")
        return self._readable_function("@main", "", lines) + self.functions

    @property
    def _in_a_grid(self) -> str:
        """A call of `@process` as the only process of a grid."""
        count = len(self.results)
        given = ", ".join(f"%a{number}" for number in range(len(self.types)))
        return (
            f'%r{"" if count == 1 else f":{count}"} = "interpreter.run_parallel"({given}) '
            f"{{programs = [[@process]]}} : ({typed(*self.types)}) -> ({typed(*self.results)})"
        )

    def function(self, number: int) -> str:
        """As private functions of a batch, under names of their own."""
        arguments = ", ".join(f"%a{k}: {found}" for k, found in enumerate(self.types))
        text = self._readable_function(f"private @case{number}", arguments, []) + self.functions
        return text.replace("@aux", f"@case{number}_aux")

    def _readable_function(self, name: str, arguments: str, lines: Sequence[str]) -> str:
        lines = [*lines, self.statement]
        values: list[str] = []
        types: list[str] = []
        for value, found in zip(result_names(self.results), self.results, strict=True):
            for number, op in enumerate(_readers(found.element_type)):
                readable = readable_type(found)
                if op:
                    fresh = f"%read{len(values)}_{number}"
                    lines.append(f"{fresh} = stablehlo.{op} {value} : ({found}) -> {readable}")
                values.append(fresh if op else value)
                types.append(str(readable))
        listed = ", ".join(types)
        body = "".join(f"  {line}\n" for line in lines)
        end = f"  return {', '.join(values)} : {listed}\n"
        return f"func.func {name}({arguments}) -> ({listed}) {{\n{body}{end}}}\n"


def result_names(results: Sequence[TensorType]) -> list[str]:
    """`%r`, or `%r#0`, `%r#1`, …"""
    return ["%r"] if len(results) == 1 else [f"%r#{number}" for number in range(len(results))]


def _readers(element_type: ElementType) -> tuple[str, ...]:
    if element_type.is_complex:
        return ("real", "imag")
    return ("convert",) if _readable_name(element_type) != element_type.name else ("",)


def _readable_name(element_type: ElementType) -> str:
    if element_type.is_float and element_type.name not in ("f16", "f32", "f64"):
        return "f32"
    return _READABLE.get(element_type.name, element_type.name)


def readable_type(value_type: TensorType) -> TensorType:
    """The type that an oracle hands over; of a complex one, that of each part."""
    return TensorType(value_type.shape, ELEMENT_TYPES[_readable_name(value_type.element_type)])


def from_readable(results: Sequence[TensorType], found: Sequence[Array]) -> list[Array]:
    """The results in their own types, from what an oracle handed over."""
    rest = list(found)
    arrays = []
    for expected in results:
        part = rest.pop(0)
        value = np.empty(expected.sizes, expected.element_type.dtype)
        if expected.element_type.is_complex:
            value.real, value.imag = part, rest.pop(0)
        else:
            with np.errstate(all="ignore"):
                value[...] = part.reshape(expected.sizes).astype(value.dtype)
        arrays.append(value)
    return arrays


def batch_program(cases: Sequence[Case]) -> str:
    """One module whose `@main` runs every case and returns all their results."""
    calls, names, types = [], [], []
    arguments = []
    for number, case in enumerate(cases):
        own = [f"%c{number}_{k}" for k in range(len(case.types))]
        arguments += [f"{name}: {found}" for name, found in zip(own, case.types, strict=True)]
        readable = [str(readable_type(found)) for found in case.results for _ in _readers(found.element_type)]
        given = f"({', '.join(map(str, case.types))})"
        calls.append(
            f"  %v{number}:{len(readable)} = func.call @case{number}({', '.join(own)})"
            f" : {given} -> ({', '.join(readable)})\n"
        )
        names += [f"%v{number}#{k}" for k in range(len(readable))]
        types += readable
    listed = ", ".join(types)
    main = f"func.func @main({', '.join(arguments)}) -> ({listed}) {{\n{''.join(calls)}"
    main += f"  return {', '.join(names)} : {listed}\n}}\n"
    return main + "".join(case.function(number) for number, case in enumerate(cases))


sizes = st.sampled_from((0, 1, 1, 2, 2, 3, 3, 4))
positive_sizes = st.sampled_from((1, 1, 2, 2, 3, 4))
shapes = st.lists(sizes, max_size=3).map(tuple)
seeds = st.integers(0, 1 << 30)


def typed(*types: TensorType) -> str:
    """`tensor<…>, tensor<…>`."""
    return ", ".join(map(str, types))


def arguments(count: int, first: int = 0) -> str:
    """`%a0, %a1`."""
    return ", ".join(f"%a{number}" for number in range(first, first + count))


def integers(values: Sequence[int]) -> str:
    """`array<i64: 1, 2>`."""
    return f"array<i64: {', '.join(map(str, values))}>" if values else "array<i64>"
