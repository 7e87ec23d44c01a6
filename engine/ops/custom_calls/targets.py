"""All targets that are known, by name."""

from __future__ import annotations

from . import (
    checks,
    cudnn,
    dynamic_reduce_window,
    factorizations,
    gemm,
    identity_targets,
    other_ops,
    random_targets,
    resharding,
    sorting_targets,
    spectral,
)
from .other_ops import exported_target
from .target import Target

TARGETS: dict[str, Target] = {
    **checks.TARGETS,
    **other_ops.TARGETS,
    **random_targets.TARGETS,
    **sorting_targets.TARGETS,
    **identity_targets.TARGETS,
    **resharding.TARGETS,
    **factorizations.TARGETS,
    **spectral.TARGETS,
    **dynamic_reduce_window.TARGETS,
    **gemm.TARGETS,
    **cudnn.TARGETS,
}


def find_target(name: str) -> Target | None:
    """How the target of that name runs; `None` if it is not known."""
    return TARGETS.get(name) or exported_target(name)
