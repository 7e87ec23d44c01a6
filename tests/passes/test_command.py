"""`hloscope passes` on dumps with and without a culprit pass."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest

from hloscope.app.cli.main import main
from tests.passes import folders

KEYS = {"module", "number", "pipeline", "pass", "file", "verdict", "worst", "decided_by", "instructions"}


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(["passes", *arguments])
    found = capsys.readouterr()
    return code, found.out or found.err


def _lines(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, object]]]:
    code, out = _run(capsys, *arguments, "--json")
    return code, [json.loads(line) for line in out.splitlines()]


def test_the_culprit_pass_and_instruction_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out = _run(capsys, str(folders.broken(tmp_path / "dump")))
    assert code == 1
    verdict = next(line for line in out.splitlines() if line.startswith("`algsimp`"))
    assert verdict.startswith("`algsimp` (pass 3, 2nd run) first changed values beyond rounding: ")
    assert "%subtract.2 became %subtract.9; element [" in verdict


def test_json_has_a_line_for_each_stage_and_the_first_that_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, (*stages, last) = _lines(capsys, str(folders.broken(tmp_path / "dump")))
    assert code == 1
    assert [stage["number"] for stage in stages] == [None, 0, 1, 2, 3, None]
    assert all(set(stage) == KEYS for stage in stages)
    assert [stage["verdict"] for stage in stages] == [*["same_text"] * 4, "wrong", "same_text"]
    assert last == {"verdict": "different", "first_wrong": stages[4]}
    worst = stages[4]["worst"]
    assert isinstance(worst, dict)
    assert set(worst) == {"value", "index", "before", "after", "ulps"}
    assert worst["value"] == "%subtract.9"
    assert worst["before"] == -worst["after"]
    assert stages[4]["instructions"] == {"added": 0, "removed": 0, "changed": 1}


def test_a_healthy_pipeline_is_cleared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (*stages, last) = _lines(capsys, str(folders.healthy(tmp_path / "dump")))
    assert code == 0
    assert last == {"verdict": "same", "first_wrong": None}
    assert [stage["verdict"] for stage in stages] == [*["same_text"] * 4, "same_bits", "same_text"]


def test_texts_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, (*stages, last) = _lines(capsys, str(folders.broken(tmp_path / "dump")), "--no-run")
    assert code == 0
    assert [stage["verdict"] for stage in stages] == [*["same_text"] * 4, None, "same_text"]
    assert last == {"verdict": None, "first_wrong": None}


def test_an_archive_with_packed_files_is_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folders.broken(tmp_path / "dump")
    archive = tmp_path / "dump.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in folder.iterdir():
            packed.writestr(f"dump/{file.name}.gz", gzip.compress(file.read_bytes()))
    code, (*_, last) = _lines(capsys, str(archive))
    assert code == 1
    assert last["first_wrong"]["file"].endswith(".0003.simplification.after_algsimp.before_dce.txt.gz")  # type: ignore[index]


def test_inputs_are_taken_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With all ones nothing shows, since both sides of the subtraction are the same."""
    folder = folders.broken(tmp_path / "dump")
    inputs = tmp_path / "x.npz"
    np.savez(inputs, x=np.ones((4, 4), np.float32), b=np.ones(4, np.float32))
    code, (*_, last) = _lines(capsys, str(folder), "--inputs", str(inputs))
    assert (code, last) == (0, {"verdict": "same", "first_wrong": None})


def test_inputs_that_do_not_fit_are_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = tmp_path / "x.npz"
    np.savez(inputs, x=np.ones((4, 5), np.float32), b=np.ones(4, np.float32))
    code, out = _run(capsys, str(folders.healthy(tmp_path / "dump")), "--inputs", str(inputs))
    assert code == 2
    assert "its shape is 4x5, not 4x4" in out


def test_a_nan_is_a_verdict_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [folders.text()] * 4 + [folders.text("log(%multiply.7)", "log.1")]
    code, (*_, last) = _lines(capsys, str(folders.write_dump(tmp_path / "dump", texts)))
    assert code == 1
    wrong = last["first_wrong"]
    assert isinstance(wrong, dict)
    assert wrong["verdict"] == "nan"
    assert wrong["worst"]["after"] == "NaN"


SCALAR = """HloModule jit_f, entry_computation_layout={{(f32[])->f32[]}}

ENTRY %main.1 (x.1: f32[]) -> f32[] {{
  %x.1 = f32[] parameter(0)
  %constant.1 = f32[] constant(4096)
  %add.1 = f32[] add(%x.1, %constant.1)
  ROOT %subtract.1 = f32[] {}
}}
"""


def test_rounding_of_a_scalar_has_its_bound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = [SCALAR.format("subtract(%add.1, %constant.1)")] * 4 + [SCALAR.format("copy(%x.1)")]
    code, (*stages, last) = _lines(capsys, str(folders.write_dump(tmp_path / "dump", texts)))
    assert stages[4]["verdict"] == "rounding"
    assert (code, last) == (0, {"verdict": "same", "first_wrong": None})


def test_a_changed_signature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shorter = folders.text().replace("f32[4,4]", "f32[2,4]")
    folder = folders.write_dump(tmp_path / "dump", [folders.text()] * 4 + [shorter])
    code, out = _run(capsys, str(folder))
    assert code == 1
    assert "changed what the module takes or gives: argument 0" in out


