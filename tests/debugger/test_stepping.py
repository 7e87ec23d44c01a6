"""Moves over a recording, on the table that the browser's own stepping is tested with too."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.engine.debugger import stepping
from hloscope.engine.debugger.stepping import Outline

TABLE = json.loads((Path(__file__).parent / "stepping_cases.json").read_text())


@pytest.fixture(scope="module")
def outline() -> Outline:
    lines = sorted(set(TABLE["line"]))
    return Outline(
        np.array([lines.index(line) for line in TABLE["line"]], np.uint32),
        np.array(TABLE["depth"], np.uint16),
        np.array(lines, np.uint32),
    )


def _named(case: dict[str, Any]) -> str:
    return f"{case['move']} from {case['from']}"


@pytest.mark.parametrize("case", TABLE["moves"], ids=_named)
def test_a_move_leads_where_the_table_says(outline: Outline, case: dict[str, Any]) -> None:
    assert getattr(stepping, case["move"])(outline, case["from"]) == case["to"]


def test_back_undoes_into_everywhere(outline: Outline) -> None:
    assert all(stepping.back(outline, stepping.into(outline, p)) == p for p in range(outline.end))


def test_long_recordings_are_searched_in_chunks() -> None:
    depth = np.ones(20_000, np.uint16)
    depth[0] = depth[-1] = 0
    outline = Outline(np.zeros(20_000, np.uint32), depth, np.array([1], np.uint32))
    assert stepping.over(outline, 0) == 19_999
    assert stepping.back_over(outline, 19_999) == 0
