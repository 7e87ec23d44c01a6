"""The loads: some visitors all get what they come for, and what the server needs is seen. How long it takes is not asked here.

They prove nothing of hloscope, only that `make load` still runs: `make test-long` includes them.
"""

import re
import subprocess
import sys
from collections import Counter
from itertools import islice

import pytest

from tests.load.follower import EARLIEST, LEAST_PAUSE, LONGEST_PAUSE, NEAR, QUICK_PAUSE, QUICK_TRIES
from tests.load.plan import (
    GOAL_SECONDS,
    PAUSE_SECONDS,
    SIMULATED_SECONDS,
    Costs,
    Machines,
    needed,
    quantile,
    simulate,
)
from tests.load.strangers import moments
from tests.server_process import ROOT

pytestmark = pytest.mark.more


def figures(load: str, *arguments: str) -> dict[str, str]:
    """What a load prints; of a name that comes twice the last."""
    command = [sys.executable, "-m", "tests.load", load, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    found = dict(re.findall(r"^  (\S.*?)  +(\S.*)$", done.stdout, re.MULTILINE))
    assert found, done.stdout + done.stderr
    return found


@pytest.mark.long
def test_some_visitors_open_and_step() -> None:
    crowd = ("--opens", "3", "--steppers", "2", "--seconds", "1.5", "--set", "max_active_sessions=3")
    found = figures("visit", *crowd)
    assert found["usable"] == "3 of 3"
    assert found["errors"] == "0"
    assert int(found["steps"].split(",")[0]) >= 2
    assert int(found["worker processes, at most"]) >= 3
    for name in ("memory of the server, at most", "memory of its workers, at most"):
        assert int(found[name].split()[0]) > 0


def test_each_visitor_steps_once_a_second_and_no_two_in_time() -> None:
    walks = [list(islice(moments(visitor, 0), 60)) for visitor in range(200)]
    assert all([int(moment) for moment in walk] == list(range(60)) for walk in walks)
    at_once = Counter(int(20 * moment) for walk in walks for moment in walk)  # ten in a twentieth of a second
    assert max(at_once.values()) < 30
    neighbours = [(walk[0], walk[-1] % 1) for walk in walks if walk[0] < 0.05]
    assert max(last for _, last in neighbours) - min(last for _, last in neighbours) > 0.5


@pytest.mark.long
def test_some_open_one_link_and_step_by_themselves() -> None:
    found = figures("explore", "--opens", "4", "--seconds", "3")
    assert found["usable"] == "4 of 4"
    assert found["errors"] == "0"
    assert found["steps"].startswith("12;")
    assert int(found["requests"].split(",")[0]) >= 4 * 16
    assert found["worker processes, at most"] in ("1", "2")  # one opens the run, one checks programs


@pytest.mark.long
def test_one_who_looks_causes_no_worker() -> None:
    found = figures("look", "--opens", "1")
    assert found["failed requests"] == "0"
    assert found["no worker"] == "met"


@pytest.mark.long
def test_some_follow_a_teacher() -> None:
    found = figures("room", "--opens", "4", "--seconds", "2", "--generators", "2")
    assert found["inside"] == "4 of 4"
    assert found["errors"] == "0"
    assert int(found["steps that were overtaken"].rpartition(" ")[2]) > 0


def test_a_plan_has_room_for_the_loss_of_a_node() -> None:
    costs = Costs(server=1e-3, worker=4e-3, replay=0.1, server_bytes=100 << 20, worker_bytes=10 << 20)
    machines = needed(10_000, costs)
    found = simulate(10_000, machines, costs)
    assert (machines.servers, machines.bound) == (4, "memory")
    asked = 10_000 * SIMULATED_SECONDS / PAUSE_SECONDS
    assert len(found.taken) == asked
    assert 0.45 < found.server_busy < 0.55
    assert 0 < len(found.replayed) <= 10_000 / machines.nodes + 1
    assert found.replayed[0] >= costs.replay  # none is answered before its replay
    alone = simulate(10_000, Machines(1, machines.nodes, "memory"), costs)
    assert quantile(alone.taken, 0.99) > 10 > GOAL_SECONDS > quantile(found.taken, 0.99)


def test_a_follower_asks_as_early_as_a_page_of_a_class() -> None:
    module = (ROOT / "static/js/features/tensor/ahead.js").read_text()
    assert f"const NEAR = {{ ahead: {NEAR}, " in module
    assert f"const EARLIEST = {EARLIEST};" in module


def test_a_line_is_opened_again_as_the_page_does_it() -> None:
    module = (ROOT / "static/js/core/room.js").read_text()
    given = {
        name: int(number.replace("_", "")) for name, number in re.findall(r"const (\w+) = ([\d_]+);", module)
    }
    names = ("LEAST_PAUSE_MS", "QUICK_PAUSE_MS", "LONGEST_PAUSE_MS")
    assert [given[name] / 1000 for name in names] == [LEAST_PAUSE, QUICK_PAUSE, LONGEST_PAUSE]
    assert given["QUICK_TRIES"] == QUICK_TRIES
