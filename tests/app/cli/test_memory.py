"""`hloscope memory`: the peak and what fills it, of programs and of dumps, and the difference of two."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import hloscope
from hloscope.app.cli.main import main
from tests.live_memory.test_collectives import ALL as COLLECTIVES

TEXT = """HloModule jit_f, is_scheduled=true
ENTRY e {
  %p = f32[1024]{0} parameter(0)
  %a = f32[1024]{0} sine(%p), metadata={op_name="jit(f)/sin" source_file="model.py" source_line=7}
  %b = f32[2048]{0} concatenate(%a, %p), dimensions={0}
  ROOT %r = f32[2048]{0} negate(%b)
}
"""
ASSIGNMENT = """BufferAssignment:
allocation 0: size 8192, maybe-live-out:
 value: <3 r @0> (size=8192,offset=0): f32[2048]{0}
allocation 1: size 4096, parameter 0, shape |f32[1024]| at ShapeIndex {}:
 value: <0 p @0> (size=4096,offset=0): f32[1024]{0}
allocation 2: size 12288, preallocated-temp:
 value: <1 a @0> (size=4096,offset=0): f32[1024]{0}
 value: <2 b @0> (size=8192,offset=4096): f32[2048]{0}
"""


def _dump(folder: Path, text: str = TEXT, name: str = "module_0003.jit_f") -> Path:
    folder.mkdir()
    (folder / f"{name}.before_optimizations.txt").write_text(
        TEXT.replace("is_scheduled=true", "frontend_attributes={}")
    )
    (folder / f"{name}.cpu_after_optimizations.txt").write_text(text)
    (folder / f"{name}.cpu_after_optimizations-buffer-assignment.txt").write_text(ASSIGNMENT)
    return folder


def _lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_the_peak_and_what_fills_it_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f.hlo").write_text(TEXT)
    assert main(["memory", str(tmp_path / "f.hlo"), "--top", "2"]) == 0
    lines = _lines(capsys)
    assert lines[0].endswith("f.hlo: peak 20.0 KiB live at line 6, negate, %r")
    assert lines[1:4] == [
        "  arguments 4.00 KiB, results 8.00 KiB, temporaries 8.00 KiB",
        "  From the text alone. The text states its schedule, and steps are in that order.",
        "    8.00 KiB  temporary  %b  line 5",
    ]
    assert lines[5:] == ["  1 more of 4.00 KiB", "  0 copies", "  no collectives"]


def test_a_copy_in_a_loop_is_one_op_that_writes_in_each_iteration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.hlo").write_text(
        """HloModule m, is_scheduled=true

%body (t: (s32[], f32[256])) -> (s32[], f32[256]) {
  %t = (s32[], f32[256]) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %x = f32[256] get-tuple-element(%t), index=1
  %copy = f32[256] copy(%x)
  ROOT %out = (s32[], f32[256]) tuple(%next, %copy)
}

%cond (t: (s32[], f32[256])) -> pred[] {
  %t = (s32[], f32[256]) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %ten = s32[] constant(10)
  ROOT %p = pred[] compare(%i, %ten), direction=LT
}

