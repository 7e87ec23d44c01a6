"""The large programs that speed is measured on are what they say."""

from hloscope.engine.frontend import load
from hloscope.engine.source import Phase, Source
from tests.large_programs import gpt2, optimised_hlo
from tests.programs import load_program


def test_gpt2_has_the_inputs_and_lines_of_the_small_one() -> None:
    text = gpt2()
    program = load_program(text)
    assert len(program.functions["main"].function.arguments) == 149
    assert text.count("\n") == 1_527


def test_optimised_hlo_has_as_many_lines_as_are_asked_for() -> None:
    text = optimised_hlo(2_000)
    program = load_program(text)
    assert 2_000 <= text.count("\n") < 2_400
    assert {"fusion", "dot", "reduce", "copy"} <= {op.operation.opcode for op in program.ops}


def test_reading_reports_its_progress_in_each_phase() -> None:
    for text, phases in (
        (optimised_hlo(2_000), ["reading", "building", "verifying"]),
        (gpt2(), ["reading", "verifying"]),
    ):
        reached: dict[str, list[int]] = {}

        def report(phase: Phase, offset: int, reached: dict[str, list[int]] = reached) -> None:
            reached.setdefault(phase, []).append(offset)

        assert load(Source(text), on_progress=report).program
        assert list(reached) == phases
        for offsets in reached.values():
            assert len(offsets) > 1
            assert all(0 <= offset < len(text) for offset in offsets)
        assert reached["reading"] == sorted(reached["reading"])