def test_a_text_that_cannot_run_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = folders.text('custom-call(%multiply.7), custom_call_target="my_kernel"')
    folder = folders.write_dump(tmp_path / "dump", [folders.text()] * 4 + [unknown, folders.text()])
    code, out = _run(capsys, str(folder))
    assert code == 8
    assert "calls code outside of the program" in out
    assert "module_0001.jit_f: 6 stages, 1 of them cannot run, inputs" in out
    assert "unknown: 1 of 6 stages cannot run" in out


def test_a_dump_without_a_text_after_a_pass_is_not_cleared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "dump"
    folder.mkdir()
    (folder / "module_0001.jit_f.before_optimizations.txt").write_text(folders.text())
    code, out = _run(capsys, str(folder))
    assert code == 8
    assert "unknown: there is no text after a pass" in out
    assert "module_0001.jit_f: 1 stage, inputs" in out


@pytest.mark.oracle
def test_protocol_buffers_without_texts_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    dump = folders.of_protocol_buffers(tmp_path / "dump")
    code, out = _run(capsys, str(dump))
    assert code == 0
    assert "module_0001.jit_f: 3 stages" in out
    assert out.splitlines()[-1] == "the same values after every pass"
    text = "HloModule f\nENTRY e {\n  ROOT x = f32[] parameter(0)\n}\n"
    (dump / f"module_0001.jit_f.{folders.NAMES[-1]}.txt").write_text(text)
    assert _run(capsys, str(dump))[0] == 1


def test_where_no_text_can_run_nothing_is_cleared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = folders.text('custom-call(%multiply.7), custom_call_target="my_kernel"')
    code, out = _run(capsys, str(folders.write_dump(tmp_path / "dump", [unknown])))
    assert code == 8
    assert "nothing could be compared: no stage can run" in out


ENDLESS = """HloModule jit_f, entry_computation_layout={(f32[4,4]{1,0}, f32[4]{0})->f32[4,4]{1,0}}

%body (p: f32[4,4]) -> f32[4,4] {
  %p = f32[4,4]{1,0} parameter(0)
  ROOT %negate.1 = f32[4,4]{1,0} negate(%p)
}

%condition (q: f32[4,4]) -> pred[] {
  %q = f32[4,4]{1,0} parameter(0)
  ROOT %true.1 = pred[] constant(true)
}

ENTRY %main.1 (x.1: f32[4,4], b.1: f32[4]) -> f32[4,4] {
  %x.1 = f32[4,4]{1,0} parameter(0)
  %b.1 = f32[4]{0} parameter(1)
  ROOT %while.1 = f32[4,4]{1,0} while(%x.1), condition=%condition, body=%body
}
"""


def test_a_stage_that_never_ends_costs_only_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folders.write_dump(tmp_path / "dump", [folders.text()] * 4 + [ENDLESS, folders.text()])
    code, out = _run(capsys, str(folder), "--set", "run_step_limit=5000")
    assert code == 8
    assert "paused at the limit run_step_limit = 5,000 steps" in out


def test_modules_are_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folders.broken(tmp_path / "dump")
    folders.write_dump(folder, [folders.text()], "module_0007.jit_g")
    code, (*stages, last) = _lines(capsys, str(folder), "--module", "jit_g")
    assert (code, last, len(stages)) == (0, {"verdict": "same", "first_wrong": None}, 6)
    code, out = _run(capsys, str(folder), "--module", "jit_h")
    assert code == 2
    assert "there are: module_0001.jit_f, module_0007.jit_g" in out


@pytest.mark.parametrize("what", ["nothing", "empty", "text"])
def test_what_is_no_dump_is_an_error(what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tmp_path / what
    if what == "empty":
        place.mkdir()
    elif what == "text":
        place.write_text("hello")
    code, out = _run(capsys, str(place))
    assert code == 2
    assert "hint: " in out


HIDDEN = """HloModule jit_f, entry_computation_layout={{(f32[64]{{0}})->f32[64]{{0}}}}

ENTRY %main.1 (x.1: f32[64]) -> f32[64] {{
  %x.1 = f32[64]{{0}} parameter(0)
  %large.1 = f32[] constant(1e6)
  %large.2 = f32[64]{{0}} broadcast(%large.1), dimensions={{}}
  %c.1 = f32[] constant({constant})
  %c.2 = f32[64]{{0}} broadcast(%c.1), dimensions={{}}
  %sum.1 = f32[64]{{0}} add(%x.1, %large.2)
  {lines}
}}
"""
"""Operations whose rounding is as large as their result."""
LATE = """%add.1 = f32[64]{0} add(%sum.1, %c.2)
  ROOT %subtract.1 = f32[64]{0} subtract(%add.1, %sum.1)"""
EARLY = """%subtract.2 = f32[64]{0} subtract(%sum.1, %sum.1)
  ROOT %add.2 = f32[64]{0} add(%subtract.2, %c.2)"""


@pytest.mark.more
@pytest.mark.parametrize(
    ("constant", "lines", "verdict"),
    [(0.7, EARLY, "rounding"), (0.74, LATE, "wrong"), (0.71, EARLY, "wrong")],
)
def test_where_rounding_hides_a_change_more_digits_decide(
    constant: float, lines: str, verdict: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = [HIDDEN.format(constant=0.7, lines=LATE)] * 4
    dump = folders.write_dump(tmp_path / "dump", [*texts, HIDDEN.format(constant=constant, lines=lines)])
    _, (*stages, _) = _lines(capsys, str(dump))
    assert (stages[4]["verdict"], stages[4]["decided_by"]) == (verdict, "witness")
