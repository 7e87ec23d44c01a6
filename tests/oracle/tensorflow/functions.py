"""Functions over TensorFlow's ops, and their arguments: what is exported, and what TensorFlow computes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import tensorflow as tf

Array = Any
Arguments = tuple[Array, ...]
_RANDOM = np.random.default_rng(2026)


def normal(*shape: int) -> Array:
    """Normal numbers of f32."""
    return _RANDOM.normal(size=shape).astype(np.float32)


def whole(low: int, high: int, *shape: int, dtype: Any = np.int32) -> Array:
    """Integers from `low` up to `high`, which is not among them."""
    return _RANDOM.integers(low, high, shape).astype(dtype)


def dense(x: Array, w: Array, b: Array) -> Any:
    """Layers of all common activations."""
    y = tf.matmul(x, w) + b
    activations = (tf.nn.relu, tf.nn.gelu, tf.nn.selu, tf.nn.swish, tf.nn.softplus, tf.nn.elu, tf.nn.relu6)
    return [activation(y) for activation in activations]


def softmax_loss(x: Array, labels: Array) -> Any:
    """Cross entropy and its gradient."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x))
    return loss, tape.gradient(loss, x), tf.nn.log_softmax(x)


def convolution(x: Array, kernel: Array) -> Any:
    """Strides, dilation and padding."""
    return [
        tf.nn.conv2d(x, kernel, 2, "SAME"),
        tf.nn.conv2d(x, kernel, 1, "VALID", dilations=2),
        tf.nn.conv2d(x, kernel, 1, [[0, 0], [1, 0], [0, 2], [0, 0]]),
    ]


def convolution_gradient(x: Array, kernel: Array) -> Any:
    """By input and kernel."""
    with tf.GradientTape() as tape:
        tape.watch([x, kernel])
        loss = tf.reduce_sum(tf.nn.conv2d(x, kernel, 2, "SAME") ** 2)
    return tape.gradient(loss, [x, kernel])


def depthwise(x: Array, kernel: Array) -> Any:
    """One group for each feature."""
    return tf.nn.depthwise_conv2d(x, kernel, [1, 1, 1, 1], "SAME")


def transposed(x: Array, kernel: Array) -> Any:
    """conv2d_transpose."""
    return tf.nn.conv2d_transpose(x, kernel, [1, 8, 8, 2], 2)


def three_dimensions(x: Array, kernel: Array) -> Any:
    """conv3d and conv1d."""
    return tf.nn.conv3d(x, kernel, [1, 1, 2, 1, 1], "SAME"), tf.nn.conv1d(x[:, 0, 0], kernel[0, 0], 1, "SAME")


def pooling(x: Array) -> Any:
    """Largest and average."""
    return (
        tf.nn.max_pool2d(x, 3, 2, "SAME"),
        tf.nn.avg_pool2d(x, 2, 2, "SAME"),
        tf.nn.avg_pool2d(x, 3, 1, "VALID"),
    )


def pooling_gradient(x: Array) -> Any:
    """select_and_scatter, and its like for averages."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        largest = tf.reduce_sum(tf.nn.max_pool2d(x, 2, 2, "SAME") ** 2)
        average = tf.reduce_sum(tf.nn.avg_pool2d(x, 2, 2, "SAME") ** 2)
    return tape.gradient(largest, x), tape.gradient(average, x)


def batch_norm(x: Array, scale: Array, offset: Array) -> Any:
    """FusedBatchNorm in training."""
    return tf.compat.v1.nn.fused_batch_norm(x, scale, offset, is_training=True)


def batch_norm_inference(x: Array, scale: Array, offset: Array) -> Any:
    """FusedBatchNorm with given moments, and layer normalisation by hand."""
    y, _, _ = tf.compat.v1.nn.fused_batch_norm(
        x, scale, offset, mean=offset * 0.5, variance=scale**2, is_training=False
    )
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return y, (x - mean) * tf.math.rsqrt(variance + 1e-5)


def resized(x: Array) -> Any:
    """Nearest and bilinear."""
    return tf.compat.v1.image.resize_nearest_neighbor(x, [6, 8]), tf.image.resize(x, [5, 7])


def einsum(x: Array, y: Array) -> Any:
    """Attention's products."""
    scores = tf.einsum("bqhd,bkhd->bhqk", x, y)
    return scores, tf.einsum("bhqk,bkhd->bqhd", tf.nn.softmax(scores), y), tf.einsum("bqhd->hd", x)


def gathers(x: Array, indices: Array, pairs: Array) -> Any:
    """Along axes, in batches, of points."""
    return (
        tf.gather(x, indices),
        tf.gather(x, indices, axis=1),
        tf.gather_nd(x, pairs),
        tf.gather(x, tf.stack([indices[:2]] * 4), axis=1, batch_dims=1),
    )


