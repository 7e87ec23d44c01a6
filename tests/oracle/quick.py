"""How XLA's CPU backend compiles small programs in a fifth of the time, to code that it does not optimise."""

from __future__ import annotations

import os
from importlib.metadata import version

_EMITTERS = "xla_cpu_use_fusion_emitters"
"""Setting of jaxlib before 0.12; later ones have no emitters but those that take long."""


def quick_flags() -> list[str]:
    """What XLA_FLAGS has to say."""
    found = ["--xla_backend_optimization_level=0", "--xla_cpu_parallel_codegen_split_count=1"]
    is_old = tuple(map(int, version("jaxlib").split(".")[:2])) < (0, 12)
    return [*found, f"--{_EMITTERS}=false"] if is_old else found


def with_emitters() -> dict[str, bool]:
    """Options with which one program is compiled by the emitters that users have, in a process with these flags."""
    return {_EMITTERS: True} if _EMITTERS in os.environ.get("XLA_FLAGS", "") else {}
