"""Strict recordings: the optimised program, each instruction and fusion run alone as XLA compiles it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from hloscope.engine.errors import InputError
from hloscope.engine.executor import Results, Segment
from hloscope.engine.frontend import load
from hloscope.engine.passes.instructions import HloText, read_instructions
from hloscope.engine.segment_text import segment_results
from hloscope.engine.source import Source

from ..processes.arrays import Array
from ..runs.launching import RunPlan
from ..xla.executor import XlaExecutor
from ..xla.failures import XlaFailed
from ..xla.platforms import CPU
from .comparing import text_for_xla
from .hlo_texts import alone, is_optimised

OPTIMISED = "optimised"


@dataclass
class StrictExecutor(XlaExecutor):
    """Runs each instruction of optimised text alone, past XLA's passes.

    The body of a fusion is computed by our engine, which explains it; its result is that of XLA's kernel.
    """

    is_strict: bool = field(default=True, init=False)
    _instructions: HloText | None = None
    _modules: dict[int, str] = field(default_factory=dict)

    def run_segment(self, segment: Segment, values: Mapping[int, Array]) -> Results:
        """Run the one operation of the segment."""
        (bound,) = segment.executed
        module = self._modules.get(bound.id)
        if module is None:
            module = self._modules[bound.id] = self._module(segment)
        self.executions += 1
        arguments = [values[number] for number in dict.fromkeys(bound.operands)]
        found = self.engine.run(module, arguments, self.overrides, as_written=True)
        return segment_results(segment, found)

    def _module(self, segment: Segment) -> str:
        """The operation as a separate module. Raises `ValueError` if it cannot run alone."""
        (bound,) = segment.executed
        program = segment.program
        text = program.module.source.text
        if self._instructions is None:
            self._instructions = read_instructions(text)
        name = bound.operation.results[0].name.removeprefix("%")
        line = program.line_of(bound.id)
        instruction = next(
            (
                each
                for each in self._instructions.instructions.values()
                if each.name == name and each.line == line
            ),
            None,
        )
        module = None if instruction is None else alone(text, self._instructions, instruction)
        if module is None:
            raise ValueError("its operands have no lines of their own")
        return module


def strict_plan(plan: RunPlan, executor: XlaExecutor) -> RunPlan:
    """The run of the optimised program, on the same inputs.

    Raises `InputError` for a run that has no such program, `XlaFailed` if XLA does not compile it.
    """
    versions = executor.engine.versions()
    if versions.platform != CPU:
        raise InputError(
            f"a strict recording runs instructions past XLA's passes, which XLA does on a CPU alone, not on {versions.platform}",
            hint="Leave strict out: segments are then compiled with all passes.",
        )
    if plan.grid.num_processes > 1:
        raise InputError("a strict recording has one process", hint="Record the grid without it.")
    if plan.program.entry is None or plan.function.function is not plan.program.entry.function:
        raise InputError("a strict recording begins in the program's own entry function")
    executor.text = text_for_xla(plan.program.module.source.text)
    text = executor.text
    if not is_optimised(text):
        text = executor.engine.optimize(text, executor.overrides)
    source = Source(text, f"{plan.program.module.source.name} ({OPTIMISED})")
    program = load(source, plan.limits).program
    if program is None or program.entry is None:
        raise XlaFailed("hloscope does not read the optimised program")
    return replace(
        plan, program=program, function=program.entry, bindings={}, made=plan.launch(), executor=executor
    )
