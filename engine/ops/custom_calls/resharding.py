"""Targets between whole tensors and the parts of one device: GSPMD's, and those that XLA writes for Shardy's.

@SPMDFullToShardShape cuts its operand as that is laid out: as the call of @Sharding says that makes it, or an
attribute. @SPMDShardToFullShape puts parts together as its own sharding says. @xla.sdy.GlobalToLocalShape and
@xla.sdy.LocalToGlobalShape are the two ends of a manual computation, with its shardings and its axes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import RunError
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import OpaqueAttribute
from ...ir.module import Module
from ...ir.shardy import ManualAxes, ShardingPerValue
from ...ir.stated_shardings import StatedShardings, Tilings, frontend_attributes
from ...ir.tilings import Tiling
from ...ir.types import TensorType, Type
from ..exchanges import Meet, Place, Where
from ..manual_parts import ManualParts, manual_parts, side_problems
from ..op import Array, Ask, shapes_agree
from ..part_maps import CUT_NAMES, JOINED_NAMES
from ..rules import listed
from ..tiled_parts import TiledParts
from .target import Answer, Run, Target, identity_maps, need

if TYPE_CHECKING:
    from .custom_call import CustomCall

Parts = ManualParts | TiledParts
Resume = Callable[["CustomCall", Any, Any], Answer]
Link = Callable[["CustomCall", Module], "CustomCall"]


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
    operands = call.operation.operands if call.operation else ()
    tilings = StatedShardings(module).of_value(operands[0]) if len(operands) == 1 else None
    return _tiled(call, tilings, call.inputs, call.parts)


def _by_itself(call: CustomCall, module: Module) -> CustomCall:
    """How the result is laid out."""
    tilings = StatedShardings(module).of_operation(call.operation) if call.operation else None
    return _tiled(call, tilings, call.parts, call.inputs)


def _tiled(
    call: CustomCall, tilings: Tilings | None, wholes: tuple[Type, ...], locals_: tuple[Type, ...]
) -> CustomCall:
    if tilings is None or not len(tilings) == len(wholes) == len(locals_) == 1:
        return call
    whole, part = wholes[0], locals_[0]
    if not isinstance(whole, TensorType) or not isinstance(part, TensorType):
        return call
    tiling = _along_manual_axes(tilings[0], whole, part)
    wanted = tiling.part_type_shape(whole.shape)
    if not shapes_agree(part.shape, wanted):
        laid_out = f"is laid out with {tiling.describe()}"
        return replace(call, shares=f"{whole} {laid_out}: its parts have sizes {listed(wanted)}, not {part}")
    return replace(call, shares=TiledParts(tiling, whole.shape))


def _along_manual_axes(tiling: Tiling, whole: TensorType, part: TensorType) -> Tiling:
    """Where the sharding cuts along axes as well that are not manual, parts are whole along these: larger."""
    known = whole.is_static and part.is_static and len(tiling.tiles) == whole.rank == part.rank
    if not known or part.shape == tiling.part_shape(whole.sizes) or 0 in part.sizes:
        return tiling
    counts = [size // each for size, each in zip(whole.sizes, part.sizes, strict=True)]
    return tiling.coarsened(counts) or tiling


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
        if not len(each) == len(call.inputs) == len(call.parts):
            values = f"{len(call.inputs)} operands and {len(call.parts)} results"
            raise ValueError(f"{len(each)} shardings are stated for {values}")
        ins, outs = (each, ()) if side == "in" else ((), each)
        wholes, locals_ = (call.inputs, call.parts) if side == "in" else (call.parts, call.inputs)
        problems = side_problems(meshes, manual, side, each, wholes, locals_)
        found = manual_parts(meshes, manual, ins, outs)
        return replace(call, shares=next(problems, found))
    except ValueError as error:
        return replace(call, shares=str(error))


def _maps(call: CustomCall, inverse: bool) -> Iterator[OperandMap]:
    """Parts lie at their places in whole tensors; between equal types, nothing is said of places."""
    types = (*call.inputs, *call.parts)
    known = all(found.is_static for found in types if isinstance(found, TensorType))
    if isinstance(call.shares, str) or not known:
        for number in range(min(len(call.inputs), len(call.parts))):
            yield OperandMap(number, UNDEFINED, number)
    elif call.shares is None:
        yield from identity_maps(call, inverse)
    elif call.target and call.target.joins:
        yield from call.shares.joined_maps(call.parts, call.found_number, inverse=inverse)
    else:
        yield from call.shares.cut_maps(call.inputs, call.found_number, inverse=inverse)


def _found(call: CustomCall, place: Place) -> tuple[Array, ...]:
    if call.shares is None or isinstance(call.shares, str):
        return ()
    joins = call.target and call.target.joins
    return call.shares.joined_found(place) if joins else call.shares.cut_found(place)


def _found_names(call: CustomCall) -> tuple[str, ...]:
    if call.shares is None or isinstance(call.shares, str):
        return ()
    joins = call.target is not None and call.target.joins
    names = JOINED_NAMES if joins else CUT_NAMES
    values = [f"result {k}" if joins else f"operand {k}" for k in range(len(call.inputs))]
    return tuple(name.format(value) for value in values for name in names)


def _target(run: Run, resume: Resume, linked: Link, *, joins: bool = False) -> Target:
    return Target(
        run, maps=_maps, resume=resume, linked=linked, joins=joins, found=_found, found_names=_found_names
    )


TARGETS: dict[str, Target] = {
    "SPMDFullToShardShape": _target(_taken, _cut, _by_operand),
    "SPMDShardToFullShape": _target(_brought, _joined, _by_itself, joins=True),
    "xla.sdy.GlobalToLocalShape": _target(_taken, _cut, _by_in_shardings),
    "xla.sdy.LocalToGlobalShape": _target(_brought, _joined, _by_out_shardings, joins=True),
}
