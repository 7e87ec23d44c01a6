"""The minimal case of a dumped module: the program if the installed XLA has the fault, else both sides of the rewrite."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.passes.stages import DumpedModule
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.rewrites import rewrite_case
from hloscope.engine.source import Source

from ...passes.examine import Watcher, examine_module
from ...passes.local_pool import LocalPool
from ...passes.original_values import OriginalValues
from ...passes.read_modules import ReadModule, read_module
from ...passes.records import ModuleReport
from ...passes.stage_runs import MadeInputs
from ...processes.arrays import Array
from ...xla.failures import XlaFailed
from ..reducing.checks import PassChangesValues, SidesDiffer
from ..reducing.choosing import find_check
from ..reducing.reduction import NothingToReduce, Reduction, reduce_case
from .cases import write_case
from .modules import ReduceModule, module_of
from .records import read_record


def reduced_module(task: ReduceModule) -> dict[str, Any]:
    """Reduce a module and write its files; the issue's text, or the `problem`."""
    module, request = module_of(task)
    inputs = _Inputs()
    try:
        read = read_module(module.dump, module.module)
        with LocalPool() as pool:
            report = examine_module(read, request, pool, inputs)
        faulty = _FaultyModule(read, report, inputs.arrays, request.limits, task.seconds)
        found = faulty.reproduced() or faulty.cut_out()
    except (NothingToReduce, ProgramError) as problem:
        return {"problem": str(problem)}
    return write_case(found, read_record(task.record), Path(task.folder))


class _Inputs(Watcher):
    """Keeps the inputs of an examination."""

    arrays: Sequence[Array] = ()

    def made(self, module: DumpedModule, inputs: MadeInputs, traced: OriginalValues | None) -> None:
        self.arrays = inputs.arrays


@dataclass(frozen=True)
class _FaultyModule:
    """A module that a pass made wrong, and the inputs of its run."""

    read: ReadModule
    report: ModuleReport
    inputs: Sequence[Array]
    limits: Limits
    seconds: float

    def reproduced(self) -> Reduction | None:
        """The first text, reduced, if the same pass of the installed XLA changes its values."""
        wrong = self.report.first_wrong
        assert wrong is not None
        check = find_check("a pass changes values", limits=self.limits)
        assert isinstance(check, PassChangesValues)
        check.fits = wrong.stage.pass_name
        with closing(check):
            try:
                case = self._case(0)
                return reduce_case(case, check, (), self.limits, self.seconds) if check.holds(case) else None
            except (NothingToReduce, ProgramError, XlaFailed):
                return None

    def cut_out(self) -> Reduction:
        """The culprit instruction and the one that it replaced, as one program."""
        wrong = self.report.first_wrong
        assert wrong is not None
        at = self.report.stages.index(wrong)
        before = next(
            (k for k in range(at - 1, -1, -1) if self.report.stages[k].verdict != "cannot_run"), None
        )
        if before is None or wrong.worst is None or not wrong.worst.replaced:
            raise NothingToReduce("no instruction of the wrong text matches one before the pass")
        names = wrong.worst.replaced, wrong.worst.value
        case = rewrite_case(self._case(before), self._case(at), names, self.limits)
        if case is None:
            raise NothingToReduce(f"{names[0]} and {names[1]} cannot be cut out of their texts")
        return reduce_case(case, SidesDiffer(self.limits), (), self.limits, self.seconds)

    def _case(self, at: int) -> Case:
        """A text with the inputs."""
        source = Source(self.read.texts[at], self.read.module.stages[at].path)
        program = load(source, self.limits).program
        if program is None:
            raise InputError(f"{source.name} is invalid")
        function = find_entry(program, None)
        return case_of(program.module, function.function, self.inputs)
