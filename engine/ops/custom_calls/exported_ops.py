"""Ops of MHLO that StableHLO lacks, as XLA exports them in StableHLO: `@mhlo.erf` is chlo.erf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import RunError
from ...ir.attributes import DictionaryAttribute
from ..mhlo_dialect import DIALECT, OtherName
from ..op import Op
from .other_ops import bound, other_op
from .target import Target

if TYPE_CHECKING:
    from .custom_call import CustomCall


def exported(name: str) -> Target | None:
    """The op that the call was made from, if there is one."""
    return None if _op_of(name) is None else _EXPORTED


def _op_of(name: str) -> OtherName | None:
    from .. import reading_table  # which has this package in it

    found = reading_table().get(name) if name.startswith(f"{DIALECT}.") else None
    return found if isinstance(found, OtherName) else None


def _made(call: CustomCall) -> Op:
    """Its attributes are in `mhlo.attributes`."""
    known, stated = _op_of(call.call_target_name), call.mhlo_attributes
    if known is None:
        raise RunError("no such op")
    entries = stated.entries if isinstance(stated, DictionaryAttribute) else {}
    return bound(call, known.op, known.translated(entries))


_EXPORTED = other_op(_made)
