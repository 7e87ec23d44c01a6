"""Random programs of many ops, with inputs: what provenance is proved on."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from random import Random

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
MOST = 16
"""Elements of a tensor."""


def tensor(shape: Shape, kind: str = "f64") -> str:
    """`tensor<2x3xf64>`."""
    return f"tensor<{''.join(f'{size}x' for size in shape)}{kind}>"


@dataclass
class Body:
    """Ops of one block, and the values that they may read."""

    lines: list[str] = field(default_factory=list)
    values: list[tuple[str, Shape]] = field(default_factory=list)
    indent: str = "  "


class Generator:
    """Writes one program; `text` has at least `wanted` ops in it."""

    def __init__(self, seed: int, wanted: int) -> None:
        self.random, self.wanted = Random(seed), wanted
        self.names = self.ops = 0
        self.functions: list[str] = []
        self.inputs: list[tuple[str, Shape, str]] = []
        self.body = Body()
        self.depth = 0
        self.text = self._program()

    def arrays(self) -> list[NDArray[np.generic]]:
        """Inputs for it."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        found: list[NDArray[np.generic]] = []
        for _, shape, kind in self.inputs:
            if kind == "f64":
                found.append(numbers.uniform(-1.5, 1.5, shape))
            else:
                found.append(numbers.integers(-1, 4, shape).astype(np.int32))
        return found

    def _program(self) -> str:
        for shape in ((4,), (2, 3), (3, 2, 2)):
            self._input(shape)
        self.indices = [self._input((), "i32"), self._input((), "i32")]
        self.rows = self._input((3, 1), "i32")
        while self.ops < self.wanted:
            self._any()
        largest = sorted(self.body.values[-20:], key=lambda value: prod(value[1]))
        results = [self.body.values[-1], *largest[-2:]]
        names, types = ", ".join(n for n, _ in results), ", ".join(tensor(s) for _, s in results)
        arguments = ", ".join(f"{n}: {tensor(s, k)}" for n, s, k in self.inputs)
        lines = "\n".join(self.body.lines)
        main = f"func.func @main({arguments}) -> ({types}) {{\n{lines}\n  return {names} : {types}\n}}"
        return "\n".join([main, *self.functions])

    def _input(self, shape: Shape, kind: str = "f64") -> str:
        name = f"%in{len(self.inputs)}"
        self.inputs.append((name, shape, kind))
        if kind == "f64":
            self.body.values.append((name, shape))
        return name

    # Values

    def _emit(self, text: str, shape: Shape) -> tuple[str, Shape]:
        """One op, and its result."""
        name = self._line(text)
        self.body.values.append((name, shape))
        return name, shape

    def _line(self, text: str) -> str:
        self.names += 1
        self.ops += 1
        name = f"%v{self.names}"
        self.body.lines.append(f"{self.body.indent}{name} = {text}")
        return name

    def _pick(self, rank: int | None = None) -> tuple[str, Shape]:
        """A value, mostly one of the last."""
        fitting = [found for found in self.body.values if rank is None or len(found[1]) == rank]
        if not fitting:
            return self._reshaped(self._pick(), rank or 0)
        recent = fitting[-6:] if self.random.random() < 0.8 else fitting
        return self.random.choice(recent)

    def _like(self, shape: Shape) -> str:
        """A value of a shape, made for it if there is none."""
        fitting = [name for name, found in self.body.values if found == shape]
        if fitting and self.random.random() < 0.9:
            return self.random.choice(fitting[-4:])
        flat, size = self._flat()
        wanted = prod(shape)
        if size < wanted:
            copies = -(-wanted // size)
            many = ", ".join([flat] * copies)
            types = ", ".join([tensor((size,))] * copies)
            joined = f"stablehlo.concatenate {many}, dim = 0 : ({types}) -> {tensor((size * copies,))}"
            flat, size = self._emit(joined, (size * copies,))[0], size * copies
        if size > wanted:
            cut = f"stablehlo.slice {flat} [{size - wanted}:{size}] : ({tensor((size,))}) -> {tensor((wanted,))}"
            flat = self._emit(cut, (wanted,))[0]
        return self._emit(f"stablehlo.reshape {flat} : ({tensor((wanted,))}) -> {tensor(shape)}", shape)[0]

    def _flat(self) -> tuple[str, int]:
        name, shape = self._pick()
        size = prod(shape)
        text = f"stablehlo.reshape {name} : ({tensor(shape)}) -> {tensor((size,))}"
        return self._emit(text, (size,))[0], size

    def _reshaped(self, value: tuple[str, Shape], rank: int) -> tuple[str, Shape]:
        """The value with another rank; of a scalar its first element."""
        name, shape = value
        if rank == 0 and prod(shape) != 1:
            limits = ", ".join("0:1" for _ in shape)
            ones = (1,) * len(shape)
            name, shape = self._emit(
                f"stablehlo.slice {name} [{limits}] : ({tensor(shape)}) -> {tensor(ones)}", ones
            )
        size, sizes = prod(shape), []
        for _ in range(max(0, rank - 1)):
            factor = self.random.choice([d for d in (1, 2, 3, 4) if size % d == 0])
            sizes.append(factor)
            size //= factor
        target = (*sizes, size) if rank else ()
        return self._emit(f"stablehlo.reshape {name} : ({tensor(shape)}) -> {tensor(target)}", target)

    def _scalar(self) -> str:
        return self._reshaped(self._pick(), 0)[0]

    # Ops

    def _any(self) -> None:
        simple = [
            *(self._unary, self._binary, self._binary, self._reshape, self._transpose, self._slice),
            *(self._concatenate, self._pad, self._broadcast, self._reduce, self._dot, self._select),
            *(self._clamp, self._reverse, self._window),
        ]
        outer = [
            *(self._gather, self._scatter, self._dynamic_slice, self._dynamic_update_slice, self._sort),
            *(self._while, self._if, self._call),
        ]
        inside = self.depth > 0
        self.random.choice(simple if inside else simple + outer)()

    def _unary(self) -> None:
        name, shape = self._pick()
        what = self.random.choice(["negate", "tanh", "abs", "sine", "logistic"])
        self._emit(f"stablehlo.{what} {name} : {tensor(shape)}", shape)

    def _binary(self) -> None:
        name, shape = self._pick()
        other = self._like(shape)
        what = self.random.choice(["add", "subtract", "multiply", "maximum", "minimum"])
        self._emit(f"stablehlo.{what} {name}, {other} : {tensor(shape)}", shape)
        if what == "multiply":
            self._bounded()

    def _bounded(self) -> None:
        """Keeps the last value small: what has overflowed depends on nothing any more."""
        name, shape = self.body.values[-1]
        self._emit(f"stablehlo.tanh {name} : {tensor(shape)}", shape)

    def _reshape(self) -> None:
        self._reshaped(self._pick(), self.random.choice([1, 2, 2, 3]))

    def _transpose(self) -> None:
        name, shape = self._pick(self.random.choice([2, 3]))
        order = list(range(len(shape)))
        self.random.shuffle(order)
        target = tuple(shape[d] for d in order)
        text = f"stablehlo.transpose {name}, dims = {order} : ({tensor(shape)}) -> {tensor(target)}"
        self._emit(text, target)

    def _slice(self) -> None:
        name, shape = self._pick(self.random.choice([1, 2]))
        limits, target = [], []
        for size in shape:
            start = self.random.randrange(size)
            step = self.random.choice([1, 1, 2])
            limits.append(f"{start}:{size}:{step}")
            target.append(-(-(size - start) // step))
        text = f"stablehlo.slice {name} [{', '.join(limits)}] : ({tensor(shape)}) -> {tensor(tuple(target))}"
        self._emit(text, tuple(target))

    def _concatenate(self) -> None:
        name, shape = self._pick(self.random.choice([1, 2]))
        other = self._like(shape)
        dimension = self.random.randrange(len(shape))
        target = tuple(2 * s if d == dimension else s for d, s in enumerate(shape))
        if prod(target) > MOST:
            return
        types = f"({tensor(shape)}, {tensor(shape)}) -> {tensor(target)}"
        self._emit(f"stablehlo.concatenate {name}, {other}, dim = {dimension} : {types}", target)

    def _pad(self) -> None:
        name, shape = self._pick(1)
        low, high, between = self.random.choice([(1, 0, 0), (-1, 2, 0), (0, -1, 1), (1, 1, 1)])
        size = shape[0] + low + high + max(0, shape[0] - 1) * between
        if not 0 < size <= MOST:
            return
        value = self._scalar()
        config = f"low = [{low}], high = [{high}], interior = [{between}]"
        types = f"({tensor(shape)}, {tensor(())}) -> {tensor((size,))}"
        self._emit(f"stablehlo.pad {name}, {value}, {config} : {types}", (size,))

    def _broadcast(self) -> None:
        name, shape = self._pick(1)
        copies = self.random.choice([2, 3])
        if shape[0] * copies > MOST:
            return
        first = self.random.random() < 0.5
        target = (copies, shape[0]) if first else (shape[0], copies)
        where = f"dims = [{int(first)}] : ({tensor(shape)}) -> {tensor(target)}"
        self._emit(f"stablehlo.broadcast_in_dim {name}, {where}", target)

    def _reduce(self) -> None:
        name, shape = self._pick(self.random.choice([1, 2, 3]))
        dimension = self.random.randrange(len(shape))
        target = tuple(s for d, s in enumerate(shape) if d != dimension)
        what = self.random.choice(["add", "maximum", "minimum"])
        initial = self._scalar()
        text = (
            f"stablehlo.reduce({name} init: {initial}) applies stablehlo.{what} across dimensions = "
            f"[{dimension}] : ({tensor(shape)}, {tensor(())}) -> {tensor(target)}"
        )
        self._emit(text, target)

    def _dot(self) -> None:
        name, (rows, inner) = self._pick(2)
        columns = self.random.choice([1, 2, 3])
        if inner * columns > MOST or rows * columns > MOST:
            return
        other = self._like((inner, columns))
        types = f"({tensor((rows, inner))}, {tensor((inner, columns))}) -> {tensor((rows, columns))}"
        self._emit(
            f"stablehlo.dot_general {name}, {other}, contracting_dims = [1] x [0] : {types}", (rows, columns)
        )
        self._bounded()

    def _compared(self, left: str, right: str, shape: Shape) -> str:
        types = f"({tensor(shape)}, {tensor(shape)}) -> {tensor(shape, 'i1')}"
        return self._line(f"stablehlo.compare LT, {left}, {right}, FLOAT : {types}")

    def _select(self) -> None:
        name, shape = self._pick()
        other = self._like(shape)
        chosen = self._compared(name, other, shape)
        text = f"stablehlo.select {chosen}, {other}, {self._like(shape)} : {tensor(shape, 'i1')}, {tensor(shape)}"
        self._emit(text, shape)

    def _clamp(self) -> None:
        name, shape = self._pick()
        least, most = self._scalar(), self._scalar()
        types = f"({tensor(())}, {tensor(shape)}, {tensor(())}) -> {tensor(shape)}"
        self._emit(f"stablehlo.clamp {least}, {name}, {most} : {types}", shape)

    def _reverse(self) -> None:
        name, shape = self._pick(self.random.choice([1, 2]))
        self._emit(f"stablehlo.reverse {name}, dims = [{len(shape) - 1}] : {tensor(shape)}", shape)

    def _window(self) -> None:
        name, shape = self._pick(1)
        if shape[0] < 3:
            return
        target = ((shape[0] - 1) // 2 + 1,)
        initial = self._scalar()
        text = (
            f'"stablehlo.reduce_window"({name}, {initial}) <{{window_dimensions = array<i64: 2>, '
            f"window_strides = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}}> ({{\n"
            f"    ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n      %c = stablehlo.add %a, %b : tensor<f64>\n"
            f"      stablehlo.return %c : tensor<f64>\n    }}) : ({tensor(shape)}, {tensor(())}) -> {tensor(target)}"
        )
        if (shape[0] + 1 - 2) // 2 + 1 == target[0]:
            self._emit(text, target)

    def _gather(self) -> None:
        name, shape = self._pick(2)
        target = (3, shape[1])
        if prod(target) > MOST:
            return
        text = (
            f'"stablehlo.gather"({name}, {self.rows}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
            f"collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
            f"array<i64: 1, {shape[1]}>, indices_are_sorted = false}}> : ({tensor(shape)}, {tensor((3, 1), 'i32')}) "
            f"-> {tensor(target)}"
        )
        self._emit(text, target)

    def _scatter(self) -> None:
        name, shape = self._pick(2)
        updates_shape = (3, shape[1])
        if prod(updates_shape) > MOST:
            return
        updates = self._like(updates_shape)
        combined = "      %s = stablehlo.add %a, %b : tensor<f64>\n", "%s"
        lines, given = self.random.choice([combined, ("", "%b")])
        text = (
            f'"stablehlo.scatter"({name}, {self.rows}, {updates}) <{{scatter_dimension_numbers = #stablehlo.scatter<'
            f"update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
            f"index_vector_dim = 1>}}> ({{\n    ^bb0(%a: tensor<f64>, %b: tensor<f64>):\n{lines}"
            f"      stablehlo.return {given} : tensor<f64>\n    }}) : ({tensor(shape)}, {tensor((3, 1), 'i32')}, "
            f"{tensor(updates_shape)}) -> {tensor(shape)}"
        )
        self._emit(text, shape)

    def _dynamic_slice(self) -> None:
        name, shape = self._pick(2)
        target = tuple(max(1, size - 1) for size in shape)
        starts, types = ", ".join(self.indices), ", ".join([tensor((), "i32")] * 2)
        text = (
            f"stablehlo.dynamic_slice {name}, {starts}, sizes = {list(target)} : ({tensor(shape)}, {types}) -> "
            f"{tensor(target)}"
        )
        self._emit(text, target)

    def _dynamic_update_slice(self) -> None:
        name, shape = self._pick(2)
        update = tuple(max(1, size - 1) for size in shape)
        given = self._like(update)
        starts, types = ", ".join(self.indices), ", ".join([tensor((), "i32")] * 2)
        text = (
            f"stablehlo.dynamic_update_slice {name}, {given}, {starts} : ({tensor(shape)}, {tensor(update)}, {types}) "
            f"-> {tensor(shape)}"
        )
        self._emit(text, shape)

    def _sort(self) -> None:
        name, shape = self._pick(1)
        other = self._like(shape)
        self.names += 1
        self.ops += 1
        result = f"%v{self.names}"
        self.body.lines.append(
            f'  {result}:2 = "stablehlo.sort"({name}, {other}) <{{dimension = 0 : i64, is_stable = true}}> ({{\n'
            "    ^bb0(%a: tensor<f64>, %b: tensor<f64>, %c: tensor<f64>, %d: tensor<f64>):\n"
            "      %e = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n"
            "      stablehlo.return %e : tensor<i1>\n"
            f"    }}) : ({tensor(shape)}, {tensor(shape)}) -> ({tensor(shape)}, {tensor(shape)})"
        )
        self.body.values += [(f"{result}#0", shape), (f"{result}#1", shape)]

    # Regions and functions

    def _block(
        self, arguments: list[tuple[str, Shape]], wanted: Shape, count: int, *, outer: bool
    ) -> tuple[str, str]:
        """Lines of a block over some values and perhaps those around it, and a value of the shape that it gives."""
        around, self.body = (
            self.body,
            Body(values=[*(self.body.values if outer else []), *arguments], indent="      "),
        )
        self.depth += 1
        for _ in range(count):
            self._any()
        given = self._like(wanted)
        lines = "\n".join(self.body.lines)
        self.depth -= 1
        self.body = around
        return lines, given

    def _while(self) -> None:
        """A loop that turns as often as an input says, at most thrice, and ends early if a value says so."""
        name, shape = self._pick()
        self.names += 1
        me = self.names
        limit = self.indices[0]
        names = [(f"%x{me}", shape)]
        lines, given = self._block(names, shape, self.random.randint(2, 5), outer=True)
        counter = tensor((), "i32")
        self.ops += 8
        self.body.lines.append(
            f"  %zero{me} = stablehlo.constant dense<0> : {counter}\n  %one{me} = stablehlo.constant dense<1> : {counter}\n"
            f"  %three{me} = stablehlo.constant dense<3> : {counter}\n"
            f"  %loop{me}:2 = stablehlo.while(%i{me} = %zero{me}, %x{me} = {name}) : {counter}, {tensor(shape)}\n"
            f"    cond {{\n      %least{me} = stablehlo.minimum {limit}, %three{me} : {counter}\n"
            f"      %more{me} = stablehlo.compare LT, %i{me}, %least{me}, SIGNED : ({counter}, {counter}) -> tensor<i1>\n"
            f"      stablehlo.return %more{me} : tensor<i1>\n    }} do {{\n{lines}\n"
            f"      %next{me} = stablehlo.add %i{me}, %one{me} : {counter}\n"
            f"      stablehlo.return %next{me}, {given} : {counter}, {tensor(shape)}\n    }}"
        )
        self.body.values.append((f"%loop{me}#1", shape))

    def _if(self) -> None:
        _, shape = self._pick()
        chosen = self._compared(self._scalar(), self._scalar(), ())
        parts = [self._block([], shape, self.random.randint(1, 4), outer=True) for _ in range(2)]
        branches = [
            f"({{\n{lines}\n      stablehlo.return {given} : {tensor(shape)}\n    }}"
            for lines, given in parts
        ]
        text = f'"stablehlo.if"({chosen}) {", ".join(branches)[0:]}'.replace("}, ({", "}, {")
        self._emit(f"{text}) : (tensor<i1>) -> {tensor(shape)}", shape)

    def _call(self) -> None:
        name, shape = self._pick()
        other, second = self._pick()
        function = f"@f{len(self.functions)}"
        lines, given = self._block(
            [("%p", shape), ("%q", second)], shape, self.random.randint(3, 8), outer=False
        )
        types = f"({tensor(shape)}, {tensor(second)}) -> {tensor(shape)}"
        self.functions.append(
            f"func.func private {function}(%p: {tensor(shape)}, %q: {tensor(second)}) -> {tensor(shape)} {{\n{lines}\n"
            f"  return {given} : {tensor(shape)}\n}}"
        )
        self._emit(f"call {function}({name}, {other}) : {types}", shape)
