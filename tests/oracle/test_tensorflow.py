"""Programs as TensorFlow prints them, in three stages: read, verified, run, and equal to what TensorFlow computes.

TensorFlow itself is not needed: `make tensorflow-programs` has written what it printed and computed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from tests.each import for_each
from tests.programs import load_program

from . import ours
from .test_frameworks import close
from .values import Array

pytestmark = pytest.mark.oracle
PROGRAMS = Path(__file__).parent / "tensorflow/programs"
NAMES = sorted(path.stem for path in PROGRAMS.glob("*.npz"))
RELATIVE = 2e-5
STAGES = ("stablehlo", "hlo", "optimized_hlo")


def exported(name: str, stage: str) -> tuple[str, list[Array], list[Array]]:
    """The text of a stage, inputs, and TensorFlow's results."""
    with np.load(PROGRAMS / f"{name}.npz") as arrays:
        counts = [sum(key.startswith(kind) for key in arrays) for kind in ("in_", "out_")]
        inputs, results = (
            [arrays[f"{kind}_{k}"] for k in range(n)] for kind, n in zip(("in", "out"), counts, strict=True)
        )
        return bytes(arrays[stage]).decode(), inputs, results


def test_there_are_programs() -> None:
    assert len(NAMES) >= 40


@pytest.mark.parametrize("stage", STAGES)
@for_each("name", NAMES)
def test_agrees_with_tensorflow(name: str, stage: str) -> None:
    text, inputs, expected = exported(name, stage)
    if "constant({...})" in text:
        assert stage == "hlo"  # which leaves large constants out whatever one says
        stops_at_what_is_left_out(text, inputs)
        return
    found = list(ours.run(text, inputs)) if stage == "stablehlo" else ours.run_hlo(text, inputs)
    assert len(found) == len(expected)
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        close(mine, theirs, RELATIVE, f"result {number} of {name}, {stage}")


def stops_at_what_is_left_out(text: str, inputs: list[Array]) -> None:
    """The hint says how TensorFlow, and nobody else, prints the constants."""
    program = load_program(text, "case.hlo")
    state = Recording(program, inputs).record()
    assert state.diagnostic
    hint = state.diagnostic.hint or ""
    assert "experimental_get_compiler_ir" in hint
    assert "jaxlib" not in hint
