"""The hloscope server: pages, API and command line around the engine."""

from typing import Any

from hloscope.engine.added_targets import FINDERS


def _target_of_plugin(name: str) -> Any:
    """Find a custom-call target of a plugin; plugins are looked up for names that the engine does not know."""
    from .base.plugins import find_target

    return find_target(name)


def _target_of_kernels(name: str) -> Any:
    """Find the target of Triton kernels, whose code jaxlib reads."""
    from .xla.kernels import find_target

    return find_target(name)


FINDERS += [_target_of_kernels, _target_of_plugin]
