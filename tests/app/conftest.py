"""A server for the tests of a module, with the default settings."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from tests.app.serving import serving


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client that has signed in to it."""
    with serving(tmp_path_factory.mktemp("server")) as client:
        yield client
