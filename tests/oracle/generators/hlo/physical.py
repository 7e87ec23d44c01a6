"""Opcodes of optimised programs: what says how bytes lie in memory, and fusions.

XLA runs these modules as they are written.
"""

from __future__ import annotations

from math import prod
from typing import Any

from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.types import TensorType

from ...cases import seeds, shapes, sizes
from .cases import HloCase, module
from .text import Computation, Layout, Value, dimensions

ELEMENTS = tuple(
    ELEMENT_TYPES[name]
    for name in ("f32", "f64", "i8", "ui8", "i16", "i32", "ui32", "i64", "i1", "complex<f32>")
)
some_shapes = st.lists(sizes | st.integers(1, 4), min_size=1, max_size=4).map(tuple)


def _layout(draw: st.DrawFn, rank: int) -> Layout:
    return tuple(draw(st.permutations(range(rank))))


@st.composite
def copy(draw: st.DrawFn) -> HloCase:
    """Into other layouts and back."""
    operand = TensorType(draw(shapes), draw(st.sampled_from(ELEMENTS)))
    layouts = [_layout(draw, operand.rank) for _ in range(draw(st.integers(0, 3)))]

    def build(entry: Computation, operands: list[Value]) -> Value:
        value = operands[0]
        for layout in layouts:
            value = entry.op("copy", [value], operand, layout=layout)
        return entry.op("copy", [value], operand)

    return module(draw, "copy", [operand], operand, build, emitted=True)


def _target(draw: st.DrawFn, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Some shape of as many elements."""
    kind = draw(st.sampled_from(("permuted", "flat", "factors")))
    if kind == "permuted":
        return tuple(draw(st.permutations(shape)))
    rest = prod(shape)
    if kind == "flat":
        return (rest,)
    factor = draw(st.sampled_from([n for n in range(1, rest + 1) if rest % n == 0] or [0]))
    return (factor, rest // factor) if factor else (0, 2)


@st.composite
def bitcast(draw: st.DrawFn) -> HloCase:
    """From layout to layout and from type to type of as many bytes: bytes stay where they are."""
    operand = TensorType(draw(some_shapes), draw(st.sampled_from(ELEMENTS)))
    same = [
        found for found in ELEMENTS if found.bits == operand.element_type.bits and found.kind != "boolean"
    ]
    other = draw(st.sampled_from(same)) if operand.element_type.kind != "boolean" else operand.element_type
    first = _layout(draw, operand.rank)
    shape = _target(draw, operand.sizes)
    middle = TensorType(shape, other)
    second = _layout(draw, middle.rank)
    once_more = draw(st.booleans())
    result = middle.with_shape((prod(shape),)) if once_more else middle

    def build(entry: Computation, operands: list[Value]) -> Value:
        value = entry.op("copy", operands, operand, layout=first)
        value = entry.op("bitcast", [value], middle, layout=second)
        if once_more:
            return entry.op("bitcast", [value], result, layout=(0,))
        return entry.op("copy", [value], middle)

    return module(draw, "bitcast", [operand], result, build, emitted=True)


@st.composite
def direct_bitcast(draw: st.DrawFn) -> HloCase:
    """Of a parameter, to the result: a reshape, or a transposition if layouts are the reason."""
    operand = TensorType(draw(some_shapes), draw(st.sampled_from(ELEMENTS)))
    result = operand.with_shape(_target(draw, operand.sizes))

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("bitcast", operands, result)

    return module(draw, "bitcast", [operand], result, build, emitted=True)


FLOAT = ("add", "subtract", "multiply", "maximum", "minimum")
INTEGER = (*FLOAT, "and", "or", "xor")


@st.composite
def loop_fusion(draw: st.DrawFn) -> HloCase:
    """Elementwise ops, broadcasts, slices, transposes and sums in one kernel, with one result or several."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("f32", "i32", "ui8", "i64", "f64")))]
    operand = TensorType(draw(shapes), element_type)
    scalar = operand.with_shape(())
    body, add = Computation("fused_computation.3"), Computation("add.4")
    add.op("add", [add.parameter(scalar), add.parameter(scalar)], scalar)
    values = [body.parameter(operand), body.parameter(operand), body.parameter(scalar)]
    values[2] = body.op("broadcast", [values[2]], operand, "dimensions={}")
    names = FLOAT if element_type.is_float else INTEGER
    # Each value is used: XLA's verifier wants it so.
    partners = [*values[1:], *draw(st.lists(st.sampled_from(values), max_size=2))]
    for partner in draw(st.permutations(partners)):
        pair = draw(st.permutations((values[-1] if len(values) > 3 else values[0], partner)))
        values.append(body.op(draw(st.sampled_from(names)), pair, operand))
    last, result = _finish(draw, body, values[-1], operand)
    several = result == operand and draw(st.booleans())
    if several:
        body.root = body.pack([last, values[-2]])
    results: Any = (result, operand) if several else result

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("fusion", operands, results, "kind=kLoop", "calls=@fused_computation.3")

    used = [add] if any(line.opcode == "reduce" for line in body.lines) else []
    types, flavours = (operand, operand, scalar), ("small",) * 3
    return module(
        draw,
        "fusion",
        types,
        results,
        build,
        [*used, body],
        emitted=True,
        flavours=flavours,
        seed=draw(seeds),
    )


def _finish(
    draw: st.DrawFn, body: Computation, value: Value, operand: TensorType
) -> tuple[Value, TensorType]:
    """What a fusion does at last."""
    kind = draw(st.sampled_from(("nothing", "transpose", "reduce", "reverse", "slice", "bitcast")))
    if operand.rank == 0 or kind == "nothing":
        return value, operand
    if kind == "transpose":
        order = draw(st.permutations(range(operand.rank)))
        result = operand.with_shape(tuple(operand.sizes[d] for d in order))
        return body.op("transpose", [value], result, dimensions(order)), result
    if kind == "reverse":
        return body.op("reverse", [value], operand, "dimensions={0}"), operand
    if kind == "slice":
        limits = [draw(st.integers(0, size)) for size in operand.sizes]
        result = operand.with_shape(tuple(limits))
        parts = ", ".join(f"[0:{limit}]" for limit in limits)
        return body.op("slice", [value], result, f"slice={{{parts}}}"), result
    if kind == "bitcast":
        result = operand.with_shape((prod(operand.sizes),))
        return body.op("bitcast", [value], result), result
    result = operand.with_shape(operand.sizes[1:])
    zero = body.constant(0, operand.with_shape(()))
    return body.op("reduce", [value, zero], result, "dimensions={0}", "to_apply=@add.4"), result


@st.composite
def output_fusion(draw: st.DrawFn) -> HloCase:
    """A matrix times a vector, to which something is added."""
    rows, inner = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    matrix = TensorType((rows, inner), ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))])
    vector, result = matrix.with_shape((inner,)), matrix.with_shape((rows,))
    body = Computation("fused_computation")
    given = [body.parameter(found) for found in (matrix, vector, result)]
    product = body.op("dot", given[:2], result, "lhs_contracting_dims={1}", "rhs_contracting_dims={0}")
    body.op("add", [product, given[2]], result)

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("fusion", operands, result, "kind=kOutput", "calls=@fused_computation")

    types, flavours = (matrix, vector, result), ("small",) * 3
    return module(
        draw, "fusion", types, result, build, [body], emitted=True, flavours=flavours, seed=draw(seeds)
    )


