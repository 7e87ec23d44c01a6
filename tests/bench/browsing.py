"""A server of this checkout and a browser, for the benchmarks of the page."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.find_browser import FLAGS, find_browser
from tests.server_process import Server, serving


@contextmanager
def browsing(
    settings: Mapping[str, object] | None = None,
) -> Iterator[tuple[Server, subprocess.Popen[str], Browser]]:
    """A new server with its process, and a browser."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "data", settings=settings) as (server, process),
        sync_playwright() as tool,
    ):
        executable = find_browser(install=False).executable
        yield server, process, tool.chromium.launch(executable_path=executable, args=list(FLAGS))
