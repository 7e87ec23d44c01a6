"""Functions of all kinds, with parameters that may be varied; `FUNCTIONS` names them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi, sqrt
from typing import TypeVar

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
    product,
    product_of,
    repeated,
    softmax,
    total,
    turned,
    variance,
)

FUNCTIONS: dict[str, Function] = {}
Results = XlaOp | Sequence[XlaOp]
Listed = TypeVar("Listed", bound=Function)


def listed(function: Listed) -> Listed:
    """Enter a function into `FUNCTIONS`."""
    FUNCTIONS[function.__name__] = function
    return function


# Networks


@listed
def mlp(b: Draft, t: str = "f32", scale: float = 1.0) -> Results:
    x, w, bias, v = b.input(f"{t}[8,32]"), *_weights(b, t, 32, 32), b.input(f"{t}[32,8]", "weights")
    return product_of(b.tanh(product_of(x, w) + bias), v) * scale


def _weights(b: Draft, t: str, rows: int, columns: int) -> tuple[XlaOp, XlaOp]:
    return b.input(f"{t}[{rows},{columns}]", "weights"), b.input(f"{t}[1,{columns}]")


@listed
def relu_network(b: Draft, t: str = "f32", slope: float = 0.0) -> Results:
    x, w, bias, v = b.input(f"{t}[8,32]"), *_weights(b, t, 32, 32), b.input(f"{t}[32,8]", "weights")
    hidden = product_of(x, w) + bias
    return product_of(b.max(hidden, hidden * slope), v)


@listed
def gelu(b: Draft, t: str = "f32", cubic: float = 0.044715) -> Results:
    x = b.input(f"{t}[8,32]")
    return x * 0.5 * (b.tanh((x * x * x * cubic + x) * 0.7978846) + 1.0)


@listed
def gelu_by_erf(b: Draft, t: str = "f32") -> Results:
    x = b.input(f"{t}[8,32]")
    return x * 0.5 * (b.erf(x * sqrt(0.5)) + 1.0)


@listed
def gated_units(b: Draft, t: str = "f32", swapped: bool = False) -> Results:
    x, gate, up = b.input(f"{t}[8,32]"), *(b.input(f"{t}[32,16]", "weights") for _ in range(2))
    opened, passed = product_of(x, gate), product_of(x, up)
    if swapped:
        opened, passed = passed, opened
    return opened * b.logistic(opened) * passed


@listed
def attention(b: Draft, t: str = "f32", scale: float = 0.25, causal: bool = False, axis: int = -1) -> Results:
    query, key, value = (b.input(f"{t}[2,8,16]") for _ in range(3))
    scores = product_of(query, turned(key)) * scale
    if causal:
        scores = _below_diagonal(b, scores, t)
    return product_of(softmax(scores, axis), value)


def _below_diagonal(b: Draft, scores: XlaOp, t: str) -> XlaOp:
    shape = f"s32[{','.join(map(str, scores.tensor.sizes))}]"
    rows, columns = b.iota(shape, scores.rank - 2), b.iota(shape, scores.rank - 1)
    lowest_number = b.broadcast_in_dim(b.constant(-1e4, t), scores.tensor.sizes, [])
    return b.select(rows >= columns, scores, lowest_number)


@listed
def causal_attention(b: Draft, t: str = "f32") -> Results:
    return attention(b, t, causal=True)


@listed
def linear_attention(b: Draft, t: str = "f32") -> Results:
    query, key, value = (b.input(f"{t}[2,8,16]") for _ in range(3))
    query, key = b.logistic(query), b.logistic(key)
    weights = product_of(query, turned(total(key, 1)))
    return product_of(query, product_of(turned(key), value)) / weights


@listed
def rotary(b: Draft, t: str = "f32", base: float = 10000.0, sign: float = 1.0) -> Results:
    x = b.input(f"{t}[16,32]")
    place, number = b.iota(f"{t}[16,16]", 0), b.iota(f"{t}[16,16]", 1)
    angle = place * b.exp(number * (-np.log(base) / 16))
    left, right = part(x, 0, 16), part(x, 16, 32)
    sine, cosine = b.sin(angle) * sign, b.cos(angle)
    return b.concat_in_dim([left * cosine - right * sine, right * cosine + left * sine], 1)


@listed
def convolution(b: Draft, t: str = "f32", padding: str = "same") -> Results:
    x, w = b.input(f"{t}[2,3,8,8]"), b.input(f"{t}[4,3,3,3]", "weights")
    if padding == "shifted":
        return b.conv_with_general_padding(x, w, [1, 1], [(2, 0), (1, 1)])
    return b.conv(x, w, [1, 1], padding)


@listed
def pooling(b: Draft, t: str = "f32", stride: int = 2) -> Results:
    x = b.input(f"{t}[2,8,8]")
    most = b.reduce_window(x, -np.inf, lambda p, q: p.builder.max(p, q), [1, 2, 2], [1, 2, 2], "VALID")
    sums = b.reduce_window(x, 0.0, lambda p, q: p + q, [1, 2, 2], [1, stride, 2], "VALID")
    return [most, sums * 0.25]


@listed
def recurrent(b: Draft, t: str = "f32", count: int = 6) -> Results:
    x, state, w = b.input(f"{t}[4,16]"), b.input(f"{t}[4,16]"), b.input(f"{t}[16,16]", "weights")
    return repeated(count, lambda n, h, x, w: (h.builder.tanh(product_of(h, w) + x), x, w), state, x, w)[0]


@listed
def gated_recurrent(b: Draft, t: str = "f32") -> Results:
    x, h, *w = (
        b.input(f"{t}[4,16]"),
        b.input(f"{t}[4,16]"),
        *(b.input(f"{t}[16,16]", "weights") for _ in range(3)),
    )

    def step(n: XlaOp, h: XlaOp, x: XlaOp, *w: XlaOp) -> tuple[XlaOp, ...]:
        c = h.builder
        kept, reset = c.logistic(product_of(h, w[0]) + x), c.logistic(product_of(h, w[1]) - x)
        return kept * h + (1.0 - kept) * c.tanh(product_of(h * reset, w[2]) + x), x, *w

    return repeated(5, step, h, x, *w)[0]


@listed
def embedding(b: Draft, t: str = "f32") -> Results:
    table, index = b.input(f"{t}[8,16]"), b.input("s32[12,1]", "index")
    found = b.gather(table, index, GatherDimensionNumbers((1,), (0,), (), (), (0,), 1), [1, 16])
    return total(found * found, 1)


@listed
def scattered_sums(b: Draft, t: str = "f32") -> Results:
    table, index, new = b.input(f"{t}[8,4]"), b.input("s32[32,1]", "index"), b.input(f"{t}[32,4]")
    places = ScatterDimensionNumbers((1,), (0,), (), (), (0,), 1)
    return b.scatter(table, index, new, lambda p, q: p + q, places)


@listed
def routed(b: Draft, t: str = "f32", capacity: int = 6, temperature: float = 1.0) -> Results:
    """A mixture of experts: each token goes to its best expert, as far as its capacity reaches."""
    x, gate, experts = b.input(f"{t}[32,8]"), b.input(f"{t}[8,4]"), b.input(f"{t}[4,8,8]", "weights")
    chances = softmax(product_of(x, gate) / temperature)
    chosen = cast(chances >= highest(chances), t)
    place = _running_sum(chosen, 0) * chosen
    chosen = chosen * cast(place <= float(capacity), t)
    each = product_of(b.broadcast(x, [4]), experts)
    weights = b.transpose(chosen * chances, [1, 0])
    return b.reshape(total(b.reshape(weights, [4, 32, 1]) * each, 0), [32, 8])


def _running_sum(x: XlaOp, axis: int, *, reverse: bool = False) -> XlaOp:
    size, ones = x.tensor.sizes[axis], [1] * x.rank
    window = [size if at == axis else 1 for at in range(x.rank)]
    edges = (0, size - 1) if reverse else (size - 1, 0)
    padding = [edges if at == axis else (0, 0) for at in range(x.rank)]
    return x.builder.reduce_window_with_general_padding(
        x, 0.0, lambda p, q: p + q, window, ones, ones, ones, padding
    )


# Norms


@listed
def layer_norm(b: Draft, t: str = "f32", eps: float = 1e-3, axis: int = -1) -> Results:
    x, scale, shift = b.input(f"{t}[16,32]"), b.input(f"{t}[1,32]"), b.input(f"{t}[1,32]")
    return (x - mean(x, axis)) * b.rsqrt(variance(x, axis) + eps) * scale + shift


@listed
def rms_norm(b: Draft, t: str = "f32", eps: float = 1e-3) -> Results:
    x, scale = b.input(f"{t}[16,32]"), b.input(f"{t}[1,32]")
    return x * b.rsqrt(mean(x * x) + eps) * scale


@listed
def batch_norm(b: Draft, t: str = "f32", eps: float = 1e-3) -> Results:
    x, scale, shift = b.input(f"{t}[16,8]"), b.input(f"{t}[8]"), b.input(f"{t}[8]")
    return [*b.batch_norm_training(x, scale, shift, eps, 1)]


@listed
def unit_vectors(b: Draft, t: str = "f32") -> XlaOp:
    x = b.input(f"{t}[16,32]")
    return x / b.sqrt(total(x * x))


# Losses


@listed
def log_softmax(b: Draft, t: str = "f32", temperature: float = 1.0) -> XlaOp:
    x = b.input(f"{t}[8,32]") / temperature
    centred = x - highest(x)
    return centred - b.log(total(b.exp(centred)))


@listed
def cross_entropy(b: Draft, t: str = "f32", smoothing: float = 0.0) -> Results:
    x, labels = log_softmax(b, t), b.input("s32[8]", "index")
    hot = b.eq(b.iota("s32[8,32]", 1), b.broadcast_in_dim(labels, [8, 32], [0]))
    target = cast(hot, t) * (1 - smoothing) + smoothing / 32
    return -mean(total(x * target), 0)


@listed
def divergence(b: Draft, t: str = "f32", weight: float = 0.1) -> Results:
    """The loss of a variational autoencoder."""
    x, made, centre, spread = (b.input(f"{t}[8,16]") for _ in range(4))
    kl = total(b.exp(spread) + centre * centre - 1.0 - spread) * 0.5
    return mean(total((x - made) * (x - made)) + kl * weight, 0)


@listed
def hinge(b: Draft, t: str = "f32", margin: float = 1.0) -> Results:
    x, y = b.input(f"{t}[32]"), b.input(f"{t}[32]")
    return mean(b.max(margin - x * b.sign(y), b.zeros(f"{t}[32]")), 0)


@listed
def huber(b: Draft, t: str = "f32", delta: float = 1.0) -> Results:
    x, y = b.input(f"{t}[32]"), b.input(f"{t}[32]")
    apart = b.abs(x - y)
    return mean(b.select(apart < delta, apart * apart * 0.5, (apart - delta / 2) * delta), 0)


@listed
def contrastive(b: Draft, t: str = "f32", temperature: float = 0.1) -> Results:
    x, y = unit_vectors(b, t), unit_vectors(b, t)
    scores = product_of(x, turned(y)) / temperature
    same = cast(b.eq(b.iota("s32[16,16]", 0), b.iota("s32[16,16]", 1)), t)
    return mean(total(b.log(softmax(scores)) * same), 0)


# Reductions and statistics


@listed
def sums(b: Draft, t: str = "f32", axis: int = -1) -> Results:
    return total(b.input(f"{t}[16,16]"), axis)


@listed
def long_sum(b: Draft, t: str = "f32") -> Results:
    return total(b.input(f"{t}[4,2048]"))


@listed
def sums_of_squares(b: Draft, t: str = "f32") -> Results:
    x = b.input(f"{t}[8,512]")
    return b.sqrt(total(x * x))


@listed
def products(b: Draft, t: str = "f32") -> Results:
    return product(b.input(f"{t}[8,16]", "positive"))


@listed
def log_sum_exp(b: Draft, t: str = "f32") -> Results:
    x = b.input(f"{t}[8,32]")
    return b.log(total(b.exp(x)))


@listed
def extent(b: Draft, t: str = "f32") -> Results:
    x = b.input(f"{t}[8,32]")
    return highest(x) - lowest(x)


@listed
def deviation(b: Draft, t: str = "f32", dof: int = 0) -> Results:
    return b.sqrt(variance(b.input(f"{t}[8,64]"), dof=dof))


@listed
def skewness(b: Draft, t: str = "f32", power: int = 3) -> Results:
    x = b.input(f"{t}[8,64]")
    centred = (x - mean(x)) / b.sqrt(variance(x))
    return mean(centred * centred * centred * (centred if power == 4 else 1.0))


@listed
def kurtosis(b: Draft, t: str = "f32") -> Results:
    return skewness(b, t, 4)


@listed
def covariance(b: Draft, t: str = "f32", dof: int = 1) -> Results:
    x = b.input(f"{t}[64,8]")
    centred = x - mean(x, 0)
    return product_of(turned(centred), centred) / float(64 - dof)


@listed
def correlation(b: Draft, t: str = "f32") -> Results:
    x, y = b.input(f"{t}[8,64]"), b.input(f"{t}[8,64]")
    both = mean((x - mean(x)) * (y - mean(y)))
    return both * b.rsqrt(variance(x) * variance(y))


@listed
def quantile(b: Draft, t: str = "f32", q: float = 0.5) -> Results:
    x = b.sort(b.input(f"{t}[8,33]"), dimension=1)
    place = q * 32
    low = int(place)
    return part(x, low, low + 1) * (1 - place + low) + part(x, low + 1, low + 2) * (place - low)


@listed
def weighted_mean(b: Draft, t: str = "f32") -> Results:
    x, w = b.input(f"{t}[8,32]"), b.input(f"{t}[8,32]", "positive")
    return total(x * w) / total(w)


@listed
def regression(b: Draft, t: str = "f32", damping: float = 0.0) -> Results:
    """The slope and intercept of a line through points."""
    x, y = b.input(f"{t}[8,64]"), b.input(f"{t}[8,64]")
    slope = mean((x - mean(x)) * (y - mean(y))) / (variance(x) + damping)
    return [slope, mean(y) - slope * mean(x)]


@listed
def density(b: Draft, t: str = "f32", bandwidth: float = 0.5) -> Results:
    x, y = b.input(f"{t}[16,1]"), b.input(f"{t}[1,32]")
    apart = (x - y) / bandwidth
    return mean(b.exp(apart * apart * -0.5)) / (bandwidth * sqrt(2 * pi))


@listed
def cumulative_sums(b: Draft, t: str = "f32", reverse: bool = False) -> Results:
    return _running_sum(b.input(f"{t}[4,32]"), 1, reverse=reverse)


# Sorting and choosing


@listed
def sorted_rows(b: Draft, t: str = "f32", axis: int = 1) -> Results:
    x = b.input(f"{t}[8,16]")
    return b.sort(b.exp(x), dimension=axis)


@listed
def sorted_pairs(b: Draft, t: str = "f32", descending: bool = False) -> Results:
    keys, values = b.input(f"{t}[8,16]"), b.input(f"{t}[8,16]")
    order = (lambda p, q, *_: p > q) if descending else (lambda p, q, *_: p < q)
    return [*b.sort([b.sin(keys), values], order, 1, is_stable=True)]


@listed
def best_places(b: Draft, t: str = "f32", count: int = 4) -> Results:
    x, w = b.input(f"{t}[8,16]"), b.input(f"{t}[16,16]", "weights")
    values, places = b.top_k(product_of(x, w), count)
    return [softmax(values), places]


@listed
def clipped(b: Draft, t: str = "f32", bound: float = 1.0) -> Results:
    x = b.input(f"{t}[8,16]")
    return b.exp(b.clamp(b.constant(-bound, t), x * 1.5, b.constant(bound, t)))


# Loops


@listed
def newton_root(b: Draft, t: str = "f32", count: int = 8) -> Results:
    x = b.input(f"{t}[16]", "positive")
    return repeated(count, lambda n, y, x: ((y + x / y) * 0.5, x), x, x)[0]


@listed
def moving_average(b: Draft, t: str = "f32", decay: float = 0.9) -> Results:
    x, start = b.input(f"{t}[16,8]"), b.input(f"{t}[8]")

    def step(x: XlaOp, kept: XlaOp) -> tuple[XlaOp, XlaOp]:
        new = kept * decay + x * (1 - decay)
        return new, new

    return [*b.scan([x], [start], step, 0)]


@listed
def runge_kutta(b: Draft, t: str = "f32", damping: float = 0.1) -> Results:
    """A damped pendulum."""
    place, speed = b.input(f"{t}[8]"), b.input(f"{t}[8]")

    def slope(p: XlaOp, v: XlaOp) -> tuple[XlaOp, XlaOp]:
        return v, -p.builder.sin(p) - v * damping

    def step(n: XlaOp, p: XlaOp, v: XlaOp) -> tuple[XlaOp, XlaOp]:
        a = slope(p, v)
        c = slope(p + a[0] * 0.05, v + a[1] * 0.05)
        d = slope(p + c[0] * 0.05, v + c[1] * 0.05)
        e = slope(p + d[0] * 0.1, v + d[1] * 0.1)
        ends = zip((p, v), a, c, d, e, strict=True)
        new = [x + (k + (j + m) * 2.0 + n) * (0.1 / 6) for x, k, j, m, n in ends]
        return new[0], new[1]

    return repeated(10, step, place, speed)


@listed
def diffusion(b: Draft, t: str = "f32", rate: float = 0.2) -> Results:
    def step(n: XlaOp, u: XlaOp) -> tuple[XlaOp]:
        wide = u.builder.pad_in_dim(u, 0.0, 0, 1, 1)
        return (u + (part(wide, 0, 32, 0) - u * 2.0 + part(wide, 2, 34, 0)) * rate,)

    return repeated(12, step, b.input(f"{t}[32]"))[0]


@listed
def power_iteration(b: Draft, t: str = "f32", count: int = 10) -> Results:
    a, x = b.input(f"{t}[8,8]", "definite"), b.input(f"{t}[8,1]", "positive")

    def step(n: XlaOp, x: XlaOp, a: XlaOp) -> tuple[XlaOp, XlaOp]:
        y = product_of(a, x)
        return y * y.builder.rsqrt(total(y * y, 0)), a

    x = repeated(count, step, x, a)[0]
    return [x, product_of(turned(x), product_of(a, x))]


@listed
def kalman(b: Draft, t: str = "f32", sign: float = 1.0, noise: float = 0.5) -> Results:
    seen, place = b.input(f"{t}[8]"), b.input(f"{t}[8]")
    spread = b.input(f"{t}[8]", "positive")

    def step(n: XlaOp, p: XlaOp, s: XlaOp, z: XlaOp) -> tuple[XlaOp, ...]:
        s = s + 0.1
        gain = s / (s + noise)
        return p + gain * (z - p) * sign, (1.0 - gain) * s, z

    return repeated(6, step, place, spread, seen)[:2]


@listed
def ranks_of_pages(b: Draft, t: str = "f32", damping: float = 0.85) -> Results:
    links, start = b.input(f"{t}[8,8]", "uniform"), b.input(f"{t}[8,1]", "uniform")

    def step(n: XlaOp, r: XlaOp, m: XlaOp) -> tuple[XlaOp, XlaOp]:
        return product_of(m, r) * damping + (1 - damping) / 8, m

    return repeated(10, step, start / total(start, 0), links / total(links, 0))[0]


# Solving


@listed
def factor(b: Draft, t: str = "f32") -> Results:
    a = b.cholesky(b.input(f"{t}[8,8]", "definite"))
    shape = "s32[8,8]"
    below = b.iota(shape, 0) >= b.iota(shape, 1)
    return b.select(below, a, b.zeros(f"{t}[8,8]"))


@listed
def solved(b: Draft, t: str = "f32", damping: float = 0.1) -> Results:
    """Least squares with a damping, by Cholesky."""
    a, y = b.input(f"{t}[16,8]"), b.input(f"{t}[16,2]")
    one = cast(b.eq(b.iota("s32[8,8]", 0), b.iota("s32[8,8]", 1)), t)
    low = b.cholesky(product_of(turned(a), a) + one * damping)
    half = b.triangular_solve(low, product_of(turned(a), y))
    return b.triangular_solve(low, half, transpose_a="TRANSPOSE")


@listed
def triangular(b: Draft, t: str = "f32") -> Results:
    a, y = b.input(f"{t}[8,8]", "definite"), b.input(f"{t}[8,4]")
    return b.triangular_solve(a, y)


@listed
def conjugate_gradients(b: Draft, t: str = "f32", count: int = 5) -> Results:
    a, y = b.input(f"{t}[8,8]", "definite"), b.input(f"{t}[8,1]")

    def step(n: XlaOp, x: XlaOp, r: XlaOp, p: XlaOp, a: XlaOp) -> tuple[XlaOp, ...]:
        image, size = product_of(a, p), total(r * r, 0)
        length = size / total(p * image, 0)
        rest = r - image * length
        return x + p * length, rest, rest + p * (total(rest * rest, 0) / size), a

    return repeated(count, step, y * 0.0, y, y, a)[0]


@listed
def inverse(b: Draft, t: str = "f32", count: int = 12) -> Results:
    """Newton and Schulz's iteration."""
    a = b.input(f"{t}[6,6]", "definite")
    start = turned(a) / (highest(total(b.abs(a), 0)) * highest(total(b.abs(a), 1), 0))
    one = cast(b.eq(b.iota("s32[6,6]", 0), b.iota("s32[6,6]", 1)), t)
    return repeated(
        count, lambda n, x, a, one: (product_of(x, one * 2.0 - product_of(a, x)), a, one), start, a, one
    )[0]


