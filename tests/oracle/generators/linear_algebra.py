"""batch_norm, fft, cholesky, triangular_solve, random numbers, composite and custom_call.

The interpreter refuses most of them; XLA answers for them.
"""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, arguments, integers, seeds, shapes, sizes, typed
from ..values import Array, Flavour, array, element_types

RELATIVE = {"f64": 1e-11, "f32": 1e-4, "bf16": 3e-2, "f16": 1e-2}
"""How exact a result in an element type is, as a part of the largest number."""
FLOATS = tuple(ELEMENT_TYPES[name] for name in RELATIVE)
MATRICES = tuple(ELEMENT_TYPES[name] for name in ("f32", "f64", "complex<f32>", "complex<f64>"))


def relative_error(element_type: ElementType) -> float:
    """How exact a result is, as a part of the largest number."""
    return RELATIVE[element_type.name.removeprefix("complex<").removesuffix(">")]


@st.composite
def _normalized(draw: st.DrawFn) -> tuple[TensorType, TensorType, str]:
    """A tensor, the vector of its features, and the attributes."""
    shape = draw(st.lists(sizes, min_size=1, max_size=4).map(tuple))
    operand = TensorType(shape, draw(st.sampled_from(FLOATS)))
    feature = draw(st.integers(0, operand.rank - 1))
    epsilon = draw(st.sampled_from(("1.000000e-03", "0.5", "1.000000e-05")))
    attributes = f"epsilon = {epsilon} : f32, feature_index = {feature} : i64"
    properties = draw(st.sampled_from((f" <{{{attributes}}}>", f" {{{attributes}}}")))
    return operand, operand.with_shape((shape[feature],)), properties


def _norm_case(
    name: str, types: tuple[TensorType, ...], results: tuple[TensorType, ...], attributes: str, seed: int
) -> Case:
    head = "%r" if len(results) == 1 else f"%r:{len(results)}"
    listed = typed(*results) if len(results) == 1 else f"({typed(*results)})"
    statement = (
        f'{head} = "stablehlo.{name}"({arguments(len(types))}){attributes} : ({typed(*types)}) -> {listed}'
    )
    flavours: tuple[Flavour, ...] = tuple("normal" for _ in types)
    # XLA rounds each step of a small float.
    small = 4 if types[0].element_type.bits == 16 else 1
    relative = small * relative_error(types[0].element_type)
    return Case(statement, types, results, seed, flavours, relative=relative)


def _with_variance(case: Case, number: int) -> Case:
    """Variances are not negative, and small ones make all numbers large."""
    variance = np.abs(array(case.seed, case.types[number], "normal")) + case.types[
        number
    ].element_type.dtype.type(0.5)
    given = {number: np.asarray(variance, case.types[number].element_type.dtype)}
    return Case(
        case.statement, case.types, case.results, case.seed, case.flavours, given, relative=case.relative
    )


@st.composite
def batch_norm_training(draw: st.DrawFn) -> Case:
    operand, vector, attributes = draw(_normalized())
    types, results = (operand, vector, vector), (operand, vector, vector)
    return _norm_case("batch_norm_training", types, results, attributes, draw(seeds))


@st.composite
def batch_norm_inference(draw: st.DrawFn) -> Case:
    operand, vector, attributes = draw(_normalized())
    types = (operand, *(vector,) * 4)
    return _with_variance(_norm_case("batch_norm_inference", types, (operand,), attributes, draw(seeds)), 4)


@st.composite
def batch_norm_grad(draw: st.DrawFn) -> Case:
    operand, vector, attributes = draw(_normalized())
    types, results = (operand, vector, vector, vector, operand), (operand, vector, vector)
    return _with_variance(_norm_case("batch_norm_grad", types, results, attributes, draw(seeds)), 3)


