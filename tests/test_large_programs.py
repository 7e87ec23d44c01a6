"""The large programs that speed is measured on are what they say."""

from hloscope.engine.frontend import load
from hloscope.engine.program import BoundProgram
from hloscope.engine.source import Source
from tests.large_programs import gpt2, optimised_hlo


def _program(text: str) -> BoundProgram:
    loaded = load(Source(text, "program"))
    assert loaded.diagnostics == ()
    assert loaded.program is not None
    return loaded.program


def test_gpt2_has_the_inputs_and_lines_of_the_small_one() -> None:
    text = gpt2()
    program = _program(text)
    assert len(program.functions["main"].function.arguments) == 149
    assert text.count("\n") == 1_527


def test_optimised_hlo_has_as_many_lines_as_are_asked_for() -> None:
    text = optimised_hlo(2_000)
    program = _program(text)
    assert 2_000 <= text.count("\n") < 2_400
    assert {"fusion", "dot", "reduce", "copy"} <= {op.operation.opcode for op in program.ops}
