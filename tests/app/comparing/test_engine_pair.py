"""`hloscope compare --between`: the results and the optimised texts of two engines."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.comparing import against
from hloscope.app.comparing.budget import Budget
from hloscope.app.comparing.engine_pair import NamedEngine, compare_two_engines
from hloscope.app.comparing.optimised_texts import OptimisedTexts
from hloscope.app.comparing.our_runs import run_ours
from hloscope.app.comparing.pair_report import EnginePair, lines_of_pair, pair_json
from hloscope.app.xla.engine import ALONE, Grid, Overrides, Versions, XlaEngine
from hloscope.app.xla.failures import XlaFailed
from hloscope.engine.limits import Limits
from tests.app.xla.planted import WrongFusion

Array = Any
NUMBERS = np.linspace(-2, 1, 40).astype(np.float32)
PROGRAM = """func.func @main(%a: tensor<40xf32>) -> tensor<40xf32> {
  %0 = stablehlo.exponential %a : tensor<40xf32>
  %1 = stablehlo.tanh %0 : tensor<40xf32>
  return %1 : tensor<40xf32>
}"""
RIGHT = np.tanh(np.exp(NUMBERS))
WRONG = RIGHT + np.eye(1, 40, 7, dtype=np.float32)[0]


def optimised(*instructions: str, inside: str = "tanh") -> str:
    """A text of XLA whose entry has these instructions; `%f` is the body of a fusion."""
    body = "\n".join(f"  {line}" for line in instructions)
    return f"""HloModule m, is_scheduled=true

%f (p: f32[40]) -> f32[40] {{
  %p = f32[40]{{0}} parameter(0)
  %e = f32[40]{{0}} exponential(%p), metadata={{source_file="-" source_line=2}}
  ROOT %t = f32[40]{{0}} {inside}(%e), metadata={{source_file="-" source_line=3}}
}}

ENTRY %main (a: f32[40]) -> f32[40] {{
  %a = f32[40]{{0}} parameter(0)
{body}
}}
"""


FUSED = optimised("ROOT %fusion = f32[40]{0} fusion(%a), kind=kLoop, calls=%f")
APART = optimised(
    "%copy = f32[40]{0} copy(%a)",
    'ROOT %call = f32[40]{0} custom-call(%copy), custom_call_target="tanh_of_exp"',
)


@dataclass
class Fixed:
    """An engine with fixed results, or none, and a fixed text."""

    result: Array | None
    text: str = FUSED
    platform: str = "cpu"
    seconds: float = 60.0

    def versions(self) -> Versions:
        return Versions("0", "0", self.platform)

    def run(self, text: str, *_: Any, **__: Any) -> list[Array]:
        if self.result is None:
            raise XlaFailed("it refuses the program")
        return [self.result] if "%0, %1" not in text else [self.result, np.exp(NUMBERS), self.result]

    def optimize(self, text: str, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        return self.text

    def dump(self, text: str, directory: Path, overrides: Overrides | None = None, grid: Grid = ALONE) -> str:
        return self.text


def compared(first: Any, second: Any) -> EnginePair:
    engines = [NamedEngine("A", first, {}), NamedEngine("B", second, {})]
    return compare_two_engines(engines, PROGRAM, run_ours(PROGRAM, [NUMBERS], Limits()), Limits(), Budget())


@pytest.mark.parametrize(
    ("first", "second", "verdict", "sentence"),
    [
        (RIGHT, RIGHT, "same", "A and B agree to the bit; hloscope agrees with both"),
        (WRONG, WRONG, "same", "A and B agree to the bit; hloscope agrees with neither"),
        (RIGHT, WRONG, "different", "A and B differ beyond rounding; hloscope agrees with A"),
        (WRONG, RIGHT, "different", "A and B differ beyond rounding; hloscope agrees with B"),
        (WRONG, WRONG + 1, "different", "A and B differ beyond rounding; hloscope agrees with neither"),
        (RIGHT, None, "different", "B has no answer: it refuses the program; A has one: XLA of jaxlib 0 on cpu agrees "),
        (None, None, "unknown", "A has no answer: it refuses the program; B has no answer: it refuses the program"),
    ],
)  # fmt: skip
def test_the_engine_that_agrees_with_hloscope_is_named(
    first: Array, second: Array, verdict: str, sentence: str
) -> None:
    found = compared(Fixed(first), Fixed(second))
    assert found.verdict == verdict
    assert next(lines_of_pair(found)).startswith(sentence)
    assert json.loads(json.dumps(pair_json(found), allow_nan=False))["verdict"] == verdict


def test_rounding_is_judged_by_the_noise_of_our_run() -> None:
    found = compared(Fixed(RIGHT), Fixed(np.nextafter(RIGHT, np.float32(2))))
    assert (found.verdict, found.results[0].kind) == ("same", "rounding")
    # The error of a wrong result is no noise: the other result is not excused by it.
    assert compared(Fixed(WRONG), Fixed(RIGHT)).results[0].kind == "wrong"
    assert compared(Fixed(WRONG), Fixed(WRONG * np.float32(1.001))).verdict == "different"


def test_values_that_differ_are_listed_with_their_lines() -> None:
    found = compared(Fixed(RIGHT), Fixed(WRONG))
    assert [(value.name, value.line) for value in found.values] == [("%1", 3)]
    assert any(
        line.startswith("wrong     line 3: stablehlo.tanh %1: element [7]: ") for line in lines_of_pair(found)
    )


def test_what_appeared_and_went_is_counted_and_listed() -> None:
    found = compared(Fixed(RIGHT, FUSED), Fixed(RIGHT, APART))
    assert list(lines_of_pair(found))[1:] == [
        "launched                 A  B",
        "copy                     0  1",
        "custom-call tanh_of_exp  0  1",
        "fusion kLoop             1  0",
        "- %fusion = f32[40]{0} fusion(%a), lines 2, 3",
        "+ %copy = f32[40]{0} copy(%a)",
        "+ %call = f32[40]{0} custom-call(%copy)",
    ]
    texts = pair_json(found)["texts"]
    assert texts["counts"] == {"copy": [0, 1], "custom-call tanh_of_exp": [0, 1], "fusion kLoop": [1, 0]}
    assert texts["went"][0]["program_lines"] == [2, 3]


def test_another_body_is_a_change_and_another_name_is_none() -> None:
    def texts(after: str) -> OptimisedTexts:
        return OptimisedTexts.of(FUSED, after)

    other = optimised("ROOT %fusion = f32[40]{0} fusion(%a), kind=kLoop, calls=%f", inside="sine")
    assert [(one.name, two.name) for one, two in texts(other).changed] == [("fusion", "fusion")]
    assert not texts(other).went
    renamed = texts(FUSED.replace("%fusion", "%kernel"))
    assert (renamed.went, renamed.appeared, renamed.changed, renamed.counts) == ((), (), (), {})
    assert "both launch the same instructions" in list(lines_of_pair(compared(Fixed(RIGHT), Fixed(RIGHT))))


def test_instructions_of_loops_are_launched_and_those_of_kernels_are_not() -> None:
    text = """HloModule m

