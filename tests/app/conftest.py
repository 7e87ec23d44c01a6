"""A server for the tests of a module, with the default settings, and its data folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.app.serving import serving


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def client(folder: Path, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """A client of a server with the module's `SETTINGS`; signed in unless they say otherwise."""
    with serving(folder, **getattr(request.module, "SETTINGS", {})) as client:
        yield client
