"""custom_call: exported CHLO, markers, top-k, and LAPACK as JAX calls it. XLA answers for them."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np
from hypothesis import strategies as st

from hloscope.engine.ir.element_types import ELEMENT_TYPES, F32, I32, ElementType
from hloscope.engine.ir.types import TensorType

from ..cases import Case, seeds, shapes, sizes, typed
from ..values import Flavour, array

PREFIXES = {"f32": "s", "f64": "d", "complex<f32>": "c", "complex<f64>": "z"}
EXPORTED = ("erf", "tan", "asin", "acos", "acosh", "asinh", "atanh", "sinh", "cosh")


@st.composite
def exported(draw: st.DrawFn) -> Case:
    found = TensorType(draw(shapes), ELEMENT_TYPES[draw(st.sampled_from(("f32", "f64")))])
    name = draw(st.sampled_from(EXPORTED))
    statement = (
        f"%r = stablehlo.custom_call @mhlo.{name}(%a0) {{mhlo.attributes = {{}}, mhlo.version = 1 : i64}}"
        f" : ({found}) -> {found}"
    )
    relative = 1e-4 if found.element_type == F32 else 1e-9
    return Case(statement, (found,), (found,), draw(seeds), ("normal",), ulps=64, relative=relative)


@st.composite
def marker(draw: st.DrawFn) -> Case:
    found = TensorType(draw(shapes), ELEMENT_TYPES[draw(st.sampled_from(("f32", "i8", "i1")))])
    name = draw(st.sampled_from(("Sharding", "annotate_device_placement")))
    statement = (
        f'%r = stablehlo.custom_call @{name}(%a0) {{mhlo.sharding = "{{replicated}}"}} : ({found}) -> {found}'
    )
    return Case(statement, (found,), (found,), draw(seeds))


@st.composite
def top_k(draw: st.DrawFn) -> Case:
    """Without ties, which the fallback may take in another order; with initial values that never win."""
    direction = draw(st.sampled_from(("GT", "LT")))
    rows, columns = draw(sizes), draw(st.integers(1, 7))
    k = draw(st.integers(1, columns))
    values, indices = TensorType((rows, columns), F32), TensorType((rows, columns), I32)
    kept = values.with_shape((rows, k)), indices.with_shape((rows, k))
    one, number = values.with_shape(()), indices.with_shape(())
    types = (values, indices, one, number)
    config = (
        "aggregate_to_topk = true, is_fallback = true, recall_target = 0.95 : f32, reduction_dim = 1 : i64, "
        f"reduction_input_size_override = -1 : i64, top_k = {k} : i64"
    )
    statement = (
        f"%r:2 = stablehlo.custom_call @ApproxTopK(%a0, %a1, %a2, %a3) {{called_computations = [@aux_before], "
        f"mhlo.backend_config = {{{config}}}}} : ({typed(*types)}) -> ({typed(*kept)})"
    )
    functions = (
        f"func.func private @aux_before(%x: {one}, %y: {one}, %i: {number}, %j: {number}) -> tensor<i1> {{\n"
        f"  %0 = stablehlo.compare {direction}, %x, %y, TOTALORDER : ({one}, {one}) -> tensor<i1>\n"
        "  return %0 : tensor<i1>\n}\n"
    )
    given = {2: np.array(-np.inf if direction == "GT" else np.inf, np.float32)}
    flavours: tuple[Flavour, ...] = ("normal", "small", "small", "small")
    return Case(statement, types, kept, draw(seeds), flavours, given, functions)


@st.composite
def lapack(draw: st.DrawFn) -> Case:
    """One routine of LAPACK on a batch of matrices; of overwritten operands nothing is compared."""
    element_type = ELEMENT_TYPES[draw(st.sampled_from(tuple(PREFIXES)))]
    batch = draw(st.lists(sizes, max_size=1).map(tuple))
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    name = draw(st.sampled_from(sorted(_ROUTINES)))
    return _ROUTINES[name](element_type, batch, rows, columns, draw(seeds), draw(st.booleans()))


def _call(
    target: str,
    operands: Sequence[TensorType],
    results: Sequence[TensorType],
    config: str,
    seed: int,
    shifted: bool = False,
    compared: int | None = None,
) -> Case:
    """`shifted`: the first operand has a heavy diagonal. `compared`: the only result that says something."""
    first = operands[0].element_type
    batch = results[-1].rank if results[-1].element_type == I32 else operands[0].rank - 2
    head = "%r" if len(results) == 1 else f"%r:{len(results)}"
    head = head if compared is None else f"%all:{len(results)}"
    arguments = ", ".join(f"%a{k}" for k in range(len(operands)))
    layouts = [
        f"{kind}_layouts = [{', '.join(_layout(found, batch) for found in types)}]"
        for kind, types in (("operand", operands), ("result", results))
    ]
    listed = typed(*results) if len(results) == 1 else f"({typed(*results)})"
    statement = (
        f'{head} = stablehlo.custom_call @lapack_{PREFIXES[first.name]}{target}_ffi({arguments}) {{backend_config = "", '
        f"mhlo.backend_config = {{{config}}}, {', '.join(layouts)}}} : ({typed(*operands)}) -> {listed}"
    )
    if compared is not None:
        results = [results[compared]]
        statement += f"\n  %r = stablehlo.add %all#{compared}, %all#{compared} : {results[0]}"
    given = {number: array(seed + number, found, "normal") for number, found in enumerate(operands)}
    if shifted:
        given[0] = (given[0] + 4 * np.eye(operands[0].sizes[-1])).astype(first.dtype)
    relative = 2e-3 if first.bits == 32 or first.name == "complex<f32>" else 1e-8
    return Case(statement, tuple(operands), tuple(results), seed, given=given, relative=relative)


def _layout(found: TensorType, batch: int) -> str:
    """Columns of a matrix lie one after another; `batch` is the rank of the batch."""
    order = list(range(found.rank))[::-1]
    if found.rank - batch == 2:
        order[:2] = order[1], order[0]
    return f"dense<{order if order else ''}> : tensor<{found.rank}xindex>"


Batch = tuple[int, ...]


def _types(element_type: ElementType, batch: Batch, *shapes: Batch) -> list[TensorType]:
    return [TensorType((*batch, *shape), element_type) for shape in shapes]


def _code(name: str, letter: str) -> str:
    return f"{name} = {ord(letter)} : ui8"


def _real(element_type: ElementType) -> ElementType:
    return ELEMENT_TYPES[element_type.name.removeprefix("complex<").removesuffix(">")]


def _potrf(t: ElementType, batch: Batch, n: int, _: int, seed: int, lower: bool) -> Case:
    (a,) = _types(t, batch, (n, n))
    info = TensorType(batch, I32)
    return _call("potrf", [a], [a, info], _code("uplo", "L" if lower else "U"), seed)


def _getrf(t: ElementType, batch: Batch, m: int, n: int, seed: int, _: bool) -> Case:
    (a,) = _types(t, batch, (m, n))
    return _call("getrf", [a], [a, TensorType((*batch, min(m, n)), I32), TensorType(batch, I32)], "", seed)


def _geqrf(t: ElementType, batch: Batch, m: int, n: int, seed: int, _: bool) -> Case:
    a, tau = _types(t, batch, (m, n), (min(m, n),))
    return _call("geqrf", [a], [a, tau], "", seed)


def _orgqr(t: ElementType, batch: Batch, m: int, n: int, seed: int, _: bool) -> Case:
    a, tau = _types(t, batch, (max(m, n), min(m, n)), (min(m, n),))
    return _call("ungqr" if t.is_complex else "orgqr", [a, tau], [a], "", seed)


def _trsm(t: ElementType, batch: Batch, n: int, m: int, seed: int, left: bool) -> Case:
    a, b = _types(t, batch, (n, n), (n, m) if left else (m, n))
    choose = Random(seed).choice
    chosen = "L" if left else "R", choose("LU"), choose("NTC"), choose("NU")
    letters = zip(("side", "uplo", "trans_x", "diag"), chosen, strict=True)
    return _call("trsm", [a, b], [b], ", ".join(_code(*pair) for pair in letters), seed, shifted=True)


def _syevd(t: ElementType, batch: Batch, n: int, _: int, seed: int, lower: bool) -> Case:
    (a,) = _types(t, batch, (n, n))
    results = [a, TensorType((*batch, n), _real(t)), TensorType(batch, I32)]
    config = f"{_code('mode', 'V')}, {_code('uplo', 'L' if lower else 'U')}"
    return _call("heevd" if t.is_complex else "syevd", [a], results, config, seed, compared=1)


def _gesdd(t: ElementType, batch: Batch, m: int, n: int, seed: int, thin: bool) -> Case:
    few = min(m, n)
    a, u, vt = _types(t, batch, (m, n), (m, few if thin else m), (few if thin else n, n))
    results = [a, TensorType((*batch, few), _real(t)), u, vt, TensorType(batch, I32)]
    return _call("gesdd", [a], results, _code("mode", "S" if thin else "A"), seed, compared=1)


def _gehrd(t: ElementType, batch: Batch, n: int, _: int, seed: int, __: bool) -> Case:
    n = n + 1
    a, tau = _types(t, batch, (n, n), (n - 1,))
    config = f"low = 1 : i32, high = {n} : i32"
    return _call("gehrd", [a], [a, tau, TensorType(batch, I32)], config, seed)


def _gtsv(t: ElementType, batch: Batch, n: int, m: int, seed: int, _: bool) -> Case:
    d, b = _types(t, batch, (n + 2,), (n + 2, m))
    return _call("gtsv", [d, d, d, b], [d, d, d, b, TensorType(batch, I32)], "", seed, compared=3)


_ROUTINES = {
    "potrf": _potrf,
    "getrf": _getrf,
    "geqrf": _geqrf,
    "orgqr": _orgqr,
    "trsm": _trsm,
    "syevd": _syevd,
    "gesdd": _gesdd,
    "gehrd": _gehrd,
    "gtsv": _gtsv,
}

GENERATORS = {"stablehlo.custom_call": st.one_of(exported(), marker(), top_k(), lapack(), lapack())}
REFUSED = frozenset(GENERATORS)
"""The interpreter has no custom_call at all."""