@st.composite
def fft(
    draw: st.DrawFn, part: str = "f64", kinds: tuple[str, ...] = ("FFT", "IFFT", "RFFT"), least: int = 1
) -> Case:
    """Lengths with small and large prime factors."""
    count = draw(st.integers(1, 3))
    length = st.sampled_from((0, 1, 2, 3, 4, 5, 7, 8)).filter(lambda found: found >= least)
    lengths = draw(st.lists(length, min_size=count, max_size=count))
    batch = draw(st.lists(sizes, max_size=1))
    kind = draw(st.sampled_from(kinds))
    real, number = ELEMENT_TYPES[part], ELEMENT_TYPES[f"complex<{part}>"]
    whole = TensorType((*batch, *lengths), number)
    half = TensorType((*batch, *lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0), number)
    signal = TensorType(whole.shape, real)
    operand, result = {
        "FFT": (whole, whole),
        "IFFT": (whole, whole),
        "RFFT": (signal, half),
        "IRFFT": (half, signal),
    }[kind]
    types = f": ({operand}) -> {result}"
    statement = (
        f"%r = stablehlo.fft %a0, type = {kind}, length = {lengths} {types}"
        if draw(st.booleans())
        else f'%r = "stablehlo.fft"(%a0) <{{fft_type = #stablehlo<fft_type {kind}>, fft_length = {integers(lengths)}}}> {types}'
    )
    return Case(
        statement, (operand,), (result,), draw(seeds), ("normal",), relative=relative_error(real) / 10
    )


@st.composite
def _batches(draw: st.DrawFn) -> tuple[tuple[int, ...], ElementType]:
    return draw(st.lists(sizes, max_size=2).map(tuple)), draw(st.sampled_from(MATRICES))


def _normal(seed: int, value_type: TensorType) -> Array:
    return array(seed, value_type, "normal")


@st.composite
def cholesky(draw: st.DrawFn) -> Case:
    """Positive definite or not, with something else in the triangle that is not to be read."""
    batch, element_type = draw(_batches())
    n, seed = draw(st.integers(1, 5)), draw(seeds)
    operand = TensorType((*batch, n, n), element_type)
    lower = draw(st.sampled_from(("true", "false", "")))
    half = _normal(seed, operand)
    a = half @ np.conjugate(np.swapaxes(half, -1, -2)) + np.eye(n)
    a = a * (-1 if draw(st.integers(0, 4)) == 0 else 1)
    junk = np.triu(np.full((n, n), 99), 1) if lower == "true" else np.tril(np.full((n, n), 99), -1)
    given = {0: (np.where(junk == 0, a, junk)).astype(element_type.dtype)}
    stated = f", lower = {lower}" if lower else ""
    statement = f"%r = stablehlo.cholesky %a0{stated} : {operand}"
    if draw(st.booleans()):
        stated = f" <{{lower = {lower}}}>" if lower else ""
        statement = f'%r = "stablehlo.cholesky"(%a0){stated} : ({operand}) -> {operand}'
    relative = relative_error(element_type)
    return Case(statement, (operand,), (operand,), seed, given=given, relative=relative)


@st.composite
def triangular_solve(draw: st.DrawFn) -> Case:
    batch, element_type = draw(_batches())
    n, other, seed = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(seeds)
    left, lower, unit = (draw(st.sampled_from(("true", "false"))) for _ in range(3))
    transpose = draw(st.sampled_from(("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT")))
    a = TensorType((*batch, n, n), element_type)
    b = TensorType((*batch, n, other) if left == "true" else (*batch, other, n), element_type)
    matrix = _normal(seed, a) + 3 * np.eye(n)
    kept = np.tril(np.ones((n, n))) if lower == "true" else np.triu(np.ones((n, n)))
    given = {0: np.where(kept > 0, matrix, 99).astype(element_type.dtype), 1: _normal(seed + 1, b)}
    statement = (
        f'%r = "stablehlo.triangular_solve"(%a0, %a1) <{{left_side = {left}, lower = {lower}, '
        f"transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {unit}}}> : ({a}, {b}) -> {b}"
    )
    relative = 10 * relative_error(element_type)
    return Case(statement, (a, b), (b,), seed, given=given, relative=relative)


