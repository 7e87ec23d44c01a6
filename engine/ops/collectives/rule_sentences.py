"""Constraints as sentences for pages, where several collectives share them that have no section in the specification."""

from __future__ import annotations

CHANNEL = "With `use_global_device_ids` there is a channel with a positive number, and `replica_groups` is not empty."
WHOLE_GROUPS = (
    "No id appears twice in `replica_groups`.",
    "The ids in `replica_groups` are those from 0 on, without a gap; a run must have just so many processes.",
)
"""Rules for ops in which every process takes part."""
SOME_GROUPS = (
    "No id appears twice in `replica_groups`, and none is negative; not every process needs to be in a group."
)
"""Rules for ops in which some processes may not take part."""
COMBINER = "`computation` takes two scalars and gives one, all of a type to which the operands' elements can be promoted."