ENTRY %main (x: f32[256]) -> (s32[], f32[256]) {
  %zero = s32[] constant(0)
  %x = f32[256] parameter(0)
  %t = (s32[], f32[256]) tuple(%zero, %x)
  ROOT %w = (s32[], f32[256]) while(%t), condition=%cond, body=%body,
    backend_config={"known_trip_count":{"n":"10"}}
}
"""
    )
    assert main(["memory", str(tmp_path / "f.hlo")]) == 0
    assert "  1 copy op writes 10.0 KiB in a run" in _lines(capsys)


def test_a_collective_is_printed_with_the_shardings_that_are_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.hlo").write_text(COLLECTIVES)
    assert main(["memory", str(tmp_path / "f.hlo")]) == 0
    [line] = [line for line in _lines(capsys) if "all-reduce %reduced" in line]
    assert "  operand: dimension 0 in 4 parts" in line
    assert "result" not in line


def test_a_dump_also_has_what_xla_allocated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _dump(tmp_path / "dump")
    assert main(["memory", str(folder)]) == 0
    lines = _lines(capsys)
    assert lines[0].startswith("module_0003.jit_f: peak 20.0 KiB")
    assert lines[3] == (
        "  XLA allocated 24.0 KiB: arguments 4.00 KiB, results 8.00 KiB, temporaries 12.0 KiB by its buffer assignment"
    )
    with zipfile.ZipFile(tmp_path / "dump.zip", "w") as archive:
        for file in folder.iterdir():
            archive.write(file, file.name)
    assert main(["memory", str(tmp_path / "dump.zip"), "--json"]) == 0
    (line,) = _lines(capsys)
    told = json.loads(line)
    assert (told["title"], told["peakBytes"], told["isScheduled"]) == ("module_0003.jit_f", 20480, True)
    assert told["allocated"] == {
        "arguments": 4096, "results": 8192, "temporaries": 12288, "constants": 0, "total": 24576,
    }  # fmt: skip
    assert [each["name"] for each in told["live"]["buffers"]] == ["%b", "%r", "%p"]
    assert dict(zip(told["schedule"], told["lines"], strict=True))[told["peak"]] == 6


def test_two_dumps_are_compared_by_the_names_of_their_modules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after = TEXT.replace(
        "ROOT %r = f32[2048]{0} negate(%b)",
        "%c = f32[2048]{0} copy(%b)\n  ROOT %r = f32[2048]{0} add(%c, %b)",
    )
    first, second = _dump(tmp_path / "first"), _dump(tmp_path / "second", after, "module_0007.jit_f")
    assert main(["memory", str(first), str(second)]) == 0
    lines = [" ".join(line.split()) for line in _lines(capsys)]
    assert lines[0] == "module_0003.jit_f -> module_0007.jit_f"
    assert "peak 20.0 KiB -> 28.0 KiB +8.00 KiB, +40 %" in lines
    assert "copied 0 bytes -> 8.00 KiB +8.00 KiB" in lines
    assert "copies 0 -> 1 +1" in lines
    assert lines[-2:] == ["only in the second peak:", "1 × 8.00 KiB temporary"]


def test_what_is_wrong_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", str(tmp_path / "no.hlo")]) == 2
    assert "no.hlo: no such file" in capsys.readouterr().err
    (tmp_path / "bad.hlo").write_text(TEXT.replace("sine", "sinus"))
    assert main(["memory", str(tmp_path / "bad.hlo")]) == 1
    assert "bad.hlo:4" in capsys.readouterr().err
    folder = _dump(tmp_path / "dump")
    assert main(["memory", str(folder), "--module", "jit_g"]) == 2
    assert "no module of" in capsys.readouterr().err
    other = _dump(tmp_path / "other", name="module_0001.jit_h")
    _dump(tmp_path / "more", name="module_0001.jit_h").joinpath(
        "module_0002.jit_i.cpu_after_optimizations.txt"
    ).write_text(TEXT)
    assert main(["memory", str(tmp_path / "more"), str(folder)]) == 2
    assert "no module of the same name" in capsys.readouterr().err
    assert main(["memory", str(folder), str(other)]) == 0, "single modules are compared whatever their names"


def test_python_has_the_report_as_an_object() -> None:
    report = hloscope.memory(TEXT)
    assert (report.peak_bytes, report.sent, report.collectives) == (20480, 0, ())
    assert [(each.name, each.bytes, each.kind) for each in report.live] == [
        ("%b", 8192, "temporary"),
        ("%r", 8192, "result"),
        ("%p", 4096, "argument"),
    ]
    assert str(report).splitlines()[1] == "  arguments 4.00 KiB, results 8.00 KiB, temporaries 8.00 KiB"


def test_arguments_are_named_as_on_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    named = TEXT.replace("parameter(0)", "parameter(0), metadata={op_name=\"params['w']\"}")
    (tmp_path / "f.hlo").write_text(named)
    assert main(["memory", str(tmp_path / "f.hlo")]) == 0
    assert any("4.00 KiB  argument   %params.w  line 3" in line for line in _lines(capsys))
    assert main(["memory", str(tmp_path / "f.hlo"), "--json"]) == 0
    buffers = json.loads(capsys.readouterr().out)["live"]["buffers"]
    assert [each["name"] for each in buffers] == ["%b", "%r", "%params.w"]
    assert [each.name for each in hloscope.memory(named).live] == ["%b", "%r", "%params.w"]
