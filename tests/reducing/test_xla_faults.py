"""Faults of a real XLA, from a program that shows them to a script that does."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.comparing.reducing.reduction import Reduction
from tests.app.xla.sharded_faults import SHARED_PAD, UPDATE

pytestmark = pytest.mark.oracle

ROWS = 32769


def has_faults() -> bool:
    """Whether the installed jaxlib is the one in which faults were found that newer ones do not have."""
    return version("jaxlib") == "0.10.2"


def run_script(found: Reduction, folder: Path) -> subprocess.CompletedProcess[str]:
    """The script in a process of its own, which knows nothing of hloscope."""
    script = found.write(folder)["script"]
    return subprocess.run([sys.executable, "-I", script], capture_output=True, text=True, check=False)


def rows() -> tuple[str, np.ndarray]:
    """jax-ml/jax#39103: the last row gets the value of an earlier one."""
    import jax
    import jax.numpy as jnp

    x = np.zeros((ROWS, 3), np.float32)
    x[:, 0] = np.arange(ROWS)
    function = jax.vmap(lambda row: jnp.sum((jnp.eye(3, dtype=np.float32) @ row) ** 2))
    return jax.jit(function).lower(x).as_text(), x


def sum_in_a_program() -> str:
    """jax-ml/jax#40412, a sum of a product of rank 7, among some 150 other ops."""
    import jax
    import jax.numpy as jnp

    def function(a: jax.Array, b: jax.Array) -> tuple[jax.Array, jax.Array]:
        found = jax.nn.softmax(((jnp.tanh(a) + jnp.sin(b)) * b).sum(3), -1)
        for _ in range(6):
            found = jax.nn.gelu(found) * 2 + jnp.cos(found)
        return found.mean(), found

    a = np.ones((3, 1, 2, 2, 8, 8, 8), np.float32)
    text: str = jax.jit(function).lower(a, a).as_text()
    return text


def test_a_miscompilation(tmp_path: Path, record_property: object) -> None:
    text, x = rows()
    if not has_faults():
        with pytest.raises(hloscope.NothingToReduce):
            hloscope.reduce(text, [x], "differs from xla")
        return
    found = hloscope.reduce(text, [x], "differs from xla")
    instructions = len(found.inputs) + len(found.case.operations)
    record_property("measured", f"jax#39103: {found.before} to {found.after}, {found.seconds:.1f} s")  # type: ignore[operator]
    assert instructions <= 6, found.text
    assert "but XLA gives" in found.finding
    shown = run_script(found, tmp_path)
    assert shown.returncode == 1, shown
    assert "the fault shows" in shown.stdout
    assert "jaxlib 0.10.2" in shown.stdout


def test_a_crash(tmp_path: Path, record_property: object) -> None:
    shape = (3, 1, 2, 2, 8, 8, 8)
    inputs = [np.ones(shape, np.float32)] * 2
    if not has_faults():
        with pytest.raises(hloscope.NothingToReduce):
            hloscope.reduce(sum_in_a_program(), inputs, "crashes xla")
        return
    found = hloscope.reduce(sum_in_a_program(), inputs, "crashes xla", seconds=150)
    record_property("measured", f"jax#40412: {found.before} to {found.after}, {found.seconds:.1f} s")  # type: ignore[operator]
    assert found.after.ops <= 4, found.text
    assert found.finding == "XLA crashes (signal 11, SIGSEGV)"
    assert run_script(found, tmp_path).returncode == -11


def test_the_script_of_a_factorization_does_not_crash(tmp_path: Path) -> None:
    import jax
    import jax.numpy as jnp

    x = np.eye(3, dtype=np.float32)
    text: str = jax.jit(lambda a: jnp.sin(jnp.linalg.cholesky(a))).lower(x).as_text()
    found = hloscope.reduce(text, [x], lambda text, inputs: "lapack_spotrf" in text)
    assert found.after.ops == 1
    shown = run_script(found, tmp_path)
    assert (shown.returncode, shown.stderr) == (0, "")


def test_a_pass_that_changes_values(tmp_path: Path) -> None:
    """XLA takes the logarithm of an exponential for what it was of, also where that overflows."""
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.sine %x : tensor<4xf32>
      %1 = stablehlo.exponential %x : tensor<4xf32>
      %2 = stablehlo.log %1 : tensor<4xf32>
      %3 = stablehlo.subtract %2, %0 : tensor<4xf32>
      return %3 : tensor<4xf32>
    }"""
    x = np.array([89, -104, 1, 2], np.float32)
    if not has_faults():
        with pytest.raises(hloscope.NothingToReduce):
            hloscope.reduce(text, [x], "a pass changes values")
        return
    found = hloscope.reduce(text, [x], "a pass changes values", seconds=150)
    assert "algsimp" in found.finding
    assert found.after.ops == 2
    assert run_script(found, tmp_path).returncode == 1


def test_programs_of_hlo_text(tmp_path: Path) -> None:
    text = """HloModule m

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  %s = f32[4]{0} sine(%x)
  %e = f32[4]{0} exponential(%x)
  %l = f32[4]{0} log(%e)
  ROOT %d = f32[4]{0} subtract(%l, %s)
}
"""
    x = np.array([89, -104, 1, 2], np.float32)
    if not has_faults():
        with pytest.raises(hloscope.NothingToReduce):
            hloscope.reduce(text, [x], "differs from xla")
        return
    found = hloscope.reduce(text, [x], "differs from xla")
    assert found.after.ops == 2
    assert found.text.startswith("HloModule")
    assert run_script(found, tmp_path).returncode == 1


def test_a_program_on_several_devices(tmp_path: Path) -> None:
    text, inputs = UPDATE
    # A fault on two of four devices shows on two, with one axis less.
    text = text.replace('"x"=2', '"unused"=2, "x"=2').replace("num_partitions = 2", "num_partitions = 4")
    found = hloscope.reduce(text, inputs, "differs from xla")
    assert (found.before.devices, found.after.devices) == (4, 2), found.text
    made = [each.name for each in found.case.operations if each.name != "stablehlo.constant"]
    assert made == ["stablehlo.dynamic_update_slice"]
    assert found.text.count("#sdy.sharding<") == 1
    assert "of process 0, element" in found.finding
    shown = run_script(found, tmp_path)
    assert shown.returncode == 1, shown
    assert "the fault shows" in shown.stdout


def test_a_pass_that_refuses_its_own_work(tmp_path: Path) -> None:
    text, inputs = SHARED_PAD
    found = hloscope.reduce(text, inputs, "crashes xla", seconds=100)
    assert found.after.ops <= 7, found.text
    assert found.finding.startswith("XLA fails in the pass spmd-partitioning: INTERNAL: ")
    assert "Failed after spmd-partitioning" in run_script(found, tmp_path).stderr
