"""Reading and printing take time linear in the text, measured in Python calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from hloscope.engine.errors import ProgramError
from hloscope.engine.source import Source
from hloscope.engine.syntax import parse_module, print_module, tokens
from tests.work import calls

from .op_table import OP_TABLE

FAMILIES: dict[str, Callable[[int], str]] = {
    "ops": lambda n: (
        "func.func @f(%a: tensor<2xf32>) {\n"
        + "".join(f"  %{i} = stablehlo.add %a, %a : tensor<2xf32>\n" for i in range(n))
        + "}"
    ),
    "functions": lambda n: "".join(f"func.func @f{i}() {{ return }}\n" for i in range(n)),
    "generic": lambda n: "func.func @f() {\n" + '"x.y"() {a = 1 : i64, b = [1, 2]} : () -> ()\n' * n + "}",
    "unnamed results": lambda n: "func.func @f() {\n" + '"x.y"() : () -> i1\n' * n + "}",
    "attributes": lambda n: f"module attributes {{{', '.join(f'a{i} = [{i}]' for i in range(n))}}} {{}}",
    "constants": lambda n: (
        "func.func @f() {\n"
        + "".join(f"  %{i} = stablehlo.constant dense<[{i}, 1]> : tensor<2xi64>\n" for i in range(n))
        + "}"
    ),
    "rows": lambda n: (
        f"module attributes {{a = dense<[{', '.join(['[0x1, 2]'] * n)}]> : tensor<{n}x2xi32>}} {{}}"
    ),
    "complex": lambda n: (
        f"module attributes {{a = dense<[{', '.join(['(1,2)'] * n)}]> : tensor<{n}xcomplex<f32>>}} {{}}"
    ),
    "aliases": lambda n: (
        "".join(f'#a{i} = loc("x"(#a{i // 2 + 1 if i > 2 else "end"}))\n' for i in range(n))
        + "#aend = loc(unknown)\nmodule {}"
    ),
    "types": lambda n: "func.func @f(" + ", ".join(f"%{i}: tensor<{i}xf32>" for i in range(n)) + ")",
    "comments": lambda n: "// a comment\n" * n,
    "strings": lambda n: 'module attributes {a = "' + r"\22" * n + '"} {}',
    "opaque": lambda n: f"module attributes {{a = #x.y<{'[-], ' * n}>}} {{}}",
    "half a string": lambda n: f'module attributes {{a = "{"x" * n}',
    "percents": lambda n: "func.func @f() {" + "%" * n,
    "angles": lambda n: f"module attributes {{a = #x.y<{'<>' * n}",
    "dimensions": lambda n: f"func.func @f(%a: tensor<{'1x' * n}",
    "undefined": lambda n: (
        "func.func @f() {\n"
        + "".join(f'%{i} = "x.y"() : () -> i1\n' for i in range(n))
        + '"x.z"(%nothing) : (i1) -> ()\n}'
    ),
}


def reading(text: str) -> None:
    with suppress(ProgramError):
        print_module(parse_module(Source(text), OP_TABLE), OP_TABLE)
    tokens(text)


@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_text_takes_at_most_little_more_than_twice_the_calls(family: str) -> None:
    text = FAMILIES[family]
    reading(text(10))
    small, large = calls(lambda: reading(text(400))), calls(lambda: reading(text(800)))
    assert large <= 2.3 * small + 500
