"""custom_call: cuDNN's fused attention, against its definition row by row, and its gradients against differences."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError, UnboundResults
from hloscope.engine.indexing.evaluation.bound_map import BoundMap
from hloscope.engine.ir.attributes import StringAttribute
from hloscope.engine.ir.types import TupleType, Type
from hloscope.engine.ops.core.op import Array
from hloscope.engine.ops.custom_calls import CustomCall

from .cases import Case
from .running import tensor, type_of
from .test_custom_calls_gpu import begun, normal

WORKSPACE = tensor((0,), "ui8")
SCALE = 0.5
BATCH, HEADS, ROWS, COLUMNS, FEATURES, WIDTH = 2, 2, 3, 4, 2, 2


@dataclass(frozen=True)
class Attention:
    """Calls of an attention; arrays have heads first here: [batch, heads, rows, features]."""

    mask: str = "NO_MASK"
    heads_first: bool = False
    key_heads: int = HEADS
    bias: Array | None = None
    lengths: tuple[Array, ...] = ()
    window: int = 0
    more: dict[str, Any] = field(default_factory=dict)

    @property
    def operands(self) -> tuple[Array, Array, Array]:
        """Q, K and V in f64, for differences."""
        keys = BATCH, self.key_heads, COLUMNS
        shapes = (BATCH, HEADS, ROWS, FEATURES), (*keys, FEATURES), (*keys, WIDTH)
        q, k, v = (normal(*shape, seed=seed, dtype=np.float64) for seed, shape in enumerate(shapes))
        return q, k, v

    def settings(self, product: str) -> str:
        batch = ["0", "1"] if self.heads_first else ["0", "2"]
        numbers = {"lhs_batch_dimensions": batch, "rhs_batch_dimensions": batch}
        stated = {
            "fmha_scale": SCALE,
            "mask_type": self.mask,
            "sliding_window_length": self.window,
            **self.more,
        }
        return json.dumps({"cudnn_fmha_backend_config": {**stated, product: numbers}})

    def placed(self, value: Array) -> Array:
        """The value as the call takes it."""
        return value if self.heads_first else value.swapaxes(1, 2)

    def case(self, kind: str, product: str, operands: list[Array], results: list[Type]) -> Case:
        """A call on operands in f64, with the results before the workspace."""
        target = f"__cudnn$fmha{'' if self.bias is None else 'ScaleBias'}Softmax{kind}"
        types, config = tuple(map(type_of, operands)), StringAttribute(self.settings(product))
        return Case(CustomCall(types, target, (*results, WORKSPACE), backend_config=config), tuple(operands))

    def forward_case(self, q: Array, k: Array, v: Array) -> Case:
        """The result and the logarithm of each row's sum."""
        bias = [] if self.bias is None else [self.bias]
        operands = [*map(self.placed, (q, k, v)), *bias, *self.lengths]
        results: list[Type] = [
            tensor((BATCH, HEADS, ROWS, WIDTH), "f64"),
            tensor((BATCH, HEADS, ROWS), "f64"),
        ]
        return self.case("", "bmm1_dot_dimension_numbers", operands, results)

    def backward_case(self, q: Array, k: Array, v: Array, gradient: Array) -> Case:
        """The gradients of Q, K, V, and of the bias."""
        bias = [] if self.bias is None else [self.bias]
        output, logarithm = self.forward(q, k, v)
        operands = [*map(self.placed, (q, k, v)), logarithm, self.placed(gradient), *bias]
        operands += [self.placed(output), *self.lengths]
        results: list[Type] = [tensor(found.shape, "f64") for found in (q, k, v, *bias)]
        return self.case("Backward", "bmm2_grad_gemm2_dot_dimension_numbers", operands, results)

    def forward(self, q: Array, k: Array, v: Array) -> list[Array]:
        """The results of the forward call, without the workspace."""
        return results_of(self.forward_case(q, k, v))

    def backward(self, q: Array, k: Array, v: Array, gradient: Array) -> list[Array]:
        """The results of the backward call, without the workspace."""
        return results_of(self.backward_case(q, k, v, gradient))

    def defined(self, q: Array, k: Array, v: Array) -> Array:
        """The definition, one row after the other."""
        found = np.zeros((BATCH, HEADS, ROWS, WIDTH))
        for b, head, row in np.ndindex(BATCH, HEADS, ROWS):
            shared = head // (HEADS // self.key_heads)
            read = [column for column in range(COLUMNS) if self.reads(b, row, column)]
            scores = SCALE * k[b, shared, read] @ q[b, head, row]
            if self.bias is not None:
                scores = (
                    scores + np.broadcast_to(self.bias, (BATCH, HEADS, ROWS, COLUMNS))[b, head, row, read]
                )
            weights = np.exp(scores)
            if read:
                found[b, head, row] = weights / weights.sum() @ v[b, shared, read]
        return found

    def reads(self, b: int, row: int, column: int) -> bool:
        """Whether a row reads a key."""
        rows, columns = [int(length[b]) for length in self.lengths] or (ROWS, COLUMNS)
        causal = column <= row or "CAUSAL" not in self.mask
        return row < rows and column < columns and causal and (not self.window or row - column < self.window)


def results_of(case: Case) -> list[Array]:
    """The results of a call without the workspace."""
    assert isinstance(case.op, CustomCall)
    found = case.op.begin(case.operands)
    assert isinstance(found, tuple)
    return list(found[:-1])


