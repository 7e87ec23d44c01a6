"""Programs for 2 to 8 devices: cut by the partitioner, or by hand with collectives."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec

from .registry import cut, f32, program
from .single import block, squared_error


def by_hand(function: Any, inputs: tuple[Any, ...], outputs: Any) -> Any:
    """The function on each device's parts; axes of the mesh that is in use."""
    specs = tuple(PartitionSpec(*axes) for axes in inputs)
    return jax.shard_map(function, in_specs=specs, out_specs=PartitionSpec(*outputs), check_vma=False)


@program(cut(16, 32, axes=("a", None)), cut(32, 8, axes=(None, "b")), mesh=(2, 2))
def parallel_layer(x: Any, w: Any) -> Any:
    """Rows along one axis, columns along the other."""
    h = jnp.tanh(x @ w)
    return h.sum(0), h - 0.5 * h[::-1], jax.nn.softmax(h, axis=-1)


@program(f32(12, 16), f32(16, 4), cut(8, 12, axes=("a", None)), cut(8, 4, axes=("a", None)), mesh=(2,))
def data_parallel(w: Any, v: Any, x: Any, y: Any) -> Any:
    """A step of training on a batch in two parts."""
    loss, slopes = jax.value_and_grad(squared_error)((w, v), x, y)
    return loss, [weight - 0.05 * slope for weight, slope in zip((w, v), slopes, strict=True)]


@program(
    cut(12, 16, axes=(None, "b")), cut(16, 4, axes=("b", None)), cut(8, 12, axes=("a", None)), mesh=(2, 4)
)
def tensor_parallel(w: Any, v: Any, x: Any) -> Any:
    """Weights along one axis, the batch along the other: 8 devices."""
    hidden = jax.nn.gelu(x @ w)
    return hidden @ v, (hidden**2).mean()


@program(
    cut(4, 6, 16, axes=("a", None, None)),
    cut(16, 48, axes=(None, "b")),
    *(cut(16, 32, axes=(None, "b")), cut(32, 16, axes=("b", None)), f32(16)),
    mesh=(2, 2),
)
def parallel_transformer(x: Any, w: Any, up: Any, down: Any, scale: Any) -> Any:
    """A block in four parts."""
    return block(x, w * 0.3, up * 0.3, down * 0.3, scale)


@program(cut(8, 12, axes=("a", None)), mesh=(8,))
def summed_over_eight(x: Any) -> Any:
    """Means over all devices."""

    def each(part: Any) -> Any:
        mean = lax.psum(part, "a") / 8.0
        return (part - mean) * lax.rsqrt(lax.pmean((part - mean) ** 2, "a") + 1e-3)

    return by_hand(each, (("a", None),), ("a", None))(x)


@program(cut(8, 6, axes=("a", "b")), mesh=(2, 2))
def two_groups(x: Any) -> Any:
    """Sums along either axis of a mesh."""

    def each(part: Any) -> Any:
        return part - lax.psum(part, "a") / 2.0 + 0.25 * lax.pmax(part, "b")

    return by_hand(each, (("a", "b"),), ("a", "b"))(x)


@program(cut(8, 4, axes=("a", None)), cut(8, 4, axes=("a", None)), mesh=(4,))
def ring(x: Any, y: Any) -> Any:
    """Parts that go around."""

    def each(one: Any, other: Any) -> Any:
        total = one * 0.0
        for _ in range(4):
            total = total + jnp.tanh(one - other)
            other = lax.ppermute(other, "a", [(k, (k + 1) % 4) for k in range(4)])
        return total

    return by_hand(each, (("a", None), ("a", None)), ("a", None))(x, y)


@program(cut(8, 8, axes=("a", None)), mesh=(4,))
def exchanged(x: Any) -> Any:
    """All to all, and everything gathered."""

    def each(part: Any) -> Any:
        turned = lax.all_to_all(part, "a", split_axis=1, concat_axis=0, tiled=True)
        return lax.all_gather(turned, "a", axis=1, tiled=True)[:2] - part

    return by_hand(each, (("a", None),), ("a", None))(x)


@program(cut(16, 8, axes=("a", None)), mesh=(2,))
def scattered_sum(x: Any) -> Any:
    """A sum of which each device keeps a part."""

    def each(part: Any) -> Any:
        return lax.psum_scatter(part, "a", scatter_dimension=0, tiled=True) / 2.0

    return by_hand(each, (("a", None),), ("a", None))(x)


@program(cut(2, 16, 12, 3, axes=(None, "a", None, None)), f32(3, 3, 3, 4), mesh=(2,))
def parallel_convolution(image: Any, kernel: Any) -> Any:
    """Rows of an image in two parts, whose edges are exchanged."""
    numbers = ("NHWC", "HWIO", "NHWC")
    found = lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=numbers)
    return jax.nn.relu(found).mean((1, 2)), found[:, 1:] - found[:, :-1]


@program(cut(8, 9, axes=("a", None)), cut(5, 9, 9, axes=(None, None, "b")), mesh=(2, 3))
def parallel_scan(x: Any, ws: Any) -> Any:
    """A loop whose body is cut: six devices."""
    return lax.scan(lambda y, w: (jnp.tanh(y @ w * 0.3), y.sum(0)), x, ws)


@program(cut(4, 8, 8, axes=(None, "a", None)), mesh=(8,))
def sequence_parallel(x: Any) -> Any:
    """Attention over a sequence in eight parts."""
    scores = jnp.einsum("bqd,bkd->bqk", x, x) / 3.0
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores, axis=-1), x)


@program(cut(12, 6, axes=("a", None)), mesh=(3,))
def parallel_sort(x: Any) -> Any:
    """Sorted and summed up along what is cut."""
    return jnp.sort(x, axis=0), jnp.cumsum(x, axis=0), jnp.argmax(x, axis=0)


@program(cut(6, 16, axes=("a", "b")), cut(16, 6, axes=("b", None)), mesh=(2, 4), passes=".+")
def contracted(x: Any, w: Any) -> Any:
    """A product along what is cut, with a text after every pass."""
    return x @ w - (x @ w).mean(0), jnp.clip(x, -0.75, 0.75)
