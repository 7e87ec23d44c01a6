"""The grammar of the names that XLA gives to the files of a dump.

    [prefix.]module_0012[.<module name>].<rest>[.<extension>]

The rest says between which passes a text was written, `0007.simplification.after_algsimp.before_dce`; within which
pass, `0033.copy-insertion.after_removing_unnecessary_copies`; or that it is the first or the last text of a compilation.
XLA leaves the module's name out where the name of the file would be too long.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

PIPELINE_START = "pipeline-start"
PIPELINE_END = "pipeline-end"
EXTENSIONS = (
    *("hlo_unoptimized_snapshot.pb", "hlo_unoptimized_snapshot.txt", "hlo_snapshot.pb", "hlo.pb", "txt", "html"),
    *("dot", "url", "ll", "ptx", "mlir", "hlo", "pbtxt", "textproto", "riegeli", "json", "pb", "o", "log"),
)  # fmt: skip
COMPANIONS = (
    *("-buffer-assignment-values", "-buffer-assignment", "-memory-usage-report", "-live-range"),
)  # fmt: skip
_MODULE = re.compile(r"(?:(?P<prefix>.+?)\.)??module_(?P<number>\d{4,9})(?:\.(?P<rest>.*))?", re.DOTALL)
_BETWEEN = re.compile(
    r"(?:(?P<name>.*)\.)?(?P<number>\d{4,9})\.(?P<pipeline>[^.]+)\.after_(?P<after>[^.]+)\.before_(?P<before>[^.]+)"
)
_WITHIN = re.compile(r"(?:(?P<name>.*)\.)?(?P<number>\d{4,9})\.(?P<pass>[^.]+)\.(?P<step>[^.]+)")
_END = re.compile(
    r"(?:(?P<name>.*?)\.)??(?P<end>before_optimizations?|after_spmd_partitioner|"
    r"(?:sm_\d+\.\d+[a-z]?_)?(?:[^.]*?_)??after_optimizations)"
)
_AUTOTUNER = re.compile(r"(?:(?P<name>.*?)\.)??(?P<rest>autotuner_\d+\..*\.(?:before|after))")
_TRITON = re.compile(r"\.(?:before_validation\.)?ttir$")


@dataclass(frozen=True)
class DumpName:
    """The name of a file, taken apart. What it does not say is empty or `None`."""

    text: str
    """The name itself, without its folder."""
    extension: str = ""
    """`txt`, `hlo.pb`; `.gz` behind it is not part of it."""
    is_packed: bool = False
    """Whether `.gz` stands behind it."""
    module: int | None = None
    """The number of the module, which counts the compilations of a process; `None`: not a name of XLA's."""
    module_name: str = ""
    number: int | None = None
    """The number of the dump among those of its module: their order."""
    pipeline: str = ""
    pass_name: str = ""
    """The pass after which the text was written, or within which."""
    upcoming: str = ""
    """The pass that is next."""
    step: str = ""
    """The step within the pass."""
    end: str = ""
    """`before_optimizations`, `cpu_after_optimizations`: the first or the last text."""
    companion: str = ""
    """`-buffer-assignment` and the like, of what stands beside a text."""
    rest: str = ""
    """What is left of a name of another form: `ir-no-opt`, `obj-file.fusion`."""
    is_fusion: bool = False
    """Whether it is the text of one fusion that was tried by itself, never a stage."""

    @property
    def is_stage(self) -> bool:
        """Whether the name is that of a text of the whole module between two passes, or at an end."""
        return not self.companion and (self.number is not None or bool(self.end))


def parse_name(file_name: str) -> DumpName:
    """Takes the name of a file apart, without its folder. Any name is accepted: one that XLA does not give has no module."""
    text = PurePosixPath(file_name).name
    bare, is_packed = (text[:-3], True) if text.endswith(".gz") else (text, False)
    extension = next((known for known in EXTENSIONS if bare.endswith(f".{known}")), "")
    stem = bare.removesuffix(f".{extension}") if extension else bare
    found = _MODULE.fullmatch(stem)
    if found is None:
        return DumpName(text, extension, is_packed, rest=stem)
    rest = found["rest"] or ""
    companion = next((known for known in COMPANIONS if rest.endswith(known)), "")
    name = DumpName(text, extension, is_packed, int(found["number"]), companion=companion)
    return _with_parts(name, rest.removesuffix(companion))


def _with_parts(name: DumpName, rest: str) -> DumpName:
    """The name with what the part behind the module's number states."""
    if tried := _AUTOTUNER.fullmatch(rest):
        return replace(name, module_name=tried["name"] or "", rest=tried["rest"], is_fusion=True)
    if between := _BETWEEN.fullmatch(rest):
        return replace(
            name,
            module_name=between["name"] or "",
            number=int(between["number"]),
            pipeline=between["pipeline"],
            pass_name=between["after"],
            upcoming=between["before"],
        )
    if end := _END.fullmatch(rest):
        return replace(name, module_name=end["name"] or "", end=end["end"])
    if within := _WITHIN.fullmatch(rest):
        known = replace(name, module_name=within["name"] or "", number=int(within["number"]))
        return replace(known, pass_name=within["pass"], step=within["step"])
    return replace(name, rest=rest, is_fusion=bool(_TRITON.search(rest)))


def name_of_module(name: DumpName, known: set[str]) -> str:
    """The name of the module that a file belongs to, among those that other files of the same number state; or empty."""
    if name.module_name:
        return name.module_name
    fitting = [found for found in known if name.rest == found or name.rest.startswith(f"{found}.")]
    return max(fitting, key=len, default="")
