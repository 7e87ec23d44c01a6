"""Text, inputs and expected results of a kind, in the oracle's process."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from time import perf_counter
from typing import Any

import jax
import jax.export
import numpy as np
from jaxlib import _hlo

from ..framing import Array
from ..quick import with_emitters
from .computing import COMPUTING
from .kinds import DYNAMIC, KINDS, Kind
from .models import MODELS
from .networks import NETWORKS
from .open_sizes import OPEN_SIZES
from .scans import SCANS
from .symbolic import SYMBOLIC
from .training import TRAINING

STATIC: Mapping[str, Kind] = {**KINDS, **TRAINING, **COMPUTING, **MODELS, **NETWORKS, **SCANS}
UNKNOWN: Mapping[str, tuple[Kind, tuple[str, ...]]] = {**DYNAMIC, **SYMBOLIC, **OPEN_SIZES}

_UNPROMISED = [
    jax.export.DisabledSafetyCheck.custom_call(f"lapack_{letter}{name}_ffi")
    for letter in "sdcz"
    for name in ("geqp3", "gesvd")
]
"""Calls that JAX exports only if one insists: it does not promise that they stay as they are."""


def exported(name: str) -> tuple[str, list[Array], list[Array]]:
    """The StableHLO that JAX prints for the kind, its inputs, and what XLA computes."""
    with jax.enable_x64(False):
        random = np.random.default_rng(zlib.crc32(name.encode()))
        kind = STATIC[name] if name in STATIC else UNKNOWN[name][0]
        arguments = kind.arguments(random)
        function = jax.jit(kind.function)
        text = (
            function.lower(*arguments).as_text() if name in STATIC else _with_unknown_sizes(name, arguments)
        )
        results = jax.tree.leaves(function(*arguments))
        return text, [np.asarray(x) for x in arguments], [np.asarray(x) for x in results]


def exported_as_hlo(name: str) -> tuple[list[str], list[Array], list[Array]]:
    """The StableHLO of the kind, its HLO before XLA optimises it and afterwards, its inputs, and what XLA computes."""
    with jax.enable_x64(False):
        kind = STATIC[name]
        arguments = kind.arguments(np.random.default_rng(zlib.crc32(name.encode())))
        lowered = jax.jit(kind.function).lower(*arguments)
        compiled = lowered.compile(with_emitters())  # the optimised HLO is what users see
        options = _hlo.HloPrintOptions()
        options.print_large_constants = True
        (optimised,) = compiled.runtime_executable().hlo_modules()
        texts = [lowered.as_text(), lowered.as_text("hlo"), optimised.to_string(options)]
        results = jax.tree.leaves(compiled(*arguments))
        return texts, [np.asarray(x) for x in arguments], [np.asarray(x) for x in results]


def exported_for(name: str, platform: str) -> tuple[str, list[Array], list[Array]]:
    """The HLO that JAX makes of the kind for another platform, its inputs, and what XLA computes on this one."""
    with jax.enable_x64(False):
        kind = STATIC[name]
        arguments = kind.arguments(np.random.default_rng(zlib.crc32(name.encode())))
        function = jax.jit(kind.function)
        lowered = function.trace(*arguments).lower(lowering_platforms=(platform,))
        results = jax.tree.leaves(function(*arguments))
        return lowered.as_text("hlo"), [np.asarray(x) for x in arguments], [np.asarray(x) for x in results]


def _with_unknown_sizes(name: str, arguments: tuple[Any, ...]) -> str:
    kind, shapes = UNKNOWN[name]
    scope = jax.export.SymbolicScope()
    specifications = [
        jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape, scope=scope), argument.dtype)
        for shape, argument in zip(shapes, arguments, strict=True)
    ]
    export = jax.export.export(jax.jit(kind.function), disabled_checks=_UNPROMISED)
    return str(export(*specifications).mlir_module())


def op_by_op(name: str, repetitions: int) -> list[float]:
    """Seconds of each of some runs in which JAX dispatches one op after the other, after one to warm up."""
    with jax.enable_x64(False):
        kind = STATIC[name]
        arguments = [jax.device_put(x) for x in kind.arguments(np.random.default_rng(0))]
        jax.block_until_ready(kind.function(*arguments))
        seconds = []
        for _ in range(repetitions):
            begin = perf_counter()
            jax.block_until_ready(kind.function(*arguments))
            seconds.append(perf_counter() - begin)
        return seconds
