"""The stores on which the tests of what is stored run."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.app.store.places import Place


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty folder; in the second run of the test, an empty database too."""
    is_shared = request.param == "postgresql"
    address = request.getfixturevalue("postgresql").new_database() if is_shared else ""
    with closing(Place(tmp_path, address)) as found:
        yield found