%body (p: (f32[4])) -> (f32[4]) {
  %p = (f32[4]{0}) parameter(0)
  %x = f32[4]{0} get-tuple-element(%p), index=0
  %c = f32[4]{0} copy(%x)
  ROOT %t = (f32[4]{0}) tuple(%c)
}

%cond (q: (f32[4])) -> pred[] {
  %q = (f32[4]{0}) parameter(0)
  ROOT %go = pred[] constant(false)
}

ENTRY %main (a: (f32[4])) -> (f32[4]) {
  %a = (f32[4]{0}) parameter(0)
  ROOT %w = (f32[4]{0}) while(%a), condition=%cond, body=%body
}
"""
    found = OptimisedTexts.of(text, text.replace("copy(%x)", "negate(%x)"))
    assert found.counts == {"copy": (1, 0), "negate": (0, 1)}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--between", "xla", "nonsense"], "--between nonsense: there is no engine of that name"),
        (["--between", "xla", "xla", "--against", "xla"], "--between compares two engines: remove --against"),
        (["--between", "xla", "xla", "--repeat", "2"], "--repeat runs an engine again"),
        (["--between", "jaxlib==x", "xla"], "'x' is not a version of jaxlib"),
    ],
)
def test_a_wrong_command_line_is_refused(
    options: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.mlir").write_text(PROGRAM)
    assert main(["compare", str(tmp_path / "f.mlir"), *options]) == 2
    assert told in capsys.readouterr().err


def test_another_python_is_tried_if_jaxlib_has_no_build_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}" if name.endswith("13") else None)
    commands = []

    def call(command: list[str]) -> None:
        commands.append(command)
        if commands[-2:-1] == [[sys.executable, "-m", "venv", commands[0][-1]]]:
            raise XlaFailed("No matching distribution found for jax==9.9")
        Path(command[-1] if "venv" in command else tmp_path).mkdir(parents=True, exist_ok=True)

    monkeypatch.setattr(against, "_call", call)
    python = against.python_with("9.9")
    assert [command[0] for command in commands] == [sys.executable, python, "/bin/python3.13", python]
    assert against.python_with("9.9") == python
    assert len(commands) == 4


@pytest.mark.oracle
def test_two_engines_from_the_command_line_and_from_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both versions are the installed one."""
    monkeypatch.setattr(against, "python_with", lambda _: sys.executable)
    file, texts = tmp_path / "f.mlir", tmp_path / "texts"
    file.write_text(PROGRAM)
    names = ["jaxlib==0.1", "xla:xla_disable_hlo_passes=fusion"]
    assert main(["compare", str(file), "--between", *names, "--save-texts", str(texts), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [engine["name"] for engine in found["engines"]] == names
    assert found["texts"]["counts"]["fusion kLoop"] == [1, 2]
    assert main(["passes", str(texts)]) == 0
    pair = hloscope.compare(PROGRAM, inputs=[NUMBERS], between=names)
    assert pair.verdict == "same"
    assert pair.texts is not None
    assert "hloscope agrees with both" in str(pair)


@pytest.mark.oracle
def test_a_planted_fault_is_laid_at_its_engine() -> None:
    with XlaEngine() as right, WrongFusion() as wrong:
        found = compared(right, wrong)
    assert next(lines_of_pair(found)) == "A and B differ beyond rounding; hloscope agrees with A"
    assert found.values_problem == "none differs if they are results too"


@pytest.mark.oracle
def test_several_processes_are_compared_one_by_one() -> None:
    text = """module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
      -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    %t = stablehlo.tanh %x : tensor<8xf32>
    return %t : tensor<8xf32>
  }
}"""
    found = hloscope.compare(text, inputs=[NUMBERS[:8]], between=["xla", "cpu"])
    assert found.verdict == "same"
    assert found.result_names == ("result 0 of process (0, 0)", "result 0 of process (0, 1)")
