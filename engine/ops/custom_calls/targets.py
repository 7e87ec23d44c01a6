"""The table of all known targets, by name."""

from ...added_targets import find_added
from . import (
    attention,
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
    **attention.TARGETS,
}


def find_target(name: str) -> Target | None:
    """The target of that name, the engine's own first; `None` if it is unknown."""
    found: Target | None = TARGETS.get(name) or exported_target(name) or find_added(name)
    return found
