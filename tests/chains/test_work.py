"""Shared compositions are computed once, measured by counting calls."""

import pytest

from hloscope.engine.chains import maps_of_function
from hloscope.engine.indexing import Expression, Interval
from hloscope.engine.indexing.core import interval_analysis
from hloscope.engine.indexing.simplifier import rewriting
from tests.programs import load_program

SIZE = 32


def convolutions(layers: int, scales: int) -> str:
    """Residual blocks: convolutions, and products with one number per feature."""
    image, vector = f"tensor<1x{SIZE}x4xf32>", "tensor<4xf32>"
    arguments, body, value = [f"%x: {image}"], [], "%x"
    for layer in range(layers):
        before = value
        arguments.append(f"%k{layer}: tensor<3x4x4xf32>")
        body.append(
            f"%c{layer} = stablehlo.convolution({value}, %k{layer}) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
            "window = {stride = [1], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
            f"({image}, tensor<3x4x4xf32>) -> {image}"
        )
        value = f"%c{layer}"
        for scale in range(scales):
            name = f"{layer}_{scale}"
            arguments.append(f"%v{name}: {vector}")
            body.append(
                f"%b{name} = stablehlo.broadcast_in_dim %v{name}, dims = [2] : ({vector}) -> {image}\n"
                f"%m{name} = stablehlo.multiply {value}, %b{name} : {image}"
            )
            value = f"%m{name}"
        body.append(f"%s{layer} = stablehlo.add {before}, {value} : {image}")
        value = f"%s{layer}"
    lines = "\n".join(body)
    return f"func.func @main({', '.join(arguments)}) -> {image} {{\n{lines}\nreturn {value} : {image}\n}}"


def intervals_found(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """Number of intervals computed to find the maps of a program."""
    program, count = load_program(text), 0
    original = interval_analysis.interval_from

    def counted(expression: Expression, range_of: interval_analysis.RangeOf) -> Interval:
        nonlocal count
        count += 1
        return original(expression, range_of)

    with monkeypatch.context() as patched:
        for module in (interval_analysis, rewriting):
            patched.setattr(module, "interval_from", counted)
        assert maps_of_function(program, "main")
    return count


def test_what_several_values_are_composed_with_is_composed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    # These sizes are used in no other test, so nothing is cached.
    few = intervals_found(convolutions(5, 1).replace(f"x{SIZE}x", "x37x"), monkeypatch)
    many = intervals_found(convolutions(5, 7).replace(f"x{SIZE}x", "x41x"), monkeypatch)
    assert 0 < many < 2 * few
