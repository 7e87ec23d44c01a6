"""Runs compute without NumPy's warnings, and see to that once."""

import warnings

import numpy as np
import pytest

import hloscope
from hloscope.engine.ops.core.quiet import quiet, quiet_run

OVERFLOWING = """
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %0 = stablehlo.exponential %x : tensor<3xf32>
{steps}
  return %{last} : tensor<3xf32>
}}
"""


def _program(steps: int) -> str:
    kinds = ("exponential", "log", "negate", "sqrt", "cosine", "rsqrt")
    lines = [
        f"  %{number} = stablehlo.{kinds[number % len(kinds)]} %{number - 1} : tensor<3xf32>"
        for number in range(1, steps)
    ]
    return OVERFLOWING.format(steps="\n".join(lines), last=steps - 1)


def _entered(steps: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often a run of so many ops sets what NumPy does about errors."""
    entered = 0

    class Counting(np.errstate):  # type: ignore[misc, unused-ignore]
        def __enter__(self) -> None:
            nonlocal entered
            entered += 1
            super().__enter__()

    program = hloscope.parse(_program(steps))
    with monkeypatch.context() as patch:
        patch.setattr(np, "errstate", Counting)
        hloscope.run(program, [[100.0, -1.0, 0.0]])
    return entered


def test_a_run_of_many_ops_sees_to_it_no_more_often_than_one_of_few(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= _entered(40, monkeypatch) <= _entered(10, monkeypatch)


def test_nothing_is_said_inside_and_outside_of_runs() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for around in (quiet, quiet_run):
            with around(), quiet():
                assert np.isinf(np.exp(np.float32(1000)))
        with quiet_run(), pytest.raises(ZeroDivisionError):
            _ = 1 // 0
        with pytest.raises(RuntimeWarning):
            np.exp(np.float32(1000))
