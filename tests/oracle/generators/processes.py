"""Tuples, tokens and the ops of a process grid, on the grid of one process that the oracles agree about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, positive_sizes, seeds, shapes, typed
from ..values import element_types

TOKEN = "!stablehlo.token"
KINDS = "biufc"
ids = st.sampled_from(["dense<0> : tensor<1x1xi64>", "dense<[[0]]> : tensor<1x1xi64>"])
everybody = st.sampled_from(["dense<> : tensor<0x0xi64>", "dense<> : tensor<0x1xi64>"])
"""No groups: XLA takes all processes for one. The reference interpreter does not survive it."""
CHANNEL = ", channel_handle = #stablehlo.channel_handle<handle = {}, type = 0>"
channels = st.sampled_from(["", CHANNEL.format(0), CHANNEL.format(1)])
global_channels = channels | st.just(CHANNEL.format(1) + ", use_global_device_ids")
some_sizes = st.lists(positive_sizes, min_size=1, max_size=3).map(tuple)


@st.composite
def _operands(draw: st.DrawFn, sizes: st.SearchStrategy[tuple[int, ...]] = shapes) -> tuple[TensorType, ...]:
    """One or two tensors of one element type."""
    found = draw(element_types(KINDS))
    return tuple(TensorType(draw(sizes), found) for _ in range(draw(st.integers(1, 2))))


def _generic(
    name: str, types: Sequence[TensorType], results: Sequence[TensorType], attributes: str, region: str = ""
) -> str:
    count = len(results)
    names = "%r" if count == 1 else f"%r:{count}"
    made = typed(*results) if count == 1 else f"({typed(*results)})"
    body = f"({region}) " if region else ""
    given = arguments(len(types))
    return f'{names} = "stablehlo.{name}"({given}) {body}{{{attributes}}} : ({typed(*types)}) -> {made}'


Groups = st.SearchStrategy[str]


@st.composite
def _grouping(draw: st.DrawFn, groups: Groups) -> str:
    """`replica_groups` and whatever says what they are groups of."""
    rows = draw(groups)
    channel = draw(global_channels if groups is ids else channels)
    return f"replica_groups = {rows}{channel}"


@st.composite
def all_gathers(draw: st.DrawFn, groups: Groups = ids) -> Case:
    types = draw(_operands(some_sizes))
    dimension = draw(st.integers(0, min(found.rank for found in types) - 1))
    attributes = f"all_gather_dim = {dimension} : i64, {draw(_grouping(groups))}"
    return Case(_generic("all_gather", types, types, attributes), types, types, draw(seeds), parallel=True)


def _computation(found: TensorType) -> str:
    scalar = found.with_shape(())
    return (
        f"{{\n  ^bb0(%x: {scalar}, %y: {scalar}):\n    %z = stablehlo.add %x, %y : {scalar}\n"
        f"    stablehlo.return %z : {scalar}\n  }}"
    )


@st.composite
def all_reduces(draw: st.DrawFn, groups: Groups = ids) -> Case:
    types = draw(_operands())
    attributes = draw(_grouping(groups))
    name = types[0].element_type.name
    wide = ELEMENT_TYPES[draw(st.sampled_from(_WIDER.get(name, (name,))))]
    results = tuple(found.with_element_type(wide) for found in types)
    statement = _generic("all_reduce", types, results, attributes, _computation(results[0]))
    # XLA wants the operands converted before, and loses the layout of several.
    beyond_xla = results != types or len(types) > 1
    return Case(statement, types, results, draw(seeds), parallel=True, interpreter_only=beyond_xla)


_WIDER = {"f32": ("f32", "f64"), "f16": ("f16", "f32"), "i8": ("i8", "i32"), "ui8": ("ui8", "ui64")}


@st.composite
def reduce_scatters(draw: st.DrawFn, groups: Groups = ids) -> Case:
    found = TensorType(draw(some_sizes), draw(element_types(KINDS)))
    dimension = draw(st.integers(0, found.rank - 1))
    attributes = f"scatter_dimension = {dimension} : i64, {draw(_grouping(groups))}"
    statement = _generic("reduce_scatter", [found], [found], attributes, _computation(found))
    return Case(statement, (found,), (found,), draw(seeds), parallel=True)


@st.composite
def all_to_alls(draw: st.DrawFn) -> Case:
    """XLA takes several operands for the form that has one for each part."""
    found = TensorType(draw(some_sizes), draw(element_types(KINDS)))
    types = (found,) * draw(st.integers(1, 2))
    split, concat = (draw(st.integers(0, found.rank - 1)) for _ in range(2))
    attributes = (
        f"split_dimension = {split} : i64, concat_dimension = {concat} : i64, split_count = 1 : i64, "
        f"replica_groups = {draw(ids)}{draw(channels)}"
    )
    statement = _generic("all_to_all", types, types, attributes)
    return Case(statement, types, types, draw(seeds), parallel=True, interpreter_only=len(types) > 1)


@st.composite
def collective_broadcasts(draw: st.DrawFn) -> Case:
    """XLA on CPU does not have it."""
    found = TensorType(draw(shapes), draw(element_types(KINDS)))
    statement = _generic(
        "collective_broadcast", [found], [found], f"replica_groups = {draw(ids | everybody)}{draw(channels)}"
    )
    return Case(statement, (found,), (found,), draw(seeds), parallel=True, interpreter_only=True)


@st.composite
def _permutes(draw: st.DrawFn, pairs: str) -> Case:
    found = TensorType(draw(shapes), draw(element_types(KINDS)))
    attributes = f"source_target_pairs = {pairs}{draw(channels)}"
    statement = _generic("collective_permute", [found], [found], attributes)
    return Case(statement, (found,), (found,), draw(seeds), parallel=True)


@st.composite
def cross_replica_sums(draw: st.DrawFn) -> Case:
    found = TensorType(draw(shapes), draw(element_types(KINDS)))
    statement = _generic("cross-replica-sum", [found], [found], f"replica_groups = {draw(ids | everybody)}")
    return Case(statement, (found,), (found,), draw(seeds))


@st.composite
def process_ids(draw: st.DrawFn, name: str) -> Case:
    found = TensorType((), ELEMENT_TYPES["ui32"])
    short = f"%r = stablehlo.{name} : {found}"
    statement = draw(st.sampled_from([short, f'%r = "stablehlo.{name}"() : () -> {found}']))
    return Case(statement, (), (found,), parallel=True)


@st.composite
def tuples(draw: st.DrawFn) -> Case:
    """Two tensors and a token, put into a tuple in a tuple and taken out again."""
    types = draw(_operands())
    inner = f"tuple<{typed(*types)}, {TOKEN}>"
    outer = f"tuple<{inner}, {TOKEN}, {types[0]}>"
    last = len(types) - 1
    token = draw(st.sampled_from(["stablehlo.after_all", "stablehlo.after_all %t0, %t0"]))
    lines = [
        f'%t0 = "stablehlo.after_all"() : () -> {TOKEN}',
        f"%t1 = {token} : {TOKEN}",
        f"%p = stablehlo.tuple {arguments(len(types))}, %t1 : {inner}",
        f'%q = "stablehlo.tuple"(%p, %t0, %a0) : ({inner}, {TOKEN}, {types[0]}) -> {outer}',
        f"%p1 = stablehlo.get_tuple_element %q[0] : ({outer}) -> {inner}",
        f'%r = "stablehlo.get_tuple_element"(%p1) {{index = {last} : i32}} : ({inner}) -> {types[last]}',
    ]
    return Case("\n  ".join(lines), types, (types[last],), draw(seeds))


@st.composite
def barriers(draw: st.DrawFn) -> Case:
    types = draw(_operands())
    if draw(st.booleans()):
        names = "%r" if len(types) == 1 else f"%r:{len(types)}"
        statement = f"{names} = stablehlo.optimization_barrier {arguments(len(types))} : {typed(*types)}"
    else:
        statement = _generic("optimization_barrier", types, types, "")
    return Case(statement, types, types, draw(seeds))


@st.composite
def created_tokens(draw: st.DrawFn) -> Case:
    case = draw(barriers())
    return replace(case, statement=f"%t = stablehlo.create_token : {TOKEN}\n  {case.statement}")


@st.composite
def asynchronous(draw: st.DrawFn) -> Case:
    """XLA has futures of collective ops, not of slices."""
    found = TensorType(draw(some_sizes), draw(element_types(KINDS)))
    inner = draw(
        st.sampled_from(
            [
                '"stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, ',
                '"stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>, ',
            ]
        )
    )
    groups = f"replica_groups = {draw(ids)}" if "gather" in inner else "note"
    future = f"!stablehlo.future<{found}>"
    statement = (
        f'%f = "stablehlo.async_start"(%a0) ({{\n  ^bb0(%x: {found}):\n'
        f"    %y = {inner}{groups}}} : ({found}) -> {found}\n    stablehlo.return %y : {found}\n"
        f"  }}) : ({found}) -> {future}\n"
        f'  %r = "stablehlo.async_done"(%f) : ({future}) -> {found}'
    )
    return Case(statement, (found,), (found,), draw(seeds))


NO_PAIR, TO_ITSELF = "dense<> : tensor<0x2xi64>", "dense<0> : tensor<1x2xi64>"

GENERATORS = {
    "stablehlo.all_gather": all_gathers(),
    "stablehlo.all_reduce": all_reduces(),
    "stablehlo.reduce_scatter": reduce_scatters(),
    "stablehlo.all_to_all": all_to_alls(),
    "stablehlo.collective_broadcast": collective_broadcasts(),
    "stablehlo.collective_permute": _permutes(NO_PAIR),
    "stablehlo.cross-replica-sum": cross_replica_sums(),
    "stablehlo.replica_id": process_ids("replica_id"),
    "stablehlo.partition_id": process_ids("partition_id"),
    "stablehlo.tuple": tuples(),
    "stablehlo.get_tuple_element": tuples(),
    "stablehlo.after_all": tuples(),
    "stablehlo.optimization_barrier": barriers(),
    "stablehlo.create_token": created_tokens(),
    "stablehlo.async_start": asynchronous(),
    "stablehlo.async_done": asynchronous(),
}

UNSAFE = {
    "stablehlo.all_gather": all_gathers(everybody),
    "stablehlo.all_reduce": all_reduces(everybody),
    "stablehlo.reduce_scatter": reduce_scatters(everybody),
    # The reference interpreter waits for ever for a process that sends to itself.
    "stablehlo.collective_permute": _permutes(TO_ITSELF),
}

REFUSED = frozenset(
    f"stablehlo.{name}" for name in ("cross-replica-sum", "create_token", "async_start", "async_done")
)
"""Ops that the reference interpreter does not have."""
WITHOUT_AN_ORACLE = frozenset({"stablehlo.collective_reduce"}) | {
    f"stablehlo.{name}" for name in ("send", "recv", "infeed", "outfeed")
}
"""Ops that MLIR and XLA do not have yet, and those that do nothing alone: test_grid_collectives.py asks about these."""
