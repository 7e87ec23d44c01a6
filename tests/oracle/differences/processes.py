"""Differences of collective ops."""

from __future__ import annotations

import numpy as np

from ..cases import Case
from ..values import Array
from .known import XLA, Known, Mask


def _signs_of_zero(op: str, case: Case, ours: Array, theirs: Array) -> Mask | None:
    if op not in ("all_reduce", "reduce_scatter", "cross-replica-sum") or not np.iscomplexobj(ours):
        return None
    # Equal numbers of different bits differ in the sign of a part that is 0.
    return np.asarray(ours == theirs)


KNOWN_DIFFERENCES: tuple[Known, ...] = (
    Known(
        "Of complex numbers that one process combines with nobody's, XLA on CPU loses the sign of a part that is "
        "-0. The computation is not run, so here the operand comes back as it is.",
        (XLA,),
        _signs_of_zero,
    ),
)

LEFT_OUT = (
    "The reference interpreter knows a rendezvous by its group and its channel: of processes that arrive there a second "
    "time, in a loop or further on, it mixes both rendezvous up. Its programs have a channel for each op; XLA answers "
    "for loops and shared channels.",
    "The reference interpreter waits for ever for a process that sends to itself, and dies where a computation of "
    "all_reduce is of a wider type than what two or more processes bring.",
    "The reference interpreter takes ids that no process has, in groups that it does not come to, and fills results of "
    "whatever sizes are stated.",
    "In groups of replicas and partitions the specification has one partition after the other, XLA one replica after "
    "the other: all_gather and reduce_scatter give something else. Its programs of several replicas and several "
    "partitions have other groups there.",
    "Of several operands XLA makes the other form of all_to_all; an all_gather along other dimensions than the first "
    "is wrong on CPU; GSPMD dies of several operands of an all_reduce.",
    "XLA on CPU waits in a collective-permute for all processes of the mesh, also for those that are in no pair: "
    "branches that only some processes take have none.",
    "XLA on CPU has neither collective-broadcast, ragged-all-to-all nor collectives that are started and awaited.",
    "XLA dies of sums of bf16 and f16 in programs of which some axes are left to it: their reducers end in a copy.",
)
"""What the generators of programs for grids do not ask of an oracle, since the oracle is wrong or dies."""
