"""GPT-2 in StableHLO, op by op as JAX writes it: with its own sizes 149 inputs and 1,684 steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count

PARAMETERS_OF_A_LAYER = 12
TOKENS = 64


def gpt2(layers: int = 12, width: int = 768, words: int = 50257) -> str:
    """The text of a network of so many layers; each attention head has 64 columns."""
    types = [_tensor(TOKENS, element="i32"), _tensor(words, width), _tensor(TOKENS, width)]
    for _ in range(layers):
        types += [_tensor(*shape) for shape in _layer_shapes(width)]
    types += [_tensor(width), _tensor(width)]
    main = _Function(width, width // 64)
    logits = main.network(layers, words)
    arguments = ", ".join(f"%arg{number}: {type}" for number, type in enumerate(types))
    result = _tensor(TOKENS, words)
    return "\n".join(
        [
            "module @jit_gpt2 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {",
            f"  func.func public @main({arguments}) -> ({result} {{jax.result_info = \"result\"}}) {{",
            *main.lines,
            f"    return {logits} : {result}",
            "  }",
            CAUSAL_MASK,
            _where(width // 64),
            "}",
            "",
        ]
    )  # fmt: skip


def _layer_shapes(width: int) -> list[tuple[int, ...]]:
    norm = [(width,), (width,)]
    attention = [(width, 3 * width), (3 * width,), (width, width), (width,)]
    return [*norm, *attention, *norm, (width, 4 * width), (4 * width,), (4 * width, width), (width,)]


def _tensor(*shape: int, element: str = "f32") -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


@dataclass
class _Function:
    """The lines of the entry function, as far as they are written."""

    width: int
    heads: int
    lines: list[str] = field(default_factory=list)
    numbers: count[int] = field(default_factory=count)
    constants: count[int] = field(default_factory=count)

    def network(self, layers: int, words: int) -> str:
        """The whole network; the name of its result."""
        at = self.embedding(words)
        for layer in range(layers):
            at = self.layer(at, 3 + PARAMETERS_OF_A_LAYER * layer)
        rows = _tensor(TOKENS, self.width)
        last = self.norm(at, 3 + PARAMETERS_OF_A_LAYER * layers)
        table = _tensor(self.width, words)
        turned = self.op(
            f"stablehlo.transpose %arg1, dims = [1, 0] : ({_tensor(words, self.width)}) -> {table}"
        )
        return self.op(
            f"stablehlo.dot_general {last}, {turned}, contracting_dims = [1] x [0], "
            f"precision = [DEFAULT, DEFAULT] : ({rows}, {table}) -> {_tensor(TOKENS, words)}"
        )

    def op(self, written: str) -> str:
        """Writes an op; the name of its result."""
        name = f"%{next(self.numbers)}"
        self.lines.append(f"    {name} = {written}")
        return name

    def constant(self, value: str, element: str = "f32") -> str:
        number = next(self.constants)
        name = f"%cst_{number}" if number else "%cst"
        self.lines.append(f"    {name} = stablehlo.constant dense<{value}> : tensor<{element}>")
        return name

    def broadcast(
        self,
        value: str,
        dims: Sequence[int],
        before: Sequence[int],
        after: Sequence[int],
        element: str = "f32",
    ) -> str:
        types = f"({_tensor(*before, element=element)}) -> {_tensor(*after, element=element)}"
        return self.op(f"stablehlo.broadcast_in_dim {value}, dims = {list(dims)} : {types}")

    def everywhere(self, value: str, shape: Sequence[int], element: str = "f32") -> str:
        """A constant, as large as `shape`."""
        return self.broadcast(self.constant(value, element), [], [], shape, element)

    def elementwise(
        self, name: str, operands: Sequence[str], shape: Sequence[int], element: str = "f32"
    ) -> str:
        return self.op(f"stablehlo.{name} {', '.join(operands)} : {_tensor(*shape, element=element)}")

    def product(
        self, left: str, right: str, dims: str, before: Sequence[Sequence[int]], after: Sequence[int]
    ) -> str:
        types = ", ".join(_tensor(*shape) for shape in before)
        return self.op(
            f"stablehlo.dot_general {left}, {right}, {dims}, precision = [DEFAULT, DEFAULT] : "
            f"({types}) -> {_tensor(*after)}"
        )

    def embedding(self, words: int) -> str:
        """Rows of the table, with the places added; an index below 0 counts from the end."""
        tokens, rows = [TOKENS], [TOKENS, self.width]
        kinds = _tensor(*tokens, element="i32")
        zero = self.everywhere("0", tokens, "i32")
        negative = self.op(
            f"stablehlo.compare LT, %arg0, {zero}, SIGNED : ({kinds}, {kinds}) -> {_tensor(*tokens, element='i1')}"
        )
        wrapped = self.elementwise(
            "add", ["%arg0", self.everywhere(str(words), tokens, "i32")], tokens, "i32"
        )
        index = self.op(
            f"stablehlo.select {negative}, {wrapped}, %arg0 : {_tensor(*tokens, element='i1')}, {kinds}"
        )
        column = self.broadcast(index, [0], tokens, [TOKENS, 1], "i32")
        found = self.op(
            f'"stablehlo.gather"(%arg1, {column}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], '
            "collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
            f"indices_are_sorted = false, slice_sizes = array<i64: 1, {self.width}>}}> : "
            f"({_tensor(words, self.width)}, {_tensor(TOKENS, 1, element='i32')}) -> {_tensor(*rows)}"
        )
        return self.elementwise("add", [found, "%arg2"], rows)

    def reduce(self, value: str, op: str, start: str, shape: Sequence[int]) -> str:
        """Over the last dimension."""
        first = self.constant(start)
        return self.op(
            f"stablehlo.reduce({value} init: {first}) applies stablehlo.{op} across dimensions = "
            f"[{len(shape) - 1}] : ({_tensor(*shape)}, tensor<f32>) -> {_tensor(*shape[:-1])}"
        )

    def mean(self, value: str) -> str:
        column = [TOKENS, 1]
        total = self.broadcast(
            self.reduce(value, "add", "0.000000e+00", [TOKENS, self.width]), [0], [TOKENS], column
        )
        return self.elementwise("divide", [total, self.everywhere(f"{self.width:e}", column)], column)

    def row(self, argument: int, width: int) -> str:
        """A vector, once for each token."""
        one = self.broadcast(f"%arg{argument}", [1], [width], [1, width])
        return self.broadcast(one, [0, 1], [1, width], [TOKENS, width])

    def norm(self, value: str, argument: int) -> str:
        rows, column = [TOKENS, self.width], [TOKENS, 1]
        centred = self.elementwise(
            "subtract", [value, self.broadcast(self.mean(value), [0, 1], column, rows)], rows
        )
        spread = self.mean(self.elementwise("multiply", [centred, centred], rows))
        safe = self.elementwise("add", [spread, self.everywhere("9.99999974E-6", column)], column)
        scale = self.broadcast(self.elementwise("rsqrt", [safe], column), [0, 1], column, rows)
        scaled = self.elementwise("multiply", [centred, scale], rows)
        weighted = self.elementwise("multiply", [scaled, self.row(argument, self.width)], rows)
        return self.elementwise("add", [weighted, self.row(argument + 1, self.width)], rows)

    def layer(self, value: str, argument: int) -> str:
        rows = [TOKENS, self.width]
        attended = self.attention(self.norm(value, argument), argument + 2)
        added = self.elementwise("add", [value, attended], rows)
        value = self.elementwise("add", [added, self.row(argument + 5, self.width)], rows)
        hidden = self.hidden(self.norm(value, argument + 6), argument + 8)
        shapes = [[TOKENS, 4 * self.width], [4 * self.width, self.width]]
        back = self.product(hidden, f"%arg{argument + 10}", "contracting_dims = [1] x [0]", shapes, rows)
        added = self.elementwise("add", [value, back], rows)
        return self.elementwise("add", [added, self.row(argument + 11, self.width)], rows)

    def attention(self, value: str, argument: int) -> str:
        width, heads = self.width, self.heads
        rows, scores = [TOKENS, width], [heads, TOKENS, TOKENS]
        shapes = [rows, [width, 3 * width]]
        flat = self.product(
            value, f"%arg{argument}", "contracting_dims = [1] x [0]", shapes, [TOKENS, 3 * width]
        )
        flat = self.elementwise("add", [flat, self.row(argument + 1, 3 * width)], [TOKENS, 3 * width])
        queries, keys, values = self.heads_of(flat)
        head = [TOKENS, heads, 64]
        dims = "batching_dims = [1] x [1], contracting_dims = [2] x [2]"
        likeness = self.product(queries, keys, dims, [head, head], scores)
        likeness = self.elementwise("divide", [likeness, self.everywhere("8.000000e+00", scores)], scores)
        weights = self.softmax(self.mask(likeness), scores)
        dims = "batching_dims = [1] x [0], contracting_dims = [0] x [2]"
        mixed = self.product(values, weights, dims, [head, scores], [heads, 64, TOKENS])
        turned = self.op(
            f"stablehlo.transpose {mixed}, dims = [2, 0, 1] : ({_tensor(heads, 64, TOKENS)}) -> {_tensor(*head)}"
        )
        joined = self.op(f"stablehlo.reshape {turned} : ({_tensor(*head)}) -> {_tensor(*rows)}")
        return self.product(
            joined, f"%arg{argument + 2}", "contracting_dims = [1] x [0]", [rows, [width, width]], rows
        )

    def heads_of(self, flat: str) -> list[str]:
        """Queries, keys and values, which one product has made."""
        all_three, one = [TOKENS, 3, self.heads, 64], [TOKENS, 1, self.heads, 64]
        whole = self.op(
            f"stablehlo.reshape {flat} : ({_tensor(TOKENS, 3 * self.width)}) -> {_tensor(*all_three)}"
        )
        found = []
        for part in range(3):
            cut = self.op(
                f"stablehlo.slice {whole} [0:{TOKENS}, {part}:{part + 1}, 0:{self.heads}, 0:64] : "
                f"({_tensor(*all_three)}) -> {_tensor(*one)}"
            )
            shape = _tensor(TOKENS, self.heads, 64)
            found.append(self.op(f"stablehlo.reshape {cut} : ({_tensor(*one)}) -> {shape}"))
        return found

    def mask(self, scores: str) -> str:
        square, whole = _tensor(TOKENS, TOKENS, element="i1"), _tensor(self.heads, TOKENS, TOKENS)
        true = self.everywhere("true", [TOKENS, TOKENS], "i1")
        lower = self.op(f"call @tril({true}) : ({square}) -> {square}")
        low = self.constant("-1.000000e+10")
        return self.op(
            f"call @_where({lower}, {scores}, {low}) : ({square}, {whole}, tensor<f32>) -> {whole}"
        )

    def softmax(self, scores: str, shape: Sequence[int]) -> str:
        flat, column = shape[:-1], [*shape[:-1], 1]

        def spread(value: str) -> str:
            one = self.broadcast(value, [0, 1], flat, column)
            return self.broadcast(one, [0, 1, 2], column, shape)

        largest = self.reduce(scores, "maximum", "0xFF800000", shape)
        largest = self.elementwise("maximum", [self.everywhere("0xFF800000", flat), largest], flat)
        shifted = self.elementwise("subtract", [scores, spread(largest)], shape)
        powers = self.elementwise("exponential", [shifted], shape)
        total = self.reduce(powers, "add", "0.000000e+00", shape)
        return self.elementwise("divide", [powers, spread(total)], shape)

    def hidden(self, value: str, argument: int) -> str:
        """The first product of the network in a layer, and GELU in the form with tanh."""
        wide = [TOKENS, 4 * self.width]
        shapes = [[TOKENS, self.width], [self.width, 4 * self.width]]
        made = self.product(value, f"%arg{argument}", "contracting_dims = [1] x [0]", shapes, wide)
        made = self.elementwise("add", [made, self.row(argument + 1, 4 * self.width)], wide)

        def scaled(by: str, what: str) -> str:
            return self.elementwise("multiply", [self.everywhere(by, wide), what], wide)

        square = self.elementwise("multiply", [made, made], wide)
        cube = self.elementwise("multiply", [square, made], wide)
        inner = self.elementwise("add", [made, scaled("4.471500e-02", cube)], wide)
        bent = self.elementwise("tanh", [scaled("0.797884583", inner)], wide)
        raised = self.elementwise("add", [self.everywhere("1.000000e+00", wide), bent], wide)
        return self.elementwise("multiply", [made, scaled("5.000000e-01", raised)], wide)


CAUSAL_MASK = f"""\
  func.func private @tril(%arg0: tensor<{TOKENS}x{TOKENS}xi1>) -> tensor<{TOKENS}x{TOKENS}xi1> {{
    %0 = stablehlo.iota dim = 0 : tensor<{TOKENS}x{TOKENS}xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<{TOKENS}x{TOKENS}xi32>
    %2 = stablehlo.add %0, %1 : tensor<{TOKENS}x{TOKENS}xi32>
    %3 = stablehlo.iota dim = 1 : tensor<{TOKENS}x{TOKENS}xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<{TOKENS}x{TOKENS}xi32>, tensor<{TOKENS}x{TOKENS}xi32>) -> tensor<{TOKENS}x{TOKENS}xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<{TOKENS}x{TOKENS}xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<{TOKENS}x{TOKENS}xi1>, tensor<{TOKENS}x{TOKENS}xi1>
    return %6 : tensor<{TOKENS}x{TOKENS}xi1>
  }}"""


def _where(heads: int) -> str:
    square, whole = f"{TOKENS}x{TOKENS}xi1", f"{heads}x{TOKENS}x{TOKENS}xf32"
    masks = _tensor(heads, TOKENS, TOKENS, element="i1")
    return f"""\
  func.func private @_where(%arg0: tensor<{square}>, %arg1: tensor<{whole}>, %arg2: tensor<f32>) -> tensor<{whole}> {{
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<{square}>) -> {masks}
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<{whole}>
    %3 = stablehlo.select %1, %arg1, %2 : {masks}, tensor<{whole}>
    return %3 : tensor<{whole}>
  }}"""
