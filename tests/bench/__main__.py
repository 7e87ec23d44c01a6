"""`make bench`: what this engine takes, beside StableHLO's reference interpreter, JAX, XLA and NumPy, in one run."""

from __future__ import annotations

import argparse

from hloscope.app.base.blas import share_products
from hloscope.app.base.cores import cores
from tests.oracle.client import Oracle

from . import (
    chains,
    findings,
    graph,
    grid,
    hlo,
    indexing,
    measures,
    micro,
    models,
    networks,
    ops,
    page,
    panels,
    provenance,
    shadow,
    size,
    steps,
    stopping,
    tasks,
)
from .measure import machine

PARTS = (
    *("micro", "ops", "grid", "provenance", "hlo", "indexing", "measures", "chains", "networks", "models"),
    *("findings", "page", "panels", "graph", "shadow", "size", "steps", "stopping", "tasks"),
)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=7, help="runs of which the median is shown")
    parser.add_argument("--no-reference", action="store_true", help="leave out what takes minutes")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, help="these parts, not all")
    parser.add_argument(
        "--against", metavar="REVISION", help="put the page of this revision beside it (steps)"
    )
    given = parser.parse_args()
    print(machine())
    print(f"Medians of {given.repetitions} runs after one to warm up; the reference interpreter runs once.")
    share_products(cores())
    oracle = Oracle(seconds=1800)
    parts = {
        "micro": lambda: micro.lines(oracle, 3),
        "ops": lambda: ops.lines(given.repetitions),
        "grid": lambda: grid.lines(3),
        "provenance": lambda: provenance.lines(given.repetitions),
        "hlo": lambda: hlo.lines(oracle, given.repetitions),
        "indexing": lambda: indexing.lines(given.repetitions),
        "measures": lambda: measures.lines(given.repetitions),
        "chains": lambda: chains.lines(oracle, given.repetitions),
        "networks": lambda: networks.lines(oracle, given.repetitions, reference=not given.no_reference),
        "models": lambda: models.lines(oracle, given.repetitions),
        "findings": lambda: findings.lines(oracle, given.repetitions),
        "page": lambda: page.lines(given.repetitions),
        "panels": lambda: panels.lines(given.repetitions),
        "graph": lambda: graph.lines(given.repetitions),
        "shadow": lambda: shadow.lines(oracle, given.repetitions),
        "size": lambda: size.lines(given.repetitions),
        "steps": lambda: steps.lines(given.repetitions, given.against),
        "stopping": lambda: stopping.lines(3),
        "tasks": lambda: tasks.lines(given.repetitions),
    }
    for name in given.only:
        print(f"\n{name}")
        for line in parts[name]():
            print(line, flush=True)
    oracle.close()


if __name__ == "__main__":
    main()