def scatters(x: Array, pairs: Array, values: Array) -> Any:
    """New, added and set."""
    return (
        tf.scatter_nd(pairs, values, [4, 5]),
        tf.tensor_scatter_nd_update(x, pairs, values),
        tf.tensor_scatter_nd_add(x, pairs, values),
        tf.tensor_scatter_nd_max(x, pairs, values),
    )


def segments(x: Array, numbers: Array) -> Any:
    """Sums, products, extremes of segments."""
    functions = (
        tf.math.unsorted_segment_sum,
        tf.math.unsorted_segment_max,
        tf.math.unsorted_segment_min,
        tf.math.unsorted_segment_prod,
    )
    return [function(x, numbers, 4) for function in functions]


def sorted_values(x: Array) -> Any:
    """Sorts and positions."""
    return tf.sort(x), tf.argsort(x, direction="DESCENDING", stable=True), tf.argmax(x, 1), tf.argmin(x, 0)


def largest(x: Array) -> Any:
    """top_k."""
    return tuple(tf.math.top_k(x, 3))


def stateless_random(seed: Array) -> Any:
    """Philox and threefry, by a given seed."""
    return (
        tf.random.stateless_uniform([4, 3], seed),
        tf.random.stateless_uniform([5], seed, 0, 100, tf.int32),
        tf.random.stateless_uniform([5], seed, alg="threefry"),
    )


def while_loop(x: Array, n: Array) -> Any:
    """A loop that runs as often as it is told."""
    return tf.while_loop(lambda k, _: k < n, lambda k, y: (k + 1, tf.tanh(y) * 1.5 + x), [tf.constant(0), x])[
        1
    ]


def branches(x: Array, n: Array) -> Any:
    """cond and switch_case."""
    chosen = tf.switch_case(n, [lambda: x + 1, lambda: x * 2, lambda: -x])
    return chosen, tf.cond(tf.reduce_sum(x) > 0, lambda: tf.exp(x), lambda: tf.abs(x))


def recurrent(x: Array, w: Array, u: Array) -> Any:
    """A loop over time with a list of tensors."""
    states = tf.TensorArray(tf.float32, 5)
    state = tf.zeros([3, 4])
    for time in tf.range(5):
        state = tf.tanh(tf.matmul(x[time], w) + tf.matmul(state, u))
        states = states.write(time, state)
    return states.stack(), state


def linear_algebra(x: Array, y: Array) -> Any:
    """Cholesky, triangular systems, and LU by solve."""
    a = tf.matmul(x, x, transpose_b=True) + 3 * tf.eye(4)
    factor = tf.linalg.cholesky(a)
    return factor, tf.linalg.triangular_solve(factor, y), tf.linalg.band_part(a, 1, 0), tf.linalg.diag_part(a)


def decompositions(x: Array) -> Any:
    """QR, SVD and eigenvalues: what has no signs."""
    q, r = tf.linalg.qr(x)
    s, u, v = tf.linalg.svd(x)
    values, _ = tf.linalg.eigh(x + tf.transpose(x))
    return tf.matmul(q, r), s, tf.matmul(u * s, v, transpose_b=True), values


def inverses(x: Array) -> Any:
    """Inverse and system."""
    a = x + 4 * tf.eye(4)
    return tf.linalg.inv(a), tf.linalg.solve(a, x)


def fourier(x: Array) -> Any:
    """Real and complex."""
    there = tf.signal.rfft(x)
    return (
        tf.abs(there),
        tf.signal.irfft(there),
        tf.math.real(tf.signal.ifft(tf.signal.fft(tf.cast(x, tf.complex64)))),
    )


def reductions(x: Array) -> Any:
    """All of them, over one axis, several and all."""
    functions = (
        tf.reduce_sum,
        tf.reduce_prod,
        tf.reduce_max,
        tf.reduce_min,
        tf.reduce_mean,
        tf.reduce_logsumexp,
    )
    return [
        *(function(x, 1) for function in functions),
        tf.math.reduce_std(x),
        tf.reduce_any(x > 1, [0, 2]),
        tf.reduce_all(x > -2),
        tf.norm(x),
    ]


def cumulative(x: Array) -> Any:
    """Sums and products, forwards, backwards, exclusive."""
    return tf.cumsum(x), tf.cumsum(x, 1, exclusive=True, reverse=True), tf.math.cumprod(x, 1)


