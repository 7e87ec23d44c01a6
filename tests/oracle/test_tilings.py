"""Tilings are those of JAX, from HLO's shardings as from Shardy's; what Shardy's dialect takes, we take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import OpaqueAttribute
from hloscope.engine.sharding.notation.device_meshes import DeviceMesh
from hloscope.engine.sharding.notation.hlo_shardings import sharding_of
from hloscope.engine.sharding.notation.shardy import ShardySharding
from hloscope.engine.sharding.notation.tilings import Tiling, tiling_of
from hloscope.engine.source import Source
from hloscope.engine.syntax import print_module
from tests.each import for_each
from tests.syntax.op_table import OP_TABLE

from .client import Oracle

pytestmark = pytest.mark.oracle
FEW = settings(max_examples=60, deadline=None)
MESHES = (("x", 8),), (("x", 2), ("y", 4)), (("x", 2), ("y", 2), ("z", 2))


@st.composite
def placed(draw: Any) -> dict[str, Any]:
    """A mesh of eight devices in any order, the axes of each dimension, and sizes that they divide."""
    axes = draw(st.sampled_from(MESHES))
    rank = draw(st.integers(1, 3))
    dimensions: list[list[str]] = [[] for _ in range(rank)]
    for name, _ in draw(st.permutations(axes)):
        where = draw(st.integers(0, rank))
        if where < rank:
            dimensions[where].append(name)
    sizes = dict(axes)
    shape = [draw(st.integers(1, 3)) * int(np.prod([sizes[name] for name in names])) for names in dimensions]
    devices = draw(st.permutations(range(8)) | st.just(list(range(8))))
    return {"axes": axes, "dimensions": dimensions, "shape": shape, "devices": devices}


def _boxes(tiling: Tiling, shape: list[int]) -> list[list[list[int]]]:
    found = []
    for device in range(8):
        box = tiling.box_of(device, shape)
        assert box is not None
        found.append([[place.start, place.stop] for place in box])
    return found


@FEW
@given(placed())
def test_devices_hold_what_jax_puts_there(devices: Oracle, asked: dict[str, Any]) -> None:
    hlo, shardy, wanted = devices.boxes(asked)
    meshes: dict[str, DeviceMesh] = {}  # it is stated in place
    assert _boxes(tiling_of(sharding_of(hlo)), asked["shape"]) == wanted.tolist()
    stated = ShardySharding.from_attribute(OpaqueAttribute(shardy))
    mesh = stated.mesh_among(meshes)
    stated.check(mesh, len(asked["shape"]))
    assert _boxes(stated.tiling(meshes), asked["shape"]) == wanted.tolist()


HEAD = """sdy.mesh @mesh = <["x"=2, "y"=4]>
sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @none = <[]>
func.func @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
"""
LINES = [
    '%1 = sdy.all_gather [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.all_slice [{"y"}, {}] %a out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.all_to_all [{"x"}: 0->1] %a out_sharding=<@mesh, [{}, {"x"}]> : tensor<8x16xf32>',
    '%1 = sdy.collective_permute %a out_sharding=<@mesh, [{"y":(1)2}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.all_reduce {"y"} %a out_sharding=<@mesh, [{"x"}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.reduce_scatter [{"y"}, {}] %a out_sharding=<@mesh, [{"x", "y"}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.replicated_to_unreduced {"y"} %a out_sharding=<@mesh, [{"x"}, {}], unreduced={"y"}> : tensor<8x16xf32>',
    '%1 = sdy.sharded_to_unreduced [{"x"}, {}] %a out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>',
    "%1 = sdy.constant dense<1.0> : tensor<8x16xf32>",
    "%1 = sdy.func_data_flow_edge %a : tensor<8x16xf32>",
    "%1 = sdy.data_flow_edge %a sharding=<@mesh, [{}, {?}]> : tensor<8x16xf32>",
    "%1 = sdy.propagation_barrier %a allowed_direction=NONE : tensor<8x16xf32>",
    "sdy.sharding_group %a group_id=3 : tensor<8x16xf32>",
    '%1 = sdy.reshard %a <mesh<["a"=2, "b"=4]>, [{?}, {"a", "b":(1)2, ?}p2], replicated={"b":(2)2}> : tensor<8x16xf32>',
    "%1 = sdy.sharding_constraint %a <@one, []> : tensor<8x16xf32>",
    "%1 = sdy.sharding_constraint %a <mesh<[], device_ids=[3]>, []> : tensor<8x16xf32>",
    '%1 = sdy.sharding_constraint %a <@mesh, [{"y":(2)2, "y":(1)2}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.sharding_constraint %a <@turned, [{"y", "x"}, {}]> : tensor<8x16xf32>',
    "%1 = sdy.sharding_constraint %a <@none, [{}, {}]> : tensor<8x16xf32>",
]
WRONG = [
    '%1 = sdy.sharding_constraint %a <@mesh, [{"z"}, {}]> : tensor<8x16xf32>',
    "%1 = sdy.sharding_constraint %a <@other, [{}, {}]> : tensor<8x16xf32>",
    "%1 = sdy.sharding_constraint %a <@one, [{}, {}]> : tensor<8x16xf32>",
    '%1 = sdy.sharding_constraint %a <@mesh, [{"x", "x"}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.sharding_constraint %a <@mesh, [{"y":(1)3}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.sharding_constraint %a <@mesh, [{"y":(1)4}, {}]> : tensor<8x16xf32>',
    '%1 = sdy.sharding_constraint %a <@mesh, [{"y":(1)2}, {"y"}]> : tensor<8x16xf32>',
    "%1 = sdy.sharding_constraint %a <@mesh, [{}]> : tensor<8x16xf32>",
]


def manual(ins: str, outs: str, axes: str, part: str, whole: str = "tensor<8x16xf32>") -> str:
    return (
        f"%1 = sdy.manual_computation(%a) in_shardings=[{ins}] out_shardings=[{outs}] manual_axes={{{axes}}} "
        f"(%p: {part}) {{ sdy.return %p : {part} }} : (tensor<8x16xf32>) -> {whole}"
    )


ROWS, PART = '<@mesh, [{"x"}, {}]>', "tensor<4x16xf32>"
LINES += [
    manual(ROWS, ROWS, '"x"', PART),
    manual('<@mesh, [{"x", ?}, {?}]>', ROWS, '"x"', PART),
    manual('<@mesh, [{"y"}, {}]>', ROWS, '"x"', "tensor<8x16xf32>", "tensor<16x16xf32>"),
    manual('<@mesh, [{"x", "y":(1)2}, {}]>', ROWS, '"x"', PART),
    manual(ROWS, '<@mesh, [{}, {}], unreduced={"x"}>', '"x"', PART, PART),
    manual("<@none, [{}, {}]>", "<@none, [{}, {}]>", "", "tensor<8x16xf32>"),
    manual('<@mesh, [{"x"}, {"y"}]>', ROWS, '"y", "x"', "tensor<4x4xf32>", "tensor<8x4xf32>"),
]
WRONG += [
    manual('<@mesh, [{"y", "x"}, {}]>', ROWS, '"x"', PART),
    manual(ROWS, ROWS, '"x"', "tensor<8x16xf32>"),
    manual(ROWS, ROWS, '"z"', PART),
    manual(ROWS, '<@turned, [{"x"}, {}]>', '"x"', PART),
    manual('<@mesh, [{"x"}]>', ROWS, '"x"', PART),
    manual('<@mesh, [{}, {"x"}]>', ROWS, '"x"', PART),
]


@for_each("line", LINES)
def test_what_shardy_takes(oracle: Oracle, line: str) -> None:
    text = f"{HEAD}  {line}\n  return\n}}\n"
    parsed = oracle.parse(text)
    for printed in (text, parsed.short, parsed.generic):
        loaded = load(Source(printed))
        assert loaded.program is not None, loaded.diagnostics
        for form in ("short", "generic"):
            ours = print_module(loaded.program.module, OP_TABLE, form)
            assert oracle.parse(ours).generic == parsed.generic


@for_each("line", WRONG)
def test_what_shardy_refuses(oracle: Oracle, line: str) -> None:
    text = f"{HEAD}  {line}\n  return\n}}\n"
    assert oracle.refuses(text)
    assert load(Source(text)).program is None
