"""Forms of collective ops."""

from __future__ import annotations

from .setup import Preset, Setup

_PAIR = {"replica_groups": [[0, 1]], "channel_id": 0}
_FLAT = _PAIR | {"use_global_device_ids": False}
_PLAIN = Preset(
    "Two groups", "Four replicas, in groups of two.", {}, {"grid": [4, 1], "replica_groups": [[0, 2], [1, 3]]}
)

SETUPS = (
    Setup(
        "all_gather",
        {"operands": ("2x2xi32:iota",)},
        {"all_gather_dim": 1} | _FLAT,
        grid=(2, 1),
        title="Side by side",
        sentence="What both replicas have, one after the other along dimension 1.",
        presets=(_PLAIN,),
    ),
    Setup(
        "all_reduce",
        {"operands": ("4xi32:iota",)},
        _FLAT | {"computation": "add"},
        grid=(2, 1),
        title="Sums over two replicas",
        sentence="Each result reads the same element of every process of the group.",
        presets=(_PLAIN,),
    ),
    Setup(
        "reduce_scatter",
        {"operand": "2x4xi32:iota"},
        {"scatter_dimension": 1} | _FLAT | {"computation": "add"},
        grid=(2, 1),
        title="Sums, one part each",
        sentence="The sums are cut along dimension 1; each process keeps its part.",
        presets=(_PLAIN,),
    ),
    Setup(
        "all_to_all",
        {"operands": ("2x4xi32:iota",)},
        {"split_dimension": 1, "concat_dimension": 0, "split_count": 2} | _PAIR,
        grid=(2, 1),
        title="Columns for rows",
        sentence="Each process cuts what it has, gives a part to each, and joins what it gets.",
        presets=(_PLAIN,),
    ),
    Setup(
        "collective_permute",
        {"operand": "2x2xi32:iota"},
        {"source_target_pairs": [[0, 1], [1, 2]], "channel_id": 0},
        grid=(3, 1),
        title="In a row",
        sentence="Each gives to the next; nobody gives to the first, which gets zeros.",
        presets=(
            Preset(
                "In a ring",
                "The last gives to the first.",
                {},
                {"source_target_pairs": [[0, 1], [1, 2], [2, 0]]},
            ),
        ),
    ),
    Setup(
        "collective_broadcast",
        {"operand": "1x2xi32:iota"},
        {"replica_groups": [[2, 1]], "channel_id": 0},
        grid=(4, 1),
        title="From the first of a group",
        sentence="Replica 1 gets what replica 2 has; who is in no group gets zeros.",
    ),
    Setup(
        "collective_reduce",
        {"operands": ("4xi32:iota",)},
        {"replica_groups": [[1, 0]], "channel_id": 0, "use_global_device_ids": False, "computation": "add"},
        grid=(2, 1),
        title="Sums for the first of a group",
        sentence="Only the first process of the group gets the sums.",
    ),
    Setup(
        "cross-replica-sum",
        {"operand": "2xf32:iota"},
        {"replica_groups": [[0, 1]]},
        grid=(2, 1),
        title="Sums over two replicas",
        sentence="Each result reads the same element of every process of the group.",
    ),
)