def special_functions(x: Array) -> Any:
    """Functions of one number."""
    inside = tf.tanh(x)
    return [
        tf.math.erf(x),
        tf.math.erfc(x),
        tf.math.erfinv(inside),
        tf.math.lgamma(x + 5),
        tf.math.digamma(x + 5),
        tf.math.asinh(x),
        tf.math.acosh(1 + tf.abs(x)),
        tf.math.atanh(inside),
        tf.math.sinh(x),
        tf.math.cosh(x),
        tf.math.asin(inside),
        tf.math.acos(inside),
        tf.math.atan(x),
        tf.math.tan(x),
        tf.math.expm1(x),
        tf.math.log1p(tf.abs(x)),
        tf.math.rint(x),
        tf.round(x * 2),
        tf.sign(x),
        tf.math.bessel_i1e(x),
    ]


def pairs_of_numbers(x: Array, y: Array) -> Any:
    """Functions of two numbers."""
    positive = tf.abs(x) + 1
    return [
        tf.atan2(x, y),
        tf.pow(positive, y),
        x // y,
        tf.math.mod(x, y),
        tf.truncatemod(x, y),
        tf.math.squared_difference(x, y),
        tf.math.divide_no_nan(x, y * 0),
        tf.math.xlogy(positive, positive),
        tf.math.igamma(positive, positive),
        tf.math.nextafter(x, y),
        tf.math.zeta(positive + 1, positive),
        tf.math.polygamma(tf.ones_like(x), positive),
    ]


def integers(x: Array, y: Array) -> Any:
    """Division that rounds down, shifts, bits."""
    return [
        x // y,
        x % y,
        tf.truncatediv(x, y),
        tf.bitwise.left_shift(x, 2),
        tf.bitwise.right_shift(x, 1),
        tf.bitwise.bitwise_xor(x, y),
        tf.raw_ops.PopulationCount(x=x),
        tf.bitcast(x, tf.float32),
        tf.cast(x, tf.int8),
    ]


def shapes(x: Array) -> Any:
    """Moves of elements."""
    return [
        tf.transpose(x, [2, 0, 1]),
        tf.reverse(x, [1]),
        tf.roll(x, 2, 1),
        tf.tile(x, [1, 2, 1]),
        tf.pad(x, [[1, 0], [0, 2], [0, 0]]),
        tf.pad(x, [[1, 1], [1, 1], [1, 1]], "REFLECT"),
        tf.pad(x, [[1, 1], [1, 1], [1, 1]], "SYMMETRIC"),
        tf.concat([x, x[:, :1]], 1),
        tf.stack([x, x], 1),
        tf.strided_slice(x, [1, 0, 3], [0, 3, 0], [-1, 2, -1]),
        *tf.split(x, 2, 2),
        *tf.unstack(x),
        tf.space_to_batch_nd(x, [2], [[0, 0]]),
        tf.repeat(x, 2, 0),
    ]


def where(x: Array, y: Array) -> Any:
    """Selections."""
    return (
        tf.where(x > y, x, tf.zeros_like(y)),
        tf.clip_by_value(x, -0.5, 0.5),
        tf.clip_by_norm(x, 1.0),
        tf.one_hot([1, 0, 3], 4),
    )


def dynamic_slices(x: Array, start: Array, update: Array) -> Any:
    """Where a number says; clamped."""
    return (
        tf.gather(x, start),
        tf.gather(x, start, axis=1),
        tf.tensor_scatter_nd_update(x, [[start, 1]], update),
    )


def quantized(x: Array) -> Any:
    """Fake quantization."""
    return (
        tf.quantization.fake_quant_with_min_max_args(x, -2.0, 2.0),
        tf.quantization.fake_quant_with_min_max_vars(x, -1.0, 1.5, num_bits=4, narrow_range=True),
        tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.0, range_given=True),
    )


def small_types(x: Array) -> Any:
    """Brain floats and half floats."""
    half, brain = tf.cast(x, tf.float16), tf.cast(x, tf.bfloat16)
    return tf.cast(half * half, tf.float32), tf.cast(tf.matmul(brain, brain, transpose_b=True), tf.float32)


def complex_numbers(x: Array, y: Array) -> Any:
    """Products, parts and angles."""
    z = tf.complex(x, y)
    return tf.math.real(z * z), tf.math.imag(tf.exp(z)), tf.math.angle(z), tf.abs(z), tf.math.conj(z)


def attention(x: Array, w: Array) -> Any:
    """A head of a transformer, with a causal mask, and the gradient of its weights."""
    with tf.GradientTape() as tape:
        tape.watch(w)
        q, k, v = tf.split(tf.einsum("btd,de->bte", x, w), 3, -1)
        scores = tf.matmul(q, k, transpose_b=True) / 2.0
        mask = tf.linalg.band_part(tf.ones([5, 5]), -1, 0)
        y = tf.matmul(tf.nn.softmax(tf.where(mask > 0, scores, -1e9)), v)
        loss = tf.reduce_sum(y**2)
    return y, tape.gradient(loss, w)


