"""A plan for more sessions than one machine has, and for a grid of 4,096 processes: measured here, the rest simulated.

One session and its worker are measured first. The simulation has servers, of one core each, in front of nodes with several
cores; a question waits for its server and then for a core of the node that has its session, and takes as long as measured,
drawn from an exponential distribution. In the middle, one node is lost: its sessions are replayed on the others when they
are next asked. It has no network and no Ray, which carries no question.
"""

from __future__ import annotations

import argparse
import heapq
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from time import perf_counter

import httpx

from tests.app.serving import ENDLESS, until
from tests.bench.measure import seconds
from tests.server_process import Server, memory_of

from .census import Census
from .proof import show, started

SESSIONS = (200, 1_000, 10_000, 40_000)
PAUSE_SECONDS = 5.0
"""Mean time from a session's question to its next one."""
SIMULATED_SECONDS = 60.0
QUESTIONS = 1_000
MOST_BUSY = 0.6
"""Share of a core's time that is planned to be used."""
NODE_CORES, NODE_BYTES = 8, 32 << 30
PLACE_BYTES, PLACE_SESSIONS = 100 << 20, 8
"""What a place takes besides its workers, as measured on a node; its sessions, by default."""
RECORDING_BYTES = 20 << 20
"""What a session's recording is taken to need: the measured one is small."""
GOAL_SECONDS = 0.15
GRID = (256, 1_024, 4_096)
REDUCED = """\
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {{
  %0 = "stablehlo.all_reduce"(%x) ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}) {{replica_groups = dense<[{processes}]> : tensor<1x{count}xi64>}} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.multiply %0, %x : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}}
"""


@dataclass(frozen=True)
class Costs:
    """Processor seconds of a question, in the server and in the worker; of a replay; bytes of each."""

    server: float
    worker: float
    replay: float
    server_bytes: int
    worker_bytes: int


@dataclass(frozen=True)
class Machines:
    """What a number of sessions needs."""

    servers: int
    nodes: int
    bound: str
    """What decides the number of nodes."""


@dataclass(frozen=True)
class Outcome:
    """Seconds that questions took, and those that came first to a session of the lost node, in ascending order."""

    taken: Sequence[float]
    replayed: Sequence[float]
    server_busy: float
    node_busy: float


def plan(given: argparse.Namespace) -> bool:
    """Measures, simulates and prints; whether the plan for each number of sessions meets the goal."""
    with started(given.settings) as (server, census):
        costs = measure(server, census)
    show(
        "One session, measured here",
        [
            ("a question costs the server", seconds(costs.server)),
            ("a question costs the worker", seconds(costs.worker)),
            ("a replay of 3,000 steps, with the fork", seconds(costs.replay)),
            ("memory of the server", f"{costs.server_bytes / 2**20:,.0f} MiB"),
            ("memory of a worker", f"{costs.worker_bytes / 2**20:,.1f} MiB"),
        ],
    )
    met = True
    for sessions in SESSIONS:
        machines = needed(sessions, costs)
        found = simulate(sessions, machines, costs)
        met = met and quantile(found.taken, 0.99) <= GOAL_SECONDS
        show(
            f"{sessions:,} sessions, each asks once in {PAUSE_SECONDS:g} s, simulated", lines(machines, found)
        )
    show("Where it breaks first", list(first_limits(costs)))
    for processes in GRID:
        show(f"A grid of {processes:,} processes in one worker, measured here", measure_grid(processes))
    return met


def measure(server: Server, census: Census) -> Costs:
    """The costs of one session."""
    headers = {"Origin": server.origin}
    with httpx.Client(base_url=server.origin, headers=headers, timeout=120) as client:
        client.get(server.url)
        session = client.post("/api/sessions", json={"text": ENDLESS}).json()["id"]

        def recorded() -> str | None:
            run = client.get(f"/api/sessions/{session}").json()["run"]
            return run["key"] if run and run["state"]["kind"] != "recording" else None

        key = until(recorded)
        before = census.times()
        for number in range(QUESTIONS):
            client.get(f"/api/recordings/{key}/values/0.s{5 * number + 4}.0").raise_for_status()
        after = census.times()
        used = {pid: (after[pid] - before[pid]) / QUESTIONS for pid in before}
        worker = max(used.keys() - {census.server}, key=lambda pid: used[pid])  # the others check programs
        sizes = memory_of(census.server), memory_of(worker)
        os.kill(worker, signal.SIGKILL)
        begin = perf_counter()
        client.get(f"/api/recordings/{key}/values/0.s2999.0").raise_for_status()
        return Costs(used[census.server], used[worker], perf_counter() - begin, *sizes)


