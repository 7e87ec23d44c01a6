"""`make bench`: ratios measured side by side in one run, never a test that fails on a slow day."""

from __future__ import annotations

from tests.oracle.client import Oracle

from . import engine, machine
from .programs import NAMES, REPETITIONS, Measured, measured

GOAL = 500
"""The reference interpreter must take at least this many times as long as we do, on `mlp`."""


def main() -> None:
    """Measures, and prints each figure as soon as it is there."""
    print(machine.described())
    print(
        f"\nWhole programs; ours with a recording of every value; medians of {REPETITIONS} runs, reference: 1 run"
    )
    print(f"{'program':<18} {'steps':>6} {'load':>9} {'ours':>9} {'reference':>10} {'XLA CPU':>9}   ratios")
    oracle = Oracle(seconds=600)
    try:
        for name in NAMES:
            print(_row(measured(name, oracle)), flush=True)
    finally:
        oracle.close()
    print("\nThe engine alone")
    print(f"parse and verify, {engine.OPS:,} lines: {engine.lines_per_second():>10,.0f} lines a second")
    print(f"record a loop over scalars:      {engine.steps_per_second():>10,.0f} steps a second")


def _row(row: Measured) -> str:
    faster, slower = row.reference / row.ours, row.ours / row.xla
    goal = f" (goal: {GOAL:,})" if row.name == "mlp" else ""
    return (
        f"{row.name:<18} {row.steps:>6} {_milliseconds(row.load)} {_milliseconds(row.ours)} "
        f"{row.reference:>8.2f} s {_milliseconds(row.xla)}   reference / ours = {faster:,.0f}{goal}, "
        f"ours / XLA = {slower:.1f}, differs from XLA by {row.difference:.1e}"
    )


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:>6.2f} ms"


if __name__ == "__main__":
    main()
