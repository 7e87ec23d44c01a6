"""Compilations that crash or fail: the pass, XLA's own message, and a smaller program with the same fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hloscope
from hloscope.app.comparing.between_passes import failing_pass
from hloscope.app.comparing.report import as_json
from hloscope.app.xla.failures import XlaCrashed, XlaFailed, XlaRefused, message_core

from .sharded_faults import DILATED_PAD, SHARED_PAD

NEGATIVE_PAD = """func.func @main(%x: tensor<8x4xf32>) -> tensor<7x4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.tanh %x : tensor<8x4xf32>
  %w = "stablehlo.reduce_window"(%y, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1>, padding = dense<[[-1, 0], [0, 0]]> : tensor<2x2xi64>}
    : (tensor<8x4xf32>, tensor<f32>) -> tensor<7x4xf32>
  %n = stablehlo.negate %w : tensor<7x4xf32>
  return %n : tensor<7x4xf32>
}"""
"""openxla/xla#48719: algsimp aborts."""
OUTPUT = """E1127 11:26:15.993901    9629 status_macros.cc:58] INTERNAL: RET_CHECK failure
*** Begin stack trace ***
F1127 11:26:15.993961    9629 algebraic_simplifier.cc:586] Check failed: x is OK ("a.1" (f32[7,4]{1,0}) vs "b"
\t

Suspected Python Code Location:
  -:5 [xla::PythonStackTrace='']) 
*** Check failure stack trace: ***
    @     0x7f6c49e40634  absl::lts_20260107::log_internal::LogMessage::SendToLog
"""  # noqa: W291
REFUSED = "INTERNAL: during context [hlo verifier]: Expected f32[6]\n%c.5 = f32[4]{0} add(%a)\n\nFailed after spmd-partitioning\n"


def test_the_message_of_a_failed_check_is_kept_without_its_stack() -> None:
    crash = XlaCrashed(-6, OUTPUT)
    said = 'algebraic_simplifier.cc:586: Check failed: x is OK ("a.1" (f32[7,4]{1,0}) vs "b")'
    assert str(crash) == f"XLA crashed (signal 6, SIGABRT): {said}"
    assert str(XlaCrashed(-11, "no check")) == "XLA crashed (signal 11, SIGSEGV)."


def test_the_same_fault_has_the_same_core() -> None:
    one = XlaCrashed(-6, OUTPUT).message
    smaller = XlaCrashed(-6, OUTPUT.replace("a.1", "c").replace("7,4", "2,1")).message
    other = XlaCrashed(-6, OUTPUT.replace("Check failed: x", "Check failed: y")).message
    elsewhere = XlaCrashed(-6, OUTPUT.replace("cc:586", "cc:123")).message
    assert message_core(one) == message_core(smaller)
    assert len({message_core(one), message_core(other), message_core(elsewhere)}) == 3


@pytest.mark.parametrize(
    ("texts", "failure", "named"),
    [
        (["0001.outer.after_a.before_b", "0002.outer.after_b.before_c"], XlaCrashed(-6), "c"),
        (["0001.outer.after_a.before_b", "0002.inner.after_x.before_pipeline-end"], XlaCrashed(-6), "b"),
        (["0001.outer.after_a.before_b", "0002.inner.after_x.before_y"], XlaCrashed(-6), "y"),
        (["0001.outer.after_a.before_b", "cpu_after_optimizations"], XlaCrashed(-11), ""),
        (["before_optimizations"], XlaCrashed(-6), ""),
        ([], XlaRefused(REFUSED), "spmd-partitioning"),
        ([], XlaRefused("INVALID_ARGUMENT: no"), ""),
    ],
)
def test_the_pass_follows_from_the_message_or_the_last_text(
    texts: list[str], failure: XlaFailed, named: str, tmp_path: Path
) -> None:
    for text in texts:
        (tmp_path / f"module_0000.jit_f.{text}.txt").write_text("HloModule jit_f\n")
    assert failing_pass(tmp_path, failure) == named


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("text", "inputs", "named", "quoted"),
    [
        (NEGATIVE_PAD, [np.ones((8, 4), np.float32)], "algsimp", "SIGABRT): algebraic_simplifier.cc"),
        (*SHARED_PAD, "spmd-partitioning", "Expected instruction to have"),
        (*DILATED_PAD, "spmd-partitioning", "SIGABRT): spmd_partitioner.cc"),
    ],
)
def test_a_failed_compilation_names_its_pass(
    text: str, inputs: list[np.ndarray], named: str, quoted: str
) -> None:
    found = hloscope.compare(text, inputs=inputs, against="xla")
    assert found.verdict == "failed"
    assert f"has no answer: the pass `{named}` fails: " in str(found)
    assert quoted in str(found)
    assert f"without the pass `{named}` the results are right" in str(found)
    assert as_json(found)["failed_pass"] == named
