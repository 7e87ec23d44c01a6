"""Constants whose values were left out: the hint speaks of the framework that printed the text."""

from __future__ import annotations

import pytest

from hloscope.engine.errors import UnboundResults
from hloscope.engine.process_grid import results_of
from tests.programs import load_program

HLO = """HloModule {module}

ENTRY main {{
  ROOT %c = f32[40]{{0}} constant({{...}}){metadata}
}}
"""
TUPLE = """HloModule {module}

ENTRY main {{
  ROOT %c = (f32[40]{{0}}, s32[]) constant(({{...}}, 1)){metadata}
}}
"""
MLIR = """module @{module} {{
  func.func @main() -> tensor<40xf32> {{
    %c = stablehlo.constant dense_resource<__elided__> : tensor<40xf32>
    return %c : tensor<40xf32>
  }}
}}
"""


def hint(text: str) -> str:
    """What a run stops with."""
    program = load_program(text)
    with pytest.raises(UnboundResults) as stopped:
        results_of(program, [])
    return stopped.value.hint or ""


@pytest.mark.parametrize("text", [HLO, TUPLE, MLIR])
@pytest.mark.parametrize(
    ("module", "metadata", "told", "untold"),
    [
        ("a_inference_f_6__.1", "", "experimental_get_compiler_ir", "JAX"),
        ("jit_f", ', metadata={op_name="jit(f)/add"}', "in JAX", "TensorFlow"),
    ],
)
def test_a_known_framework_alone_is_spoken_of(
    text: str, module: str, metadata: str, told: str, untold: str
) -> None:
    found = hint(text.format(module=module, metadata=metadata))
    assert told in found
    assert untold not in found


@pytest.mark.parametrize("text", [HLO, TUPLE, MLIR])
def test_of_an_unknown_one_all_are(text: str) -> None:
    found = hint(text.format(module="m", metadata=""))
    assert "JAX" in found
    assert "TensorFlow" in found


def test_marks_are_found_at_either_end_of_a_long_text() -> None:
    padding = "// " + "x" * 250_000 + "\n"
    end = HLO.format(module="m", metadata=', metadata={op_name="XLA_Retvals"}')
    assert "JAX" not in hint(end.replace("ENTRY", f"{padding}ENTRY"))
