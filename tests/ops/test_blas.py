"""How many threads of BLAS take part in a product: by its size, and always the same number."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import hloscope
from hloscope.app.base.blas import share_products
from hloscope.app.base.cores import cores
from hloscope.app.base.settings import Settings
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ops.core.blas import THREAD_WORK, THREADS, Threads, multiply_matrices, run_environment
from tests.debugger.programs import recorded
from tests.programs import load_program

N = 520
"""Rows and columns of a matrix whose product is worth two threads, and not three."""


class Switch:
    """Stands for BLAS: its number of threads, and what it has been set to."""

    def __init__(self) -> None:
        self.number = 8
        self.told: list[int] = []

    def __call__(self, threads: int) -> int:
        before, self.number = self.number, threads
        self.told.append(threads)
        return before


@pytest.fixture
def switch(monkeypatch: pytest.MonkeyPatch) -> Switch:
    found = Switch()
    monkeypatch.setattr(THREADS, "most", 2)
    monkeypatch.setattr(THREADS, "switch", found)
    return found


@pytest.fixture
def real() -> Iterator[None]:
    before = THREADS.most, THREADS.switch
    yield
    THREADS.most, THREADS.switch = before


def test_each_thread_has_work() -> None:
    for most in (1, 2, 8):
        threads = Threads(most)
        assert threads.shared_by(0) == threads.shared_by(2 * THREAD_WORK - 1) == 1
        assert threads.shared_by(2 * THREAD_WORK) == min(most, 2)
        assert threads.shared_by(1000 * THREAD_WORK) == most


def test_the_number_is_put_back_also_after_an_error(switch: Switch) -> None:
    matrix, wrong = np.ones((N, N), np.float32), np.empty((1, 1))
    with run_environment():
        assert switch.number == 1
        with pytest.raises(ValueError, match="mismatch"):
            multiply_matrices(matrix, matrix, wrong)
        assert switch.told == [1, 2, 1]
    assert switch.number == 8


def test_small_products_say_nothing_to_blas(switch: Switch) -> None:
    rows, stack = np.ones((N, N - 1), np.float32), np.ones((99, 100, 100), np.float32)
    multiply_matrices(rows, np.ones((N - 1, 400), np.float32))
    multiply_matrices(stack, stack)  # one after the other, each of them small
    assert switch.told == []
    multiply_matrices(rows, np.ones((N - 1, N), np.float32))
    assert switch.told == [2, 8]


M = f"tensor<{N}x{N}xf32>"
I = f"tensor<{N}x{N}xi32>"  # noqa: E741
LARGE = {
    "dot_general": f"%r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : ({M}, {M}) -> {M}",
    "dot_general of integers": f"""%i = stablehlo.convert %a : ({M}) -> {I}
  %p = stablehlo.dot_general %i, %i, contracting_dims = [1] x [0] : ({I}, {I}) -> {I}
  %r = stablehlo.convert %p : ({I}) -> {M}""",
    "dot": f"%r = stablehlo.dot %a, %b : ({M}, {M}) -> {M}",
    "einsum": f'%r = stablehlo.einsum %a, %b, config = "ij,kj->ik" : ({M}, {M}) -> {M}',
    "convolution": f"""%r = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {{}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({M}, {M}) -> {M}""",
    "cholesky": f"%r = stablehlo.cholesky %wide, lower = true : {M.replace(str(N), '800')}",
}


def program(name: str) -> Any:
    size = 800 if name == "cholesky" else N
    type = M.replace(str(N), str(size))
    lines = LARGE[name].replace("%wide", "%a")
    text = f"func.func @main(%a: {type}, %b: {type}) -> {type} {{\n  {lines}\n  return %r : {type}\n}}"
    program = load_program(text)
    random = np.random.default_rng(1)
    values = [random.standard_normal((size, size)).astype(np.float32) for _ in range(2)]
    if name == "cholesky":
        values[0] = values[0] @ values[0].T + size * np.eye(size, dtype=np.float32)
    return program, values


@pytest.mark.parametrize("name", LARGE)
def test_every_large_product_is_shared(name: str, switch: Switch) -> None:
    recording = Recording(*program(name))
    assert recording.record().kind == "done"
    assert set(switch.told) == {1, 2, 8}
    assert switch.number == 8


def test_a_run_without_large_products_switches_twice(switch: Switch) -> None:
    text = "func.func @main(%a: tensor<9x9xf32>) {\n"
    text += "  %r = stablehlo.dot %a, %a : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>\n" * 9
    text = "\n".join(line.replace("%r", f"%{number}") for number, line in enumerate(text.split("\n")))
    found = load_program(f"{text}  return\n}}")
    assert Recording(found, [np.ones((9, 9), np.float32)]).record().kind == "done"
    assert switch.told == [1, 8, 1, 8]  # once to the end, and once to look whether anything is left undone


@pytest.mark.parametrize("most", [1, 2])
@pytest.mark.parametrize("name", LARGE)
def test_bits_do_not_hang_on_what_blas_was_told_before(name: str, most: int, real: None) -> None:
    share_products(most)
    found, values = program(name)
    bits = set()
    for before in (1, 2, 3):
        with threadpool_limits(before, "blas"):
            recording = recorded(found, values)
            assert {item["num_threads"] for item in threadpool_info() if item["user_api"] == "blas"} == {
                before
            }
        (result,) = recording.results() or ()
        bits.add(result.tobytes())
    assert len(bits) == 1


def test_a_users_own_number_of_threads_is_kept(real: None) -> None:
    text = "func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> }"
    for own in (1, 2):
        with threadpool_limits(own, "blas"):
            hloscope.run(text, [[1, 2]])
            assert THREADS.most == min(own, cores())
            assert {item["num_threads"] for item in threadpool_info() if item["user_api"] == "blas"} == {own}


def test_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    quota = tmp_path / "cpu.max"
    monkeypatch.setattr("hloscope.app.base.cores._QUOTA", quota)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(6)), raising=False)
    assert cores() == Settings().blas_thread_count() == 6
    for text, count in (("max 100000\n", 6), ("250000 100000\n", 2), ("50000 100000\n", 1), ("?", 6)):
        quota.write_text(text)
        assert cores() == count
    assert Settings(blas_threads=3).blas_thread_count() == 3


def test_the_engine_asks_blas_in_one_place() -> None:
    """Whoever multiplies matrices elsewhere does so on another number of threads, with other last bits."""
    engine = Path(__file__).parents[2] / "engine"
    names = {"matmul", "dot", "vdot", "inner", "tensordot", "einsum", "multi_dot"}
    found = []
    for path in engine.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            is_call = (
                isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node.value) == "np"
            )
            if is_call or (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult)):
                found.append(str(path.relative_to(engine)))
    assert found == ["ops/core/blas.py"]


def test_computing_warns_of_nothing() -> None:
    with run_environment(), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(np.float32(3e38) * np.float32(9))
