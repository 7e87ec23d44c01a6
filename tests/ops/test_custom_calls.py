"""custom_call: what its targets compute, and how a run stops at those that nothing is known of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import RunError, UnboundResults
from hloscope.engine.frontend import load
from hloscope.engine.ir.attributes import (
    Attribute,
    BoolAttribute,
    DictionaryAttribute,
    IntegerAttribute,
    StringAttribute,
)
from hloscope.engine.ir.element_types import I32
from hloscope.engine.ir.module import Module
from hloscope.engine.ir.types import MemrefType, ScalarType, TensorType, TokenType, TupleType, Type
from hloscope.engine.ops.core.op import Array, Ask, AskingOp, CallFunction
from hloscope.engine.ops.custom_calls import TARGETS, CustomCall
from hloscope.engine.source import Source
from tests.debugger.programs import recorded
from tests.each import for_each
from tests.programs import load_program

from .running import broken, tensor, type_of


def _attribute(value: Any) -> Attribute:
    if isinstance(value, bool):
        return BoolAttribute(value)
    number = ord(value) if isinstance(value, str) else value
    return IntegerAttribute(number, ScalarType(I32))


def call(target: str, operands: list[Array], results: list[Type], **settings: Any) -> CustomCall:
    config = DictionaryAttribute({name: _attribute(value) for name, value in settings.items()})
    types = tuple(type_of(operand) for operand in operands)
    return CustomCall(types, target, tuple(results), attributes={"mhlo.backend_config": config})


def run(target: str, operands: list[Array], results: list[Type], **settings: Any) -> tuple[Array, ...]:
    op = call(target, operands, results, **settings)
    assert broken(op) is None
    linked = op.link(Module(()))
    found = linked.begin(tuple(operands)) if isinstance(linked, AskingOp) else linked.evaluate(*operands)
    assert not isinstance(found, Ask)
    return found if isinstance(found, tuple) else (found,)


PREFIXES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
EVERY_TYPE = for_each("prefix", sorted(PREFIXES))
EVERY_BATCH = for_each("batch", [(), (2, 2), (0,)])
Batch = tuple[int, ...]


def normal(prefix: str, *shape: int, seed: int = 0) -> Array:
    random = np.random.default_rng(seed)
    found: Array = random.standard_normal(shape)
    if prefix in "cz":
        found = found + 1j * random.standard_normal(shape)
    return found.astype(PREFIXES[prefix])


def kind(prefix: str, *shape: int) -> TensorType:
    return type_of(np.zeros(shape, PREFIXES[prefix]))


def real(prefix: str, *shape: int) -> TensorType:
    return tensor(shape, "f32" if prefix in "sc" else "f64")


def numbers(prefix: str, *shape: int) -> TensorType:
    return tensor(shape, "complex<f32>" if prefix in "sc" else "complex<f64>")


def whole(*shape: int) -> TensorType:
    return tensor(shape, "i32")


def adjoint(a: Array) -> Array:
    return np.conjugate(np.swapaxes(a, -1, -2))


def assert_close(found: Array, wanted: Array, prefix: str) -> None:
    np.testing.assert_allclose(found, wanted, atol=2e-4 if prefix in "sc" else 1e-10)


def test_potrf_says_which_minor_is_not_positive() -> None:
    a = np.diag([1.0, -1.0, 1.0])
    _, info = run("lapack_dpotrf_ffi", [a], [type_of(a), whole()], uplo="L")
    assert info == 2


@EVERY_TYPE
@EVERY_BATCH
@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4)])
def test_getrf_and_the_permutation_of_its_pivots(prefix: str, batch: Batch, shape: Batch) -> None:
    a, few = normal(prefix, *batch, *shape), min(shape)
    lu, pivots, info = run(f"lapack_{prefix}getrf_ffi", [a], [type_of(a), whole(*batch, few), whole(*batch)])
    assert not info.any()
    assert np.all(pivots >= 1)
    target = "cu_lu_pivots_to_permutation"
    (order,) = run(target, [pivots - np.int32(1)], [whole(*batch, shape[0])])
    lower = np.tril(lu[..., :few], -1) + np.eye(shape[0], few)
    permuted = np.take_along_axis(a, order[..., None].astype(np.int64), -2)
    assert_close(lower @ np.triu(lu[..., :few, :]), permuted, prefix)
    again = run("LuDecomposition", [a], [type_of(a), whole(*batch, few), whole(*batch, shape[0])])
    for left, right in zip(again, (lu, pivots - 1, order), strict=True):
        np.testing.assert_array_equal(left, right)


@EVERY_TYPE
@EVERY_BATCH
@pytest.mark.parametrize("shape", [(3, 3), (4, 2)])
def test_geqrf_orgqr_and_ormqr(prefix: str, batch: Batch, shape: Batch) -> None:
    a = normal(prefix, *batch, *shape)
    found, tau = run(f"lapack_{prefix}geqrf_ffi", [a], [type_of(a), kind(prefix, *batch, shape[1])])
    name = "un" if prefix in "cz" else "or"
    (q,) = run(f"lapack_{prefix}{name}gqr_ffi", [found, tau], [type_of(a)])
    assert_close(q @ np.triu(found[..., : shape[1], :]), a, prefix)
    assert_close(adjoint(q) @ q, np.broadcast_to(np.eye(shape[1]), (*batch, shape[1], shape[1])), prefix)
    for left, transpose in ((True, False), (True, True), (False, False), (False, True)):
        c = normal(prefix, *batch, *((shape[0], 2) if left else (2, shape[0])), seed=1)
        target = f"lapack_{prefix}{name}mqr_ffi"
        (product,) = run(target, [found, tau, c], [type_of(c)], left=left, transpose=transpose)
        # Undone, it gives back what there was.
        (again,) = run(target, [found, tau, product], [type_of(c)], left=left, transpose=not transpose)
        assert_close(again, c, prefix)
        if left and transpose:
            assert_close(product[..., : shape[1], :], adjoint(q) @ c, prefix)


@EVERY_TYPE
@pytest.mark.parametrize("pivots", [[0, 0, 0], [0, 1, 0], [0, 0, 5], [1, 1, 1]])
@pytest.mark.parametrize("rows", [4, 2])
def test_geqp3_keeps_columns_in_front_that_are_marked(prefix: str, pivots: list[int], rows: int) -> None:
    a = normal(prefix, rows, 3)
    few = min(rows, 3)
    found, order, tau = run(
        f"lapack_{prefix}geqp3_ffi",
        [a, np.array(pivots, np.int32)],
        [type_of(a), whole(3), kind(prefix, few)],
    )
    name = "un" if prefix in "cz" else "or"
    reflections = np.ascontiguousarray(found[:, :few])
    (q,) = run(f"lapack_{prefix}{name}gqr_ffi", [reflections, tau], [kind(prefix, rows, few)])
    assert_close(q @ np.triu(found[:few]), a[:, order - 1], prefix)
    count = sum(map(bool, pivots))
    assert set(order[:count] - 1) == {k for k, pivot in enumerate(pivots) if pivot}
    diagonal = np.abs(np.diag(found))[count:few]
    assert np.all(diagonal[:-1] >= diagonal[1:] - 1e-4)


@EVERY_TYPE
@EVERY_BATCH
@pytest.mark.parametrize("routine", ["gesdd", "gesvd"])
@pytest.mark.parametrize(("mode", "shape"), [("A", (3, 2)), ("S", (2, 4)), ("N", (2, 2))])
def test_singular_values(prefix: str, batch: Batch, routine: str, mode: str, shape: Batch) -> None:
    a, (rows, columns), few = normal(prefix, *batch, *shape), shape, min(shape)
    u_shape, vt_shape = ((rows, few), (few, columns)) if mode == "S" else ((rows, rows), (columns, columns))
    results: list[Type] = [
        type_of(a),
        real(prefix, *batch, few),
        kind(prefix, *batch, *u_shape),
        kind(prefix, *batch, *vt_shape),
        whole(*batch),
    ]
    _, s, u, vt, info = run(f"lapack_{prefix}{routine}_ffi", [a], results, mode=mode)
    assert not info.any()
    assert_close(s, np.linalg.svd(a, compute_uv=False), prefix)
    if mode != "N":
        assert_close((u[..., :few] * s[..., None, :]) @ vt[..., :few, :], a, prefix)


@EVERY_TYPE
@EVERY_BATCH
@pytest.mark.parametrize(("mode", "uplo"), [("V", "L"), ("V", "U"), ("N", "L")])
def test_symmetric_eigenvalues(prefix: str, batch: Batch, mode: str, uplo: str) -> None:
    half = normal(prefix, *batch, 3, 3)
    a = half + adjoint(half)
    given = np.tril(a) if uplo == "L" else np.triu(a)
    results: list[Type] = [type_of(a), real(prefix, *batch, 3), whole(*batch)]
    name = "heevd" if prefix in "cz" else "syevd"
    vectors, values, info = run(f"lapack_{prefix}{name}_ffi", [given], results, mode=mode, uplo=uplo)
    assert not info.any()
    assert_close(values, np.linalg.eigvalsh(a), prefix)
    if mode == "V":
        assert_close(a @ vectors, vectors * values[..., None, :], prefix)


def test_eigh_has_its_settings_as_text() -> None:
    a = np.array([[2.0, 1.0], [5.0, 2.0]])
    for config, beside in (("1,1,100,1e-6", 5.0), ("0,1,100,1e-6", 1.0)):
        op = CustomCall(
            (type_of(a),), "Eigh", (type_of(a), tensor((2,), "f64")), backend_config=StringAttribute(config)
        )
        found = op.begin((a,))
        assert not isinstance(found, Ask)
        np.testing.assert_allclose(found[1], [2 - beside, 2 + beside])


@EVERY_TYPE
@EVERY_BATCH
def test_eigenvalues(prefix: str, batch: Batch) -> None:
    a = normal(prefix, *batch, 4, 4, seed=3)
    parts = 1 if prefix in "cz" else 2
    vectors = numbers(prefix, *batch, 4, 4)
    results: list[Type] = [*[kind(prefix, *batch, 4)] * parts, vectors, vectors, whole(*batch)]
    target = f"lapack_{prefix}geev_ffi"
    *values, left, right, info = run(target, [a], results, compute_left="V", compute_right="V")
    w = values[0] if parts == 1 else values[0] + 1j * values[1]
    assert not info.any()
    assert_close(a @ right, right * w[..., None, :], prefix)
    assert_close(adjoint(left) @ a, w[..., :, None] * adjoint(left), prefix)
    found = run(target, [a], results, compute_left="N", compute_right="N")
    assert_close(found[0], values[0], prefix)


@EVERY_TYPE
@EVERY_BATCH
def test_the_schur_form(prefix: str, batch: Batch) -> None:
    a = normal(prefix, *batch, 4, 4)
    parts = 1 if prefix in "cz" else 2
    results: list[Type] = [
        *[type_of(a)] * 2,
        *[kind(prefix, *batch, 4)] * parts,
        *[whole(*batch)] * 2,
    ]
    form, vectors, *_, info = run(f"lapack_{prefix}gees_ffi", [a], results, mode="V", sort="N")
    assert not info.any()
    assert_close(vectors @ form @ adjoint(vectors), a, prefix)


@EVERY_TYPE
@EVERY_BATCH
def test_hessenberg_and_tridiagonal_forms_keep_the_eigenvalues(prefix: str, batch: Batch) -> None:
    a = normal(prefix, *batch, 4, 4)
    results: list[Type] = [type_of(a), kind(prefix, *batch, 3), whole(*batch)]
    form, _, info = run(f"lapack_{prefix}gehrd_ffi", [a], results, low=1, high=4)
    assert not info.any()
    assert_close(np.linalg.det(np.triu(form, -1)), np.linalg.det(a), prefix)
    symmetric = a + adjoint(a)
    name = "hetrd" if prefix in "cz" else "sytrd"
    results = [
        type_of(a),
        real(prefix, *batch, 4),
        real(prefix, *batch, 3),
        kind(prefix, *batch, 3),
        whole(*batch),
    ]
    _, diagonal, beside, _, info = run(f"lapack_{prefix}{name}_ffi", [symmetric], results, uplo="L")
    assert not info.any()
    for index in np.ndindex(batch):
        form = np.diag(diagonal[index]) + np.diag(beside[index], 1) + np.diag(beside[index], -1)
        assert_close(np.linalg.eigvalsh(form), np.linalg.eigvalsh(symmetric[index]), prefix)


def test_matrices_without_elements() -> None:
    a = np.zeros((2, 0, 3))
    results: list[Type] = [
        type_of(a),
        tensor((2, 0), "f64"),
        tensor((2, 0, 0), "f64"),
        tensor((2, 3, 3), "f64"),
        whole(2),
    ]
    _, s, _, vt, _ = run("lapack_dgesdd_ffi", [a], results, mode="A")
    assert s.shape == (2, 0)
    assert vt[1].tolist() == np.eye(3).tolist()


@for_each(
    ("target", "operands", "results", "message"),
    [
        ("lapack_spotrf_ffi", [(2, 3)], 2, "takes square matrices, not 2 by 3"),
        ("lapack_dpotrf_ffi", [(2, 2)], 2, "takes float64 elements, not float32"),
        ("lapack_spotrf_ffi", [(2, 2), (2, 2)], 2, "takes 1 operands, not 2"),
        ("lapack_spotrf_ffi", [(2,)], 2, "operand 0 must have rank 2 or more, not tensor<2xf32>"),
        ("lapack_sgeqrf_ffi", [(2, 2)], 3, "gives 2 results, but 3 are stated"),
        ("lapack_sorgqr_ffi", [(2, 3), (2,)], 1, "2 reflections for a matrix of 2 by 3"),
        ("lapack_sorgqr_ffi", [(1, 3, 2), (2, 2)], 1, "operands are batches of different shapes"),
        ("lapack_strsm_ffi", [(2, 2), (3, 2)], 1, "a has size 2, but the matrices of b have 3 rows"),
        ("lapack_sgtsv_ffi", [(2,), (3,), (3,), (3, 1)], 5, "diagonals of different sizes"),
        ("lapack_sormqr_ffi", [(2, 2), (2,), (3, 3)], 1, "2 reflections of size 2 for size 3"),
        ("TopK", [()], 2, "operand 0 must have rank 1 or more"),
        ("CreateBuffer", [], 1, "makes a buffer of a known shape"),
    ],
)
def test_operands_that_do_not_fit_stop_the_run(
    target: str, operands: list[Batch], results: int, message: str
) -> None:
    arrays: list[Array] = [np.ones(shape, np.float32) for shape in operands]
    with pytest.raises(RunError, match=message):
        run(target, arrays, [tensor((2, 2))] * results)


def test_results_of_another_type_than_stated_stop_the_run() -> None:
    a = np.eye(2, dtype=np.float32)
    with pytest.raises(
        RunError, match=r"^result 0 of @lapack_spotrf_ffi is float32\[2, 2\], not tensor<3x2xf32>$"
    ):
        run("lapack_spotrf_ffi", [a], [tensor((3, 2)), whole()])
    (found, _) = run("lapack_spotrf_ffi", [a], [tensor((None, 2)), whole()])
    assert found.shape == (2, 2)


@pytest.mark.parametrize(
    ("largest", "values", "indices"),
    [(True, [np.nan, 3, 3], [2, 1, 3]), (False, [-np.nan, 1, 2], [4, 0, 5])],
)
def test_top_k_is_in_total_order(largest: bool, values: list[float], indices: list[int]) -> None:
    operand = np.array([1, 3, np.nan, 3, -np.nan, 2], np.float32)
    for target in ("TopK", "mhlo.topk"):
        found, places = run(target, [operand], [tensor((3,)), whole(3)], k=3, largest=largest)
        np.testing.assert_array_equal(found, values)
        assert places.tolist() == indices
    narrow = np.array([-2, 1, -1, 0]).astype(tensor((), "i2").element_type.dtype)
    found, _ = run("TopK", [narrow], [tensor((2,), "i2"), whole(2)])
    assert found.astype(int).tolist() == [1, 0]


def _comparator(op: CustomCall, operands: tuple[Array, ...], direction: str) -> tuple[Array, ...]:
    """What a run does: answers the calls."""
    step = op.begin(operands)
    while isinstance(step, Ask):
        assert isinstance(step.request, CallFunction)
        left, right = step.request.arguments[:2]
        step = op.resume(step.state, (np.asarray(left > right if direction == "GT" else left < right),))
    return step


@pytest.mark.parametrize("direction", ["GT", "LT"])
def test_approximate_top_k_asks_its_comparator(direction: str) -> None:
    values = np.array([[1, 3], [9, 0], [5, 2]], np.int32)
    places = np.repeat(np.arange(3, dtype=np.int32)[:, None], 2, 1)
    zero = np.int32(0)
    operands = (values, places, np.asarray(zero), np.asarray(zero))
    config = DictionaryAttribute({"top_k": _attribute(2), "reduction_dim": _attribute(0)})
    types = tuple(map(type_of, operands))
    op = CustomCall(
        types,
        "ApproxTopK",
        (whole(2, 2),) * 2,
        called_computations=("f",),
        attributes={"mhlo.backend_config": config},
    )
    assert [callee.name for callee in op.callees()] == ["f"]
    found, order = _comparator(op, operands, direction)
    assert found[:, 0].tolist() == ([9, 5] if direction == "GT" else [1, 5])
    assert found[:, 1].tolist() == ([3, 2] if direction == "GT" else [0, 2])
    assert order[:, 1].tolist() == ([0, 2] if direction == "GT" else [1, 2])
    neither = op.begin(operands)
    assert isinstance(neither, Ask)
    again = op.resume(neither.state, (np.asarray(False),))
    assert isinstance(again, Ask)
    with pytest.raises(RunError, match="@f puts neither 1 before 0 nor 0 before 1"):
        op.resume(again.state, (np.asarray(False),))


MARKERS = [name for name in TARGETS if "hard" in name or "SPMD" in name or "place" in name or "sdy" in name]
MARKERS.remove("xla.sdy.ShardingGroup")


@pytest.mark.parametrize("target", MARKERS)
def test_markers_hand_on_their_operands(target: str) -> None:
    value = np.arange(3, dtype=np.float32)
    (found,) = run(target, [value], [type_of(value)])
    assert found is value
    (there,) = call(target, [value], [type_of(value)]).index_maps()
    (back,) = call(target, [value], [type_of(value)]).inverse_index_maps()
    assert there == back


def test_parts_of_which_nothing_is_known_are_not_made() -> None:
    value = np.arange(4, dtype=np.float32)
    with pytest.raises(RunError, match=r"goes between \[4\] and \[2\], but no sharding says how"):
        run("SPMDFullToShardShape", [value], [tensor((2,))])
    assert run("xla.sdy.ShardingGroup", [value], []) == ()


def test_a_log_hands_on_the_values_that_it_has_results_for() -> None:
    value = np.arange(4, dtype=np.float32)
    assert run("xla.debug.Log", [value], []) == ()
    (found,) = run("xla.debug.Log", [value], [type_of(value)])
    assert found is value
    (found,) = run("xla.debug.Log", [value], [TokenType()])
    assert found.size == 0
    with pytest.raises(RunError, match="gives tokens, or the values that it logs"):
        run("xla.debug.Log", [value], [tensor((2,))])


def test_buffers_are_filled_pinned_and_unpinned() -> None:
    buffer = MemrefType((2, 3), tensor(()).element_type)
    made = CustomCall((), "CreateBuffer", (buffer,), api_version=4).begin(())
    assert not isinstance(made, Ask)
    assert made[0].shape == (2, 3)
    value = np.ones((2, 3), np.float32)
    for target, there in (("Pin", buffer), ("Unpin", type_of(value))):
        found = CustomCall((type_of(value),), target, (there,), api_version=4).begin((value,))
        assert found == (value,)


def test_exported_ops_are_computed_by_the_op() -> None:
    value = np.array([0.5, -1], np.float64)
    (found,) = run("mhlo.asin", [value], [type_of(value)])
    np.testing.assert_allclose(found, np.arcsin(value))
    with pytest.raises(RunError, match=r"^@mhlo.asin: operand must hold floating-point"):
        run("mhlo.asin", [np.arange(2)], [tensor((2,), "i64")])
    with pytest.raises(UnboundResults, match="calls code outside of the program"):
        run("mhlo.nothing", [value], [type_of(value)])


def test_the_kernel_of_a_device_is_named() -> None:
    value = np.ones(2, np.float32)
    with pytest.raises(
        UnboundResults, match=r"of the program: a Mosaic kernel, as Pallas makes them for TPUs"
    ) as raised:
        run("tpu_custom_call", [value], [type_of(value)])
    assert (
        raised.value.hint
        == "record the program by XLA on such a device, or bind values for its results to continue"
    )


def test_assertions_about_shapes() -> None:
    ok, size = np.asarray(True), np.asarray(5, np.int32)
    message = StringAttribute("the size {0} is not {1}")
    for value in (True, False):
        op = CustomCall(
            (type_of(ok), type_of(size), type_of(size)),
            "shape_assertion",
            (),
            attributes={"error_message": message},
        )
        if value:
            assert op.begin((ok, size, size)) == ()
        else:
            with pytest.raises(RunError, match=r"^the program's assertion fails: the size 5 is not 5$"):
                op.begin((~ok, size, size))


def test_three_fry_as_a_call() -> None:
    words = [np.zeros((1,), np.uint32)] * 4
    found = run("cu_threefry2x32_ffi", words, [tensor((1,), "ui32")] * 2)
    assert [int(word[0]) for word in found] == [0x6B200159, 0x99BA4EFE]


PROGRAM = """func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @foo(%a) {has_side_effect = true} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