# Special functions


def _elementwise(name: str, write: Callable[[Draft, XlaOp], XlaOp], drawn: str = "normal") -> None:
    def function(b: Draft, t: str = "f32", scale: float = 1.0) -> Results:
        return write(b, b.input(f"{t}[64]", drawn)) * scale

    FUNCTIONS[name] = function


_elementwise("exponentials", lambda b, x: b.exp(x) - b.expm1(x * 0.1))
_elementwise("logarithms", lambda b, x: b.log(x) + b.log1p(x), "positive")
_elementwise("sines", lambda b, x: b.sin(x * 3.0) * b.cos(x))
_elementwise("tangents", lambda b, x: b.tan(x), "uniform")
_elementwise("angles", lambda b, x: b.atan2(b.sin(x), b.cos(x * 0.5)))
_elementwise("arcs", lambda b, x: b.asin(x) + b.acosh(x + 1.0), "uniform")
_elementwise("hyperbolic", lambda b, x: b.sinh(x) / b.cosh(x * 0.5))
_elementwise("powers", lambda b, x: b.pow(x, x * 2.0), "positive")
_elementwise("roots", lambda b, x: b.cbrt(x) + b.rsqrt(x), "positive")
_elementwise("errors", lambda b, x: b.erf(x))
_elementwise("softplus", lambda b, x: b.log1p(b.exp(-b.abs(x))) + b.max(x, x * 0.0))
_elementwise("horner", lambda b, x: ((((x * 0.2 - 1.0) * x + 0.5) * x - 2.0) * x + 1.5) * x + 3.0)


