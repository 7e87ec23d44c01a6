"""Live bytes from the text are at least what XLA's allocations hold, and hardly more than XLA allocates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live_memory.closeness import Closeness, compare, dump_programs


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> list[Closeness]:
    return [compare(folder) for folder in dump_programs(Path(tmp_path_factory.mktemp("dumps")))]


@pytest.mark.oracle
def test_live_bytes_are_between_what_is_needed_and_what_reuse_could_save(figures: list[Closeness]) -> None:
    assert len(figures) == 20
    assert [each for each in figures if each.ours < each.needed] == []
    assert [each for each in figures if each.ours > 1.3 * each.total] == []
    assert sum(each.ours == each.needed for each in figures) >= 12


@pytest.mark.oracle
def test_a_buffer_assignment_is_read_as_memory_analysis_states_it(figures: list[Closeness]) -> None:
    assert [each for each in figures if each.assigned != each.temporaries] == []
