"""Programs of PyTorch, forward and backward, in three stages: run, equal to what PyTorch computes, at the user's own lines.

PyTorch itself is not needed: `make torch-programs` has written what it computed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import hloscope

FOLDER = Path(__file__).parent / "torch"
NAMES = [f"{model}_{kind}" for model in ("resnet", "transformer") for kind in ("exported", "forward", "backward")]  # fmt: skip
STAGES = ("stablehlo", "hlo", "optimized")
RELATIVE, ABSOLUTE = 2e-5, 2e-7
"""To the largest element of a result; f32 has 6e-8."""


def stored(name: str) -> dict[str, NDArray[np.generic]]:
    with np.load(FOLDER / "programs" / f"{name}.npz") as arrays:
        return dict(arrays)


def numbered(arrays: dict[str, NDArray[np.generic]], kind: str) -> list[NDArray[np.generic]]:
    return [arrays[f"{kind}_{number}"] for number in range(sum(key.startswith(f"{kind}_") for key in arrays))]


def test_all_programs_are_there() -> None:
    assert {path.stem for path in (FOLDER / "programs").glob("*.npz")} == set(NAMES)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_of_pytorch(name: str, stage: str) -> None:
    arrays = stored(name)
    expected = numbered(arrays, "out")
    found = hloscope.run(bytes(arrays[stage]).decode(), numbered(arrays, "in"))
    assert len(found) == len(expected) > 0
    for number, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        wanted = theirs.astype(np.float64)
        allowed = RELATIVE * np.abs(wanted).max(initial=0) + ABSOLUTE
        error = np.abs(mine.astype(np.float64) - wanted).max(initial=0)
        assert error <= allowed, f"result {number}: {error:.2g}, allowed are {allowed:.2g}"


@pytest.mark.parametrize("name", NAMES)
def test_each_op_is_at_a_line_of_the_model(name: str) -> None:
    """In the scope of its module; of constants JAX does not say where they come from."""
    arrays = stored(name)
    recording = hloscope.record(bytes(arrays["stablehlo"]).decode(), numbered(arrays, "in"))
    lines = (FOLDER / "models.py").read_text().splitlines()
    steps = [
        step
        for step in recording
        if step.op not in ("stablehlo.constant", "func.return") and "_where" not in step.frame.function
    ]
    assert len(steps) > 50
    for step in steps:
        assert step.source, step.text
        file, line, _ = step.source.split(":")
        assert file == "models.py", step.text
        text = lines[int(line) - 1]
        assert "self." in text or "torch." in text or "return" in text, (step.text, text)
    convolutions = [step for step in steps if step.op == "stablehlo.convolution"]
    for step in convolutions:
        assert (
            "conv1" in step.scope or "conv2" in step.scope or "shortcut" in step.scope or "stem" in step.scope
        )
    assert bool(convolutions) == name.startswith("resnet")


def test_a_line_of_python_has_its_ops_forward_and_backward() -> None:
    text = "y = torch.relu(self.bn1(self.conv1(x)))"
    lines = (FOLDER / "models.py").read_text().splitlines()
    (number,) = (number for number, line in enumerate(lines, 1) if text in line)
    for name in ("resnet_forward", "resnet_backward"):
        arrays = stored(name)
        recording = hloscope.record(bytes(arrays["stablehlo"]).decode(), numbered(arrays, "in"))
        found = recording.from_source(f"models.py:{number}")
        assert {"stablehlo.convolution", "stablehlo.multiply"} <= {step.op for step in found}


def test_inputs_have_the_names_of_parameters_and_buffers() -> None:
    names = [str(name) for name in stored("resnet_forward")["names"]]
    assert {"layer1.0.conv1.weight", "layer2.1.bn2.running_var", "head.bias", "x"} <= set(names)
    backward = [str(name) for name in stored("resnet_backward")["names"]]
    assert {"layer1.0.conv1.weight", "tangents_1"} <= set(backward)
    with_dropout = [str(name) for name in stored("transformer_forward")["names"]]
    assert {"encoder.self_attn.in_proj_weight", "tokens", "rand"} <= set(with_dropout)
    arrays = stored("resnet_exported")
    assert 'loc("layer1.0.conv1.weight")' in bytes(arrays["stablehlo"]).decode()
