"""The arrow rule of the engine: its parts from the bottom to the top, and what each may import.

The only place where this is written down. A part is a module or folder of `engine/`; of `ops` and `sharding`, whose
folders differ in rank, it is a folder or module in them. `tests/test_layout.py` keeps the table true in both
directions: no import that it does not allow, and nothing allowed that no import needs.
"""

from __future__ import annotations

BOTTOM: dict[str, set[str]] = {"source": set(), "errors": {"source"}, "limits": set()}
"""What every other part may use besides."""

FOLDED = {"ops", "sharding"}
"""Folders whose folders are parts of their own."""

ALLOWED: dict[str, set[str]] = {
    **BOTTOM,
    "added_targets": set(),
    "sharding": set(),
    "ir": set(),
    "indexing": set(),
    "input_numbers": {"ir"},
    "sharding.notation": {"ir"},
    "ops.core": {"indexing", "ir", "sharding.notation"},
    "syntax": {"ir", "sharding.notation"},
    "ops.checking": {"ir", "ops.core"},
    "ops.collectives": {"indexing", "ir", "ops.core"},
    "ops.control_flow": {"indexing", "ir", "ops.core"},
    "ops.data_movement": {"indexing", "ir", "ops.core"},
    "ops.dialects": {"indexing", "ir", "ops.core"},
    "ops.elementwise": {"indexing", "ir", "ops.core"},
    "ops.random_numbers": {"indexing", "ir", "ops.core"},
    "ops.transforms": {"indexing", "ir", "ops.core"},
    "sharding.parts": {"indexing", "ir", "ops.core", "sharding.notation"},
    "ops.indexed": {"indexing", "ir", "ops.core", "ops.data_movement"},
    "ops.packed": {"indexing", "ir", "ops.collectives", "ops.control_flow", "ops.core"},
    "ops.sharding": {
        "indexing",
        "ir",
        "ops.collectives",
        "ops.core",
        "ops.data_movement",
        "sharding.notation",
        "sharding.parts",
    },
    "ops.sorting": {"indexing", "ir", "ops.control_flow", "ops.core", "ops.elementwise"},
    "ops.chlo": {"indexing", "ir", "ops.checking", "ops.core", "ops.elementwise", "ops.sorting"},
    "ops.contractions": {"indexing", "ir", "ops.core", "ops.data_movement", "ops.indexed"},
    "ops.reductions": {
        "indexing",
        "ir",
        "ops.core",
        "ops.data_movement",
        "ops.indexed",
    },
    "ops.specialise": {"ir", "ops.checking", "ops.core", "ops.packed"},
    "ops.hlo": {
        "indexing",
        "ir",
        "ops.chlo",
        "ops.collectives",
        "ops.contractions",
        "ops.control_flow",
        "ops.core",
        "ops.data_movement",
        "ops.elementwise",
        "ops.random_numbers",
        "ops.reductions",
    },
    "ops.custom_calls": {
        "added_targets",
        "indexing",
        "ir",
        "ops.checking",
        "ops.chlo",
        "ops.collectives",
        "ops.contractions",
        "ops.core",
        "ops.dialects",
        "ops.hlo",
        "ops.packed",
        "ops.random_numbers",
        "ops.reductions",
        "ops.sorting",
        "ops.transforms",
        "sharding.notation",
        "sharding.parts",
    },
    "ops": {
        "ops.chlo",
        "ops.collectives",
        "ops.contractions",
        "ops.control_flow",
        "ops.core",
        "ops.custom_calls",
        "ops.data_movement",
        "ops.dialects",
        "ops.elementwise",
        "ops.hlo",
        "ops.indexed",
        "ops.random_numbers",
        "ops.reductions",
        "ops.sharding",
        "ops.sorting",
        "ops.transforms",
    },
    "inputs": {"input_numbers", "ir", "ops", "syntax"},
    "memory": {"ops"},
    "program": {"ir", "ops"},
    "chains": {"indexing", "ir", "ops", "program"},
    "entry": {"ir", "ops", "program"},
    "frames": {"ops", "program"},
    "open_sizes": {"ir", "ops", "program"},
    "scalar_loops": {"ir", "ops", "program"},
    "sharding.runs": {
        "ir",
        "ops.collectives",
        "ops.core",
        "ops.custom_calls",
        "ops.sharding",
        "program",
        "sharding.notation",
        "sharding.parts",
    },
    "shared_results": {"ops", "program"},
    "value_walks": {"ir", "ops", "program"},
    "verifier": {"ir", "ops", "program"},
    "expressions": {"ops", "syntax"},
    "events": {"ops", "program", "scalar_loops"},
    "findings": {"events", "indexing", "ir", "ops", "program", "scalar_loops", "value_walks"},
    "frontend": {"ir", "ops", "program", "syntax", "verifier"},
    "run_errors": {"entry", "ir", "ops", "program"},
    "outside_results": {"entry", "ir", "ops", "program", "run_errors"},
    "later_start": {"ir", "ops", "outside_results", "program", "verifier"},
    "interpreter": {
        "entry",
        "events",
        "frames",
        "memory",
        "ops",
        "outside_results",
        "program",
        "run_errors",
        "scalar_loops",
        "shared_results",
    },
    "process_grid": {
        "entry",
        "events",
        "frames",
        "interpreter",
        "ir",
        "memory",
        "ops",
        "outside_results",
        "program",
        "run_errors",
        "shared_results",
    },
    "hlo_to_stablehlo": {"ir", "ops", "sharding.notation", "sharding.runs"},
    "builder": {"hlo_to_stablehlo", "ir", "ops", "process_grid", "program", "syntax", "verifier"},
    "passes": {"ir", "sharding.notation"},
    "debugger": {
        "events",
        "findings",
        "indexing",
        "ir",
        "memory",
        "ops",
        "outside_results",
        "process_grid",
        "program",
        "scalar_loops",
        "sharding.runs",
        "value_walks",
    },
    "comparison": {
        "debugger",
        "entry",
        "frontend",
        "hlo_to_stablehlo",
        "ir",
        "ops",
        "process_grid",
        "program",
        "sharding.runs",
        "syntax",
    },
    "reduction": {"debugger", "ir", "ops", "program", "syntax", "verifier"},
}
"""From the bottom to the top: each part with those that it uses, all of which come before it."""


def part_of(path: str) -> str:
    """The part that a module belongs to, by its path from the top of the repository: `engine/ops/core/op.py`."""
    _, first, *inner = path.removesuffix(".py").split("/")
    if first in FOLDED and inner[0] != "__init__":
        return f"{first}.{inner[0]}"
    return first


def used_part(importer: str, path: str) -> str:
    """The part that the module at `path` is for a part that imports it: outside of `ops` all ops are one part."""
    part = part_of(path)
    return "ops" if part.startswith("ops.") and importer.split(".", maxsplit=1)[0] not in FOLDED else part