def test_an_unknown_target_stops_the_run_and_says_so() -> None:
    program = load_program(PROGRAM)
    state = Recording(program, [np.ones(2, np.float32)]).record()
    assert state.kind == "failed"
    assert state.diagnostic
    assert state.diagnostic.text == (
        "op 'stablehlo.custom_call': custom_call @foo calls code outside of the program"
    )
    assert state.diagnostic.hint == "bind values for its results to continue"


def _diagnostics(target: str, attribute: str) -> list[tuple[str, str]]:
    text = PROGRAM.replace("@foo", f'@"{target}"').replace("has_side_effect = true", attribute)
    return [(found.kind, found.message) for found in load(Source(text)).diagnostics]


@pytest.mark.parametrize(
    ("target", "attribute", "message"),
    [
        ("__cudnn$convForward", 'window_strides = "two"', "attribute 'window_strides': expected a list"),
        ("__cudnn$convForward", "dimension_numbers = 3 : i64", "expected #stablehlo.conv<…>"),
        ("foo", 'indices_of_shape_operands = "x"', "'indices_of_shape_operands': expected a list"),
    ],
)
def test_attributes_that_a_target_reads_are_checked(target: str, attribute: str, message: str) -> None:
    ((kind, found),) = _diagnostics(target, attribute)
    assert kind == "constraint"
    assert message in found