def trained(x: Array, y: Array, w: Array, b: Array) -> Any:
    """A step of Adam by hand."""
    with tf.GradientTape() as tape:
        tape.watch([w, b])
        loss = tf.reduce_mean((tf.squeeze(tf.nn.relu(tf.matmul(x, w) + b), -1) - y) ** 2)
    steps = []
    for value, slope in zip((w, b), tape.gradient(loss, [w, b]), strict=True):
        mean, square = 0.1 * slope, 0.001 * slope**2
        steps.append(value - 0.01 * (mean / 0.1) / (tf.sqrt(square / 0.001) + 1e-7))
    return loss, *steps


def elided(x: Array) -> Any:
    """A constant that is too long for HLO text."""
    return x + tf.constant(np.sqrt(np.arange(40, dtype=np.float32)))


FUNCTIONS: Mapping[str, tuple[Callable[..., Any], Arguments]] = {
    "dense": (dense, (normal(3, 4), normal(4, 5), normal(5))),
    "softmax_loss": (softmax_loss, (normal(4, 6), whole(0, 6, 4))),
    "convolution": (convolution, (normal(2, 7, 6, 3), normal(3, 2, 3, 4))),
    "convolution_gradient": (convolution_gradient, (normal(2, 6, 5, 2), normal(3, 3, 2, 3))),
    "depthwise": (depthwise, (normal(1, 5, 5, 3), normal(2, 2, 3, 2))),
    "transposed": (transposed, (normal(1, 4, 4, 3), normal(3, 3, 2, 3))),
    "three_dimensions": (three_dimensions, (normal(1, 3, 4, 5, 2), normal(2, 2, 2, 2, 3))),
    "pooling": (pooling, (normal(2, 7, 6, 3),)),
    "pooling_gradient": (pooling_gradient, (normal(2, 5, 6, 2),)),
    "batch_norm": (batch_norm, (normal(4, 3, 3, 2), normal(2), normal(2))),
    "batch_norm_inference": (batch_norm_inference, (normal(4, 3, 3, 2), normal(2), normal(2))),
    "resized": (resized, (normal(1, 3, 4, 2),)),
    "einsum": (einsum, (normal(2, 3, 2, 4), normal(2, 5, 2, 4))),
    "gathers": (gathers, (normal(4, 5, 3), whole(0, 4, 3), whole(0, 4, 6, 2))),
    "scatters": (scatters, (normal(4, 5), whole(0, 4, 6, 2), normal(6))),
    "segments": (segments, (normal(8, 3), whole(-1, 4, 8))),
    "sorted_values": (sorted_values, (normal(4, 7),)),
    "largest": (largest, (normal(3, 9),)),
    "stateless_random": (stateless_random, (np.array([3, 1], np.int32),)),
    "while_loop": (while_loop, (normal(5), np.int32(7))),
    "branches": (branches, (normal(4), np.int32(2))),
    "recurrent": (recurrent, (normal(5, 3, 2), normal(2, 4), normal(4, 4))),
    "linear_algebra": (linear_algebra, (normal(2, 4, 4), normal(2, 4, 3))),
    "decompositions": (decompositions, (normal(4, 4),)),
    "inverses": (inverses, (normal(4, 4),)),
    "fourier": (fourier, (normal(3, 8),)),
    "reductions": (reductions, (normal(3, 4, 2),)),
    "cumulative": (cumulative, (normal(4, 5),)),
    "special_functions": (special_functions, (normal(3, 4),)),
    "pairs_of_numbers": (pairs_of_numbers, (normal(3, 4), normal(3, 4))),
    "integers": (integers, (whole(-50, 50, 9), whole(1, 9, 9))),
    "shapes": (shapes, (normal(3, 4, 6),)),
    "where": (where, (normal(3, 4), normal(3, 4))),
    "dynamic_slices": (dynamic_slices, (normal(5, 6), np.int32(2), normal(1))),
    "quantized": (quantized, (normal(4, 5),)),
    "small_types": (small_types, (normal(3, 4),)),
    "complex_numbers": (complex_numbers, (normal(3, 4), normal(3, 4))),
    "attention": (attention, (normal(2, 5, 4), normal(4, 12))),
    "trained": (trained, (normal(6, 3), normal(6), normal(3, 1), normal(1))),
    "elided": (elided, (normal(40),)),
}
"""Each function by its name, with its arguments."""
