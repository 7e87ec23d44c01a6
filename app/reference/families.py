"""Which ops belong together: the engine's modules under the titles that a reader looks for."""

from __future__ import annotations

from typing import Any

from hloscope.engine.ops.op import Op

_FAMILIES = (
    ("Constants and counting", "creation"),
    ("Arithmetic and functions", "arithmetic elementwise"),
    ("Comparing, choosing, converting", "comparisons bitcast quantize_ops"),
    ("Bits and rounding", "bits floating_point"),
    ("Complex numbers", "complex_parts"),
    ("Shapes and slices", "data_movement pad dynamic_slices"),
    ("Gathering and scattering", "gather scatter"),
    ("Sizes that are values", "dynamic_shapes dynamic_windows"),
    ("Products and convolutions", "dot_general convolution old_contractions ragged_dot"),
    ("Reductions, windows and sorting", "reduce map_op reduce_window select_and_scatter sort scan"),
    ("Normalising, transforming, solving", "batch_norm fft linear_algebra"),
    ("Random numbers", "random_numbers"),
    ("Control flow and functions", "control_flow functions composite custom_calls"),
    ("Tuples and tokens", "tuples tokens"),
    (
        "Many processes",
        "processes collectives collective_broadcast collective_reductions point_to_point asynchronous",
    ),
    ("Sharding over devices", "sharding"),
    ("CHLO: special functions", "chlo_functions chlo_constants chlo_top_k chlo"),
    ("CHLO: with broadcasting", "chlo_broadcasting"),
    ("HLO text alone", "hlo"),
    ("Shape, tensor and arith dialects", "shape_dialect shape_witnesses tensor_dialect arith_dialect"),
    ("Checking and observing", "checks interpreter_dialect"),
)
_TITLES = {module: title for title, modules in _FAMILIES for module in modules.split()}
_ORDER = [title for title, _ in _FAMILIES]


def family_of(op: type[Op]) -> tuple[str, str]:
    """Name and title of an op's family."""
    module = op.__module__.partition("hloscope.engine.ops.")[2]
    title = _TITLES.get(module) or _TITLES.get(module.partition(".")[0])
    title = title or module.replace("_", " ").capitalize()
    return title.lower().replace(",", "").replace(":", "").replace(" ", "-"), title


def in_order(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Families as they are listed; those without a place of their own come last."""
    places = {title: number for number, title in enumerate(_ORDER)}
    return sorted(found.values(), key=lambda family: places.get(family["title"], len(places)))
