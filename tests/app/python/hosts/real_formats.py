"""The same real programs, written in every form that JAX and StableHLO have for a program, read again and run.

Each is a function of its array leaves here, for files know no trees.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import export
from jax._src.interpreters import mlir
from jaxlib.mlir.dialects import stablehlo

import hloscope

from .real_programs import ALONE, WITH_LIBRARIES, Made, close, plain


def through_all_formats(make: Callable[[], Made]) -> dict[str, bool]:
    """Whether what was read from each form gives JAX's results but for rounding, with the arrays that JAX was given."""
    function, inputs = of_leaves(*make())
    wanted = [plain(leaf) for leaf in function(*inputs)]
    arrays = [plain(leaf) for leaf in inputs]
    return {form: _gives(data, form, arrays, wanted) for form, data in forms(function, inputs)}


def of_leaves(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """A jitted function of arrays alone that computes the same, and its arrays; random keys are their words."""
    leaves, tree = jax.tree.flatten(arguments)
    places = [number for number, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
    keys = [number for number in places if jnp.issubdtype(leaves[number].dtype, jax.dtypes.prng_key)]

    def called(*arrays: Any) -> Any:
        given = list(leaves)
        for number, array in zip(places, arrays, strict=True):
            given[number] = jax.random.wrap_key_data(array) if number in keys else array
        found = jax.tree.leaves(function(*jax.tree.unflatten(tree, given)))
        return [jax.random.key_data(leaf) if _is_key(leaf) else leaf for leaf in found]

    inputs = [jax.random.key_data(leaves[number]) if number in keys else leaves[number] for number in places]
    return jax.jit(called, keep_unused=True), inputs


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def forms(function: Any, inputs: list[Any]) -> Iterator[tuple[str, bytes]]:
    """The program in each form, by its name, without those that JAX or StableHLO refuse to write."""
    lowered = function.lower(*inputs)
    module = lowered.compiler_ir("stablehlo")
    text = str(module)
    bytecode = mlir.module_to_bytecode(module)
    yield "text", text.encode()
    yield "hlo", lowered.compiler_ir("hlo").as_hlo_text(print_large_constants=True).encode()
    yield "bytecode", bytecode
    for form, version in (
        ("oldest artifact", stablehlo.get_minimum_version()),
        ("newest artifact", stablehlo.get_current_version()),
    ):
        with suppress(ValueError):  # an op that was not there yet
            yield form, stablehlo.serialize_portable_artifact_str(text, version)
    with suppress(NotImplementedError):  # functions of the host that are called
        yield "export", bytes(export.export(function)(*inputs).serialize())
    yield "proto", lowered.compiler_ir("hlo").as_serialized_hlo_module_proto()
    yield "gzip", gzip.compress(bytecode)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("program.mlir", text)
    yield "zip", stream.getvalue()


def _gives(data: bytes, form: str, arrays: list[Any], wanted: list[Any]) -> bool:
    found = hloscope.run(data, arrays)
    results = [plain(leaf) for leaf in (found if isinstance(found, list | tuple) else [found])]
    return len(results) == len(wanted) and all(map(close, results, wanted))


def _cases(makers: dict[str, Callable[[], Made]]) -> dict[str, Callable[[], Any]]:
    return {name: partial(through_all_formats, make) for name, make in makers.items()}


CASES = {**_cases(ALONE), **_cases(WITH_LIBRARIES)}
