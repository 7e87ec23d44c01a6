"""get-dimension-size and set-dimension-size as HLO text uses them: bounds, tails that nobody reads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hloscope.engine.errors import RunError

from .running import complaint, results

V = np.arange(1, 11, dtype=np.float32)
BOUNDED = "tensor<?xf32, #stablehlo.bounds<10>>"


def resized(then: str, result: str) -> str:
    return f"""
      func.func @main(%v: tensor<10xf32>, %n: tensor<i32>, %m: tensor<i32>) -> {result} {{
        %s = "stablehlo.set_dimension_size"(%v, %n) <{{dimension = 0 : i64}}> : (tensor<10xf32>, tensor<i32>) -> {BOUNDED}
        {then}
        return %r : {result}
      }}"""


def reduced(op: str, start: float) -> str:
    then = f"""
        %z = stablehlo.constant dense<{start}> : tensor<f32>
        %r = stablehlo.reduce(%s init: %z) applies {op} across dimensions = [0] : ({BOUNDED}, tensor<f32>) -> tensor<f32>"""
    return resized(then, "tensor<f32>")


def again(result: str) -> str:
    then = f'%r = "stablehlo.set_dimension_size"(%s, %m) <{{dimension = 0 : i64}}> : ({BOUNDED}, tensor<i32>) -> {result}'
    return resized(then, result)


@pytest.mark.parametrize("result", [BOUNDED, "tensor<10xf32>"])
def test_what_is_cut_off_is_gone(result: str) -> None:
    message = r"size 10 of dimension 0 is outside \[0, 7\], what the operand has"
    with pytest.raises(RunError, match=message):
        results(again(result), V, np.int32(7), np.int32(10))


@pytest.mark.parametrize("size", [-1, 11])
def test_sizes_are_within_the_bound(size: int) -> None:
    with pytest.raises(RunError, match=rf"size {size} of dimension 0 is outside \[0, 10\]"):
        results(reduced("stablehlo.add", 0.0), V, np.int32(size), np.int32(0))


def test_constant_sizes_are_known_before_the_run() -> None:
    text: Any = resized("%r = stablehlo.abs %v : tensor<10xf32>", "tensor<10xf32>")
    text = text.replace("%s = ", "%k = stablehlo.constant dense<11> : tensor<i32>\n        %s = ").replace(
        "(%v, %n)", "(%v, %k)"
    )
    assert "size 11 of dimension 0 is outside [0, 10]" in complaint(text)


def test_copies_and_bitcasts_keep_the_size() -> None:
    then = f"""
        %c = "hlo.copy"(%s) : ({BOUNDED}) -> {BOUNDED}
        %r = "hlo.bitcast"(%c) : ({BOUNDED}) -> {BOUNDED}"""
    (found,) = results(resized(then, BOUNDED), V, np.int32(4), np.int32(0))
    assert found.tolist() == [1, 2, 3, 4]
