"""One minimal case for each cluster, with the text of an issue: of a program, or of a dumped module."""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hloscope.engine.entry import find_entry
from hloscope.engine.errors import InputError, ProgramError
from hloscope.engine.frontend import load
from hloscope.engine.limits import Limits
from hloscope.engine.passes.stages import DumpedModule
from hloscope.engine.reduction.case import Case, case_of
from hloscope.engine.reduction.rewrites import rewrite_case
from hloscope.engine.source import Source

from ...passes.examine import Watcher, examine_module
from ...passes.original_values import OriginalValues
from ...passes.read_modules import ReadModule, read_module
from ...passes.records import ModuleReport
from ...passes.stage_runs import MadeInputs
from ...passes.tasks import LocalPool
from ...processes.arrays import Array
from ...processes.framing import Buffer
from ...processes.serving import Outcome
from ...runs.launching import RunPlan
from ...xla.failures import XlaFailed
from ...xla.platforms import CPU
from ..against import Against
from ..reducing.checks import PassChangesValues, SidesDiffer
from ..reducing.reduction import NothingToReduce, Reduction, case_of_run, find_check, reduce_case
from .modules import ReduceModule, module_of
from .records import Record, read_record

ISSUE = "issue.md"
_ISSUE = """{title}

{sentences}

```python
{script}
```

Versions: {versions}.
XLA_FLAGS: {flags}
"""
_SENTENCES = {
    "differs": "{engine} computes wrong results on the program below ({cause}). Reduced to {size}: {finding}.",
    "crashes": "{engine} gives no results on the program below ({cause}). Reduced to {size}: {finding}.",
    "passes": "{engine} changes the values of the program below ({cause}). Reduced to {size}: {finding}.",
    "rewrite": "In a dump of XLA, `%after` took the place of `%before` in the program below, and has other values "
    "({cause}). Cut out of the module and reduced to {size}: {finding}.",
}


def reduced_case(plan: RunPlan, record: Record, named: Against, limits: Limits, seconds: float) -> Outcome:
    """Reduce a program; its ops, the issue's text and its files, or the `problem`."""
    if named.jaxlib or named.platform != CPU:
        return {"result": {"problem": "cases are reduced with the installed XLA on a CPU only"}}, ()
    flags = [f"--{name}={str(value).lower()}" for name, value in named.overrides.items()]
    wanted = "crashes xla" if record.verdict == "failed" else "differs from xla"
    try:
        check = find_check(wanted, [*named.flags, *flags], limits)
        found = reduce_case(case_of_run(plan), check, [*named.flags, *flags], limits, seconds)
    except (NothingToReduce, ProgramError, XlaFailed) as problem:
        return {"result": {"problem": str(problem)}}, ()
    return case_outcome(found, record)


def case_outcome(found: Reduction, record: Record) -> Outcome:
    """The ops of a minimal case, the issue's text, the names of its files, and their contents as buffers."""
    text = issue_text(found, record)
    with tempfile.TemporaryDirectory(prefix="hloscope-batch-") as folder:
        found.write(folder)
        contents = {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
    contents[ISSUE] = text.encode()
    ops = [operation.spelled for operation in found.case.operations]
    return {"result": {"issue": text, "ops": ops, "files": list(contents)}}, list(contents.values())


def issue_text(found: Reduction, record: Record) -> str:
    """Two sentences, the script, the versions and the flags."""
    cause = record.cause.title if record.cause else "unknown culprit"
    engine = record.engine or f"XLA of jaxlib {found.versions.get('jaxlib', '')}"
    told = {"engine": engine, "cause": cause, "size": found.after, "finding": found.finding}
    return _ISSUE.format(
        title=f"{found.check.title} ({cause})",
        sentences=_SENTENCES[found.check.kind].format(**told),
        script=found.script.rstrip(),
        versions=", ".join(f"{name} {value}" for name, value in found.versions.items()),
        flags=" ".join(found.flags) or ("none" if found.check.kind != "rewrite" else "those of the dump"),
    )


def reduced_module(task: ReduceModule, buffers: Sequence[Buffer]) -> Outcome:
    """Reduce a module; its ops, the issue's text and its files, or the `problem`.

    The case is the program if the installed XLA has the fault, else both sides of the rewrite.
    """
    inputs = _Inputs()
    with module_of(task, buffers) as (module, request):
        try:
            read = read_module(module.dump, module.module)
            with LocalPool() as pool:
                report = examine_module(read, request, pool, inputs)
            faulty = _FaultyModule(read, report, inputs.arrays, request.limits, task.seconds)
            found = faulty.reproduced() or faulty.cut_out()
        except (NothingToReduce, ProgramError) as problem:
            return {"result": {"problem": str(problem)}}, ()
    return case_outcome(found, read_record(task.record))


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