def test_long_lists_of_what_a_target_reads_are_refused() -> None:
    ((kind, message),) = _diagnostics("__cudnn$convForward", "padding = dense<0> : tensor<1000000x2xi64>")
    assert (kind, message.split(";")[0]) == ("limit", "attribute 'padding' lists 2,000,000 numbers")


def test_attributes_of_other_targets_say_nothing_about_convolutions() -> None:
    assert _diagnostics("foo", 'window_strides = "two"') == []


COMPARATOR = """func.func @main(%a: tensor<1x4xf32>, %i: tensor<1x4xi32>) -> (tensor<1x2xf32>, tensor<1x2xi32>) {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %k = stablehlo.constant dense<-1> : tensor<i32>
  %r:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %c, %k) {called_computations = [@before], mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64}} : (tensor<1x4xf32>, tensor<1x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<1x2xf32>, tensor<1x2xi32>)
  return %r#0, %r#1 : tensor<1x2xf32>, tensor<1x2xi32>
}
func.func private @before(%x: tensor<f32>, %y: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %0 : tensor<i1>
}
"""


def test_a_comparator_is_a_function_of_the_module() -> None:
    """JAX ends it as if it were a region."""
    program = load_program(COMPARATOR)
    inputs = [np.array([[3, 1, 4, 2]], np.float32), np.arange(4, dtype=np.int32)[None]]
    recording = recorded(program, inputs)
    results = recording.results()
    assert results is not None
    assert [value.tolist() for value in results] == [[[4, 3]], [[2, 0]]]
    wrong = load(Source(COMPARATOR.replace("[@before]", "[@after]")))
    assert [found.message for found in wrong.diagnostics] == ["calls @after, which is not defined"]


