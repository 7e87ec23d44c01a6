"""Shared by all tests: hypothesis profiles, the distribution over processes, oracles, and measured values in the summary."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import HealthCheck, settings

from hloscope.app.base.cores import cores

from .postgresql import Cluster, cluster
from .ray_nodes import Nodes, ray_nodes

if TYPE_CHECKING:
    from .oracle.client import Oracle

# Examples are bounded in number and not in time: a shared machine may be slow.
settings.register_profile(
    "local", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# The same examples each time, so that no change fails by an example that another run drew.
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("local"), max_examples=5_000)

os.environ.setdefault("HLOSCOPE_COMPILATION_CACHE_BYTES", "0")  # the user's cache is none of the tests'
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "local"))


# The collector would scan all modules and collected tests again and again: a twelfth of the time of a run.
gc.disable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In CI, run a failed test once more, unless it hung."""
    if "CI" in os.environ:
        for item in items:
            # Printed as RERUN, and to be mended: but who waits for it changed something else.
            item.add_marker(pytest.mark.flaky(reruns=1, rerun_except="from pytest-timeout"))


def pytest_collection_finish() -> None:
    """Leave what is loaded out of garbage collection, and start it for the tests."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than cores: those with browser tests wait for pages a third of their time."""
    return cores() + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Scheduler of `--dist loadgroup`."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from .distribution import Distribution

    return Distribution(config, log)


@pytest.fixture
def anyio_backend() -> str:
    """Event loop of tests that are coroutines, which the mark `anyio` runs."""
    return "asyncio"


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    """Child process with jaxlib; it starts with the first request."""
    yield from _oracle()


@pytest.fixture(scope="session")
def optimising_oracle() -> Iterator[Oracle]:
    """Oracle whose XLA compiles as users have it: quick code reduces in another order, and has other powers of integers."""
    yield from _oracle(quick=False)


@pytest.fixture(scope="session")
def grid_oracle() -> Iterator[Oracle]:
    """Oracle whose reference interpreter runs grids of many processes, with a short timeout."""
    yield from _oracle(seconds=30.0, many_threads=True)


@pytest.fixture(scope="session")
def devices() -> Iterator[Oracle]:
    """Oracle whose JAX has eight devices."""
    yield from _oracle(devices=8)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Cluster]:
    """A PostgreSQL that starts with the first request."""
    with cluster() as found:
        yield found


@pytest.fixture(scope="session")
def nodes() -> Iterator[Nodes]:
    """A Ray cluster that starts with the first request."""
    with ray_nodes() as found:
        yield found


def _oracle(**options: Any) -> Iterator[Oracle]:
    from .oracle.client import Oracle

    # `make test-long` has the optimised code.
    quick = os.environ.get("HYPOTHESIS_PROFILE") != "long"
    found = Oracle(**{"quick": quick, **options})
    yield found
    found.close()


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Print what tests have recorded as `measured`, and why a test ran once more."""
    for report in terminalreporter.getreports("rerun"):
        terminalreporter.section(f"{report.nodeid} ran once more, its {report.when} failed")
        terminalreporter.line(report.longreprtext)
    reports = terminalreporter.getreports("passed")
    lines = [value for report in reports for name, value in report.user_properties if name == "measured"]
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.line(str(line))
