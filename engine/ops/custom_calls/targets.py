"""All targets that are known, by name."""

from __future__ import annotations

from . import (
    assertions,
    checks,
    cudnn,
    device_sorts,
    dynamic_results,
    dynamic_windows,
    factorizations,
    gemm,
    hlo_ops,
    identities,
    resharding,
    spectral,
    three_fry,
    top_k,
)
from .exported_ops import exported
from .target import Target

TARGETS: dict[str, Target] = {
    **identities.TARGETS,
    **resharding.TARGETS,
    **top_k.TARGETS,
    **factorizations.TARGETS,
    **spectral.TARGETS,
    **three_fry.TARGETS,
    **assertions.TARGETS,
    **checks.TARGETS,
    **dynamic_windows.TARGETS,
    **dynamic_results.TARGETS,
    **gemm.TARGETS,
    **cudnn.TARGETS,
    **device_sorts.TARGETS,
    **hlo_ops.TARGETS,
}


def find_target(name: str) -> Target | None:
    """What is known of a target; `None` if nothing is."""
    return TARGETS.get(name) or exported(name)
