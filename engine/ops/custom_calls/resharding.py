"""Targets between whole tensors and the parts of one device: GSPMD's, and XLA's for Shardy.

@SPMDFullToShardShape cuts its operand by the operand's layout, from a call of @Sharding or an attribute.
@SPMDShardToFullShape joins parts by its own sharding. @xla.sdy.GlobalToLocalShape and @xla.sdy.LocalToGlobalShape are
the two ends of a manual computation, with its shardings and axes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import RunError
from ...indexing import UNDEFINED, OperandMap
from ...ir.attributes import OpaqueAttribute
from ...ir.module import Module
from ...ir.types import TensorType, Type
from ...sharding.notation.shardy import ManualAxes, ShardingPerValue, ShardySharding
from ...sharding.notation.stated_shardings import StatedShardings, Tilings, frontend_attributes
from ...sharding.notation.tilings import Tiling
from ..core.exchanges import ExecuteCollective, GridPosition, Where
from ..core.op import Array, Ask, shapes_agree
from ..core.rules import format_list
from ..sharded_parts.manual_parts import ManualParts, manual_parts, side_problems
from ..sharded_parts.part_maps import CUT_NAMES, JOINED_NAMES
from ..sharded_parts.tiled_parts import TiledParts
from .call import Call
from .target import Answer, Run, Target, identity_maps, need

Parts = ManualParts | TiledParts
Resume = Callable[[Call, Any, Any], Answer]
Link = Callable[[Call, Module], Call]


def _begin(call: Call, operands: tuple[Array, ...]) -> Answer:
    return Ask(operands, Where()) if _parts(call, operands) else operands


def _cut(call: Call, state: Any, place: Any) -> Answer:
    parts = _parts(call, state)
    assert parts
    return parts.cut(state, place)


def _gather_parts(call: Call, operands: tuple[Array, ...]) -> Answer:
    return Ask(operands, ExecuteCollective(operands)) if _parts(call, operands) else operands


def _join(call: Call, state: Any, peer_values: Any) -> Answer:
    parts = _parts(call, state)
    assert parts
    return parts.join(peer_values)


def _parts(call: Call, operands: tuple[Array, ...]) -> Parts | None:
    """The parts that processes hold; `None` if each holds whole values. `RunError` if unknown."""
    if isinstance(call.shares, str):
        raise RunError(f"@{call.call_target_name}: {call.shares}")
    if call.shares is not None:
        return call.shares
    for operand, stated in zip(operands, call.parts, strict=False):
        shape = stated.shape if isinstance(stated, TensorType) else operand.shape
        same = len(shape) == operand.ndim and all(map(_may_be, shape, operand.shape))
        sizes = f"{format_list(operand.shape)} and {format_list(shape)}"
        need(same, f"@{call.call_target_name} goes between {sizes}, but no sharding says how")
    return None


def _may_be(stated: int | None, size: int) -> bool:
    return stated is None or stated == size


# The layout stated in the program.


def _by_operand(call: Call, module: Module) -> Call:
    """The call with the layout of its operand."""
    operands = call.operation.operands if call.operation else ()
    tilings = StatedShardings(module).of_value(operands[0]) if len(operands) == 1 else None
    return _with_tilings(call, tilings, call.inputs, call.parts)


def _by_itself(call: Call, module: Module) -> Call:
    """The call with the layout of its result."""
    tilings = StatedShardings(module).of_operation(call.operation) if call.operation else None
    return _with_tilings(call, tilings, call.parts, call.inputs)


def _with_tilings(
    call: Call, tilings: Tilings | None, wholes: tuple[Type, ...], locals_: tuple[Type, ...]
) -> Call:
    if tilings is None or not len(tilings) == len(wholes) == len(locals_) == 1:
        return call
    whole, part = wholes[0], locals_[0]
    if not isinstance(whole, TensorType) or not isinstance(part, TensorType):
        return call
    tiling = _along_manual_axes(tilings[0], whole, part)
    wanted = tiling.part_type_shape(whole.shape)
    if not shapes_agree(part.shape, wanted):
        laid_out = f"is laid out with {tiling.describe()}"
        return replace(
            call, shares=f"{whole} {laid_out}: its parts have sizes {format_list(wanted)}, not {part}"
        )
    return replace(call, shares=TiledParts(tiling, whole.shape))


def _along_manual_axes(tiling: Tiling, whole: TensorType, part: TensorType) -> Tiling:
    """`tiling` with manual axes only: along the others a part is as large as the whole tensor."""
    known = whole.is_static and part.is_static and len(tiling.tiles) == whole.rank == part.rank
    if not known or part.shape == tiling.part_shape(whole.sizes) or 0 in part.sizes:
        return tiling
    counts = [size // each for size, each in zip(whole.sizes, part.sizes, strict=True)]
    return tiling.coarsen(counts) or tiling


def _by_shardy(call: Call, module: Module, side: str) -> Call:
    stated = StatedShardings(module)
    meshes = stated.meshes
    try:
        found = _in_frontend_attributes(call, side) or _by_meshes(call, stated, side)
        if found is None:
            return call
        manual, each = found
        if not len(each) == len(call.inputs) == len(call.parts):
            values = f"{len(call.inputs)} operands and {len(call.parts)} results"
            raise ValueError(f"{len(each)} shardings are stated for {values}")
        ins, outs = (each, ()) if side == "in" else ((), each)
        wholes, locals_ = (call.inputs, call.parts) if side == "in" else (call.parts, call.inputs)
        problems = side_problems(meshes, manual, side, each, wholes, locals_)
        parts = manual_parts(meshes, manual, ins, outs)
        return replace(call, shares=next(problems, parts))
    except ValueError as error:
        return replace(call, shares=str(error))


Stated = tuple[ManualAxes, Sequence[ShardySharding]]


def _in_frontend_attributes(call: Call, side: str) -> Stated | None:
    stated = frontend_attributes(call.operation.attributes) if call.operation else {}
    axes, shardings = stated.get("xla.sdy.manual_axes"), stated.get(f"xla.sdy.{side}_shardings")
    if axes is None or shardings is None:
        return None
    each = ShardingPerValue.from_attribute(OpaqueAttribute(shardings)).shardings
    return ManualAxes.from_attribute(OpaqueAttribute(axes)), each


def _by_meshes(call: Call, shardings: StatedShardings, side: str) -> Stated | None:
    """From jaxlib 0.12 on: whole values state their axes, and parts the manual ones, as `sharding=`."""
    operation = call.operation
    if operation is None:
        return None
    inputs, results = (
        [found for value in values for found in shardings.in_hlo(value)]
        for values in (operation.operands, operation.results)
    )
    wholes, parts = (inputs, results) if side == "in" else (results, inputs)
    manual = {name: None for found in parts for name, _, _ in found.other_axes.get("manual", ())}
    if not manual:
        return None
    return ManualAxes(tuple(manual)), [ShardySharding.from_hlo(found) for found in wholes]


def _maps(call: Call, inverse: bool) -> Iterator[OperandMap]:
    """Maps between parts and the whole tensor; for whole values, the identity.

    They are undefined if it is unknown which process holds which part.
    """
    types = (*call.inputs, *call.parts)
    known = all(found.is_static for found in types if isinstance(found, TensorType))
    if isinstance(call.shares, str) or not known:
        for number in range(min(len(call.inputs), len(call.parts))):
            yield OperandMap(number, UNDEFINED, number)
    elif call.shares is None:
        yield from identity_maps(call, inverse)
    elif call.joins:
        yield from call.shares.join_maps(call.parts, call.first_auxiliary, inverse=inverse)
    else:
        yield from call.shares.cut_maps(call.inputs, call.first_auxiliary, inverse=inverse)


def _process_values(call: Call, place: GridPosition) -> tuple[Array, ...]:
    if call.shares is None or isinstance(call.shares, str):
        return ()
    joins = call.joins
    return call.shares.join_values(place) if joins else call.shares.cut_values(place)


def _auxiliary_names(call: Call) -> tuple[str, ...]:
    if call.shares is None or isinstance(call.shares, str):
        return ()
    joins = call.joins
    names = JOINED_NAMES if joins else CUT_NAMES
    values = [f"result {k}" if joins else f"operand {k}" for k in range(len(call.inputs))]
    return tuple(name.format(value) for value in values for name in names)


def _target(run: Run, resume: Resume, linked: Link, *, joins: bool = False) -> Target:
    return Target(
        run,
        maps=_maps,
        resume=resume,
        linked=linked,
        joins=joins,
        process_values=_process_values,
        auxiliary_names=_auxiliary_names,
    )


TARGETS: dict[str, Target] = {
    "SPMDFullToShardShape": _target(_begin, _cut, _by_operand),
    "SPMDShardToFullShape": _target(_gather_parts, _join, _by_itself, joins=True),
    "xla.sdy.GlobalToLocalShape": _target(_begin, _cut, partial(_by_shardy, side="in")),
    "xla.sdy.LocalToGlobalShape": _target(_gather_parts, _join, partial(_by_shardy, side="out"), joins=True),
}
