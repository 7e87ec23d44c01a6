"""A test of many cases fails with each case that fails, by its name."""

from __future__ import annotations

import pytest

from .each import for_each


def test_all_cases_run_and_those_that_fail_are_named(tmp_path: object) -> None:
    seen = []

    @for_each(("number", "letter"), [(1, "a"), (2, "b"), (3, "c")], ids=["one", "two", "three"])
    def numbers(number: int, letter: str, fixture: object) -> None:
        seen.append((number, letter, fixture))
        if letter == "b":
            pytest.fail("no b")
        assert number != 3

    with pytest.raises(BaseExceptionGroup, match="2 of 3 cases fail: two, three") as caught:
        numbers(fixture=tmp_path)
    assert seen == [(1, "a", tmp_path), (2, "b", tmp_path), (3, "c", tmp_path)]
    assert [error.__notes__ for error in caught.value.exceptions] == [["case: two"], ["case: three"]]


@for_each("number", [1, 2])
def test_fixtures_reach_each_case(number: int, request: pytest.FixtureRequest) -> None:
    assert number in (1, 2)
    assert request.node.name == "test_fixtures_reach_each_case"
