"""Ten small programs in HLO text, each in styles that differ in rounding alone, or with a mistake planted in one op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np

Shape = tuple[int, ...]
STYLES = ("tree", "reversed", "wide", "rewritten")
"""Sums as trees; sums over reversed elements; sums, products and what is fused in f64; other forms of the same arithmetic."""

BODIES = """
add32 { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
add64 { a.1 = f64[] parameter(0)  b.1 = f64[] parameter(1)  ROOT c.1 = f64[] add(a.1, b.1) }
max32 { a.2 = f32[] parameter(0)  b.2 = f32[] parameter(1)  ROOT c.2 = f32[] maximum(a.2, b.2) }
"""


@dataclass(frozen=True)
class Value:
    """A value of f32."""

    name: str
    shape: Shape


@dataclass
class Emitter:
    """Writes a program in a style; with `planted`, the op of that number is another one."""

    style: str = "plain"
    planted: int | None = None
    lines: list[str] = field(default_factory=list)
    changeable: list[int] = field(default_factory=list)
    """The numbers of lines in which a mistake can be planted."""
    planted_name: str = ""
    count: int = 0

    def line(self, shape: Shape, code: str, wrong: str = "", dtype: str = "f32") -> Value:
        name = f"v{self.count}"
        self.count += 1
        if wrong:
            if len(self.changeable) == self.planted:
                code, self.planted_name = wrong, name
            self.changeable.append(self.count)
        self.lines.append(f"  {name} = {dtype}[{','.join(map(str, shape))}] {code}")
        return Value(name, shape)

    def parameter(self, *shape: int) -> Value:
        number = sum("parameter" in line for line in self.lines)
        return self.line(shape, f"parameter({number})")

    def constant(self, number: float, *shape: int) -> Value:
        scalar = self.line((), f"constant({number})", f"constant({number * 1.5 + 0.25})")
        return self.line(shape, f"broadcast({scalar.name}), dimensions={{}}") if shape else scalar

    def binary(self, op: str, x: Value, y: Value) -> Value:
        wrong = {
            "add": f"subtract({x.name}, {y.name})",
            "subtract": f"subtract({y.name}, {x.name})",
            "multiply": f"add({x.name}, {y.name})",
            "divide": f"divide({y.name}, {x.name})",
            "maximum": f"minimum({x.name}, {y.name})",
        }[op]
        if op == "divide" and self.style == "rewritten":
            one = self.constant_plain(1.0, x.shape)
            reciprocal = self.line(x.shape, f"divide({one.name}, {y.name})")
            return self.line(x.shape, f"multiply({x.name}, {reciprocal.name})", wrong)
        return self.line(x.shape, f"{op}({x.name}, {y.name})", wrong)

    def constant_plain(self, number: float, shape: Shape) -> Value:
        scalar = self.line((), f"constant({number})")
        return self.line(shape, f"broadcast({scalar.name}), dimensions={{}}")

    def fused(self, x: Value, y: Value, z: Value) -> Value:
        """`x * y + z`; in f64 with one rounding, as a fused multiply-add has."""
        if self.style != "wide":
            return self.binary("add", self.binary("multiply", x, y), z)
        wide = [self.convert(value, "f64") for value in (x, y, z)]
        product = self.line(x.shape, f"multiply({wide[0].name}, {wide[1].name})", dtype="f64")
        total = self.line(x.shape, f"add({product.name}, {wide[2].name})", dtype="f64")
        return self.convert(total, "f32")

    def convert(self, x: Value, dtype: str) -> Value:
        return self.line(x.shape, f"convert({x.name})", dtype=dtype)

    def unary(self, op: str, x: Value) -> Value:
        others = {
            "exponential": "tanh",
            "tanh": "logistic",
            "logistic": "tanh",
            "log": "sqrt",
            "rsqrt": "sqrt",
        }
        if self.style == "rewritten" and op == "rsqrt":
            one, root = self.constant_plain(1.0, x.shape), self.line(x.shape, f"sqrt({x.name})")
            return self.line(x.shape, f"divide({one.name}, {root.name})", f"sqrt({x.name})")
        if self.style == "rewritten" and op == "logistic":
            one = self.constant_plain(1.0, x.shape)
            power = self.line(x.shape, f"exponential({self.line(x.shape, f'negate({x.name})').name})")
            total = self.line(x.shape, f"add({one.name}, {power.name})")
            return self.line(x.shape, f"divide({one.name}, {total.name})", f"tanh({x.name})")
        return self.line(x.shape, f"{op}({x.name})", f"{others[op]}({x.name})")

    def sum(self, x: Value, axis: int) -> Value:
        """The sum along an axis, whose size is a power of 2."""
        kept = tuple(size for at, size in enumerate(x.shape) if at != axis)
        wrong = f"reduce({x.name}, ZERO), dimensions={{{axis}}}, to_apply=max32"
        if self.style == "tree":
            split = (*x.shape[:axis], 2, x.shape[axis] // 2, *x.shape[axis + 1 :])
            halves = self.line(split, f"reshape({x.name})")
            pairs = self.line(
                (*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :]),
                f"reduce({halves.name}, ZERO), dimensions={{{axis}}}, to_apply=add32",
            )
            return self.line(
                kept, f"reduce({pairs.name}, ZERO), dimensions={{{axis}}}, to_apply=add32", wrong
            )
        if self.style == "wide":
            total = self.line(
                kept,
                f"reduce({self.convert(x, 'f64').name}, ZERO64), dimensions={{{axis}}}, to_apply=add64",
                dtype="f64",
            )
            return self.line(kept, f"convert({total.name})", wrong)
        if self.style in ("reversed", "rewritten"):
            x = self.line(x.shape, f"reverse({x.name}), dimensions={{{axis}}}")
        return self.line(kept, f"reduce({x.name}, ZERO), dimensions={{{axis}}}, to_apply=add32", wrong)

    def maximum(self, x: Value, axis: int) -> Value:
        kept = tuple(size for at, size in enumerate(x.shape) if at != axis)
        code = f"reduce({x.name}, LOWEST), dimensions={{{axis}}}, to_apply="
        return self.line(
            kept, f"{code}max32", f"reduce({x.name}, ZERO), dimensions={{{axis}}}, to_apply=add32"
        )

    def dot(self, x: Value, y: Value) -> Value:
        """A product of matrices."""
        dimensions = "lhs_contracting_dims={1}, rhs_contracting_dims={0}"
        shape = (x.shape[0], y.shape[1])
        wrong = f"dot({x.name}, {y.name}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{1}}"
        wrong = wrong if y.shape[0] == y.shape[1] else ""
        if self.style == "wide":
            wide = [self.convert(value, "f64").name for value in (x, y)]
            product = self.line(shape, f"dot({', '.join(wide)}), {dimensions}", dtype="f64")
            return self.line(shape, f"convert({product.name})", wrong)
        if self.style in ("tree", "rewritten"):
            whole = (*x.shape, y.shape[1])
            left = self.line(whole, f"broadcast({x.name}), dimensions={{0,1}}")
            right = self.line(whole, f"broadcast({y.name}), dimensions={{1,2}}")
            products = self.line(whole, f"multiply({left.name}, {right.name})")
            return self.line(shape, f"reduce({products.name}, ZERO), dimensions={{1}}, to_apply=add32", wrong)
        if self.style == "reversed":
            x = self.line(x.shape, f"reverse({x.name}), dimensions={{1}}")
            y = self.line(y.shape, f"reverse({y.name}), dimensions={{0}}")
        return self.line(shape, f"dot({x.name}, {y.name}), {dimensions}", wrong)

    def spread(self, x: Value, shape: Shape, *dimensions: int) -> Value:
        return self.line(shape, f"broadcast({x.name}), dimensions={{{','.join(map(str, dimensions))}}}")

    def slice(self, x: Value, start: int, stop: int) -> Value:
        """Columns of a matrix."""
        rows, columns = x.shape
        shift = -1 if stop == columns else 1

        def code(first: int) -> str:
            return f"slice({x.name}), slice={{[0:{rows}], [{first}:{first + stop - start}]}}"

        return self.line((rows, stop - start), code(start), code(start + shift))

    def text(self, *results: Value) -> str:
        """The whole program."""
        shapes = ", ".join(f"f32[{','.join(map(str, found.shape))}]" for found in results)
        head = [
            "  ZERO = f32[] constant(0)",
            "  ZERO64 = f64[] constant(0)",
            "  LOWEST = f32[] constant(-inf)",
        ]
        root = f"  ROOT t = ({shapes}) tuple({', '.join(found.name for found in results)})"
        return "\n".join(["HloModule m", BODIES, "ENTRY main {", *head, *self.lines, root, "}"])


def mean(e: Emitter, x: Value, axis: int) -> Value:
    total = e.sum(x, axis)
    return e.binary("divide", total, e.constant(x.shape[axis], *total.shape))


def layer_norm(e: Emitter) -> list[Value]:
    x, scale, shift = e.parameter(16, 64), e.parameter(64), e.parameter(64)
    centred = e.binary("subtract", x, e.spread(mean(e, x, 1), x.shape, 0))
    variance = mean(e, e.binary("multiply", centred, centred), 1)
    deviation = e.unary("rsqrt", e.binary("add", variance, e.constant(1e-3, 16)))
    normal = e.binary("multiply", centred, e.spread(deviation, x.shape, 0))
    return [e.fused(normal, e.spread(scale, x.shape, 1), e.spread(shift, x.shape, 1))]


def softmax(e: Emitter, x: Value) -> Value:
    high = e.spread(e.maximum(x, 1), x.shape, 0)
    power = e.unary("exponential", e.binary("subtract", x, high))
    return e.binary("divide", power, e.spread(e.sum(power, 1), x.shape, 0))


def attention(e: Emitter) -> list[Value]:
    query, key, value = e.parameter(16, 16), e.parameter(16, 16), e.parameter(16, 16)
    scores = e.binary("multiply", e.dot(query, key), e.constant(0.25, 16, 16))
    return [e.dot(softmax(e, scores), value)]


def mlp(e: Emitter) -> list[Value]:
    x, first, bias, second = e.parameter(8, 32), e.parameter(32, 32), e.parameter(32), e.parameter(32, 32)
    hidden = e.binary("add", e.dot(x, first), e.spread(bias, (8, 32), 1))
    return [e.dot(e.unary("tanh", hidden), second)]


def gelu(e: Emitter) -> list[Value]:
    x = e.parameter(16, 64)
    cube = e.binary("multiply", x, e.binary("multiply", x, x))
    inner = e.fused(cube, e.constant(0.044715, 16, 64), x)
    gate = e.unary("tanh", e.binary("multiply", inner, e.constant(0.7978846, 16, 64)))
    half = e.binary("multiply", x, e.constant(0.5, 16, 64))
    return [e.sum(e.binary("multiply", half, e.binary("add", gate, e.constant(1, 16, 64))), 1)]


def cross_entropy(e: Emitter) -> list[Value]:
    scores, labels = e.parameter(16, 32), e.parameter(16, 32)
    centred = e.binary("subtract", scores, e.spread(e.maximum(scores, 1), scores.shape, 0))
    total = e.unary("log", e.sum(e.unary("exponential", centred), 1))
    losses = e.binary("subtract", centred, e.spread(total, scores.shape, 0))
    return [e.sum(e.binary("multiply", losses, labels), 1)]


def rotary(e: Emitter) -> list[Value]:
    x, cosine, sine = e.parameter(16, 32), e.parameter(16, 16), e.parameter(16, 16)
    left, right = e.slice(x, 0, 16), e.slice(x, 16, 32)
    first = e.binary("subtract", e.binary("multiply", left, cosine), e.binary("multiply", right, sine))
    second = e.fused(right, cosine, e.binary("multiply", left, sine))
    return [e.dot(first, second)]


def rms_norm(e: Emitter) -> list[Value]:
    x, weight = e.parameter(16, 64), e.parameter(64)
    square = mean(e, e.binary("multiply", x, x), 1)
    scale = e.unary("rsqrt", e.binary("add", square, e.constant(1e-2, 16)))
    return [
        e.binary(
            "multiply", e.binary("multiply", x, e.spread(scale, x.shape, 0)), e.spread(weight, x.shape, 1)
        )
    ]


def logistic_step(e: Emitter) -> list[Value]:
    x, weight, target = e.parameter(32, 16), e.parameter(16, 16), e.parameter(32, 16)
    chance = e.unary("logistic", e.dot(x, weight))
    error = e.binary("subtract", chance, target)
    turned = e.line((16, 32), f"transpose({x.name}), dimensions={{1,0}}")
    gradient = e.dot(turned, error)
    return [e.binary("subtract", weight, e.binary("multiply", gradient, e.constant(0.1, 16, 16)))]


def gated(e: Emitter) -> list[Value]:
    x, gate, up, down = e.parameter(8, 32), e.parameter(32, 32), e.parameter(32, 32), e.parameter(32, 32)
    opened = e.dot(x, gate)
    active = e.binary("multiply", opened, e.unary("logistic", opened))
    return [e.dot(e.binary("multiply", active, e.dot(x, up)), down)]


def distances(e: Emitter) -> list[Value]:
    x, y = e.parameter(16, 32), e.parameter(16, 32)
    apart = e.binary("subtract", x, y)
    near = e.binary("maximum", apart, e.constant(-0.5, 16, 32))
    total = e.sum(e.binary("multiply", near, apart), 1)
    return [total, mean(e, e.unary("exponential", near), 0)]


PROGRAMS: dict[str, Callable[[Emitter], list[Value]]] = {
    found.__name__: found
    for found in (
        *(layer_norm, attention, mlp, gelu, cross_entropy),
        *(rotary, rms_norm, logistic_step, gated, distances),
    )
}


def emit(name: str, style: str = "plain", planted: int | None = None) -> tuple[str, Emitter]:
    """A program as text, and the emitter that wrote it."""
    emitter = Emitter(style, planted)
    return emitter.text(*PROGRAMS[name](emitter)), emitter


def inputs_of(name: str, seed: int = 0) -> list[Any]:
    """Normally distributed inputs of a program."""
    emitter = Emitter()
    PROGRAMS[name](emitter)
    random = np.random.default_rng(seed)
    shapes = [_shape(line) for line in emitter.lines if "parameter" in line]
    return [random.standard_normal(shape).astype(np.float32).reshape(shape) for shape in shapes]


def _shape(line: str) -> Shape:
    found = tuple(int(size) for size in line.partition("[")[2].partition("]")[0].split(","))
    assert prod(found)
    return found