def needed(sessions: int, costs: Costs) -> Machines:
    """Servers and nodes with room to spare, one node more than without a loss."""
    rate = sessions / PAUSE_SECONDS
    cores = math.ceil(rate * costs.worker / MOST_BUSY / NODE_CORES)
    each = costs.worker_bytes + RECORDING_BYTES + PLACE_BYTES / PLACE_SESSIONS
    memory = math.ceil(sessions * each / NODE_BYTES)
    bound = "cores" if cores > memory else "memory"
    return Machines(math.ceil(rate * costs.server / MOST_BUSY), max(cores, memory) + 1, bound)


def simulate(sessions: int, machines: Machines, costs: Costs) -> Outcome:
    """Let all sessions ask for a minute; the first node is lost in the middle."""
    chance = random.Random(sessions)
    asked = [
        (chance.uniform(0, SIMULATED_SECONDS), chance.randrange(sessions)) for _ in range(_count(sessions))
    ]
    free = [0.0] * machines.servers
    at_nodes = []
    for moment, session in sorted(asked):
        server = session % machines.servers
        free[server] = max(moment, free[server]) + chance.expovariate(1 / costs.server)
        at_nodes.append((free[server], moment, session))
    cores = [[0.0] * NODE_CORES for _ in range(machines.nodes)]
    lost, replayed, taken, busy = set[int](), list[int](), list[float](), 0.0
    for arrival, moment, session in sorted(at_nodes):
        node, work = session % machines.nodes, chance.expovariate(1 / costs.worker)
        if node == 0 and moment > SIMULATED_SECONDS / 2:
            node = 1 + session // machines.nodes % (machines.nodes - 1)
            if session not in lost:
                lost.add(session)
                work += costs.replay
                replayed.append(len(taken))
        end = max(arrival, heapq.heappop(cores[node])) + work
        heapq.heappush(cores[node], end)
        busy += work
        taken.append(end - moment)
    used = len(asked) * costs.server / machines.servers, busy / machines.nodes / NODE_CORES
    first = sorted(taken[at] for at in replayed)
    return Outcome(sorted(taken), first, *(share / SIMULATED_SECONDS for share in used))


def _count(sessions: int) -> int:
    return round(sessions * SIMULATED_SECONDS / PAUSE_SECONDS)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value that this share of the others does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def lines(machines: Machines, found: Outcome) -> list[tuple[str, str]]:
    """What a plan and its simulation say."""
    return [
        ("servers", f"{machines.servers}, {found.server_busy:.0%} busy"),
        (
            f"nodes of {NODE_CORES} cores and {NODE_BYTES >> 30} GiB",
            f"{machines.nodes}, for {machines.bound}, cores {found.node_busy:.0%} busy",
        ),
        (
            "a question takes",
            f"p50 {seconds(quantile(found.taken, 0.5))}, p99 {seconds(quantile(found.taken, 0.99))}",
        ),
        (
            "the first one after the loss of a node",
            f"p99 {seconds(quantile(found.replayed, 0.99))}, of {len(found.replayed):,} sessions",
        ),
    ]


def first_limits(costs: Costs) -> Iterator[tuple[str, str]]:
    """How many sessions one of each takes, the smallest number first."""
    each = costs.worker_bytes + RECORDING_BYTES + PLACE_BYTES / PLACE_SESSIONS
    limits = {
        "the core of one server": PAUSE_SECONDS * MOST_BUSY / costs.server,
        "the cores of one node": PAUSE_SECONDS * MOST_BUSY * NODE_CORES / costs.worker,
        f"the memory of one node, {RECORDING_BYTES >> 20} MiB a recording": NODE_BYTES / each,
    }
    for name, sessions in sorted(limits.items(), key=lambda item: item[1]):
        yield name, f"{sessions:,.0f} sessions"


def measure_grid(processes: int) -> list[tuple[str, str]]:
    """One all-reduce of 16 KiB between so many processes, as the command `run` does it."""
    listed = [list(range(processes))]
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(REDUCED.format(processes=str(listed[0]), count=processes))
        file.flush()
        command = [sys.executable, "-m", "hloscope", "run", file.name, "--replicas", str(processes)]
        command += ["--set", f"max_processes={processes}"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    live = (4 << 30) // processes
    return [
        ("processor time, with the start", seconds(used.ru_utime + used.ru_stime)),
        ("memory", f"{used.ru_maxrss / 1024:,.0f} MiB"),
        ("breaks at session_memory_bytes (4 GiB)", f"with {live >> 10:,} KiB of live values in each process"),
    ]