def test_attributes_that_are_added_are_no_properties() -> None:
    """The op reads `mhlo.backend_config`, but MLIR prints it beside the properties."""
    loaded = load(Source(COMPARATOR))
    assert loaded.module is not None
    call = loaded.module.functions[0].body.block.operations[2]  # type: ignore[union-attr]
    assert set(call.properties) == {"call_target_name", "called_computations"}
    assert set(call.attributes) == {"mhlo.backend_config"}


@for_each("target", sorted(TARGETS))
def test_maps_and_cost_of_types_that_do_not_fit(target: str) -> None:
    """The interface asks before any run says what is wrong."""
    unknown, scalar, cube = tensor((None, 2)), tensor(()), tensor((2, 3, 4), "i8")
    for inputs in ((), (unknown,), (scalar,) * 5, (cube, scalar), (cube, unknown, cube)):
        for results in ((), (unknown, cube), (cube, scalar, unknown), (TupleType((scalar, cube)),)):
            op = CustomCall(inputs, target, results)
            assert op.cost(inputs, results).flops >= 0
            for found in (*op.index_maps(), *op.inverse_index_maps()):
                assert found.operand < len(inputs)


@pytest.mark.parametrize(
    ("target", "operands", "message"),
    [
        ("lapack_dgeqp3_ffi", [np.ones((2, 2)), np.zeros(1, np.int32)], "1 pivots for 2 columns"),
        ("TopK", [np.ones(3, np.complex64)], "takes real numbers, not complex64"),
        ("ApproxTopK", [np.ones(3, np.complex64), np.complex64(0)], "takes real numbers, not complex64"),
        ("cu_lu_pivots_to_permutation", [np.ones(3)], "takes signed integers, not float64"),
        ("lapack_dtrsm_ffi", [np.ones((2, 2)), np.ones((2, 2)), np.ones(2)], "the scale must be a scalar"),
    ],
)
def test_operands_of_other_kinds_stop_the_run(target: str, operands: list[Any], message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(target, list(map(np.asarray, operands)), [tensor((2,)), whole(2)], reduction_dim=0)


def test_the_factors_in_one_matrix_have_bounds_of_their_own() -> None:
    """The numbers below the diagonal of an LU decomposition are at most 1, whatever the size of the others."""
    a = np.random.default_rng(0).normal(size=(5, 5)).astype(np.float32) * np.float32(1e7)
    types: list[Type] = [type_of(a), whole(5), whole()]
    op = call("lapack_sgetrf_ffi", [a], types)
    results = run("lapack_sgetrf_ffi", [a], types)
    packed = op.rounding.error_bound(op, (a,), (np.zeros(()),), tuple(results))[0]
    below = np.tri(5, k=-1, dtype=bool)
    assert packed[below].max() < 1e-4
    assert 1 < packed[~below].max() < 1e4
