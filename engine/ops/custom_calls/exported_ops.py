"""Ops of MHLO that StableHLO lacks, as XLA exports them in StableHLO: `@mhlo.erf` is chlo.erf."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from ...errors import RunError
from ...ir.attributes import DictionaryAttribute
from ..core.known_ops import op_table
from ..core.op import Op
from ..dialects.mhlo_dialect import DIALECT, OtherName, mhlo_names
from .other_ops import bind_op, other_op
from .target import Target

if TYPE_CHECKING:
    from .custom_call import CustomCall


def exported_target(name: str) -> Target | None:
    """The op that the call was made from, if there is one."""
    return None if _op_of(name) is None else _EXPORTED


def _op_of(name: str) -> OtherName | None:
    return _names().get(name) if name.startswith(f"{DIALECT}.") else None


@cache
def _names() -> Mapping[str, OtherName]:
    return mhlo_names(tuple(dict.fromkeys(op_table().values())))


def _op(call: CustomCall) -> Op:
    """Its attributes are in `mhlo.attributes`."""
    known, stated = _op_of(call.call_target_name), call.attributes.get("mhlo.attributes")
    if known is None:
        raise RunError("no such op")
    entries = stated.entries if isinstance(stated, DictionaryAttribute) else {}
    return bind_op(call, known.op, known.translate(entries))


_EXPORTED = other_op(_op)
