"""All targets that are known, by name."""

from __future__ import annotations

from ...added_targets import find_added
from . import (
    assertions,
    check_targets,
    cudnn,
    device_sorts,
    dynamic_reduce_window,
    dynamic_results,
    factorizations,
    gemm,
    hlo_ops,
    identity_targets,
    resharding,
    spectral,
    three_fry,
    top_k_targets,
)
from .exported_ops import exported_target
from .target import Target

TARGETS: dict[str, Target] = {
    **identity_targets.TARGETS,
    **resharding.TARGETS,
    **top_k_targets.TARGETS,
    **factorizations.TARGETS,
    **spectral.TARGETS,
    **three_fry.TARGETS,
    **assertions.TARGETS,
    **check_targets.TARGETS,
    **dynamic_reduce_window.TARGETS,
    **dynamic_results.TARGETS,
    **gemm.TARGETS,
    **cudnn.TARGETS,
    **device_sorts.TARGETS,
    **hlo_ops.TARGETS,
}


def find_target(name: str) -> Target | None:
    """How the target of that name runs; `None` if it is not known. The engine's own targets come first."""
    found: Target | None = TARGETS.get(name) or exported_target(name) or find_added(name)
    return found