@listed
def option_price(b: Draft, t: str = "f32", rate: float = 0.05, volatility: float = 0.2) -> Results:
    """Black and Scholes."""
    price, strike = b.input(f"{t}[32]", "positive"), b.input(f"{t}[32]", "positive")
    first = (b.log(price / strike) + (rate + volatility**2 / 2)) / volatility

    def below(x: XlaOp) -> XlaOp:
        return (b.erf(x * sqrt(0.5)) + 1.0) * 0.5

    return price * below(first) - strike * float(np.exp(-rate)) * below(first - volatility)


@listed
def distances(b: Draft, t: str = "f32", power: float = 1.0) -> Results:
    x, y = b.input(f"{t}[8,1,3]"), b.input(f"{t}[1,8,3]")
    return b.pow(total((x - y) * (x - y)), b.constant(power / 2, t))


@listed
def bodies(b: Draft, t: str = "f32", softening: float = 0.1) -> Results:
    x, y = b.input(f"{t}[8,1,3]"), b.input(f"{t}[1,8,3]")
    apart = y - x
    inverse_root = b.rsqrt(total(apart * apart) + softening)
    return total(apart * (inverse_root * inverse_root * inverse_root), 1)


# Complex numbers


@listed
def complex_products(b: Draft, t: str = "c64") -> Results:
    x, y = b.input(f"{t}[8,8]", "complex"), b.input(f"{t}[8,8]", "complex")
    return product_of(x, y)


