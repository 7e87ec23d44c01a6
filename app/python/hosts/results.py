"""Reassemble results of a run into the structure that the user's function returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .host_program import Array


def joining(out_info: Any) -> Callable[[Sequence[Array]], Any]:
    """A function that builds the trees of `out_info` from flat results, without tokens.

    Leaves are NumPy arrays; random keys become keys again.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten(out_info)

    def join(results: Sequence[Array]) -> Any:
        found = list(results)[len(results) - len(leaves) :]
        return jax.tree_util.tree_unflatten(tree, map(_as_declared, found, leaves))

    return join


def _as_declared(result: Array, declared: Any) -> Any:
    import jax

    if jax.numpy.issubdtype(declared.dtype, jax.dtypes.prng_key):
        name = str(declared.dtype).removeprefix("key<").removesuffix(">")
        return jax.random.wrap_key_data(jax.numpy.asarray(result), impl=_IMPLEMENTATIONS.get(name, name))
    return result


_IMPLEMENTATIONS = {"fry": "threefry2x32", "urbg": "unsafe_rbg"}
"""The names of JAX's generators that differ from those in a dtype."""
