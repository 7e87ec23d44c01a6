"""The trees of a call as JAX sees them: leaves of arguments with name, shape and value, and results."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hloscope.engine.errors import InputError

from .host_program import Array, HostArgument, copied
from .jax_adapter import gathered

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


@dataclass(frozen=True)
class Leaf:
    """A leaf of the arguments of a call."""

    path: tuple[Any, ...]
    value: Any
    name: str


def leaves_of(
    function: Callable[..., Any] | None, arguments: Sequence[Any], named: Mapping[str, Any]
) -> tuple[list[Leaf], Any]:
    """The leaves of a call in JAX's order, and the tree of `(arguments, named)`."""
    import jax

    found, tree = jax.tree_util.tree_flatten_with_path((tuple(arguments), dict(named)))
    parameters = _parameter_names(function, len(arguments))
    return [Leaf(path, value, _name(path, parameters)) for path, value in found], tree


def names_of_tree(function: Callable[..., Any] | None, tree: Any) -> list[tuple[str, Any]]:
    """Names and leaves of a tree that represents `(arguments, named)`, as `Lowered.args_info`."""
    import jax

    parameters = _parameter_names(function, 1 << 10)
    found = jax.tree_util.tree_flatten_with_path(tree)[0]
    return [(_name(path, parameters), leaf) for path, leaf in found]


def _parameter_names(function: Callable[..., Any] | None, count: int) -> list[str]:
    """The name of each positional argument; `xs[1]` for `*xs`."""
    try:
        parameters = list(inspect.signature(function).parameters.values()) if function else []
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            names += [f"{parameter.name}[{number}]" for number in range(count - len(names))]
            break
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    return names


def _name(path: tuple[Any, ...], parameters: Sequence[str]) -> str:
    import jax

    is_named = getattr(path[0], "idx", 0) == 1 and len(path) > 1
    first = path[1]
    if is_named:
        head = str(getattr(first, "key", first))
    else:
        number = getattr(first, "idx", 0)
        head = parameters[number] if number < len(parameters) else f"args[{number}]"
    return f"{head}{jax.tree_util.keystr(path[2:])}"


def is_traced(value: Any) -> bool:
    """Whether `jax.jit` takes `value` as an array: everything else becomes a constant."""
    import jax

    return isinstance(value, (*NUMBERS, jax.Array, jax.ShapeDtypeStruct)) or hasattr(value, "__jax_array__")


def is_array(value: Any) -> bool:
    """Whether it is an array, rather than a Python number."""
    import jax

    return isinstance(value, np.ndarray | np.generic | jax.Array)


def has_value(value: Any) -> bool:
    """Whether it has a value besides its shape."""
    import jax

    return not isinstance(value, jax.ShapeDtypeStruct)


def argument_of(name: str, described: Any, used: bool) -> HostArgument:
    """An argument from its name and JAX's description: anything with a shape and a dtype."""
    shape = tuple(size if isinstance(size, int) else None for size in described.shape)
    return HostArgument(name, shape, str(described.dtype), used)


def value_of(leaf: Any, name: str, dtype: Any = None, *, gathers: bool = False) -> Array:
    """A NumPy copy of a leaf: the data of a random key, the whole of a sharded array.

    `gathers`: also of one that lies partly on other hosts, which call this too.
    """
    import jax

    if isinstance(leaf, jax.Array):
        if leaf.is_deleted():
            raise InputError(
                f"the value of {name} has been deleted: it was donated to a function that ran since",
                hint="Give hloscope the arguments before the call, or copies of them.",
            )
        if not leaf.is_fully_addressable and gathers:
            leaf = gathered(leaf)
        elif not leaf.is_fully_addressable:
            raise InputError(
                f"{name} lies partly on other hosts, where this process cannot read it",
                hint='Record it on the devices of all hosts, on="cpu" or "gpu", or give an array whose parts are all here, as '
                "jax.experimental.multihost_utils.process_allgather makes one.",
            )
        if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
            leaf = jax.random.key_data(leaf)
    if hasattr(leaf, "__jax_array__"):
        leaf = leaf.__jax_array__()
    found = copied(leaf)
    if dtype is None or jax.numpy.issubdtype(dtype, jax.dtypes.prng_key) or found.dtype == dtype:
        return found
    return copied(found.astype(dtype))


# Results.


def joining(out_info: Any) -> Callable[[Sequence[Array]], Any]:
    """A function that builds the trees of `out_info` from flat results, without tokens.

    Leaves are NumPy arrays; random keys become keys again.
    """
    import jax

    leaves, tree = jax.tree_util.tree_flatten(out_info)

    def join(results: Sequence[Array]) -> Any:
        found = list(results)[len(results) - len(leaves) :]
        return jax.tree_util.tree_unflatten(tree, map(_with_keys, found, leaves))

    return join


def _with_keys(result: Array, declared: Any) -> Any:
    import jax

    if jax.numpy.issubdtype(declared.dtype, jax.dtypes.prng_key):
        name = str(declared.dtype).removeprefix("key<").removesuffix(">")
        return jax.random.wrap_key_data(jax.numpy.asarray(result), impl=_IMPLEMENTATIONS.get(name, name))
    return result


_IMPLEMENTATIONS = {"fry": "threefry2x32", "urbg": "unsafe_rbg"}
"""The names of JAX's generators that differ from those in a dtype."""
