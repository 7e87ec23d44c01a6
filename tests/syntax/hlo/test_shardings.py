"""The meaning of each spelling of a sharding."""

from __future__ import annotations

import pytest

from hloscope.engine.errors import LimitError
from hloscope.engine.sharding.notation.device_meshes import DeviceMesh, IotaOrder
from hloscope.engine.sharding.notation.hlo_shardings import DimensionAxes, Sharding, read_sharding
from tests.each import for_each

from .reading import cursor, read, refused

XY = DeviceMesh((("x", 2), ("y", 4)))
SHARDINGS = {
    "{replicated}": Sharding("replicated"),
    "{manual}": Sharding("manual"),
    "{unknown}": Sharding("unknown"),
    "{unreduced}": Sharding("unreduced"),
    "{maximal device=3}": Sharding("maximal", device=3),
    "{device=1 maximal}": Sharding("maximal", device=1),
    "{maximal_mesh[device_id=3]}": Sharding("maximal", device=3),
    "{replicated shard_like 2}": Sharding("replicated", group=("shard_like", 2)),
    '{manual metadata={{op_name="}"},{op_name="b"}} shard_as 1}': Sharding("manual", group=("shard_as", 1)),
    "{devices=[2,4]<=[8]}": Sharding("devices", tile_dimensions=(2, 4), devices=IotaOrder((8,))),
    "{devices=[2,1,4]<=[2,4]T(1,0) last_tile_dim_replicate}": Sharding(
        "devices",
        tile_dimensions=(2, 1, 4),
        devices=IotaOrder((2, 4), (1, 0)),
        last_tiles=("replicated",),
    ),
    "{devices=[2,2] 0,1, 3,2}": Sharding("devices", tile_dimensions=(2, 2), devices=(0, 1, 3, 2)),
    "{devices=[2,2,2]<=[8] last_tile_dims={manual, replicated}}": Sharding(
        "devices", tile_dimensions=(2, 2, 2), devices=IotaOrder((8,)), last_tiles=("manual", "replicated")
    ),
    "{last_tile_dim_replicate devices=[1,2]0,1}": Sharding(
        "devices", tile_dimensions=(1, 2), devices=(0, 1), last_tiles=("replicated",)
    ),
    "{}": Sharding("tuple"),
    "{{replicated},{maximal device=0}}": Sharding(
        "tuple", elements=(Sharding("replicated"), Sharding("maximal", device=0))
    ),
    "{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}, {}], replicated={'y':(2)2}}": Sharding(
        "mesh",
        mesh=XY,
        dimension_axes=(
            DimensionAxes((("x", 1, 2),)),
            DimensionAxes((("y", 1, 2),), True),
            DimensionAxes(),
        ),
        other_axes={"replicated": (("y", 2, 2),)},
    ),
    "{mesh['x'=2,'y'=4] [{?}], manual={'x'}, metadata={op_name=\"a\"}, unreduced={'y'}}": Sharding(
        "mesh",
        mesh=XY,
        dimension_axes=(DimensionAxes((), True),),
        other_axes={"manual": (("x", 1, 2),), "unreduced": (("y", 1, 4),)},
    ),
    "{mesh['x'=2,'y'=4], manual}": Sharding(
        "mesh", mesh=XY, other_axes={"manual": (("x", 1, 2), ("y", 1, 4))}
    ),
    "{mesh[], replicated}": Sharding("mesh", mesh=DeviceMesh(()), other_axes={"replicated": ()}),
    "{mesh['x'=2], device_ids=(1,0), [{'x'}]}": Sharding(
        "mesh",
        mesh=DeviceMesh((("x", 2),), (1, 0)),
        dimension_axes=(DimensionAxes((("x", 1, 2),)),),
    ),
}
NOWHERE = "the sharding does not state where the parts are"
WRONG = {
    "replicated": (
        "expected '{', such as {replicated} or {devices=[2,4]<=[8]}, found 'replicated'",
        "replicated",
    ),
    "{maximal}": ("'maximal' and 'device' must be used together, as in {maximal device=0}", "{maximal"),
    "{replicated device=1}": (
        "'maximal' and 'device' must be used together, as in {maximal device=0}",
        "{replicated device=1",
    ),
    "{replicatde}": ("'replicatde' is not a part of a sharding", "replicatde"),
    "{replicated manual}": ("this repeats or contradicts an earlier part", "manual"),
    "{shard_as 2}": (NOWHERE, "{shard_as 2"),
    "{{}}": (NOWHERE, "{"),
    "{{{replicated}}}": ("expected a part of the sharding, found '{'", "{"),
    "{{replicated},manual}": (
        "expected '{', which opens the sharding of a tuple's element, found 'manual'",
        "manual",
    ),
    "{devices=[2,2]0,1,2}": ("3 devices for 4 parts", "[2,2]0,1,2"),
    "{devices=[2,2]<=[8]}": ("8 devices for 4 parts", "[2,2]<=[8]"),
    "{devices=[2,2]}": ("expected an id, found '}'", "}"),
    "{devices=[2]<=[2] last_tile_dims={foo}}": ("'foo' is none of replicated, manual, unreduced", "foo"),
    "{devices=[2]<=[2] last_tile_dims={manual,manual}}": (
        "there are more last tile dimensions than tile dimensions",
        "{devices=[2]<=[2] last_tile_dims={manual,manual}",
    ),
    "{mesh['x'=2], [{'y'}]}": ("the mesh has no axis 'y'; it has 'x'", "'y'"),
    "{mesh['x'=2], maximal}": ("'maximal' is none of replicated, manual, unreduced", "maximal"),
    "{mesh['x'=2], [{?,'x'}]}": ("'?' comes last", "{?,"),
    "{mesh['x'=2], [{}], manual={'x'}, manual={'x'}}": ("'manual' is given twice", "manual"),
    "{mesh['x'=2], [{}], foo={'x'}}": ("'foo' is not a part of a sharding", "foo"),
}


@for_each("text", SHARDINGS)
def test_shardings(text: str) -> None:
    found = read(read_sharding, text)
    assert found == SHARDINGS[text]
    assert found.text == text


@pytest.mark.parametrize("more", ["", ', metadata={op_name="a"}', ', metadata={{op_name="a"}}'])
def test_one_device_as_jaxlib_0_12_prints_it(more: str) -> None:
    found = read(read_sharding, f"{{single_device[device_id=3]{more}}}")
    assert (found.kind, found.device) == ("maximal", 3)


@for_each("text", WRONG)
def test_wrong_shardings(text: str) -> None:
    assert refused(read_sharding, text) == WRONG[text]


def test_devices_in_order() -> None:
    by_order = read(read_sharding, "{devices=[4,2]<=[2,4]T(1,0)}")
    assert by_order.device_order().tolist() == [0, 4, 1, 5, 2, 6, 3, 7]
    assert read(read_sharding, "{devices=[2]1,0}").device_order().tolist() == [1, 0]


def test_hostile_sizes() -> None:
    message = "these are more than 1,048,576 ids, which is the most that are read"
    assert refused(read_sharding, "{devices=[4294967296]<=[4294967296]}") == (message, "[4294967296]")
    with pytest.raises(LimitError):
        read_sharding(cursor(f"{{replicated metadata={'{' * 500}{'}' * 500}}}"))
