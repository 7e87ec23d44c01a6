"""PyTorch itself through hloscope. The cases run in the environment that `make torch-programs` makes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from .running import ROOT, run_cases

PYTHON = Path(os.environ.get("HLOSCOPE_TORCH_PYTHON", ROOT / ".venv-torch/bin/python"))
LINES = (ROOT / "tests/app/python/hosts/torch/models.py").read_text().splitlines()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    assert PYTHON.exists(), (
        f"{PYTHON} is not there: type `make torch-programs`, or name a Python in HLOSCOPE_TORCH_PYTHON"
    )
    data = tmp_path_factory.mktemp("data")
    return run_cases("tests.app.python.hosts.torch.cases", data=data, python=str(PYTHON))


@pytest.mark.long
class TestTorch:
    def test_programs_are_those_that_are_stored(self, found: dict[str, Any]) -> None:
        told = found["exported_programs_as_they_were"]
        assert set(told) == {
            path.stem for path in (ROOT / "tests/app/python/hosts/torch/programs").glob("*.npz")
        }

    def test_results_of_exported(self, found: dict[str, Any]) -> None:
        for errors in found["results_of_exported"].values():
            assert len(errors) == 3
            assert max(errors.values()) < 2e-5

    def test_trees_and_keywords(self, found: dict[str, Any]) -> None:
        *values, names, wrong = found["trees_and_keywords"]
        assert values == [[2, 2], 3, "int64", "bfloat16"]
        assert names == ["x_a", "x_b", "extra", "scale"]
        assert wrong.startswith("the program takes ({a: *, b: *}, extra=*, scale=*), and (*) is given")

    def test_training_mode(self, found: dict[str, Any]) -> None:
        assert found["training_mode"] == [4, True, True, ["input", "rand"]]

    def test_open_sizes(self, found: dict[str, Any]) -> None:
        is_right, without, misfit = found["open_sizes"]
        assert is_right
        assert "is exported with open sizes" in without
        assert "is exported as torch.float32" in misfit

    def test_compared_with_xla(self, found: dict[str, Any]) -> None:
        assert "no difference" in found["compared"] or "rounding" in found["compared"]

    def test_steps_are_at_lines_of_the_model(self, found: dict[str, Any]) -> None:
        source, scope = found["steps_at_lines"]
        file, line, _ = source.split(":")
        assert file.endswith("models.py")
        assert LINES[int(line) - 1].strip() == "y = torch.relu(self.bn1(self.conv1(x)))"
        assert "layer1/0/conv1" in scope

    def test_forward_and_backward(self, found: dict[str, Any]) -> None:
        told = found["forward_and_backward"]
        assert told["resnet"] == [["ResNet forward", "ResNet backward"], ["done", "done"], True, True]
        assert told["transformer"] == [["Classifier forward", "Classifier backward"], ["done", "done"], True, True]  # fmt: skip

    def test_calls_that_are_kept(self, found: dict[str, Any]) -> None:
        once, each, twice, directions, is_copied, names, refused = found["calls_that_are_kept"]
        assert (once, each, twice) == (1, 6, 4)
        assert directions == ["forward", "backward"] * 3
        assert is_copied
        assert {"weight", "bias"} <= set(names)
        assert "stablehlo, hlo or optimized" in refused

    def test_graph_breaks(self, found: dict[str, Any]) -> None:
        numbers, directions, is_right, names = found["graph_breaks"]
        assert numbers == [0, 1, 1, 0]
        assert directions == ["forward", "forward", "backward", "backward"]
        assert is_right
        assert names == ["first.weight", "first.bias", "x"]

    def test_in_the_debugger(self, found: dict[str, Any]) -> None:
        assert found["in_the_debugger"] == ["done", "done", "ResNet", "ResNet backward"]

    def test_versions(self, found: dict[str, Any]) -> None:
        version, is_accelerated, is_error = found["the_pair_goes_together"]
        assert version
        assert not is_accelerated
        assert is_error
        broken, absent = found["versions_that_do_not_go_together"]
        assert "do not go together" in broken
        assert "pip install torch==" in broken
        assert "not installed" in absent
        assert "pip install torch==" in absent

    def test_adapter(self, found: dict[str, Any]) -> None:
        assert found["names_of_sources"] == ["layer1.0.weight", "x", "model.mean", "batch['image']"]
        assert set(found["backward_ops"].values()) == {True}
        assert "torchax has no implementation of aten._ctc_loss.default" in found["an_op_without_implementation"]  # fmt: skip
        values = [["bfloat16", [1.5, -2]], ["float16", [1.5, -2]], ["float8_e4m3fn", [1.5, -2]]]
        assert found["small_floats"] == values
