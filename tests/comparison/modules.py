"""Small modules drawn from a seed: chains of ops of all families, no two alike."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from hloscope.engine.builder import GatherDimensionNumbers, ScatterDimensionNumbers, XlaOp
from hloscope.engine.ops.core.op import Array

from .drafts import Draft, cast, drafted, highest, mean, part, product_of, repeated, softmax, total, turned

Step = Callable[[Draft, Random, XlaOp], XlaOp]
"""Writes a few ops that make a matrix of a matrix."""
STEPS: list[Step] = []
SIZES = (4, 6, 8, 12, 16)
ROWS = GatherDimensionNumbers((1,), (0,), (), (), (0,), 1)
ADDED_ROWS = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)


def listed(step: Step) -> Step:
    """Enter a step into `STEPS`."""
    STEPS.append(step)
    return step


def drawn_module(seed: int) -> tuple[str, list[Array]]:
    """The module with this seed, as StableHLO, and its inputs."""
    text, draft = drafted(_chain, draw=Random(seed))
    return text, draft.inputs(seed)


def _chain(b: Draft, draw: Random) -> list[XlaOp]:
    x = b.input(_shape(draw.choice(SIZES), draw.choice(SIZES)))
    values = [x]
    for _ in range(draw.randint(3, 6)):
        values.append(draw.choice(STEPS)(b, draw, values[-1]))
    return [values[-1], *draw.sample(values[1:-1], draw.randint(0, 1))]


def _shape(*sizes: int, dtype: str = "f32") -> str:
    return f"{dtype}[{','.join(map(str, sizes))}]"


def _number(draw: Random) -> float:
    return round(draw.uniform(0.25, 2.0), 2)


def _like(b: Draft, x: XlaOp, drawn: str = "normal") -> XlaOp:
    """A new input of the same shape."""
    return b.input(_shape(*x.tensor.sizes), drawn)


# Element by element


@listed
def unary(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return draw.choice((b.tanh, b.sin, b.cos, b.logistic, b.abs, lambda x: b.exp(b.tanh(x))))(x)


@listed
def linear(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return draw.choice((x * _number(draw) + _number(draw), _number(draw) - x, x / _number(draw)))


@listed
def binary(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    y = _like(b, x)
    return draw.choice(
        (lambda: x + y, lambda: x - y, lambda: y - b.sin(x), lambda: x * y, lambda: b.max(x, y))
    )()


@listed
def quotient(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    y = _like(b, x, "positive")
    return draw.choice((x / y, y / (b.abs(x) + 1.0)))


@listed
def chosen(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    y = _like(b, x)
    return b.select(b.compare(x, y, draw.choice(("LT", "GT", "LE", "GE"))), b.tanh(x), y * _number(draw))


@listed
def clamped(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return b.clamp(b.constant(-_number(draw)), x, b.constant(_number(draw)))


@listed
def through_integers(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    wide = draw.choice((b.tanh(x) * 8.0, b.exp(b.tanh(x)), b.abs(x) + 0.5, b.max(x, b.sin(x)) - 1.5))
    return cast(cast(wide, "s32"), "f32") * _number(draw) + x


@listed
def through_halves(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return cast(b.tanh(cast(x, "bf16")), "f32")


@listed
def masked(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    shape = _shape(*x.tensor.sizes, dtype="s32")
    kept = b.compare(b.iota(shape, 0), b.iota(shape, 1), draw.choice(("GE", "LT")))
    return b.select(kept, x, b.zeros(_shape(*x.tensor.sizes)))


# Sums, products and windows


@listed
def centred(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return x - mean(x, draw.choice((0, 1)))


@listed
def above(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    """The greatest of each row and of a number, which is the start of the reduction."""
    most = b.reduce(x, _number(draw), lambda p, q: p.builder.max(p, q), [1])
    return x + b.broadcast_in_dim(most, x.tensor.sizes, [0])


@listed
def normed(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    axis = draw.choice((0, 1))
    return draw.choice((softmax(x, axis), x * b.rsqrt(total(x * x, axis) + 1.0), x - highest(x, axis)))


@listed
def multiplied(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return product_of(x, b.input(_shape(x.tensor.sizes[1], draw.choice(SIZES)), "weights"))


@listed
def squared(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return product_of(b.tanh(x), turned(b.tanh(x))) / float(x.tensor.sizes[1])


@listed
def convolved(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    image = b.reshape(x, [1, 1, *x.tensor.sizes])
    kernel = b.input(_shape(1, 1, 3, draw.choice((1, 3))), "weights")
    return b.reshape(b.conv(image, kernel, [1, 1], "SAME"), x.tensor.sizes)


@listed
def pooled(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return b.reduce_window(x, -np.inf, lambda p, q: p.builder.max(p, q), [2, 2], [1, 1], "VALID")


@listed
def running_sums(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    rows, ones = x.tensor.sizes[0], [1, 1]
    sums = b.reduce_window_with_general_padding(
        x, 0.0, lambda p, q: p + q, [rows, 1], ones, ones, ones, [(rows - 1, 0), (0, 0)]
    )
    return sums / float(rows)


# Elements moved


@listed
def sliced(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    axis = draw.choice((0, 1))
    size = x.tensor.sizes[axis]
    start = draw.randint(1, size // 2)
    return part(x, start, size, axis) if size > 3 else x


@listed
def shifted(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    """The difference of neighbours."""
    size = x.tensor.sizes[1]
    return part(x, 1, size) - part(x, 0, size - 1) if size > 3 else b.tanh(x)


@listed
def padded(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return b.pad_in_dim(x, _number(draw), draw.choice((0, 1)), draw.randint(0, 2), 1)


@listed
def joined(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return b.concat_in_dim([b.sin(x), x], draw.choice((0, 1))) if x.tensor.sizes[0] < 24 else b.sin(x)


@listed
def rearranged(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return draw.choice((turned(x), b.rev(x, [draw.choice((0, 1))]), b.reshape(turned(x), x.tensor.sizes)))


@listed
def gathered(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    index = b.input(_shape(draw.choice(SIZES), 1, dtype="s32"), "index")
    return b.gather(x, index, ROWS, [1, x.tensor.sizes[1]])


@listed
def scattered(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    index = b.input(_shape(x.tensor.sizes[0], 1, dtype="s32"), "index")
    return b.scatter(b.zeros(_shape(8, x.tensor.sizes[1])), index, x, lambda p, q: p + q, ADDED_ROWS)


@listed
def updated(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    size = x.tensor.sizes[1]
    place = [b.constant(draw.randint(0, 3)), b.constant(draw.randint(0, 2))]
    return b.dynamic_update_slice(x, b.input(_shape(1, max(1, size // 2))), place)


@listed
def windowed(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    """Some rows: within the matrix, since XLA of jaxlib 0.10.2 joins slices that it clamps to others."""
    rows, columns = x.tensor.sizes
    size = max(1, rows // 2)
    start = b.clamp(0, b.reshape(b.input("s32[1]", "index"), []), rows - size)
    return b.dynamic_slice(x, [start, b.constant(0)], [size, columns])


@listed
def ordered(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    return b.sort(x, dimension=draw.choice((0, 1)))


# Control flow


@listed
def looped(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    factor = _number(draw)
    return repeated(draw.randint(2, 4), lambda n, y: (y.builder.sin(y * factor) + 0.5,), x)[0]


@listed
def branched(b: Draft, draw: Random, x: XlaOp) -> XlaOp:
    first = b.reshape(b.input("f32[1]"), [])
    factor = _number(draw)
    return b.conditional(first > 0.25, x, lambda y: y.builder.tanh(y), x, lambda y: y * factor)
