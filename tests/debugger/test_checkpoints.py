"""Checkpoints: as many as their bytes allow, evenly over the run, and what is shared counts once."""

import numpy as np
import pytest

from hloscope.engine.debugger import replay
from hloscope.engine.debugger.replay import FEWEST, Checkpoints
from hloscope.engine.process_grid.grid_events import GridListener
from hloscope.engine.process_grid.grid_run import GridRun
from hloscope.engine.process_grid.launch import Launch
from tests.programs import load_program

CHAIN = "\n".join(f"  %{at} = stablehlo.add %{at - 1}, %{at - 1} : tensor<256xf32>" for at in range(1, 201))
TEXT = f"""func.func @main(%weights: tensor<4096xf32>, %0: tensor<256xf32>) -> tensor<256xf32> {{
{CHAIN}
  return %200 : tensor<256xf32>
}}
"""
VALUE = 1024
"""Bytes of each value of the chain."""


@pytest.mark.parametrize("budget", [20 * VALUE, 1 << 30])
def test_they_stay_within_their_budget_and_evenly_spaced(
    budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay, "LEAST_BYTES", 0)
    monkeypatch.setattr(replay, "ENTRY_BYTES", 0)
    inputs = np.ones(4096, np.float32), np.zeros(256, np.float32)
    run = GridRun(load_program(TEXT), Launch.single_process(inputs), GridListener())
    kept = Checkpoints(run.snapshot(), budget)
    while not run.finished:
        run.run(run.step_count + 1)
        if not run.finished:
            kept.add(run.snapshot())
    starts = sorted({kept.before(0, step).step_count for step in range(200)})
    assert (len(starts) == 200) == (budget > 200 * VALUE)
    assert len(starts) >= FEWEST
    held = kept._ledger.bytes
    assert held <= budget
    gaps = np.diff(starts)
    assert gaps.max() <= 4 * gaps.mean()
    kept.keep_start()
    assert kept._ledger.bytes == 0
    assert kept.before(0, 199).step_count == 0
