"""Every exercise of the lessons: its solution passes, wrong solutions and constants fail, in words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hloscope.app.lessons.changes import check_change, differing, run_again
from hloscope.app.lessons.runs import Bounds, record
from hloscope.app.lessons.shipped import shipped_files
from hloscope.app.lessons.sources import parse_source, read_source
from hloscope.app.lessons.tree import Change, Program
from hloscope.app.wire.lessons import ChangeResult
from hloscope.engine.ops.core.op import Array
from tests.app.lessons.mutants import mutants
from tests.app.lessons.texts import SETTINGS

BOUNDS = Bounds.of_lesson(SETTINGS)
WRONG = 5
"""Wrong solutions that run to their end, of each exercise."""
SEEDS = range(100, 103)
RETURN = re.compile(r"^ *return .* : (.*)$", re.MULTILINE)
ROOT = re.compile(r"^ *ROOT (%\S+ = (\S+) .*)$", re.MULTILINE)


def exercises(path: Path) -> Iterator[tuple[Program, Change]]:
    lesson = parse_source(read_source(path))
    for block in lesson.blocks:
        if isinstance(block, Change):
            yield lesson.programs[block.program], block


each_lesson = pytest.mark.parametrize("path", shipped_files(), ids=lambda path: path.stem)


def _is_told(found: ChangeResult) -> bool:
    """Whether a failure is explained: by the message alone, or by values beside the expected ones."""
    compared = [value for value in found["values"] if value["expected"] is not None]
    return "returns something other" not in found["message"] or bool(compared)


@pytest.mark.more
@each_lesson
def test_wrong_solutions_fail(path: Path) -> None:
    for program, change in exercises(path):
        check_wrong_solutions(program, change)


def check_wrong_solutions(program: Program, change: Change) -> None:
    assert check_change(program, change.solution_text, change, BOUNDS)["passed"]
    assert not check_change(program, program.text, change, BOUNDS)["passed"]
    drawn = sorted(mutants(change.solution_text))
    random.Random(0).shuffle(drawn)
    failed: list[str] = []
    for told, text in drawn:
        found = check_change(program, text, change, BOUNDS)
        if found["passed"]:
            assert _computes_the_same(program, text, change), told
        elif not found["diagnostics"]:
            assert _is_told(found), (told, found)
            failed.append(told)
        if len(failed) == WRONG:
            return
    raise AssertionError(f"only {failed} of {len(drawn)} run and fail")


def _computes_the_same(program: Program, text: str, change: Change) -> bool:
    """Whether a program that passes is only another way to write the solution."""
    student, solution = (record(program, BOUNDS, each).recording for each in (text, change.solution_text))
    assert student is not None
    assert solution is not None
    return not any(
        differing(run_again(student, seed, BOUNDS), run_again(solution, seed, BOUNDS)) for seed in SEEDS
    )


def with_constants(text: str, results: tuple[Array, ...]) -> str:
    """The program with constants as its results, in place of what it computes."""
    if (found := RETURN.search(text)) is None:
        *_, root = ROOT.finditer(text)  # of the entry computation, which comes last
        elements = str(results[0].tolist()).replace("[", "{").replace("]", "}")
        return text.replace(root[0], f"{root[1]}\n  ROOT %told = {root[2]} constant({elements})")
    types = re.findall(r"tensor<[^>]*>", found[1])
    names = [f"%told{number}" for number in range(len(results))]
    lines = [
        f"{name} = stablehlo.constant dense<{array.tolist()}> : {type}\n"
        for name, array, type in zip(names, results, types, strict=True)
    ]
    returned = f"{''.join(lines)}return {', '.join(names)} : {found[1]}"
    return text.replace(found[0], returned)


@each_lesson
def test_constants_fail(path: Path) -> None:
    for program, change in exercises(path):
        solved = record(program, BOUNDS, change.solution_text).recording
        assert solved is not None
        results = solved.results()
        assert results is not None
        text = with_constants(change.solution_text, results)
        assert check_change(program, text, change, BOUNDS)["passed"] is False


@pytest.mark.parametrize("init", ["-100", "-999", "-2147483647"])
def test_a_maximum_may_only_begin_with_the_smallest_integer(init: str) -> None:
    (path,) = (path for path in shipped_files() if path.stem == "reductions-and-windows")
    ((program, change),) = exercises(path)
    text = program.text.replace("dense<0>", f"dense<{init}>")
    assert check_change(program, text, change, BOUNDS)["passed"] is False
