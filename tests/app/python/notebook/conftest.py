"""Environments that all tests of notebooks share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.python.notebook.environment import make_environment
from tests.server_process import make_bundle


@pytest.fixture(scope="session")
def executing_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with what executes a notebook, and anywidget."""
    make_bundle()
    return make_environment(
        tmp_path_factory.mktemp("environment"), "anywidget>=0.11", "ipykernel", "nbclient"
    )


@pytest.fixture(scope="session")
def notebook_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with JupyterLab, marimo and anywidget."""
    make_bundle()
    folder = tmp_path_factory.mktemp("environment")
    return make_environment(folder, "anywidget>=0.11", "ipykernel", "jupyterlab", "marimo")
