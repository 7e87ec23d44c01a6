"""Targets between whole tensors and the parts of one device: GSPMD's, and those that XLA writes for Shardy's.

@SPMDFullToShardShape cuts its operand as that is laid out: as the call of @Sharding says that makes it, or an
attribute. @SPMDShardToFullShape puts parts together as its own sharding says. @xla.sdy.GlobalToLocalShape and
@xla.sdy.LocalToGlobalShape are the two ends of a manual computation, with its shardings and its axes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import RunError
from ...indexing import UNDEFINED, IndexMap, OperandMap
from ...ir.attributes import OpaqueAttribute
from ...ir.module import Module
from ...ir.shardy import ManualAxes, ShardingPerValue
from ...ir.stated_shardings import StatedShardings, frontend_attributes
from ...ir.types import TensorType
from ..exchanges import Meet, Where
from ..manual_parts import ManualParts, manual_parts
from ..op import Array, Ask
from ..rules import listed
from ..tiled_parts import TiledParts
from .target import Answer, Target, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

Parts = ManualParts | TiledParts


def _taken(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    return Ask(operands, Where()) if _parts(call, operands) else operands


def _cut(call: CustomCall, state: Any, place: Any) -> Answer:
    parts = _parts(call, state)
    assert parts
    return parts.cut(state, place)


def _brought(call: CustomCall, operands: tuple[Array, ...]) -> Answer:
    return Ask(operands, Meet(operands)) if _parts(call, operands) else operands


def _joined(call: CustomCall, state: Any, met: Any) -> Answer:
    parts = _parts(call, state)
    assert parts
    return parts.joined(met)


def _parts(call: CustomCall, operands: tuple[Array, ...]) -> Parts | None:
    """Who has which parts; `None` where values are whole on both sides. `RunError` if that is not known."""
    if isinstance(call.shares, str):
        raise RunError(f"@{call.call_target_name}: {call.shares}")
    if call.shares is not None:
        return call.shares
    for operand, stated in zip(operands, call.parts, strict=False):
        shape = stated.shape if isinstance(stated, TensorType) else operand.shape
        same = len(shape) == operand.ndim and all(map(_may_be, shape, operand.shape))
        sizes = f"{listed(operand.shape)} and {listed(shape)}"
        need(same, f"@{call.call_target_name} goes between {sizes}, but no sharding says how")
    return None


def _may_be(stated: int | None, size: int) -> bool:
    return stated is None or stated == size


# What the program says.


def _by_operand(call: CustomCall, module: Module) -> CustomCall:
    """How the operand is laid out."""
    if call.operation is None or not call.operation.operands:
        return call
    found = StatedShardings(module).of_value(call.operation.operands[0])
    whole = call.inputs[0]
    if found is None or len(found) != 1 or not isinstance(whole, TensorType):
        return call
    return replace(call, shares=TiledParts(found[0], whole.shape))


def _by_itself(call: CustomCall, module: Module) -> CustomCall:
    """How the result is laid out."""
    found = StatedShardings(module).of_operation(call.operation) if call.operation else None
    whole = call.parts[0] if len(call.parts) == 1 else None
    if found is None or len(found) != 1 or not isinstance(whole, TensorType):
        return call
    return replace(call, shares=TiledParts(found[0], whole.shape))


def _by_in_shardings(call: CustomCall, module: Module) -> CustomCall:
    return _by_shardy(call, module, "in")


def _by_out_shardings(call: CustomCall, module: Module) -> CustomCall:
    return _by_shardy(call, module, "out")


def _by_shardy(call: CustomCall, module: Module, side: str) -> CustomCall:
    stated = frontend_attributes(call.operation.attributes) if call.operation else {}
    axes, shardings = stated.get("xla.sdy.manual_axes"), stated.get(f"xla.sdy.{side}_shardings")
    if axes is None or shardings is None:
        return call
    meshes = StatedShardings(module).meshes
    try:
        manual = ManualAxes.from_attribute(OpaqueAttribute(axes))
        each = ShardingPerValue.from_attribute(OpaqueAttribute(shardings)).shardings
        if len(each) != len(call.inputs):
            raise ValueError(f"{len(each)} shardings are stated for {len(call.inputs)} operands")
        ins, outs = (each, ()) if side == "in" else ((), each)
        return replace(call, shares=manual_parts(meshes, manual, ins, outs))
    except ValueError as error:
        return replace(call, shares=str(error))


def _maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """Elsewhere than between equal types, other processes' elements are read, or those at an offset."""
    for number, (found, stated) in enumerate(zip(call.inputs, call.parts, strict=False)):
        if isinstance(found, TensorType):
            same = found.is_static and found == stated
            yield OperandMap(number, IndexMap.identity(found.sizes) if same else UNDEFINED, number)


TARGETS: dict[str, Target] = {
    "SPMDFullToShardShape": Target(_taken, maps=_maps, resume=_cut, linked=_by_operand),
    "SPMDShardToFullShape": Target(_brought, maps=_maps, resume=_joined, linked=_by_itself, meets=True),
    "xla.sdy.GlobalToLocalShape": Target(_taken, maps=_maps, resume=_cut, linked=_by_in_shardings),
    "xla.sdy.LocalToGlobalShape": Target(
        _brought, maps=_maps, resume=_joined, linked=_by_out_shardings, meets=True
    ),
}
