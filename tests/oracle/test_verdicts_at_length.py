"""The comparisons of `test_verdicts` with fifty times the programs, other ones each time."""

from __future__ import annotations

import pytest
from hypothesis import settings

from .client import Oracle
from .test_verdicts import CASES, agree

pytestmark = pytest.mark.long
EXAMPLES = 500


@pytest.mark.parametrize(("kind", "name"), CASES, ids=[f"{kind}-{name}" for kind, name in CASES])
def test_the_verdict_is_mlirs(kind: str, name: str, oracle: Oracle) -> None:
    agree(kind, name, oracle, settings(max_examples=EXAMPLES, database=None))
