"""A Ray cluster of the tests' own: a head and three nodes on this machine, each with processes that a test can kill."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from .server_process import ROOT, descendants

NODES = 3
MISSING = (
    "Ray is not installed, which the tests marked cluster need: `make test-cluster` installs it, or leave them out with "
    "-m 'not cluster'"
)
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # otherwise 127.0.0.1 becomes the machine's other address
    "RAY_AUTH_MODE": "disabled",  # or Ray writes a token into the user's folder
}
SOON = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1_000,
    "health_check_failure_threshold": 4,
}
"""With which the head hears of a lost node within seconds."""


class Nodes:
    """The cluster; its head has no CPU, and each of its nodes has one unless a test renews them: it takes one place."""

    def __init__(self, **system_config: int) -> None:
        """`system_config`: of Ray, for all nodes."""
        if find_spec("ray") is None:
            pytest.fail(MISSING, pytrace=False)
        # A short path: that of a socket has 107 bytes at most.
        self._folder = tempfile.mkdtemp(prefix="hloscope-ray-")
        os.environ.update(ENVIRONMENT, RAY_TMPDIR=self._folder)  # Ray reads it when it is imported
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from ray.cluster_utils import Cluster

            self._cluster: Any = Cluster()
            self._add(num_cpus=0, include_dashboard=False, _system_config=SOON | system_config)
            self._nodes: list[Any] = []
            self.renew(cpus=1)
            self._cluster.wait_for_nodes()

    def _add(self, **options: Any) -> Any:
        wait = "_system_config" in options
        return self._cluster.add_node(
            wait=wait, node_ip_address="127.0.0.1", object_store_memory=80 << 20,
            env_vars={"PYTHONPATH": str(ROOT)}, **options,
        )  # fmt: skip

    @property
    def address(self) -> str:
        """The address of the head."""
        return str(self._cluster.address)

    def kill_node(self, number: int) -> None:
        """End a node as a machine ends that loses its power, with all that runs there."""
        self._kill(self._nodes.pop(number))

    def kill_head(self) -> None:
        """End the head, as `kill_node` ends a node."""
        self._kill(self._cluster.head_node)

    def _kill(self, node: Any) -> None:
        processes = {info.process.pid for infos in node.all_processes.values() for info in infos}
        processes |= {child for pid in processes for child in descendants(pid)}
        for pid in processes:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._cluster.remove_node(node, allow_graceful=False)

    def complete(self) -> None:
        """Add a node for each that was killed."""
        self._nodes += [self._add(num_cpus=self._cpus) for _ in range(NODES - len(self._nodes))]

    def renew(self, cpus: int) -> None:
        """Replace all nodes by those with so many CPUs, each of which takes a place."""
        self._cpus = cpus
        while self._nodes:
            self.kill_node(0)
        self.complete()

    def node_of(self, place: int) -> int:
        """The node of a place."""
        raylets = [{info.process.pid for info in node.all_processes["raylet"]} for node in self._nodes]
        return next(n for n, pids in enumerate(raylets) if any(place in descendants(pid) for pid in pids))

    def places(self) -> dict[int, set[int]]:
        """The workers of each place, by the process of the place."""
        found = {}
        for node in self._nodes:
            for info in node.all_processes["raylet"]:
                for pid in descendants(info.process.pid):
                    if _title(pid).startswith("ray::Place"):
                        servers = _children(pid)
                        found[pid] = {worker for server in servers for worker in _children(server)}
        return found

    def close(self) -> None:
        """End all nodes."""
        self._cluster.shutdown()
        shutil.rmtree(self._folder, ignore_errors=True)


def _children(pid: int) -> set[int]:
    found = descendants(pid)
    return found - {grandchild for child in found for grandchild in descendants(child)}


def _title(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return ""


@contextmanager
def ray_nodes(**system_config: int) -> Iterator[Nodes]:
    """A running cluster, which ends with the block."""
    nodes = Nodes(**system_config)
    try:
        yield nodes
    finally:
        nodes.close()
