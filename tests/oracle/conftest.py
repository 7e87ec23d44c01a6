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


@pytest.fixture(scope="session")
def grid_oracle() -> Iterator[Oracle]:
    """One whose reference interpreter runs grids of many processes, and which soon gives them up."""
    found = Oracle(30.0, many_threads=True)
    yield found
    found.close()


@pytest.fixture(scope="session")
def devices() -> Iterator[Oracle]:
    """One whose JAX has eight devices."""
    found = Oracle(devices=8)
    yield found
    found.close()
