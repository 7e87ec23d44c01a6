"""Opcodes that XLA prints of no StableHLO program; `test_hlo_printed` compares all others."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, I32
from hloscope.engine.ir.types import TensorType

from ...cases import positive_sizes, seeds, shapes, sizes
from ...values import Flavour
from .cases import HloCase, computable, module, one
from .text import Computation, Value, dimensions

some_shapes = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)


@st.composite
def mulhi(draw: st.DrawFn) -> HloCase:
    """Only as it is written: XLA's importer does not know it."""
    fitting = computable("iu").filter(lambda found: found.bits in (8, 16, 32, 64))
    operand = TensorType(draw(shapes), draw(fitting))
    return one(draw, "mulhi", [operand, operand], operand, emitted=True)


@st.composite
def stochastic_convert(draw: st.DrawFn) -> HloCase:
    name = draw(st.sampled_from(("f32", "f64", "f16", "bf16")))
    operand = TensorType(draw(shapes), ELEMENT_TYPES[name])
    random = operand.with_element_type(ELEMENT_TYPES[f"ui{operand.element_type.bits}"])
    result = operand.with_element_type(ELEMENT_TYPES[draw(st.sampled_from(("i8", "i16", "i32")))])
    return one(draw, "stochastic-convert", [operand, random], result)


def _bounded(operand: TensorType, dimension: int) -> TensorType:
    shape = list(operand.shape)
    bounds = tuple(size if d == dimension else None for d, size in enumerate(shape))
    shape[dimension] = None
    return TensorType(tuple(shape), operand.element_type, bounds)


@st.composite
def dimension_sizes(draw: st.DrawFn) -> HloCase:
    """A size that is set and read; a sum leaves out the elements behind it."""
    operand = TensorType(draw(some_shapes), draw(computable("iuf").filter(lambda found: found.bits >= 32)))
    dimension = draw(st.integers(0, operand.rank - 1))
    scalar, size = operand.with_shape(()), TensorType((), I32)
    reduced = draw(st.lists(st.integers(0, operand.rank - 1), min_size=1, unique=True))
    if dimension not in reduced:
        reduced.append(dimension)
    kept = operand.with_shape(tuple(n for d, n in enumerate(operand.sizes) if d not in reduced))

    def build(entry: Computation, operands: list[Value]) -> Value:
        bounded = _bounded(operand, dimension)
        cut = entry.op("set-dimension-size", operands, bounded, dimensions([dimension]))
        size_set = entry.op("get-dimension-size", [cut], size, dimensions([dimension]))
        whole = entry.op("get-dimension-size", [operands[0]], size, dimensions([dimension]))
        zero = entry.constant(0, scalar)
        total = entry.op("reduce", [cut, zero], kept, dimensions(reduced), "to_apply=@add.1")
        return entry.pack([total, size_set, whole])

    given = {1: np.array(draw(st.integers(0, operand.sizes[dimension])), np.int32)}
    stated: dict[str, Any] = {"given": given, "flavours": ("small", "small")}
    types, results = [operand, size], [kept, size, size]
    return module(draw, "get-dimension-size", types, results, build, [_sum(scalar)], **stated)


def _sum(scalar: TensorType) -> Computation:
    add = Computation("add.1")
    add.op("add", [add.parameter(scalar), add.parameter(scalar)], scalar)
    return add


@st.composite
def dynamic_reshape(draw: st.DrawFn) -> HloCase:
    """To sizes that fill their bounds; `set-dimension-size` then removes the bounds."""
    operand = TensorType(draw(some_shapes), draw(computable("biufc")))
    target = draw(st.permutations(operand.sizes))
    dynamic = draw(st.integers(0, len(target) - 1))
    result, size = operand.with_shape(tuple(target)), TensorType((), I32)

    def build(entry: Computation, operands: list[Value]) -> Value:
        shaped = entry.op("dynamic-reshape", operands, _bounded(result, dynamic))
        whole = entry.constant(target[dynamic], size)
        return entry.op("set-dimension-size", [shaped, whole], result, dimensions([dynamic]))

    given = {1 + k: np.array(n, np.int32) for k, n in enumerate(target)}
    return module(draw, "dynamic-reshape", [operand, *[size] * len(target)], result, build, given=given)


