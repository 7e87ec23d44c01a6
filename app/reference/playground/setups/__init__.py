"""The handwritten forms; `forms` generates those of elementwise ops, which are alike."""

from __future__ import annotations

from collections.abc import Mapping

from . import collectives, indexed, movement, products, windows
from .setup import NoForm, Preset, Setup

SETUPS: Mapping[str, Setup] = {
    f"stablehlo.{setup.op}": setup
    for module in (indexed, windows, products, movement, collectives)
    for setup in module.SETUPS
}
"""By the op's name."""

_BODIES = (
    "What it reads is what its bodies read: open its example in the debugger, whose index map shows that."
)
_PEOPLE = "It moves values between a process and something that has no picture here: open its example in the debugger."
_TOKENS = "A token has no elements."
_TUPLES = "It packs values, and reads no element of them: open its example in the debugger."
NO_FORMS = tuple(
    NoForm(f"stablehlo.{op}", why)
    for why, ops in (
        (_BODIES, "while if case composite async_start async_done"),
        (_PEOPLE, "send recv infeed outfeed"),
        (_TOKENS, "after_all create_token"),
        (_TUPLES, "tuple get_tuple_element"),
        ("What it reads is up to code outside of the program.", "custom_call"),
        ("It ends a body, and hands on what that has made.", "return"),
        ("Its elements are a number of the process; nothing is read.", "partition_id replica_id"),
        ("Its elements are written in the program; nothing is read.", "constant"),
    )
    for op in ops.split()
)
"""The StableHLO ops without a form."""

__all__ = ["NO_FORMS", "SETUPS", "NoForm", "Preset", "Setup"]
