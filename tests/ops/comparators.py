"""Comparators of sort, as regions and as the texts that JAX prints."""

from __future__ import annotations

from collections.abc import Sequence

from hloscope.engine.ir.attributes import EnumAttribute
from hloscope.engine.ir.element_types import ELEMENT_TYPES
from hloscope.engine.ir.module import Region, Value

from .running import BodyBuilder


def comparing(*types: str) -> BodyBuilder:
    """A block whose arguments are the left and the right element of each input."""
    return BodyBuilder(*(ELEMENT_TYPES[name] for name in types for _ in range(2)))


def compared(build: BodyBuilder, direction: str, left: Value, right: Value, order: str = "") -> Value:
    """`stablehlo.compare` with a compare_type."""
    properties = {"comparison_direction": EnumAttribute("stablehlo", "comparison_direction", direction)}
    if order:
        properties["compare_type"] = EnumAttribute("stablehlo", "comparison_type", order)
    return build.op("stablehlo.compare", left, right, to="i1", **properties)


def by_one(
    direction: str,
    *types: str,
    key: int = 0,
    order: str = "",
    swapped: bool = False,
    disguise: bool = False,
) -> Region:
    """`compare` of both elements of input `key`; with `disguise` in a form that is not recognised."""
    build = comparing(*types)
    left, right = build.arguments[2 * key : 2 * key + 2]
    before = compared(build, direction, *((right, left) if swapped else (left, right)), order)
    return (
        build.returning(build.op("stablehlo.xor", before, build.op("stablehlo.xor", before, before)))
        if disguise
        else build.returning(before)
    )


def by_several(*types: str, directions: Sequence[str], selecting: bool = False) -> Region:
    """Input 0 decides, among equals input 1, and so on; written with `or` and `and`, or with `select`."""
    build = comparing(*types)
    pairs = list(zip(build.arguments[0::2], build.arguments[1::2], strict=True))
    *firsts, (last, direction) = zip(pairs, directions, strict=False)
    before = compared(build, direction, *last)
    for pair, wanted in reversed(firsts):
        first, equal = compared(build, wanted, *pair), compared(build, "EQ", *pair)
        if selecting:
            before = build.op("stablehlo.select", equal, before, first)
        else:
            before = build.op("stablehlo.or", build.op("stablehlo.and", before, equal), first)
    return build.returning(before)


def jax_key(value: str, name: str, number: int, nan: str) -> str:
    """What JAX makes of a float before it compares: one zero, one NaN. The result is `%k<number>`."""
    t = f"tensor<{name}>"
    return f"""
      %z{number} = stablehlo.constant dense<0.000000e+00> : {t}
      %e{number} = stablehlo.compare EQ, {value}, %z{number}, FLOAT : ({t}, {t}) -> tensor<i1>
      %y{number} = stablehlo.constant dense<0.000000e+00> : {t}
      %b{number} = stablehlo.select %e{number}, %y{number}, {value} : tensor<i1>, {t}
      %c{number} = stablehlo.compare NE, {value}, {value}, FLOAT : ({t}, {t}) -> tensor<i1>
      %n{number} = stablehlo.constant dense<{nan}> : {t}
      %k{number} = stablehlo.select %c{number}, %n{number}, %b{number} : tensor<i1>, {t}"""


def jax_pair(direction: str, left: int, right: int, name: str, result: str) -> str:
    """The comparison of two such keys."""
    t = f"tensor<{name}>"
    return f"\n      %{result} = stablehlo.compare {direction}, %k{left}, %k{right}, TOTALORDER : ({t}, {t}) -> tensor<i1>"


JAX: dict[str, tuple[tuple[str, ...], str]] = {
    "float": (
        ("f32",),
        jax_key("%0", "f32", 0, "0x7FC00000")
        + jax_key("%1", "f32", 1, "0x7FC00000")
        + jax_pair("LT", 0, 1, "f32", "r"),
    ),
    "brain float": (
        ("bf16",),
        jax_key("%0", "bf16", 0, "0x7FC0")
        + jax_key("%1", "bf16", 1, "0x7FC0")
        + jax_pair("LT", 0, 1, "bf16", "r"),
    ),
    "integer": (
        ("i32",),
        "\n      %r = stablehlo.compare LT, %0, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>",
    ),
    "boolean": (
        ("i1",),
        "\n      %r = stablehlo.compare LT, %0, %1, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>",
    ),
    "complex": (
        ("complex<f32>",),
        "\n      %p = stablehlo.real %0 : (tensor<complex<f32>>) -> tensor<f32>"
        + jax_key("%p", "f32", 0, "0x7FC00000")
        + "\n      %q = stablehlo.imag %0 : (tensor<complex<f32>>) -> tensor<f32>"
        + jax_key("%q", "f32", 1, "0x7FC00000")
        + "\n      %s = stablehlo.real %1 : (tensor<complex<f32>>) -> tensor<f32>"
        + jax_key("%s", "f32", 2, "0x7FC00000")
        + "\n      %t = stablehlo.imag %1 : (tensor<complex<f32>>) -> tensor<f32>"
        + jax_key("%t", "f32", 3, "0x7FC00000")
        + jax_pair("LT", 1, 3, "f32", "u")
        + jax_pair("LT", 0, 2, "f32", "v")
        + jax_pair("EQ", 0, 2, "f32", "w")
        + "\n      %x = stablehlo.and %w, %u : tensor<i1>\n      %r = stablehlo.or %v, %x : tensor<i1>",
    ),
    "two keys": (
        ("f32", "i32", "f32"),
        jax_key("%0", "f32", 0, "0x7FC00000")
        + jax_key("%1", "f32", 1, "0x7FC00000")
        + "\n      %u = stablehlo.compare LT, %2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"
        + jax_pair("LT", 0, 1, "f32", "v")
        + jax_pair("EQ", 0, 1, "f32", "w")
        + "\n      %x = stablehlo.and %w, %u : tensor<i1>\n      %r = stablehlo.or %v, %x : tensor<i1>",
    ),
}
"""Element types of the inputs, and the lines between the arguments `%0`, `%1`, … and `return %r`."""


def program(types: Sequence[str], lines: str, shape: str = "8", dimension: int = 0) -> str:
    """A module that sorts by the comparator of these lines."""
    tensors = [f"tensor<{shape}x{name}>" for name in types]
    arguments = ", ".join(f"%a{k}: {found}" for k, found in enumerate(tensors))
    block = ", ".join(f"%{k}: tensor<{types[k // 2]}>" for k in range(2 * len(types)))
    names = ", ".join(f"%r#{k}" for k in range(len(types))) if len(types) > 1 else "%r"
    pack = f":{len(types)}" if len(types) > 1 else ""
    operands, listed = ", ".join(f"%a{k}" for k in range(len(types))), ", ".join(tensors)
    return f"""
func.func @main({arguments}) -> ({listed}) {{
    %r{pack} = "stablehlo.sort"({operands}) <{{dimension = {dimension} : i64, is_stable = true}}> ({{
    ^bb0({block}):{lines}
      stablehlo.return %r : tensor<i1>
    }}) : ({listed}) -> ({listed})
    return {names} : {listed}
}}
"""
