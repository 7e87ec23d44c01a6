"""File names in XLA's dumps, and their grammar.

    [prefix.]module_0012[.<module name>].<rest>[.<extension>]

The rest names the passes before and after the text, `0007.simplification.after_algsimp.before_dce`; or the pass
that wrote it, `0033.copy-insertion.after_removing_unnecessary_copies`; or it marks the first or the last text
of a compilation. XLA omits the module's name where the file name would be too long.
"""

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

PIPELINE_START = "pipeline-start"
EXTENSIONS = (
    *("hlo_unoptimized_snapshot.pb", "hlo_unoptimized_snapshot.txt", "hlo_snapshot.pb", "hlo.pb", "txt", "html"),
    *("dot", "url", "ll", "ptx", "mlir", "hlo", "pbtxt", "textproto", "riegeli", "json", "pb", "npz", "o", "log"),
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
    """The parts of a file name; missing parts are empty or `None`."""

    text: str
    """The file name without its folder."""
    extension: str = ""
    """`txt`, `hlo.pb`, …, without a trailing `.gz`."""
    is_packed: bool = False
    """Whether the name ends in `.gz`."""
    module: int | None = None
    """Number of the compilation within its process; `None` if XLA did not name the file."""
    module_name: str = ""
    number: int | None = None
    """Position of the dump among those of its module."""
    pipeline: str = ""
    pass_name: str = ""
    """The pass that wrote the text, or that ran before it."""
    upcoming: str = ""
    """The next pass."""
    step: str = ""
    """The step within the pass."""
    end: str = ""
    """`before_optimizations` or `cpu_after_optimizations` for the first or the last text."""
    companion: str = ""
    """Suffix of a file that accompanies a text, such as `-buffer-assignment`."""
    rest: str = ""
    """The rest of a name of another form: `ir-no-opt`, `obj-file.fusion`."""
    is_fusion: bool = False
    """Whether the file is a single fusion that the autotuner tried, never a stage."""

    @property
    def is_stage(self) -> bool:
        """Whether the name is that of a whole module between two passes, or at an end."""
        return not self.companion and (self.number is not None or bool(self.end))


def parse_name(file_name: str) -> DumpName:
    """Parse a file name; names that XLA does not produce have no module."""
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
    """Add the parts of the name after the module's number."""
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
    """The module name of a file, from those of files with the same number; or empty."""
    if name.module_name:
        return name.module_name
    fitting = [found for found in known if name.rest == found or name.rest.startswith(f"{found}.")]
    return max(fitting, key=len, default="")