@st.composite
def scan(draw: st.DrawFn) -> HloCase:
    """Running sums and the like; XLA's expansion reads a first slice, which there must be."""
    shape = draw(st.lists(positive_sizes, min_size=1, max_size=2))
    dimension = draw(st.integers(0, len(shape) - 1))
    operand = TensorType(tuple(shape), draw(computable("iuf").filter(lambda t: t.bits >= 16)))
    slice_ = operand.with_shape(tuple(n for d, n in enumerate(shape) if d != dimension))
    applied = Computation("step.1")
    value, carry = applied.parameter(slice_), applied.parameter(slice_)
    name = draw(st.sampled_from(("add", "maximum", "subtract", "minimum")))
    carried = applied.op(name, [carry, value], slice_)
    output = draw(st.sampled_from((carried, carry, value)))
    if draw(st.booleans()):
        output = applied.op("add", [output, value], slice_)
    applied.root = applied.pack([output, carried])
    flavour: Flavour = "small" if operand.element_type.is_float else "edges"
    attributes = (
        dimensions([dimension]),
        "num_carries=1",
        f"is_reverse={draw(st.sampled_from(('true', 'false')))}",
        "is_associative=false",
        "to_apply=@step.1",
    )
    stated: dict[str, Any] = {"flavours": (flavour, flavour), "computations": [applied]}
    return one(draw, "scan", [operand, slice_], [operand, slice_], *attributes, **stated)


@st.composite
def topk(draw: st.DrawFn) -> HloCase:
    element_type = draw(computable("iuf").filter(lambda found: found.bits >= 8))
    operand = TensorType((*draw(st.lists(sizes, max_size=2)), draw(st.integers(1, 7))), element_type)
    k = draw(st.integers(1, operand.sizes[-1]))
    values = operand.with_shape((*operand.sizes[:-1], k))
    largest = draw(st.sampled_from(("true", "false")))
    results = (values, values.with_element_type(I32))
    return one(draw, "topk", [operand], results, f"k={k}", f"largest={largest}")


@st.composite
def rng_state(draw: st.DrawFn) -> HloCase:
    """The state before the first draw, which is the same in each process, by any operation on it."""
    result = TensorType((2,), ELEMENT_TYPES["ui64"])
    name = draw(st.sampled_from(("negate", "not", "copy", "reverse")))
    attributes = ("dimensions={0}",) if name == "reverse" else ()

    def build(entry: Computation, _: list[Value]) -> Value:
        state = entry.op("rng-get-and-update-state", [], result, f"delta={draw(st.integers(1, 1 << 40))}")
        return entry.op(name, [state], result, *attributes)

    return module(draw, "rng-get-and-update-state", [], result, build)


@st.composite
def all_reduce_in_two_parts(draw: st.DrawFn, opcode: str) -> HloCase:
    """Another instruction lies between both parts."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(("f32", "i32", "f64", "ui8")))]
    found = TensorType(draw(some_shapes), element_type)

    def build(entry: Computation, operands: list[Value]) -> Value:
        start = entry.op("all-reduce-start", operands, found, "replica_groups={}", "to_apply=@add.1")
        other = entry.op("copy", operands, found)
        return entry.pack([entry.op("all-reduce-done", [start], found), other])

    add = _sum(found.with_shape(()))
    return module(draw, opcode, [found], [found, found], build, [add], seed=draw(seeds))


GENERATORS = {
    "mulhi": mulhi(),
    "stochastic-convert": stochastic_convert(),
    "get-dimension-size": dimension_sizes(),
    "dynamic-reshape": dynamic_reshape(),
    "scan": scan(),
    "topk": topk(),
    "rng-get-and-update-state": rng_state(),
    **{name: all_reduce_in_two_parts(name) for name in ("all-reduce-start", "all-reduce-done")},
}
