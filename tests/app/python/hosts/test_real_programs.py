"""Real programs through `hloscope.debug` in four stages: results are JAX's, sessions come to their end.

`test_with_jax.py` has each kind of function in the same stages, in less time. The names are written down here, for the programs
are made by JAX, in a process of their own.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .running import run_cases

ALONE = ["mlp_train_step", "random_numbers", "small_floats", "custom_derivative"]
"""Programs that differ in what JAX is given; `tests/oracle/frameworks` has all kinds of computations."""
LIBRARIES = ("flax", "equinox", "optax", "diffrax", "distrax", "chex")
WITH_LIBRARIES = [
    *("flax_linen", "flax_attention", "flax_nnx", "equinox_mlp", "equinox_gru"),
    *("optax_adamw", "optax_losses", "diffrax_ode", "distrax_mixture", "chex_dataclass"),
]
STAGES = {stage: [True, "done"] for stage in ("stablehlo", "hlo", "optimized")} | {"passes": "done"}
MODULE = "tests.app.python.hosts.real_programs"


@pytest.mark.long
def test_programs(tmp_path: Path) -> None:
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    assert not missing, f"type: .venv/bin/pip install {' '.join(missing)}"
    found: dict[str, Any] = run_cases(MODULE, [*ALONE, *WITH_LIBRARIES], data=tmp_path)
    stop(tmp_path)
    assert found == dict.fromkeys([*ALONE, *WITH_LIBRARIES], STAGES)


def stop(data: Path) -> None:
    """Ends the server that the cases have started."""
    from hloscope.app.base.settings import Settings
    from hloscope.app.web.local_server import stop_server

    stop_server(Settings.load([f"data_dir={data}"]))
