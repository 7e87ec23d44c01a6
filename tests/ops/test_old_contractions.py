"""dot, einsum, unary_einsum, torch_index_select, broadcast: arithmetic, sizes, messages and costs."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from hloscope.engine.ops.contractions.einsum import Einsum, Equation, UnaryEinsum
from hloscope.engine.ops.contractions.old_contractions import Broadcast, Dot, TorchIndexSelect
from tests.each import for_each

from .quantized import PER_TENSOR, quantized
from .running import broken, run, tensor


def test_dot_has_the_arithmetic_of_dot_general() -> None:
    ones = np.ones(257, ml_dtypes.bfloat16)
    wide = Dot(tensor((257,), "bf16"), tensor((257,), "bf16"), result=tensor((), "f32"))
    assert run(wide, ones, ones)[0] == 257
    op = Dot(tensor((2,), PER_TENSOR), tensor((2,), PER_TENSOR), result=tensor((), quantized((0.25,), (1,))))
    assert broken(op, tensor((), quantized((0.25,), (1,)))) is None
    assert run(op, np.array([2, 4], np.int8), np.array([1, 3], np.int8))[0] == (1 * 0.5 + 2 * 1.5) / 0.25 + 1


def test_dimensions_without_a_letter_are_summed_like_others() -> None:
    op = Einsum(tensor((2, 3), "i32"), tensor((3,), "i32"), "...,...->")
    assert run(op, np.arange(6, dtype=np.int32).reshape(2, 3), np.arange(3, dtype=np.int32))[0] == 19


def test_einsum_s_arithmetic() -> None:
    booleans = Einsum(tensor((2, 2), "i1"), tensor((2,), "i1"), "ab,b->a")
    assert run(booleans, np.array([[True, True], [False, False]]), np.ones(2, np.bool_))[0].tolist() == [
        True,
        False,
    ]
    one_sided = UnaryEinsum(tensor((300,), "bf16"), "a->")
    assert float(run(one_sided, np.ones(300, ml_dtypes.bfloat16))[0]) == 300
    stored = UnaryEinsum(tensor((2,), PER_TENSOR), "a->", tensor((), PER_TENSOR))
    assert broken(stored, tensor((), PER_TENSOR)) is None
    assert run(stored, np.array([3, 4], np.int8))[0] == 7
    wide = Einsum(tensor((2,), "i64"), tensor((2,), "i64"), "a,a->")
    least = np.full(2, np.iinfo(np.int64).min + 1)
    assert run(wide, least, least)[0] == 2


@pytest.mark.parametrize(
    ("config", "ranks", "wrong"),
    [
        ("ab,bc->ac", (2,), "has labels for 2 operands, not 1"),
        ("ab->ac->b", (2,), "is not letters"),
        ("a b->a", (2,), "is not letters"),
        ("a...b...->a", (2,), "is not letters"),
        ("abc->a", (2,), "'abc' has 3 labels for rank 2"),
        ("a->a", (2,), "'a' has 1 label for rank 2"),
        ("ab->a", (2, 1), "'ab->a' has labels for one operand, not 2"),
        ("abc...->a", (2,), "'abc...' has 3 labels for rank 2"),
        ("ab->aa", (2,), "names a dimension of the result twice"),
        ("ab->ac", (2,), "has the label 'c' in the result but in no operand"),
    ],
)
def test_configurations_that_say_nothing(config: str, ranks: Any, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong.replace(".", r"\.")):
        Equation.read(config, ranks)


def test_labels_that_only_dots_give() -> None:
    found = Equation.read("...a,b...->...", (3, 2))
    assert found == Equation((("...1", "...0", "a"), ("b", "...0")), ("...1", "...0"))
    assert Equation.read("ba,bc", (2, 2)).result == ("a", "c")


def test_sizes_of_labels() -> None:
    equation = Equation.read("ab,bc->ac", (2, 2))
    assert equation.sizes([(2, None), (3, None)]) == {"a": 2, "b": 3, "c": None}
    assert equation.sizes([(None, 1), (5, 1)]) == {"a": None, "b": 5, "c": 1}
    with pytest.raises(ValueError, match=r"^dimensions with the label 'b' have sizes 2 and 3$"):
        equation.sizes([(2, 2), (3, 4)])
    with pytest.raises(ValueError, match=r"^dimensions with the label 'a' have sizes 2 and 1$"):
        Equation.read("aa->a", (2,)).sizes([(2, 1)])


def test_torch_index_select_keeps_any_elements() -> None:
    op = TorchIndexSelect(tensor((3, 2), "f8E5M2"), tensor((), "ui8"), 0, 0)
    operand = np.arange(6).reshape(3, 2).astype(ml_dtypes.float8_e5m2)
    assert run(op, operand, np.uint8(255))[0].tobytes() == operand[2].tobytes()


def test_broadcast_puts_dimensions_first_and_copies_nothing() -> None:
    op = Broadcast(tensor((3,), "i32"), (2, 0, 4))
    assert broken(op, tensor((2, 0, 4, 3), "i32")) is None
    operand = np.arange(3, dtype=np.int32)
    (found,) = run(Broadcast(tensor((3,), "i32"), (2,)), operand)
    assert found.tolist() == [[0, 1, 2]] * 2
    assert np.shares_memory(found, operand)
    assert run(op, operand)[0].shape == (2, 0, 4, 3)


M, V = tensor((2, 3)), tensor((3,))
WRONG = [
    (Dot(M, M), "dimension 1 of lhs (size 3) and dimension 0 of rhs (size 2) are contracted but differ"),
    (Dot(tensor((2, 3, 4)), V), "lhs and rhs must have rank 1 or 2, not 3 and 1"),
    (Dot(tensor(()), V), "lhs and rhs must have rank 1 or 2, not 0 and 1"),
    (
        Dot(tensor((3,), "i1"), V),
        "lhs holds i1 and rhs f32: they must hold the same, or what the result can hold",
    ),
    (Einsum(M, V, "ab,c->ac,"), "'ab,c->ac,' is not letters, commas, '...' and one '->', like 'ab,bc->ac'"),
    (Einsum(M, V, "ab,a->b"), "dimensions with the label 'a' have sizes 2 and 3"),
    (Einsum(M, tensor((3,), "i32"), "ab,b->a"), "operands hold [f32, i32]: they must hold the same"),
    (Einsum(M, tensor((3,), PER_TENSOR), "ab,b->a"), "operands and result must all be quantized, or none of them"),
    (UnaryEinsum(M, "ab->a", tensor((2,), PER_TENSOR)), "operands and result must all be quantized, or none of them"),
    (UnaryEinsum(M, "a,b->"), "'a,b->' has labels for 2 operands, not 1"),
    (TorchIndexSelect(M, V, 0, 0), "index must hold integer elements, not f32"),
    (TorchIndexSelect(M, tensor((3,), "i32"), 2, 0), "dim 2 is outside rank 2"),
    (TorchIndexSelect(M, tensor((3,), "i32"), -3, 0), "dim -3 is outside rank 2"),
    (TorchIndexSelect(M, tensor((3,), "i32"), 0, 1), "batch_dims 1 must be at most dim 0 and the index's rank 1"),
    (TorchIndexSelect(M, tensor((3,), "i32"), 1, 1), "batch dimensions have sizes [2] in operand, but [3] in index"),
    (TorchIndexSelect(tensor((0,)), tensor((3,), "i32"), 0, 0), "dimension 0 of operand has size 0: there is nothing to select"),
    (Broadcast(M, (-1,)), "broadcast_sizes [-1] must not be negative"),
]  # fmt: skip


@for_each(("op", "message"), WRONG)
def test_what_is_wrong_is_said(op: Any, message: str) -> None:
    from hloscope.engine.ops.checking import first_broken_constraint

    assert first_broken_constraint(op) == ("", message)


def test_costs() -> None:
    assert Dot(M, tensor((3, 4))).cost((M, tensor((3, 4))), (tensor((2, 4)),)).flops == 2 * 2 * 3 * 4
    assert Einsum(M, tensor((3, 4)), "ab,bc->ac").cost((), ()).flops == 2 * 2 * 3 * 4
    assert UnaryEinsum(tensor((None,)), "a->").cost((), ()).flops == 0