CUSTOM = 'backend_config={"fusion_config":{"kind":"__ynn_fusion"}}'


@st.composite
def custom_fusion(draw: st.DrawFn) -> HloCase:
    """Elementwise ops of f32, which a library of kernels does."""
    operand = TensorType(draw(some_shapes.filter(lambda shape: 0 not in shape)), ELEMENT_TYPES["f32"])
    body = Computation("fused.1")
    values = [body.parameter(operand), body.parameter(operand)]
    for number in range(draw(st.integers(1, 3))):
        pair = [draw(st.sampled_from(values)) if number else values[0], values[-1]]
        values.append(body.op(draw(st.sampled_from(("add", "multiply", "subtract"))), pair, operand))

    def build(entry: Computation, operands: list[Value]) -> Value:
        return entry.op("fusion", operands, operand, "kind=kCustom", "calls=@fused.1", CUSTOM)

    types, flavours = (operand, operand), ("small",) * 2
    return module(
        draw, "fusion", types, operand, build, [body], emitted=True, flavours=flavours, seed=draw(seeds)
    )


@st.composite
def identity(draw: st.DrawFn, opcode: str) -> HloCase:
    """What only says in which order or where things happen."""
    operand = TensorType(draw(shapes), draw(st.sampled_from(ELEMENTS)))

    def build(entry: Computation, operands: list[Value]) -> Value:
        token = entry.op("after-all", [], "token[]")
        both = entry.op("after-all", [token, token], "token[]")
        if opcode in ("add-dependency", "after-all"):
            value = entry.op("add-dependency", [operands[0], both], operand)
        elif opcode == "domain":
            ends = 'domain={kind="sharding", entry={maximal device=0}, exit={replicated}}'
            value = entry.op("domain", operands[:1], operand, ends)
        else:
            pair = entry.op("opt-barrier", [entry.pack(operands)], (operand, operand))
            value = entry.op("opt-barrier", [entry.element(pair, 1)], operand)
        return entry.op("reverse", [value], operand, "dimensions={}")

    return module(draw, opcode, [operand, operand], operand, build, emitted=None)


GENERATORS = {
    "copy": copy(),
    "bitcast": bitcast() | direct_bitcast(),
    "fusion": st.one_of(loop_fusion(), loop_fusion(), loop_fusion(), output_fusion(), custom_fusion()),
    **{name: identity(name) for name in ("add-dependency", "after-all", "domain", "opt-barrier")},
}
