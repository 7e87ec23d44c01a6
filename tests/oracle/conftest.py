"""One oracle for each worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .client import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    """A child process with jaxlib, started when it is first asked."""
    found = Oracle()
    yield found
    found.close()
