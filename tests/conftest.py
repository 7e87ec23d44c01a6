"""What all tests share: hypothesis profiles, and what tests have measured at the end of their output."""

import os

from _pytest.terminal import TerminalReporter
from hypothesis import HealthCheck, settings

# Shared machines are slow at times, and that is no failure: examples are bounded in number, not in time.
settings.register_profile(
    "local", deadline=None, max_examples=100, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
# The same examples each time: a change that fails is to blame itself.
settings.register_profile("ci", settings.get_profile("local"), derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("local"), max_examples=5_000)

settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "local"))


def pytest_terminal_summary(terminalreporter: TerminalReporter) -> None:
    """Shows what tests have recorded as `measured`."""
    reports = terminalreporter.getreports("passed")
    lines = [value for report in reports for name, value in report.user_properties if name == "measured"]
    if lines:
        terminalreporter.section("measured")
        for line in lines:
            terminalreporter.line(str(line))