@listed
def phases(b: Draft, t: str = "c64") -> Results:
    x = b.input(f"{t}[32]", "complex")
    z = b.exp(x * 0.5) * b.conj(x)
    return [z, b.abs(z), b.atan2(b.imag(z), b.real(z))]


@listed
def spectrum(b: Draft, t: str = "c64", sign: str = "FFT") -> Results:
    x = b.input(f"{t}[4,32]", "complex")
    return b.fft(x, sign, [32])


@listed
def real_spectrum(b: Draft, t: str = "f32") -> Results:
    found = b.fft(b.input(f"{t}[4,32]"), "RFFT", [32])
    return [b.abs(found), b.fft(found, "IRFFT", [32])]


@listed
def roots_of_unity(b: Draft, t: str = "f32", sign: float = 1.0) -> Results:
    x = b.input(f"{t}[16]")
    angle = b.iota(f"{t}[16]", 0) * (sign * 2 * pi / 16)
    turns = b.complex(b.cos(angle), b.sin(angle))
    return b.reshape(total(b.complex(x, x * 0.5) * turns, 0), [1])


# Sampling


@listed
def uniform_numbers(b: Draft, t: str = "f32", low: float = -1.0) -> Results:
    bits = b.rng_bit_generator("RNG_THREE_FRY", b.constant([7, 11], "u64"), "u32[64]")[1]
    return cast(bits >> 8, t) * (2.0**-24 * (1 - low)) + low


