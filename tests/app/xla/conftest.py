"""Processes of XLA fork from one that has imported JAX, but for tests of the processes themselves."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from tests.app.forked_jax import forked


@pytest.fixture(scope="module", autouse=True)
def _processes(request: pytest.FixtureRequest) -> Iterator[None]:
    """A module that says `OWN_PROCESSES = True` starts each process by itself."""
    with nullcontext() if getattr(request.module, "OWN_PROCESSES", False) else forked():
        yield
