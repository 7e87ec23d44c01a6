"""One minimal case for each cluster, with the text of an issue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hloscope.engine.errors import ProgramError
from hloscope.engine.limits import Limits

from ...runs.launching import RunPlan
from ...xla.failures import XlaFailed
from ...xla.platforms import CPU
from ..against import Against
from ..reducing.cases import case_of_run
from ..reducing.choosing import find_check
from ..reducing.reduction import NothingToReduce, Reduction, reduce_case
from .records import Record

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


def reduced_case(
    plan: RunPlan, record: Record, named: Against, limits: Limits, seconds: float, folder: Path
) -> dict[str, Any]:
    """Reduce a program and write its files; their names and the issue's text, or the `problem`."""
    if named.jaxlib or named.platform != CPU:
        return {"problem": "cases are reduced with the installed XLA on a CPU only"}
    flags = [f"--{name}={str(value).lower()}" for name, value in named.overrides.items()]
    wanted = "crashes xla" if record.verdict == "failed" else "differs from xla"
    try:
        check = find_check(wanted, [*named.flags, *flags], limits)
        found = reduce_case(case_of_run(plan), check, [*named.flags, *flags], limits, seconds)
    except (NothingToReduce, ProgramError, XlaFailed) as problem:
        return {"problem": str(problem)}
    return write_case(found, record, folder)


def write_case(found: Reduction, record: Record, folder: Path) -> dict[str, Any]:
    """Write the files of a minimal case; their ops and the issue's text."""
    found.write(folder)
    text = issue_text(found, record)
    (folder / ISSUE).write_text(text, encoding="utf-8")
    return {"issue": text, "ops": [operation.spelled for operation in found.case.operations]}


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
