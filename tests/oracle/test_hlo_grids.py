"""Collectives of HLO text on grids of replicas and partitions: what XLA's CPU backend gives each process."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from hloscope.engine.ops.core.process_groups import Grid
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.process_grid import Launch, results_on_grid
from tests.programs import load_program

from .client import Oracle
from .compare import mismatch
from .values import Array

pytestmark = pytest.mark.oracle
GRIDS = (Grid(4, 1), Grid(1, 4), Grid(2, 2), Grid(2, 4), Grid(3, 2), Grid(8, 1))
EXAMPLES = 8
SIZE = 24
"""Of what each process has: any group of up to eight processes can cut it into equal parts."""


def _rows(count: int, random: Random, least: int = 1) -> tuple[str, int]:
    """Groups of all ids below `count`, in one of the spellings, and how many ids are in each."""
    size = random.choice([found for found in range(least, count + 1) if count % found == 0])
    groups = count // size
    order = random.sample(range(count), count)
    rows = [order[start : start + size] for start in range(0, count, size)]
    plain = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
    spellings = [
        f"{{{plain}}}",
        f"[{groups},{size}]<=[{count}]",
        f"[{groups},{size}]<=[{size},{groups}]T(1,0)",
    ]
    return random.choice(spellings), size


def _grouped(grid: Grid, random: Random) -> tuple[str, int]:
    """What all-gather, all-reduce and reduce-scatter say of their groups, and how many processes are in each."""
    kind = random.choice(("replicas", "devices", "both"))
    if kind == "replicas":
        rows, size = _rows(grid.num_replicas, random)
        return f"replica_groups={rows}", size
    if kind == "devices":
        rows, size = _rows(grid.num_processes, random)
        return f"channel_id=1, replica_groups={rows}, use_global_device_ids=true", size
    rows, size = _rows(grid.num_replicas, random)
    return f"channel_id=1, replica_groups={rows}", size * grid.num_partitions


def _either(grid: Grid, random: Random) -> tuple[int, str]:
    """How many replicas or partitions there are, and what says that it is these that are meant."""
    if random.random() < 0.5:
        return grid.num_partitions, "channel_id=1, "
    return grid.num_replicas, ""


def _all_gather(grid: Grid, random: Random) -> str:
    groups, size = _grouped(grid, random)
    return f"ROOT r = s32[{SIZE * size}] all-gather(p), {groups}, dimensions={{0}}"


def _all_reduce(grid: Grid, random: Random) -> str:
    groups, _ = _grouped(grid, random)
    found = f"s32[{SIZE}]"
    return f"q = {found} negate(p)\n  ROOT r = ({found}, {found}) all-reduce(p, q), {groups}, to_apply=sum"


def _reduce_scatter(grid: Grid, random: Random) -> str:
    groups, size = _grouped(grid, random)
    return f"ROOT r = s32[{SIZE // size}] reduce-scatter(p), {groups}, dimensions={{0}}, to_apply=sum"


def _all_to_all(grid: Grid, random: Random) -> str:
    """With an operand and a result for each process of a group; of one alone XLA has no tuple."""
    count, channel = _either(grid, random)
    if count == 1:
        count, channel = (grid.num_partitions, "channel_id=1, ") if not channel else (grid.num_replicas, "")
    rows, size = _rows(count, random, least=2)
    found = f"s32[{SIZE}]"
    lines = [f"c{number} = {found} broadcast(n{number}), dimensions={{}}" for number in range(size)]
    lines = [
        line
        for number, broadcast in enumerate(lines)
        for line in (
            f"n{number} = s32[] constant({number})",
            broadcast,
            f"o{number} = {found} add(p, c{number})",
        )
    ]
    operands = ", ".join(f"o{number}" for number in range(size))
    results = ", ".join([found] * size)
    root = f"ROOT r = ({results}) all-to-all({operands}), {channel}replica_groups={rows}"
    return "\n  ".join([*lines, root])


def _collective_permute(grid: Grid, random: Random) -> str:
    count, channel = _either(grid, random)
    stated = random.randint(1, count)
    pairs = zip(random.sample(range(count), stated), random.sample(range(count), stated), strict=True)
    text = ",".join(f"{{{source},{target}}}" for source, target in pairs)
    return f"ROOT r = s32[{SIZE}] collective-permute(p), {channel}source_target_pairs={{{text}}}"


BODIES = {
    "all-gather": _all_gather,
    "all-reduce": _all_reduce,
    "reduce-scatter": _reduce_scatter,
    "all-to-all": _all_to_all,
    "collective-permute": _collective_permute,
}


@pytest.mark.parametrize("number", range(EXAMPLES))
@pytest.mark.parametrize("op", BODIES)
def test_agrees_with_xla(op: str, number: int, devices: Oracle) -> None:
    random = Random(f"{op} {number}")
    grid = random.choice(GRIDS)
    _compare(_program(BODIES[op](grid, random), grid), grid, devices)


BOTH = {
    "all-gather": "ROOT r = s32[{whole}] all-gather(p), {groups}, dimensions={{0}}",
    "reduce-scatter": "ROOT r = s32[{part}] reduce-scatter(p), {groups}, dimensions={{0}}, to_apply=sum",
    "reduce-scatters": """q = s32[24] negate(p)
  ROOT r = (s32[{part}], s32[{part}]) reduce-scatter(p, q), {groups}, dimensions={{0}}, to_apply=sum""",
}


@pytest.mark.parametrize(
    "grid", [found for found in GRIDS if 1 not in (found.num_replicas, found.num_partitions)]
)
@pytest.mark.parametrize("name", BOTH)
def test_replicas_in_all_partitions(name: str, grid: Grid, devices: Oracle) -> None:
    """Groups of replicas in all partitions have XLA's order: one replica after the other."""
    replicas = list(range(grid.num_replicas))
    for rows in ([replicas], [replicas[::-1]], [[found] for found in replicas]):
        plain = ",".join("{" + ",".join(map(str, row)) + "}" for row in rows)
        size = len(rows[0]) * grid.num_partitions
        stated = {"whole": SIZE * size, "part": SIZE // size}
        body = BOTH[name].format(groups=f"channel_id=1, replica_groups={{{plain}}}", **stated)
        _compare(_program(body, grid), grid, devices)


def _compare(text: str, grid: Grid, devices: Oracle) -> None:
    values = np.random.default_rng(SIZE).integers(-9, 9, (grid.num_processes, SIZE)).astype(np.int32)
    wanted = devices.xla_grid(text, (grid.num_replicas, grid.num_partitions), list(values), hlo=True)
    found = _ours(text, grid, values)
    assert len(found) == len(wanted)
    for place, (mine, theirs) in enumerate(zip(found, wanted, strict=True)):
        wrong = mismatch(mine, theirs)
        assert wrong is None, f"result {place} of all: {wrong}\n{text}\n{mine.tolist()}\n{theirs.tolist()}"


def _ours(text: str, grid: Grid, values: Array) -> list[Array]:
    program = load_program(text, "case.hlo")
    results = results_on_grid(program, Launch(grid, tuple((value,) for value in values)))
    return [leaf for process in results for value in process for leaf in leaves(value)]


def _program(body: str, grid: Grid) -> str:
    return (
        f"HloModule processes, replica_count={grid.num_replicas}, num_partitions={grid.num_partitions}\n"
        "sum {\n  x = s32[] parameter(0)\n  y = s32[] parameter(1)\n  ROOT z = s32[] add(x, y)\n}\n"
        f"ENTRY main {{\n  p = s32[{SIZE}] parameter(0)\n  {body}\n}}\n"
    )
