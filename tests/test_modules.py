"""Functions of several modules, and functions without a body, in a run."""

from __future__ import annotations

import numpy as np
import pytest

from hloscope.engine.errors import UnboundResults
from hloscope.engine.frontend import load
from hloscope.engine.process_grid import results_of
from hloscope.engine.source import Source
from tests.programs import load_program

X = np.array(3, np.float32)


def calling(name: str, callee: str) -> str:
    return f"""func.func @{name}(%a: tensor<f32>) -> tensor<f32> {{
      %0 = call @{callee}(%a) : (tensor<f32>) -> tensor<f32>
      return %0 : tensor<f32>
    }}\n"""


def computing(name: str, op: str) -> str:
    return f"""func.func @{name}(%a: tensor<f32>) -> tensor<f32> {{
      %0 = stablehlo.{op} %a : tensor<f32>
      return %0 : tensor<f32>
    }}\n"""


def test_a_call_is_of_a_function_of_the_same_module() -> None:
    inner = f"module @inner {{ {calling('main', 'f')} {computing('f', 'sqrt')} }}"
    found = load_program(f"module @outer {{ {inner} {calling('main', 'f')} {computing('f', 'negate')} }}")
    assert list(found.functions) == ["main", "f", "inner::main", "inner::f"]
    assert results_of(found, [X])[0] == -3
    assert results_of(found, [X], entry="inner::main")[0] == np.sqrt(X)


def test_functions_of_an_inner_module_cannot_be_called_from_outside() -> None:
    loaded = load(Source(f"module {{ module @inner {{ {computing('f', 'sqrt')} }} {calling('main', 'f')} }}"))
    assert [found.message for found in loaded.diagnostics] == ["calls @f, which is not defined"]


def test_the_only_module_with_functions_has_the_entry() -> None:
    found = load_program(f"module @a {{}} module @b {{ {calling('main', 'f')} {computing('f', 'negate')} }}")
    assert results_of(found, [X])[0] == -3


def test_names_of_modules_are_names_of_symbols() -> None:
    loaded = load(Source(f"module @f {{}} {computing('f', 'negate')}"))
    assert [found.message for found in loaded.diagnostics] == ["@f is defined twice"]


def test_a_run_stops_at_a_function_without_a_body() -> None:
    found = load_program(f"func.func private @f(tensor<f32>) -> tensor<f32>\n{calling('main', 'f')}")
    with pytest.raises(UnboundResults, match="@f is declared without a body") as raised:
        results_of(found, [X])
    assert raised.value.op == "func.call"