@listed
def normal_numbers(b: Draft, t: str = "f32", spread: float = 1.0) -> Results:
    """Box and Muller's transformation."""
    u, v = b.input(f"{t}[32]", "uniform"), b.input(f"{t}[32]", "uniform")
    size, angle = b.sqrt(b.log(u) * -2.0), v * (2 * pi)
    return [size * b.cos(angle) * spread, size * b.sin(angle) * spread]


@listed
def gumbel_choice(b: Draft, t: str = "f32", temperature: float = 1.0) -> Results:
    x, u = b.input(f"{t}[8,16]"), b.input(f"{t}[8,16]", "uniform")
    return softmax((x - b.log(-b.log(u))) / temperature)


@listed
def drawn_categories(b: Draft, t: str = "f32") -> Results:
    chances, u = softmax(b.input(f"{t}[8,16]")), b.input(f"{t}[8,1]", "uniform")
    ends = _running_sum(chances, 1)
    return [total(cast(ends < u, t)), ends]


@listed
def dropout(b: Draft, t: str = "f32", kept: float = 0.8) -> Results:
    x, u = b.input(f"{t}[8,16]"), b.input(f"{t}[8,16]", "uniform")
    return b.select(u < kept, x / kept, x * 0.0)


@listed
def metropolis(b: Draft, t: str = "f32", temperature: float = 1.0) -> Results:
    x, step, u = b.input(f"{t}[32]"), b.input(f"{t}[32]"), b.input(f"{t}[32]", "uniform")
    new = x + step
    return b.select(b.log(u) < (x * x - new * new) * (0.5 / temperature), new, x)


