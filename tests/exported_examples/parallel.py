"""Gallery programs that JAX exports for several devices, with explanatory names and notes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as Spec

PROCESSES = 4
Array = Any


def _on_devices(axis: str, inputs: tuple[Spec, ...], output: Spec) -> Any:
    """Run a function on four devices, each with its part."""
    # Devices are requested only here: importing this module must not initialise them.
    mesh = Mesh(np.array(jax.devices()[:PROCESSES]), (axis,))
    return jax.shard_map(mesh=mesh, in_specs=inputs, out_specs=output)


def tensor_parallel_mlp(w1: Array, b1: Array, w2: Array, x: Array) -> Array:
    """Two layers: four devices share the columns of the first matrix and the rows of the second."""

    def part(w1: Array, b1: Array, w2: Array, x: Array) -> Array:
        return jax.lax.psum(jax.nn.relu(x @ w1 + b1) @ w2, "model")

    columns, rows = Spec(None, "model"), Spec("model", None)
    found: Array = _on_devices("model", (columns, Spec("model"), rows, Spec()), Spec())(part)(w1, b1, w2, x)
    return found


MLP_NAMES = """
    w1 b1 w2 x result w1_columns b1_part w2_rows all_of_x
    product bias_row bias before hidden partial sum a b added
    given zero zeros relu
"""
MLP_NOTES = {
    "": (
        "Two layers, relu(x * w1 + b1) * w2, too wide for one device: four have a quarter of the hidden units each. "
        "Exported from JAX (shard_map, psum); the names and these notes are ours."
    ),
    "w1": "Four processes run @main. Here, outside, every value is the whole one, and all processes have the same.",
    "result": (
        "Step into (F11): inside, each process has its own part, as in_shardings says: of w1 a quarter of the columns, of w2 a "
        "quarter of the rows, of x all. Choose %w1 and look at the Whole in the grid, with the pieces outlined; then at "
        "%w1_columns in one process after the other."
    ),
    "product": (
        "Column parallel: all of x by some columns of w1 gives some columns of the hidden layer, complete. Each process "
        "computes eight of the 32 hidden units, and needs nothing from the others; not for the bias and not for relu."
    ),
    "partial": (
        "Row parallel: some columns of the hidden layer by the same rows of w2. The shape is that of the result, but "
        "what is in it is one quarter of every sum. Compare, in the grid, says that %partial differs everywhere."
    ),
    "sum": (
        "The only exchange of both layers: the four quarters are added up (JAX's psum). Play it under Data moving, then "
        "compare %sum: all processes have the same."
    ),
}


def ring_attention(q: Array, k: Array, v: Array) -> Array:
    """Attention over 16 tokens, four per device: keys and values travel around a ring."""
    onward = [(here, (here + 1) % PROCESSES) for here in range(PROCESSES)]

    def part(q: Array, k: Array, v: Array) -> Array:
        def step(_: Array, state: tuple[Array, ...]) -> tuple[Array, ...]:
            k, v, largest, total, mixed = state
            scores = q @ k.T / q.shape[-1] ** 0.5
            larger = jnp.maximum(largest, scores.max(1))
            weights = jnp.exp(scores - larger[:, None])
            shrink = jnp.exp(largest - larger)
            total = total * shrink + weights.sum(1)
            mixed = mixed * shrink[:, None] + weights @ v
            k, v = (jax.lax.ppermute(each, "ring", onward) for each in (k, v))
            return k, v, larger, total, mixed

        start = jnp.full_like(q[:, 0], -jnp.inf), jnp.zeros_like(q[:, 0]), jnp.zeros_like(q)
        *_, total, mixed = jax.lax.fori_loop(0, PROCESSES, step, (k, v, *start))
        return mixed / total[:, None]

    found: Array = _on_devices("ring", (Spec("ring"),) * 3, Spec("ring"))(part)(q, k, v)
    return found


RING_NAMES = """
    queries keys values result q k v
    lowest no_largest zero no_total also_zero no_mixed start
    end q_same round k_here v_here largest total mixed
    rounds go_on new one next_round
    total_column total_rows attention
    own_q key value old_largest old_total old_mixed
    key_turned products root_of_width root_everywhere scores
    least largest_here larger larger_column larger_rows below weights
    drop shrink total_before nothing weights_sum new_total
    shrink_column shrink_rows mixed_before more_mixed new_mixed
    key_from_before value_from_before
"""
RING_NOTES = {
    "": (
        "Attention over 16 tokens of which each of four processes holds four: nobody ever has all of the keys. "
        "Exported from JAX (shard_map, ppermute in a loop); the names and these notes are ours."
    ),
    "result": (
        "Step into (F11): each process gets four rows of the queries, keys and values. Every query has to meet every key: the queries "
        "stay where they are, and the keys and values go around the ring, one place in each round."
    ),
    "lowest": (
        "The softmax of a row needs the sum over all of its scores, and only four of them are here at a time. So three "
        "things are kept for each row, and corrected when more is known: the largest score so far, the sum of the "
        "exponentials so far, and the sum of the values so far, weighted with them."
    ),
    "end": (
        "Four rounds: after them each pair of queries and keys has met once. Go through them with one process shown, "
        "and look at %k_here: process 0 has keys 0 to 3, then 12 to 15, which process 3 had, then 8 to 11 …"
    ),
    "total_column": "Only now the weighted sums are divided: that makes the weights of each row add up to one.",
    "scores": "The scores of the own four queries with the four keys that are here in this round.",
    "larger": (
        "If one of them is larger than all before, the sums so far are of exponentials that are too large: times "
        "%shrink they are right again. In the first round that is 0, for there was nothing before."
    ),
    "new_total": "What was before, corrected, and what this round adds.",
    "key_from_before": (
        "The keys go on to the next process, and the values after them. Play it under Data moving: "
        "four blocks move at once. After the last round they are back where they came from."
    ),
}
