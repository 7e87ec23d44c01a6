"""Children fork from a process that has imported what they run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.app.forked_children import forked


@pytest.fixture(scope="session", autouse=True)
def _children() -> Iterator[None]:
    with forked():
        yield
