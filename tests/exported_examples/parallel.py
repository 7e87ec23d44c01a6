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
        "Two layers, relu(x * w1 + b1) * w2, too wide for one device: each of four has a quarter of the "
        "hidden units. Exported from JAX (shard_map, psum); names and comments were added."
    ),
    "w1": "Four processes run @main. Outside the manual computation, each of them has every value whole.",
    "result": (
        "Step into (F11): inside, each process has its own part, as in_shardings states: a quarter of the "
        "columns of w1, a quarter of the rows of w2, all of x. Select %w1 and open Assembled in the grid, "
        "which outlines the parts; then view %w1_columns in one process after the other."
    ),
    "product": (
        "Column parallel: all of x times some columns of w1 is some complete columns of the hidden layer. "
        "Each process computes eight of the 32 hidden units, bias and relu included, without data from the "
        "other processes."
    ),
    "partial": (
        "Row parallel: some columns of the hidden layer times the same rows of w2. The product has the shape "
        "of the result, but each element is only a quarter of its sum. Compare, in the grid, shows that every "
        "element of %partial differs."
    ),
    "sum": (
        "The only communication of both layers adds the four quarters (JAX's psum). Play it under Data "
        "moving, then compare %sum: it is the same in all processes."
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
        "Attention over 16 tokens, four in each of four processes: no process ever holds all of the keys. "
        "Exported from JAX (shard_map, ppermute in a loop); names and comments were added."
    ),
    "result": (
        "Step into (F11): each process gets four rows of the queries, keys and values. Every query needs a "
        "score with every key: the queries stay in their process, and the keys and values move one process "
        "further around the ring in each round."
    ),
    "lowest": (
        "The softmax of a row needs the sum over all of its scores, but a process has only four of them at a "
        "time. The loop therefore carries three values per row and corrects them in each round: the largest "
        "score so far, the sum of the exponentials so far, and the sum of the values so far, weighted with "
        "the exponentials."
    ),
    "end": (
        "After four rounds every query has a score with every key. Step through the rounds of one process and "
        "watch %k_here: process 0 has keys 0 to 3, then 12 to 15, which it received from process 3, then 8 to "
        "11 …"
    ),
    "total_column": "The division comes last: it makes the weights of each row add up to one.",
    "scores": "The scores of this process's four queries with the four keys that it has in this round.",
    "larger": (
        "The exponentials are relative to the largest score so far. When a larger one arrives, multiplying by "
        "%shrink corrects the earlier sums. In the first round %shrink is 0, because the sums are empty."
    ),
    "new_total": "Add this round's weighted values to the corrected sum of the earlier rounds.",
    "key_from_before": (
        "Send the keys to the next process, then the values. Play it under Data moving: four blocks move at "
        "the same time. After the last round every block is back in its first process."
    ),
}