LENGTHS = np.array([2, 3], np.int32), np.array([3, 0], np.int32)
BIAS = normal(1, HEADS, ROWS, COLUMNS, seed=5, dtype=np.float64)
CALLS = {
    "plain": Attention(),
    "heads first": Attention(heads_first=True),
    "causal": Attention("CAUSAL"),
    "window": Attention("CAUSAL", window=2),
    "bias": Attention(bias=BIAS),
    "bias of one head": Attention(bias=BIAS[:, :1], heads_first=True),
    "causal bias": Attention("CAUSAL", bias=BIAS[:, :1]),
    "shared keys": Attention(key_heads=1),
    "padding": Attention("PADDING", lengths=LENGTHS),
    "causal padding": Attention("PADDING_CAUSAL", lengths=LENGTHS, key_heads=1, bias=BIAS),
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_the_definition(name: str) -> None:
    call = CALLS[name]
    found, _ = call.forward(*call.operands)
    np.testing.assert_allclose(found, call.defined(*call.operands), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_gradients_are_differences(name: str) -> None:
    call, step = CALLS[name], 1e-6
    operands = call.operands
    gradient = normal(BATCH, HEADS, ROWS, WIDTH, seed=9, dtype=np.float64)
    for found, operand in zip(call.backward(*operands, gradient), operands, strict=False):
        wanted = np.empty_like(operand)
        for index in np.ndindex(operand.shape):
            kept = operand[index]
            sides = []
            for moved in (kept + step, kept - step):
                operand[index] = moved
                sides.append(float((call.defined(*operands) * gradient).sum()))
            operand[index] = kept
            wanted[index] = (sides[0] - sides[1]) / (2 * step)
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8)


def test_the_bias_has_a_gradient_where_it_is_a_result() -> None:
    call, step = CALLS["bias of one head"], 1e-6
    gradient = normal(BATCH, HEADS, ROWS, WIDTH, seed=9, dtype=np.float64)
    *_, found = call.backward(*call.operands, gradient)
    assert call.bias is not None
    for index in [(0, 0, 0, 0), (0, 0, 2, 1), (0, 0, 0, 3)]:
        moved = np.zeros_like(call.bias)
        moved[index] = step
        sides = [Attention(bias=call.bias + sign * moved).defined(*call.operands) for sign in (1, -1)]
        wanted = ((sides[0] - sides[1]) * gradient).sum() / (2 * step)
        np.testing.assert_allclose(found[index], wanted, rtol=1e-6, atol=1e-8)


def test_small_floats_are_computed_in_f32() -> None:
    q, k, v = (operand.astype("float16") for operand in CALLS["plain"].operands)
    found = CALLS["plain"].forward(q, k, v)
    wanted = CALLS["plain"].defined(*(operand.astype(np.float64) for operand in (q, k, v)))
    np.testing.assert_allclose(found[0], wanted, rtol=1e-4)


@pytest.mark.parametrize(
    "more",
    [
        {"dropout_rate": 0.1},
        {"mask_type": "ALIBI"},
        {"is_paged_attention": True},
        {"max_seg_per_batch": 2},
    ],
)
def test_what_the_text_does_not_define_is_code_outside(more: dict[str, Any]) -> None:
    call = Attention(more=more)
    with pytest.raises(UnboundResults, match="calls code outside of the program"):
        call.forward(*call.operands)


def test_operands_that_do_not_fit_are_refused() -> None:
    call = Attention(lengths=LENGTHS)
    with pytest.raises(RunError, match=r"@__cudnn\$fmhaSoftmax takes 3 operands, not 5"):
        call.forward(*call.operands)
    q, k, v = CALLS["plain"].operands
    with pytest.raises(RunError, match=r"query, key and value of shapes .* do not fit"):
        CALLS["plain"].forward(q, k, v[:, :, 1:])


def test_hlo_text_has_one_tuple() -> None:
    call = CALLS["heads first"]
    types = tuple(map(type_of, call.operands))
    config = StringAttribute(call.settings("bmm1_dot_dimension_numbers"))
    results = TupleType((tensor((BATCH, HEADS, ROWS, WIDTH), "f64"), WORKSPACE))
    op = CustomCall(types, "__cudnn$fmhaSoftmax", (results,), backend_config=config)
    found, workspace = begun(op, list(call.operands))
    np.testing.assert_allclose(found, call.defined(*call.operands), rtol=1e-12)
    assert workspace.shape == (0,)


@pytest.mark.parametrize("name", ["causal", "shared keys", "causal padding"])
def test_maps_enclose_what_a_masked_call_reads(name: str) -> None:
    """No element changes with an element of an operand that its map does not have."""
    call = CALLS[name]
    gradient = normal(BATCH, HEADS, ROWS, WIDTH, seed=9, dtype=np.float64)
    for case in (call.forward_case(*call.operands), call.backward_case(*call.operands, gradient)):
        before = results_of(case)
        for found in case.op.inverse_index_maps():
            assert found.enclosing
            operand = case.operands[found.operand]
            for index in [(0,) * operand.ndim, tuple(size - 1 for size in operand.shape)]:
                moved = list(case.operands)
                moved[found.operand] = operand.copy()
                moved[found.operand][index] += 1
                after = results_of(Case(case.op, tuple(moved)))[found.result]
                changed = set(map(tuple, np.argwhere(after != before[found.result]).tolist()))
                assert changed <= set(map(tuple, BoundMap(found.map, ()).elements(index).indices.tolist()))
