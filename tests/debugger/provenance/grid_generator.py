"""Random programs for four processes that meet often, with what each element depends on, found by rules of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from random import Random

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.object_]
"""For each element of a value in one process the input elements of all processes, as the bits of a number."""
PROCESSES = 4
SIZE = 4
VALUE = f"tensor<{SIZE}xf64>"
GROUPS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((3, 1, 2, 0),))


class GridProgram:
    """A function of two inputs of `SIZE` elements that all processes run; every value is of that shape."""

    def __init__(self, seed: int, count: int) -> None:
        self.random = Random(seed)
        self.lines: list[str] = []
        self.names = ["%a", "%b"]
        width = 2 * SIZE
        self.bits: list[list[Bits]] = [
            [_inputs(process * width + number * SIZE) for process in range(PROCESSES)] for number in range(2)
        ]
        makers = (self._unary, self._binary, self._reverse, self._rolled, self._summed)
        meetings = (self._all_reduce, self._all_gather, self._all_to_all, self._permute, self._reduce_scatter)
        for _ in range(count):
            self.random.choice(meetings if self.random.random() < 0.3 else makers)()
        body = "\n".join(self.lines)
        results = f"{self.names[-1]}, {self.names[-2]}"
        self.text = (
            f"func.func @main(%a: {VALUE}, %b: {VALUE}) -> ({VALUE}, {VALUE}) {{\n{body}\n"
            f"  return {results} : {VALUE}, {VALUE}\n}}\n"
        )

    def structural(self) -> NDArray[np.bool_]:
        """[result elements, input elements], process after process."""
        rows = [
            bits
            for process in range(PROCESSES)
            for number in (-1, -2)
            for bits in self.bits[number][process].tolist()
        ]
        width = 2 * SIZE * PROCESSES
        return np.array([[bool(bits >> column & 1) for column in range(width)] for bits in rows])

    def arrays(self) -> list[NDArray[np.float64]]:
        """Inputs, process after process."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        return [numbers.uniform(-1, 1, SIZE) for _ in range(2 * PROCESSES)]

    # Ops

    def _line(self, text: str, bits: list[Bits]) -> None:
        name = f"%v{len(self.names)}"
        self.lines.append(f"  {name} = {text}")
        self.names.append(name)
        self.bits.append(bits)

    def _pick(self) -> tuple[str, list[Bits]]:
        number = self.random.choice(range(max(0, len(self.names) - 5), len(self.names)))
        return self.names[number], self.bits[number]

    def _unary(self) -> None:
        name, bits = self._pick()
        self._line(f"stablehlo.{self.random.choice(['negate', 'tanh', 'sine'])} {name} : {VALUE}", bits)

    def _binary(self) -> None:
        (name, left), (other, right) = self._pick(), self._pick()
        what = self.random.choice(["add", "subtract", "maximum"])
        self._line(
            f"stablehlo.{what} {name}, {other} : {VALUE}", [a | b for a, b in zip(left, right, strict=True)]
        )

    def _reverse(self) -> None:
        name, bits = self._pick()
        self._line(f"stablehlo.reverse {name}, dims = [0] : {VALUE}", [found[::-1] for found in bits])

    def _rolled(self) -> None:
        name, bits = self._pick()
        self.lines += [
            f"  {name}_{len(self.names)}x = stablehlo.slice {name} [1:{SIZE}] : ({VALUE}) -> tensor<{SIZE - 1}xf64>",
            f"  {name}_{len(self.names)}y = stablehlo.slice {name} [0:1] : ({VALUE}) -> tensor<1xf64>",
        ]
        parts = f"{name}_{len(self.names)}x, {name}_{len(self.names)}y"
        types = f"(tensor<{SIZE - 1}xf64>, tensor<1xf64>) -> {VALUE}"
        self._line(
            f"stablehlo.concatenate {parts}, dim = 0 : {types}", [np.roll(found, -1) for found in bits]
        )

    def _summed(self) -> None:
        """Element k by the sum of two neighbours, through a matrix product."""
        name, bits = self._pick()
        self.lines.append(
            f"  {name}_{len(self.names)}m = stablehlo.reshape {name} : ({VALUE}) -> tensor<2x2xf64>"
        )
        short = f"{name}_{len(self.names)}m"
        types = "(tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xf64>"
        self.lines.append(
            f"  {name}_{len(self.names)}p = stablehlo.dot_general {short}, {short}, contracting_dims = [1] x [0] : {types}"
        )
        self.lines.append(f"  {short}t = stablehlo.tanh {name}_{len(self.names)}p : tensor<2x2xf64>")
        found = []
        for each in bits:
            grid = each.reshape(2, 2)
            rows, columns = grid[:, 0] | grid[:, 1], grid[0, :] | grid[1, :]
            found.append((rows[:, None] | columns[None, :]).reshape(-1))
        self._line(f"stablehlo.reshape {short}t : (tensor<2x2xf64>) -> {VALUE}", found)

    # Meetings

    def _groups(self) -> tuple[Sequence[tuple[int, ...]], str]:
        groups = self.random.choice(GROUPS)
        shape = f"{len(groups)}x{len(groups[0])}"
        return groups, f"replica_groups = dense<{[list(group) for group in groups]}> : tensor<{shape}xi64>"

    def _by_group(
        self, groups: Sequence[tuple[int, ...]], bits: list[Bits], make: Callable[[list[Bits], int], Bits]
    ) -> list[Bits]:
        found: list[Bits] = [np.zeros(SIZE, object)] * PROCESSES
        for group in groups:
            brought = [bits[process] for process in group]
            for place, process in enumerate(group):
                found[process] = make(brought, place)
        return found

    def _all_reduce(self) -> None:
        name, bits = self._pick()
        groups, stated = self._groups()
        what = self.random.choice(["add", "maximum"])
        text = (
            f'"stablehlo.all_reduce"({name}) <{{{stated}}}> ({{\n  ^bb0(%x: tensor<f64>, %y: tensor<f64>):\n'
            f"    %z = stablehlo.{what} %x, %y : tensor<f64>\n    stablehlo.return %z : tensor<f64>\n"
            f"  }}) : ({VALUE}) -> {VALUE}"
        )
        self._line(text, self._by_group(groups, bits, lambda brought, _: _union(brought)))

    def _all_gather(self) -> None:
        """Everything of a group, of which each takes a stretch."""
        name, bits = self._pick()
        groups, stated = self._groups()
        size, start = SIZE * len(groups[0]), self.random.randrange(SIZE * (len(groups[0]) - 1) + 1)
        me = f"{name}_{len(self.names)}g"
        self.lines.append(
            f'  {me} = "stablehlo.all_gather"({name}) <{{all_gather_dim = 0 : i64, {stated}}}> : ({VALUE}) -> '
            f"tensor<{size}xf64>"
        )
        text = f"stablehlo.slice {me} [{start}:{start + SIZE}] : (tensor<{size}xf64>) -> {VALUE}"
        stretch = slice(start, start + SIZE)
        self._line(text, self._by_group(groups, bits, lambda brought, _: np.concatenate(brought)[stretch]))

    def _all_to_all(self) -> None:
        name, bits = self._pick()
        groups, stated = self._groups()
        count = len(groups[0])
        text = (
            f'"stablehlo.all_to_all"({name}) <{{split_dimension = 0 : i64, concat_dimension = 0 : i64, '
            f"split_count = {count} : i64, {stated}}}> : ({VALUE}) -> {VALUE}"
        )
        part = SIZE // count
        self._line(
            text,
            self._by_group(
                groups,
                bits,
                lambda brought, place: np.concatenate(
                    [found[place * part : (place + 1) * part] for found in brought]
                ),
            ),
        )

    def _permute(self) -> None:
        name, bits = self._pick()
        order = list(range(PROCESSES))
        self.random.shuffle(order)
        pairs = list(pairwise(order))
        text = (
            f'"stablehlo.collective_permute"({name}) <{{source_target_pairs = dense<{[list(p) for p in pairs]}> : '
            f"tensor<{len(pairs)}x2xi64>}}> : ({VALUE}) -> {VALUE}"
        )
        nothing = np.zeros(SIZE, object)
        sources = {target: source for source, target in pairs}
        self._line(text, [bits[sources[p]] if p in sources else nothing for p in range(PROCESSES)])

    def _reduce_scatter(self) -> None:
        """Each keeps a part of the sum, and lays copies of it side by side."""
        name, bits = self._pick()
        groups, stated = self._groups()
        part = SIZE // len(groups[0])
        me = f"{name}_{len(self.names)}r"
        self.lines.append(
            f'  {me} = "stablehlo.reduce_scatter"({name}) <{{scatter_dimension = 0 : i64, {stated}}}> ({{\n'
            f"  ^bb0(%x: tensor<f64>, %y: tensor<f64>):\n    %z = stablehlo.add %x, %y : tensor<f64>\n"
            f"    stablehlo.return %z : tensor<f64>\n  }}) : ({VALUE}) -> tensor<{part}xf64>"
        )
        copies = SIZE // part
        types = ", ".join([f"tensor<{part}xf64>"] * copies)
        text = f"stablehlo.concatenate {', '.join([me] * copies)}, dim = 0 : ({types}) -> {VALUE}"
        self._line(
            text,
            self._by_group(
                groups,
                bits,
                lambda brought, place: np.concatenate(
                    [_union(brought)[place * part : (place + 1) * part]] * copies
                ),
            ),
        )


def _inputs(first: int) -> Bits:
    found = np.empty(SIZE, object)
    found[:] = [1 << (first + k) for k in range(SIZE)]
    return found


def _union(parts: Sequence[Bits]) -> Bits:
    total = parts[0]
    for part in parts[1:]:
        total = total | part
    return total