# Steps of optimisers


def _state(b: Draft, t: str) -> tuple[XlaOp, XlaOp, XlaOp, XlaOp]:
    weight, gradient, first = (b.input(f"{t}[8,8]") for _ in range(3))
    return weight, gradient, first, b.input(f"{t}[8,8]", "positive")


@listed
def momentum(b: Draft, t: str = "f32", rate: float = 0.1, nesterov: bool = False) -> Results:
    w, g, m, _ = _state(b, t)
    m = m * 0.9 + g
    return [w - (m * 0.9 + g if nesterov else m) * rate, m]


@listed
def adam(b: Draft, t: str = "f32", eps: float = 1e-3, decay: float = 0.0, beta: float = 0.99) -> Results:
    w, g, m, v = _state(b, t)
    m, v = m * 0.9 + g * 0.1, v * beta + g * g * (1 - beta)
    step = (m / (1 - 0.9**3)) / (b.sqrt(v / (1 - beta**3)) + eps)
    return [w - (step + w * decay) * 0.01, m, v]


@listed
def rms_step(b: Draft, t: str = "f32", eps: float = 1e-3) -> Results:
    w, g, _, v = _state(b, t)
    v = v * 0.9 + g * g * 0.1
    return [w - g * 0.1 / b.sqrt(v + eps), v]


@listed
def signed_step(b: Draft, t: str = "f32", beta: float = 0.9) -> Results:
    w, g, m, _ = _state(b, t)
    return [w - b.sign(m * beta + g * (1 - beta)) * 0.01, m * 0.99 + g * 0.01]


@listed
def clipped_gradient(b: Draft, t: str = "f32", most: float = 1.0) -> Results:
    w, g, *_ = _state(b, t)
    size = b.sqrt(total(total(g * g), 0))
    return w - g * (0.1 * most / b.max(size, b.constant(most, t)))


@listed
def logistic_gradient(b: Draft, t: str = "f32", penalty: float = 0.01) -> Results:
    x, w, y = b.input(f"{t}[32,8]"), b.input(f"{t}[8,4]"), b.input(f"{t}[32,4]", "uniform")
    gradient = product_of(turned(x), b.logistic(product_of(x, w)) - y) / 32.0
    return w - (gradient + w * penalty) * 0.5
