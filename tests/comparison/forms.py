"""Pairs of forms: `SAME` are one function written twice, `CHAOTIC` such that rounding grows without limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import log, pi

import numpy as np

from hloscope.engine.builder import GatherDimensionNumbers, ScatterDimensionNumbers, XlaOp

from .drafts import (
    Draft,
    Function,
    cast,
    highest,
    lowest,
    mean,
    part,
    product_of,
    repeated,
    softmax,
    total,
    turned,
    variance,
)
from .functions import Results, mlp

Pair = tuple[Function, Function]
Written = Callable[..., Results]


def _of(shapes: str, first: Written, second: Written, drawn: str = "normal") -> Pair:
    """Two functions of inputs of these shapes, whose distribution is `drawn`, or named after a colon.

    `t` replaces f32.
    """

    def reading(write: Written) -> Function:
        def function(b: Draft, t: str = "f32") -> Results:
            given = (found.partition(":") for found in shapes.replace("f32", t).split())
            return write(b, *(b.input(shape, own or drawn) for shape, _, own in given))

        return function

    return reading(first), reading(second)


def _by_halves(x: XlaOp) -> XlaOp:
    size = x.tensor.sizes[-1]
    return total(part(x, 0, size // 2)) + total(part(x, size // 2, size))


def _running(x: XlaOp) -> XlaOp:
    """Sums of the first rows, by a window."""
    rows, ones = x.tensor.sizes[0], [1, 1]
    return x.builder.reduce_window_with_general_padding(
        x, 0.0, lambda p, q: p + q, [rows, 1], ones, ones, ones, [(rows - 1, 0), (0, 0)]
    )


def _scanned(x: XlaOp) -> XlaOp:
    """Sums of the first rows, one by one."""
    b = x.builder
    start = b.broadcast_in_dim(b.constant(0.0), [x.tensor.sizes[1]], [])
    return b.scan([x], [start], lambda x, kept: (kept + x, kept + x), 0)[0]


def _below(b: Draft, size: int) -> XlaOp:
    return cast(b.iota(f"s32[{size},{size}]", 0) >= b.iota(f"s32[{size},{size}]", 1), "f32")


def _one(b: Draft, size: int) -> XlaOp:
    return cast(b.eq(b.iota(f"s32[{size},{size}]", 0), b.iota(f"s32[{size},{size}]", 1)), "f32")


def _hot(b: Draft, index: XlaOp) -> XlaOp:
    count = index.tensor.sizes[0]
    return cast(b.eq(b.broadcast_in_dim(index, [count, 8], [0, 1]), b.iota(f"s32[{count},8]", 1)), "f32")


def _taken(b: Draft, table: XlaOp, index: XlaOp) -> XlaOp:
    return b.gather(table, index, GatherDimensionNumbers((1,), (0,), (), (), (0,), 1), [1, 16])


def _added(b: Draft, index: XlaOp, new: XlaOp) -> XlaOp:
    places = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
    return b.scatter(b.zeros("f32[8,4]"), index, new, lambda p, q: p + q, places)


def _inner(x: XlaOp) -> XlaOp:
    return (x * x * x * 0.044715 + x) * 0.7978846


def _attended(b: Draft, query: XlaOp, key: XlaOp, value: XlaOp, *, early: bool) -> XlaOp:
    scores = product_of(query * 0.3, turned(key)) if early else product_of(query, turned(key)) * 0.3
    return product_of(softmax(scores), value)


def _fourier(b: Draft, x: XlaOp) -> XlaOp:
    angle = b.iota("f32[16,16]", 0) * b.iota("f32[16,16]", 1) % 16.0 * (-2 * pi / 16)
    return b.dot(x, b.complex(b.cos(angle), b.sin(angle)))


def _convolved(b: Draft, x: XlaOp, w: XlaOp) -> XlaOp:
    windows = b.concat_in_dim([b.reshape(part(x, k, k + 14), [8, 14, 1]) for k in range(3)], 2)
    return b.reshape(total(windows * b.reshape(w, [1, 1, 3])), [8, 14])


def _steps(count: int, step: Callable[[XlaOp], XlaOp], x: XlaOp) -> XlaOp:
    """The steps of a loop, unrolled."""
    for _ in range(count):
        x = step(x)
    return x


def _apart(b: Draft, x: XlaOp, y: XlaOp) -> XlaOp:
    """The squares of distances, multiplied out."""
    return total(x * x) + turned(total(y * y)) - product_of(x, turned(y)) * 2.0


def _in_f32(b: Draft) -> Results:
    x, w, bias, v = (
        b.input("bf16[8,32]"),
        b.input("bf16[32,32]", "weights"),
        b.input("bf16[1,32]"),
        b.input("bf16[32,8]", "weights"),
    )
    x, w, bias, v = (cast(value, "f32") for value in (x, w, bias, v))
    return cast(product_of(b.tanh(product_of(x, w) + bias), v), "bf16")


SAME: Mapping[str, Pair] = {
    "softmax without its maximum": _of(
        "f32[8,32]", lambda b, x: softmax(x), lambda b, x: b.exp(x) / total(b.exp(x))
    ),
    "variance in one pass": _of(
        "f32[8,64]", lambda b, x: variance(x), lambda b, x: mean(x * x) - mean(x) * mean(x)
    ),
    "a third": _of("f32[64]", lambda b, x: x / 3.0, lambda b, x: x * (1 / 3)),
    "tanh by exponentials": _of(
        "f32[64]", lambda b, x: b.tanh(x), lambda b, x: (b.exp(x * 2.0) - 1.0) / (b.exp(x * 2.0) + 1.0)
    ),
    "sums by halves": _of("f32[8,512]", lambda b, x: total(x), lambda b, x: _by_halves(x)),
    "logistic by exponentials": _of(
        "f32[64]", lambda b, x: b.logistic(x), lambda b, x: 1.0 / (b.exp(-x) + 1.0)
    ),
    "logistic by tanh": _of("f32[64]", lambda b, x: b.logistic(x), lambda b, x: b.tanh(x * 0.5) * 0.5 + 0.5),
    "product transposed": _of(
        "f32[8,32] f32[32,16]",
        lambda b, x, y: product_of(x, y),
        lambda b, x, y: turned(product_of(turned(y), turned(x))),
    ),
    "running sums by a scan": _of("f32[16,8]", lambda b, x: _running(x), lambda b, x: _scanned(x)),
    "running sums by a product": _of(
        "f32[16,8]", lambda b, x: _scanned(x), lambda b, x: product_of(_below(b, 16), x)
    ),
    "one over a root": _of("f32[64]", lambda b, x: b.rsqrt(x), lambda b, x: 1.0 / b.sqrt(x), "positive"),
    "a square by pow": _of(
        "f32[64]", lambda b, x: x * x * x, lambda b, x: b.pow(x, b.constant(3.0)), "positive"
    ),
    "a product by logarithms": _of(
        "f32[64] f32[64]", lambda b, x, y: x * y, lambda b, x, y: b.exp(b.log(x) + b.log(y)), "positive"
    ),
    "log of softmax": _of(
        "f32[8,32]",
        lambda b, x: b.log(softmax(x)),
        lambda b, x: x - highest(x) - b.log(total(b.exp(x - highest(x)))),
    ),
    "log of a sum of exponentials": _of(
        "f32[8,32]",
        lambda b, x: b.log(total(b.exp(x))),
        lambda b, x: b.log(total(b.exp(x - highest(x)))) + highest(x),
    ),
    "distributed product": _of(
        "f32[64] f32[64] f32[64]", lambda b, x, y, z: (x + y) * z, lambda b, x, y, z: x * z + y * z
    ),
    "difference of squares": _of(
        "f32[64] f32[64]", lambda b, x, y: x * x - y * y, lambda b, x, y: (x - y) * (x + y)
    ),
    "polynomial by powers": _of(
        "f32[64]",
        lambda b, x: ((x * 0.5 - 2.0) * x + 1.0) * x + 3.0,
        lambda b, x: x * x * x * 0.5 - x * x * 2.0 + x + 3.0,
    ),
    "distances multiplied out": _of(
        "f32[8,3] f32[8,3]",
        lambda b, x, y: b.reshape(
            total(
                (b.reshape(x, [8, 1, 3]) - b.reshape(y, [1, 8, 3]))
                * (b.reshape(x, [8, 1, 3]) - b.reshape(y, [1, 8, 3]))
            ),
            [8, 8],
        ),
        _apart,
    ),
    "norm scaled": _of(
        "f32[8,32]",
        lambda b, x: b.sqrt(total(x * x)),
        lambda b, x: highest(b.abs(x)) * b.sqrt(total(x / highest(b.abs(x)) * (x / highest(b.abs(x))))),
    ),
    "attention scaled early": _of(
        "f32[8,16] f32[8,16] f32[8,16]",
        lambda b, *x: _attended(b, *x, early=True),
        lambda b, *x: _attended(b, *x, early=False),
    ),
    "batch norm folded": _of(
        "f32[16,8] f32[1,8] f32[1,8]:positive",
        lambda b, x, m, v: (x - m) / b.sqrt(v + 0.01),
        lambda b, x, m, v: x * b.rsqrt(v + 0.01) - m * b.rsqrt(v + 0.01),
    ),
    "products in another order": _of(
        "f32[8,16] f32[16,16] f32[16,4]",
        lambda b, x, y, z: product_of(product_of(x, y), z),
        lambda b, x, y, z: product_of(x, product_of(y, z)),
    ),
    "product by a sum": _of(
        "f32[8,16] f32[16,8]",
        lambda b, x, y: product_of(x, y),
        lambda b, x, y: b.reshape(total(b.reshape(x, [8, 1, 16]) * b.reshape(turned(y), [1, 8, 16])), [8, 8]),
    ),
    "mean by a product": _of(
        "f32[8,48]",
        lambda b, x: mean(x),
        lambda b, x: product_of(x, b.broadcast_in_dim(b.constant(1 / 48), [48, 1], [])),
    ),
    "convolution by slices": _of(
        "f32[8,16] f32[3]",
        lambda b, x, w: b.reshape(
            b.conv(b.reshape(x, [8, 1, 16]), b.reshape(w, [1, 1, 3]), [1], "valid"), [8, 14]
        ),
        _convolved,
    ),
    "Fourier transform by a product": _of("c64[4,16]:complex", lambda b, x: b.fft(x, "FFT", [16]), _fourier),
    "sine of twice": _of("f32[64]", lambda b, x: b.sin(x * 2.0), lambda b, x: b.sin(x) * b.cos(x) * 2.0),
    "expm1 by exp": _of(
        "f32[64]", lambda b, x: b.expm1(x + 1.0), lambda b, x: b.exp(x + 1.0) - 1.0, "positive"
    ),
    "log1p by log": _of("f32[64]", lambda b, x: b.log1p(x), lambda b, x: b.log(x + 1.0), "positive"),
    "softplus": _of(
        "f32[64]",
        lambda b, x: b.log(b.exp(x) + 1.0),
        lambda b, x: b.max(x, x * 0.0) + b.log1p(b.exp(-b.abs(x))),
    ),
    "gelu by logistic": _of(
        "f32[64]",
        lambda b, x: x * 0.5 * (b.tanh(_inner(x)) + 1.0),
        lambda b, x: x * b.logistic(_inner(x) * 2.0),
    ),
    "root by Newton": _of(
        "f32[16]",
        lambda b, x: b.sqrt(x),
        lambda b, x: repeated(12, lambda n, y, x: ((y + x / y) * 0.5, x), x, x)[0],
        "positive",
    ),
    "loop unrolled": _of(
        "f32[4,16] f32[16,16]:weights",
        lambda b, x, w: repeated(5, lambda n, h, w: (h.builder.tanh(product_of(h, w)), w), x, w)[0],
        lambda b, x, w: _steps(5, lambda h: b.tanh(turned(product_of(turned(w), turned(h)))), x),
    ),
    "decay in closed form": _of(
        "f32[64]",
        lambda b, x: repeated(10, lambda n, x: (x * 0.9,), x)[0],
        lambda b, x: x * b.pow(b.constant(0.9), b.constant(10.0)),
    ),
    "maximum by minimum": _of(
        "f32[8,32]", lambda b, x: b.exp(highest(x)), lambda b, x: 1.0 / b.exp(lowest(-x))
    ),
    "covariance centred once": _of(
        "f32[8,64] f32[8,64]",
        lambda b, x, y: mean((x - mean(x)) * (y - mean(y))),
        lambda b, x, y: mean((x - mean(x)) * y),
    ),
    "divergence of a ratio": _of(
        "f32[8,16] f32[8,16]",
        lambda b, x, y: total(softmax(x) * (b.log(softmax(x)) - b.log(softmax(y)))),
        lambda b, x, y: total(softmax(x) * b.log(softmax(x) / softmax(y))),
    ),
    "Adam with its corrections in the rate": _of(
        "f32[64] f32[64] f32[64]:positive",
        lambda b, w, m, v: w - m / (1 - 0.9**3) / (b.sqrt(v / (1 - 0.99**3)) + 1e-6) * 0.1,
        lambda b, w, m, v: (
            w - m * (0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)) / (b.sqrt(v) + 1e-6 * np.sqrt(1 - 0.99**3))
        ),
    ),
    "weights normalised first": _of(
        "f32[8,32] f32[8,32]:positive",
        lambda b, x, w: total(x * w) / total(w),
        lambda b, x, w: total(x * (w / total(w))),
    ),
    "bf16 network in f32": (lambda b: mlp(b, "bf16"), _in_f32),
    "hyperbolic cosine": _of("f32[64]", lambda b, x: b.cosh(x), lambda b, x: (b.exp(x) + b.exp(-x)) * 0.5),
    "power of 2": _of("f32[64]", lambda b, x: b.pow(b.constant(2.0), x), lambda b, x: b.exp(x * log(2))),
    "sorted the other way": _of(
        "f32[8,16]",
        lambda b, x: b.exp(b.sort(x, dimension=1)),
        lambda b, x: 1.0 / b.exp(b.rev(b.sort(-x, dimension=1), [1])),
    ),
    "maximum by sorting": _of(
        "f32[8,16]",
        lambda b, x: b.tanh(highest(x)),
        lambda b, x: 1.0 - 2.0 / (b.exp(part(b.sort(x, dimension=1), 15, 16) * 2.0) + 1.0),
    ),
    "embedding by a product": _of(
        "f32[8,16] s32[12,1]:index",
        lambda b, x, i: _taken(b, x * 0.1, i),
        lambda b, x, i: product_of(_hot(b, i), x) / 10.0,
    ),
    "scattered sums by a product": _of(
        "s32[32,1]:index f32[32,4]", _added, lambda b, i, x: product_of(turned(_hot(b, i)), x)
    ),
    "transposed later": _of(
        "f32[8,16]", lambda b, x: turned(b.exp(x) * 0.3), lambda b, x: b.exp(turned(x) + log(0.3))
    ),
    "complex product by parts": _of(
        "c64[32]:complex c64[32]:complex",
        lambda b, x, y: x * y,
        lambda b, x, y: b.complex(
            b.real(x) * b.real(y) - b.imag(x) * b.imag(y), b.real(x) * b.imag(y) + b.imag(x) * b.real(y)
        ),
    ),
    "complex magnitude": _of(
        "c64[32]:complex",
        lambda b, x: b.abs(x),
        lambda b, x: b.sqrt(b.real(x) * b.real(x) + b.imag(x) * b.imag(x)),
    ),
    "interpolation": _of(
        "f32[64] f32[64]", lambda b, x, y: x * 0.7 + y * 0.3, lambda b, x, y: x + (y - x) * 0.3
    ),
    "rotation by complex numbers": _of(
        "f32[32] f32[32] f32[32]",
        lambda b, x, y, a: x * b.cos(a) - y * b.sin(a),
        lambda b, x, y, a: b.real(b.complex(x, y) * b.exp(b.complex(a * 0.0, a))),
    ),
    "moving average by weights": _of(
        "f32[8,16]",
        lambda b, x: _averaged(x),
        lambda b, x: total(x * b.exp(b.iota("f32[8,16]", 1) * -log(0.9)) * (0.1 * 0.9**15)),
    ),
    "pooling by slices": _of(
        "f32[8,16]",
        lambda b, x: b.reduce_window(b.exp(x), 0.0, lambda p, q: p + q, [1, 2], [1, 2], "VALID"),
        lambda b, x: b.reshape(total(b.reshape(b.exp(x), [8, 8, 2])), [8, 8]),
    ),
    "centring by a product": _of(
        "f32[16,8]", lambda b, x: x - mean(x, 0), lambda b, x: product_of(_one(b, 16) - 1 / 16, x)
    ),
    "ratio of gammas": _of(
        "f32[64]", lambda b, x: x / (x + 1.0), lambda b, x: 1.0 - 1.0 / (x + 1.0), "positive"
    ),
    "geometric mean": _of(
        "f32[8,16]",
        lambda b, x: b.exp(mean(b.log(x))),
        lambda b, x: b.pow(_multiplied(x), b.constant(1 / 16)),
        "positive",
    ),
    "cosine by sine": _of("f32[64]", lambda b, x: b.cos(x), lambda b, x: b.sin(x + pi / 2)),
    "angle between vectors": _of(
        "f32[8,32] f32[8,32]",
        lambda b, x, y: total(x * y) / b.sqrt(total(x * x) * total(y * y)),
        lambda b, x, y: total(x * b.rsqrt(total(x * x)) * (y * b.rsqrt(total(y * y)))),
    ),
    "layer norm of scaled rows": _of(
        "f32[8,64]",
        lambda b, x: (x - mean(x)) * b.rsqrt(variance(x)),
        lambda b, x: (x * 3.0 - mean(x * 3.0)) / b.sqrt(variance(x * 3.0)),
    ),
}


def _multiplied(x: XlaOp) -> XlaOp:
    size = x.tensor.sizes[-1]
    while size > 1:
        size //= 2
        x = part(x, 0, size) * part(x, size, 2 * size)
    return x


def _averaged(x: XlaOp) -> XlaOp:
    b, kept = x.builder, part(x, 0, 1) * 0.0
    for at in range(16):
        kept = kept * 0.9 + part(x, at, at + 1) * 0.1
    return b.reshape(kept, [8, 1])


# Chaotic


def _mapped(
    count: int, one: Callable[[XlaOp], XlaOp], other: Callable[[XlaOp], XlaOp], drawn: str = "uniform"
) -> Pair:
    """A map that is applied many times, in two forms."""
    return _of(
        "f32[16]",
        lambda b, x: repeated(count, lambda n, x: (one(x),), x)[0],
        lambda b, x: repeated(count, lambda n, x: (other(x),), x)[0],
        drawn,
    )


def _fraction(x: XlaOp) -> XlaOp:
    return x - x.builder.floor(x)


def _hilbert(b: Draft, size: int) -> XlaOp:
    return 1.0 / (b.iota(f"f32[{size},{size}]", 0) + b.iota(f"f32[{size},{size}]", 1) + 1.0)


def _muller(b: Draft, x: XlaOp, *, expanded: bool) -> XlaOp:
    def step(n: XlaOp, y: XlaOp, z: XlaOp) -> tuple[XlaOp, XlaOp]:
        return z, (108.0 - 815.0 / z + 1500.0 / z / y) if expanded else 108.0 - (815.0 - 1500.0 / y) / z

    return repeated(12, step, x * 0.0 + 4.0, x * 0.0 + 4.25)[1]


def _henon(b: Draft, x: XlaOp, y: XlaOp, *, other: bool) -> list[XlaOp]:
    def step(n: XlaOp, x: XlaOp, y: XlaOp) -> tuple[XlaOp, XlaOp]:
        return 1.0 - (x * 1.4 * x if other else x * x * 1.4) + y, x * 0.3

    return repeated(90, step, x * 0.1, y * 0.1)


def _nearest(b: Draft, x: XlaOp) -> XlaOp:
    return b.reduce([x, b.iota("s32[8,16]", 1)], [-np.inf, 0], _later, [1])[1]


def _later(best: XlaOp, at: XlaOp, value: XlaOp, place: XlaOp) -> tuple[XlaOp, XlaOp]:
    b, is_better = best.builder, value > best
    return b.select(is_better, value, best), b.select(is_better, place, at)


CHAOTIC: Mapping[str, Pair] = {
    "logistic map": _mapped(60, lambda x: x * 4.0 * (1.0 - x), lambda x: x * 4.0 - x * x * 4.0),
    "logistic map at 3.9": _mapped(80, lambda x: x * 3.9 * (1.0 - x), lambda x: (x - x * x) * 3.9),
    "Muller's recurrence": _of(
        "f32[4]", lambda b, x: _muller(b, x, expanded=False), lambda b, x: _muller(b, x, expanded=True)
    ),
    "bits shifted out": _mapped(40, lambda x: _fraction(x * 3.0), lambda x: _fraction(x + x * 2.0)),
    "Gauss's map": _mapped(30, lambda x: _fraction(1.0 / (x + 1e-9)), lambda x: _fraction(1.0 / x)),
    "cubic map": _mapped(60, lambda x: x * x * x * 4.0 - x * 3.0, lambda x: x * (x * x * 4.0 - 3.0)),
    "sine map": _mapped(60, lambda x: x.builder.sin(x * pi), lambda x: x.builder.cos((x - 0.5) * pi)),
    "Hénon's map": _of(
        "f32[16] f32[16]",
        lambda b, x, y: _henon(b, x, y, other=False),
        lambda b, x, y: _henon(b, x, y, other=True),
    ),
    "cancellation": _of(
        "f32[16]", lambda b, x: (x * 0.001 + 1e5) - 1e5, lambda b, x: (x * 0.001 - 1e5) + 1e5
    ),
    "variance of large numbers": _of(
        "f32[8,64]",
        lambda b, x: variance(x + 3e4),
        lambda b, x: mean((x + 3e4) * (x + 3e4)) - mean(x + 3e4) * mean(x + 3e4),
    ),
    "Hilbert's matrix": _of(
        "f32[8,1]",
        lambda b, x: b.triangular_solve(b.cholesky(_hilbert(b, 8) + _one(b, 8) * 1e-6), x),
        lambda b, x: b.triangular_solve(b.cholesky(_hilbert(b, 8) + _one(b, 8) * 1e-6), x * 3.0) / 3.0,
    ),
    "sorting ties of rounding": _of(
        "f32[8,16]",
        lambda b, x: b.sort([b.round(x) * 0.1 + 0.3, b.iota("s32[8,16]", 1)], lambda p, q, *_: p < q, 1)[1],
        lambda b, x: b.sort([(b.round(x) + 3.0) * 0.1, b.iota("s32[8,16]", 1)], lambda p, q, *_: p < q, 1)[1],
    ),
    "largest among ties": _of(
        "f32[8,16]",
        lambda b, x: _nearest(b, b.sin(b.iota("f32[8,16]", 1) * 2 * pi)),
        lambda b, x: _nearest(b, b.sin(b.iota("f32[8,16]", 1) * pi) * b.cos(b.iota("f32[8,16]", 1) * pi)),
    ),
    "whole numbers cut off": _of(
        "f32[64]",
        lambda b, x: b.floor(b.round(x * 5.0) * 0.1 / 0.1),
        lambda b, x: b.floor(b.round(x * 5.0) / 10.0 * 10.0),
    ),
    "a tie that decides": _of(
        "f32[64]",
        lambda b, x: b.select(x / 3.0 * 3.0 >= x, b.exp(x), -x),
        lambda b, x: b.select(x * 3.0 / 3.0 >= x, b.exp(x), -x),
    ),
    "sign of a cancelled sum": _of(
        "f32[8,32]",
        lambda b, x: b.sign(total(x) - _by_halves(x)),
        lambda b, x: b.sign(_by_halves(x) - total(x)),
    ),
    "large angles": _of(
        "f32[64]", lambda b, x: b.sin(x * 1e6 + x * 1e6), lambda b, x: b.sin(x * 1e6) * b.cos(x * 1e6) * 2.0
    ),
    "near a pole": _of("f32[16]", lambda b, x: b.tan(x * 1e-7 + pi / 2), lambda b, x: 1.0 / b.tan(x * -1e-7)),
    "a loop that ends at a tie": _of(
        "f32[]", lambda b, x: _counted(b, x, 0.1), lambda b, x: _counted(b, x, 0.2)
    ),
}


def _counted(b: Draft, x: XlaOp, part_of_step: float) -> XlaOp:
    """How often a tenth is added until 1 is reached: 10 times, or 11."""
    step = b.exp(b.constant(log(part_of_step))) * (0.1 / part_of_step)
    start = b.tuple([x * 0.0, x * 0.0, step])
    return b.while_(lambda s: s[0] < 1.0, lambda s: (s[0] + s[2], s[1] + 1.0, s[2]), start)[1]
