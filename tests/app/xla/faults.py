"""Functions of JAX that XLA computes otherwise than they are written, each with its inputs."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

F32 = np.float32


class Case(NamedTuple):
    """What is compiled, on what, and what comparing it with XLA is to say."""

    function: Callable[..., Any]
    inputs: list[Any]
    verdicts: set[str]


def classes() -> dict[str, Case]:
    """Differences of every class, by name.

    XLA of jaxlib 0.12 no longer simplifies floats as if they were real numbers, but still flushes exp(-100) to 0,
    which times infinity is NaN.
    """
    import jax
    import jax.numpy as jnp

    simplifies = version("jaxlib") == "0.10.2"

    some = np.linspace(0.1, 9, 50).astype(F32)
    near = F32(1 + 2**-12)
    large = {"rounding", "amplified"}
    identity = {"identity"} if simplifies else {"same_bits"}
    fine = {"same_bits", "rounding"}
    return {
        "log of exp": Case(lambda x: jnp.log(jnp.exp(x)), [np.array([89, -104], F32)], identity),
        "root of square": Case(lambda x: jnp.sqrt(x * x), [np.array([1e20, 1e-30], F32)], identity),
        "exp times exp": Case(
            lambda x, y: jnp.exp(x) * jnp.exp(y),
            [np.array([100], F32), np.array([-100], F32)],
            identity if simplifies else {"wrong"},
        ),
        "divisions": Case(lambda x: (x / F32(1e-20)) / F32(1e20), [np.array([1e30], F32)], identity),
        "re-association": Case(
            lambda x: (x + F32(1e8)) + F32(-1e8),
            [np.array([1, 3], F32)],
            large if simplifies else {"same_bits"},
        ),
        "reciprocal": Case(lambda x: x / F32(3), [some], fine),
        "reciprocal root": Case(lambda x: 1 / jnp.sqrt(x), [some], fine),
        "power": Case(lambda x: x ** F32(3), [some], fine),
        "fused multiply and add": Case(
            lambda a, b, c: a * b + c, [near, near, F32(-1 - 2**-11)], {"same_bits", *large}
        ),
        "order of sums": Case(lambda x: x.sum(), [np.full(1_000_000, 0.1, F32)], fine),
        "denormals": Case(lambda x: x * F32(1.5), [np.array([1e-40, 2], F32)], {"same_bits", "flushed"}),
        # XLA on a CPU takes these denormals as 0, so the results differ in whole numbers.
        "integers read as denormals": Case(
            lambda bits: jax.lax.bitcast_convert_type(bits, jnp.float32) > 0,
            [np.array([1, 900], np.int32)],
            {"same_bits", "amplified"},
        ),
    }