@st.composite
def rng_bit_generator(draw: st.DrawFn) -> Case:
    """Bit by bit, with counters that overflow."""
    algorithm = draw(st.sampled_from(("DEFAULT", "THREE_FRY", "PHILOX")))
    length = 2 if algorithm != "PHILOX" else draw(st.sampled_from((2, 3)))
    state = TensorType((length,), ELEMENT_TYPES["ui64"])
    words = st.sampled_from((0, 1, (1 << 64) - 1, (1 << 64) - 3, (1 << 32) - 1)) | st.integers(
        0, (1 << 64) - 1
    )
    values = np.array([draw(words) for _ in range(length)], np.uint64)
    shape = draw(shapes | st.lists(st.integers(1, 9), max_size=2).map(tuple))
    output = TensorType(shape, draw(element_types("iu") | st.sampled_from(FLOATS)))
    both = f": ({state}) -> ({state}, {output})"
    statement = (
        f"%r:2 = stablehlo.rng_bit_generator %a0, algorithm = {algorithm} {both}"
        if draw(st.booleans())
        else f'%r:2 = "stablehlo.rng_bit_generator"(%a0) <{{rng_algorithm = #stablehlo<rng_algorithm {algorithm}>}}> {both}'
    )
    return Case(statement, (state,), (state, output), draw(seeds), given={0: values})


@st.composite
def rng(draw: st.DrawFn) -> Case:
    """Numbers that are no surprise: the only one of an interval, or without any deviation from the mean."""
    element_type = draw(
        st.sampled_from([ELEMENT_TYPES[name] for name in ("i32", "ui32", "i64", "f32", "f64")])
    )
    shape = draw(shapes)
    scalar, result = TensorType((), element_type), TensorType(shape, element_type)
    value = draw(st.integers(0, 9))
    distribution = "UNIFORM" if element_type.is_integer else draw(st.sampled_from(("UNIFORM", "NORMAL")))
    second = 0 if distribution == "NORMAL" else value + element_type.is_integer
    dtype = element_type.dtype
    given = {0: np.array(value, dtype), 1: np.array(second, dtype)}
    extent = TensorType((len(shape),), ELEMENT_TYPES["i64"])
    listed = f"dense<{list(shape)}>" if shape else "dense<>"
    statement = (
        f"%s = stablehlo.constant {listed} : {extent}\n  %r = stablehlo.rng %a0, %a1, %s, "
        f"distribution = {distribution} : ({scalar}, {scalar}, {extent}) -> {result}"
    )
    return Case(statement, (scalar, scalar), (result,), draw(seeds), given=given)


@st.composite
def composite(draw: st.DrawFn) -> Case:
    element_type = draw(element_types("biuf"))
    first, second = (TensorType(draw(shapes), element_type) for _ in range(2))
    types, results = (first, second), (second, first)
    extra = draw(st.sampled_from(("", ", composite_attributes = {k = 1 : i64}", ", version = 2 : i32")))
    both = f": ({typed(*types)}) -> ({typed(*results)})"
    statement = (
        f'%r:2 = stablehlo.composite "ns.swap" %a0, %a1 {{decomposition = @aux_swap{extra}}} {both}'
        if draw(st.booleans())
        else f'%r:2 = "stablehlo.composite"(%a0, %a1) <{{name = "ns.swap", decomposition = @aux_swap{extra}}}> {both}'
    )
    functions = (
        f"func.func private @aux_swap(%x: {first}, %y: {second}) -> ({second}, {first}) {{\n"
        f"  return %y, %x : {second}, {first}\n}}\n"
    )
    return Case(statement, types, results, draw(seeds), functions=functions)


GENERATORS = {
    "stablehlo.batch_norm_training": batch_norm_training(),
    "stablehlo.batch_norm_inference": batch_norm_inference(),
    "stablehlo.batch_norm_grad": batch_norm_grad(),
    "stablehlo.fft": fft(),
    "stablehlo.cholesky": cholesky(),
    "stablehlo.triangular_solve": triangular_solve(),
    "stablehlo.rng_bit_generator": rng_bit_generator(),
    "stablehlo.rng": rng(),
    "stablehlo.composite": composite(),
}
UNSAFE = {
    "stablehlo.fft": st.sampled_from(("f32", "f64")).flatmap(
        lambda part: fft(part, ("FFT", "IFFT", "RFFT", "IRFFT"), least=0)
    )
}
"""Of f32 and of lines without elements the interpreter transforms nothing, and IRFFT it gets wrong."""
REFUSED = frozenset(
    {
        "stablehlo.batch_norm_training",
        "stablehlo.batch_norm_inference",
        "stablehlo.batch_norm_grad",
        "stablehlo.cholesky",
        "stablehlo.rng_bit_generator",
        "stablehlo.rng",
    }
)
"""Ops that the interpreter does not have."""
