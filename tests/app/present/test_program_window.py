"""The windows of a program's table, read as the page reads them, are the table."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hloscope.app.present import program as tables
from hloscope.app.present.program import program_table, program_window
from hloscope.app.reference.examples import examples
from hloscope.engine.frontend import load
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from tests.app.present.test_index_map_evaluation import EXAMPLES, node
from tests.large_programs import optimised_hlo
from tests.programs import load_program

READER = Path(__file__).parents[2] / "js" / "program_of_windows.mjs"


def compare(programs: list[dict[str, Any]]) -> None:
    """Read them as the page does; fails with the first difference."""
    read = [str(node()), str(READER)]
    done = subprocess.run(read, check=False, input=json.dumps(programs), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


def windows_of(program: BoundProgram) -> list[Any]:
    """All windows, as many as the first one says."""
    first = program_window(program, 0)
    assert first["head"] is not None
    return [first, *(program_window(program, number) for number in range(1, first["head"]["windows"]))]


@pytest.mark.parametrize("rows", [7, 8_192])
def test_the_page_reads_the_table_from_its_windows(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    """Of the examples of the opening page and of all ops, and of a module with many computations."""
    monkeypatch.setattr(tables, "WINDOW_ROWS", rows)
    texts = [each.text for each in examples()] + [path.read_text() for path in EXAMPLES]
    texts.append(optimised_hlo(500))
    programs = [program for text in texts if (program := load(Source(text)).program)]
    assert len(programs) > 100
    asked = [
        {"text": program.module.source.text, "windows": windows_of(program), "table": program_table(program)}
        for program in programs
    ]
    assert (max(len(each["windows"]) for each in asked) > 50) == (rows == 7)
    compare(asked)


def test_characters_of_two_units_and_long_lines() -> None:
    """Offsets count UTF-16 units; a summary counts characters and ends with the line."""
    long = "é𝄞" * 90
    text = f"""// 𝄞
module {{
  func.func @main(%x: tensor<f32>) -> tensor<f32> {{
    %0 = stablehlo.abs %x {{note = "{long}"}} : tensor<f32>
    %1 = "stablehlo.add"(%0,
      %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }}
}}
"""
    program = load_program(text)
    asked = [{"text": text, "windows": windows_of(program), "table": program_table(program)}]
    compare(asked)


def test_there_is_no_window_behind_the_last() -> None:
    program = load_program(optimised_hlo(500))
    with pytest.raises(IndexError):
        program_window(program, len(windows_of(program)))


def test_what_all_windows_share_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    program = load_program(optimised_hlo(500))
    derived = list[Any]()
    derive = BoundProgram.derive

    def listed(self: BoundProgram, function: Any) -> Any:
        derived.append(function)
        return derive(self, function)

    monkeypatch.setattr(BoundProgram, "derive", listed)
    program_window(program, 0)
    first = {*derived}
    program_window(program, 0)
    assert {*derived} == first
