"""Which tests run in one process: those that share a server, a browser or a fixture of their module."""

from __future__ import annotations

import zlib

from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

ALONE = ("bad_input", "builder", "chains", "comparison", "conformance", "debugger", "findings", "indexing", "ops", "oracle", "syntax")  # fmt: skip
"""Folders whose tests share nothing that takes time to make, so that each test goes to the next free process."""


BROWSER_GROUPS = 4
"""Most processes with browser tests, which take one less than there are: the others compute while a page is waited for."""


class Distribution(LoadScopeScheduling):
    """Sends the tests of a module to one process, and those of the browser to few.

    pytest-xdist has groups too, but 3.8 writes them into an attribute that pytest no longer reads since 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid, self.numnodes)

    def _assign_work_unit(self, node: WorkerController) -> None:
        """Assign the browser's groups first: xdist starts with the most tests, but these take longest."""
        for group in map(browser_group, range(BROWSER_GROUPS)):
            if group in self.workqueue:
                self.workqueue.move_to_end(group, last=False)
        super()._assign_work_unit(node)


def scope_of(nodeid: str, processes: int) -> str:
    """Name that all tests have in common which run in one process."""
    file = nodeid.partition("::")[0]
    _, _, rest = file.partition("tests/")
    folder, _, name = rest.partition("/")
    if folder == "browser":
        return browser_group(zlib.crc32(name.encode()) % min(BROWSER_GROUPS, max(1, processes - 1)))
    return nodeid if folder in ALONE else file


def browser_group(number: int) -> str:
    """Name of a group of the browser's tests."""
    return f"browser-{number}"
