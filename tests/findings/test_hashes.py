"""Hashes of signed integers by a small factor, `h * 31 + c`: before a remainder they wrap around by design."""

from __future__ import annotations

import numpy as np
import pytest

from .finding import found, sentences

I = "tensor<i32>"  # noqa: E741
HEAD = f"""func.func @main(%rows: tensor<64xf32>, %letters: tensor<12xi32>, %seed: {I}) -> tensor<1xf32> {{
  %zero = stablehlo.constant dense<0> : {I}
  %one = stablehlo.constant dense<1> : {I}
  %count = stablehlo.constant dense<12> : {I}
  %factor = stablehlo.constant dense<31> : {I}
  %stride_of_24 = stablehlo.constant dense<24> : {I}
  %size = stablehlo.constant dense<61> : {I}
"""
TAIL = f"""
  %taken = stablehlo.dynamic_slice %rows, %place, sizes = [1] : (tensor<64xf32>, {I}) -> tensor<1xf32>
  return %taken : tensor<1xf32>
}}"""
REMAINDER = f"%rest = stablehlo.remainder %hash, %size : {I}\n%place = stablehlo.abs %rest : {I}"


def loop(returned: str = "%added") -> str:
    """A loop that computes a hash of letters, and continues with `returned`."""
    return f"""%end, %hash = stablehlo.while(%k = %zero, %h = %seed) : {I}, {I}
    cond {{
      %more = stablehlo.compare LT, %k, %count : ({I}, {I}) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    }} do {{
      %part = stablehlo.dynamic_slice %letters, %k, sizes = [1] : (tensor<12xi32>, {I}) -> tensor<1xi32>
      %letter = stablehlo.reshape %part : (tensor<1xi32>) -> {I}
      %multiplied = stablehlo.multiply %h, %factor : {I}
      %added = stablehlo.add %multiplied, %letter : {I}
      %rest_of_round = stablehlo.remainder %added, %size : {I}
      %next = stablehlo.add %k, %one : {I}
      stablehlo.return %next, {returned} : {I}, {I}
    }}
  """


def in_a_row(count: int) -> str:
    """The same hash without a loop, of `count` equal letters."""
    lines = [f"%h0 = stablehlo.add %seed, %zero : {I}"]
    for k in range(count):
        lines += [
            f"%m{k + 1} = stablehlo.multiply %h{k}, %factor : {I}",
            f"%h{k + 1} = stablehlo.add %m{k + 1}, %one : {I}",
        ]
    return "\n".join([*lines, f"%hash = stablehlo.add %h{count}, %zero : {I}\n"])


def wraps(body: str, seed: int = 7) -> list[str]:
    """The findings of integer overflow."""
    letters = np.arange(97, 109, dtype=np.int32)
    findings = found(HEAD + body + TAIL, np.zeros(64, np.float32), letters, np.int32(seed))
    return [each for each in sentences(findings) if "integer overflow" in each]


SHIFTED = loop().replace(
    "%multiplied = stablehlo.multiply %h, %factor : tensor<i32>",
    f"""%five = stablehlo.constant dense<5> : {I}
      %shifted = stablehlo.shift_left %h, %five : {I}
      %multiplied = stablehlo.add %shifted, %h : {I}""",
)


@pytest.mark.parametrize("body", [loop(), SHIFTED, in_a_row(9)], ids=["loop", "shifted", "in_a_row"])
@pytest.mark.parametrize("seed", [7, 2**30])
def test_a_hash_wraps_around_by_design_before_a_remainder(body: str, seed: int) -> None:
    assert not wraps(body + REMAINDER, seed)


def test_a_running_sum_wraps_around_by_mistake() -> None:
    total = loop().replace("stablehlo.multiply %h, %factor", "stablehlo.add %h, %h")
    assert wraps(total + REMAINDER, 2**30)


def test_a_place_that_is_brought_into_range_wraps_around_by_mistake() -> None:
    """An index is multiplied by a stride once or twice, or is brought into range in each round."""
    assert wraps(in_a_row(1).replace("%factor", "%stride_of_24") + REMAINDER, 2**27)
    assert wraps(in_a_row(2).replace("%factor", "%stride_of_24") + REMAINDER, 2**27)
    assert wraps(loop("%rest_of_round").replace("%factor", "%stride_of_24") + REMAINDER, 2**27)


STRIDE = f"""%stride = stablehlo.constant dense<{{}}> : {I}
  %far = stablehlo.multiply %seed, %stride : {I}
  %hash = stablehlo.add %far, %one : {I}
"""


@pytest.mark.parametrize(("factor", "is_told"), [(7919, False), (61, False), (32, True)])
def test_a_product_by_a_number_beyond_the_divisor_is_a_hash(factor: int, *, is_told: bool) -> None:
    """A stride is less than the size that the index is brought into."""
    assert bool(wraps(STRIDE.format(factor) + REMAINDER, 2**27 + 1)) == is_told
    assert wraps(STRIDE.format(factor) + f"%place = stablehlo.add %hash, %zero : {I}", 2**27 + 1)


def test_a_divisor_that_a_select_keeps_from_being_0_is_one_number() -> None:
    """JAX writes `%` of integers in this way."""
    guarded = f"""%is_zero = stablehlo.compare EQ, %size, %zero : ({I}, {I}) -> tensor<i1>
      %divisor = stablehlo.select %is_zero, %one, %size : tensor<i1>, {I}
      """
    assert not wraps(STRIDE.format(7919) + guarded + REMAINDER.replace("%size", "%divisor"), 2**27 + 1)


def test_a_hash_that_is_a_place_as_it_is_wraps_around_by_mistake() -> None:
    shown = f"%place = stablehlo.add %hash, %zero : {I}"
    assert wraps(loop() + shown)
    assert wraps(loop() + f"%rest = stablehlo.remainder %hash, %size : {I}\n" + shown)


def test_what_is_computed_of_the_remainder_wraps_around_by_mistake() -> None:
    body = f"""%bytes = stablehlo.convert %rest : ({I}) -> tensor<i8>
      %four = stablehlo.constant dense<64> : tensor<i8>
      %far = stablehlo.multiply %bytes, %four : tensor<i8>
      %place = stablehlo.convert %far : (tensor<i8>) -> {I}"""
    (told,) = wraps(loop() + f"%rest = stablehlo.remainder %hash, %size : {I}\n" + body)
    assert "beyond i8" in told
