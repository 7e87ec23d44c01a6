"""A server for the tests of a module, its data folder, the stores on which tests run, and children that fork."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from hloscope.app.processes.child_process import Child
from tests.app.forked_children import STARTERS, forked
from tests.app.serving import serving
from tests.app.store.places import Place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server")


@pytest.fixture(scope="module")
def client(folder: Path, request: pytest.FixtureRequest) -> Iterator[TestClient]:
    """A client of a server with the module's `SETTINGS`; signed in unless they say otherwise."""
    with serving(folder, **getattr(request.module, "SETTINGS", {})) as client:
        yield client


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """An empty folder; in the second run of the test, an empty database too."""
    is_shared = request.param == "postgresql"
    address = request.getfixturevalue("postgresql").new_database() if is_shared else ""
    with closing(Place(tmp_path, address)) as found:
        yield found


@pytest.fixture(scope="session", autouse=True)
def _children() -> Iterator[None]:
    """Children fork from a process that has imported what they run."""
    with forked():
        yield


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Children start as they do outside of the tests."""
    for starter in STARTERS:
        monkeypatch.setattr(starter, "Child", Child)
