"""Modules of a dump, and their texts as stages in the order in which XLA wrote them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from .contents import Content
from .names import PIPELINE_START, DumpName, name_of_module

_OPTIMISED = "_after_optimizations"
"""The end of the name of the optimised text, behind the platform."""
INPUT_FILE = "module.mlir"
"""The program that XLA received, in the folder of a module's inputs."""


@dataclass(frozen=True)
class DumpedFile:
    """A file of a dump: its path, its parsed name and its kind."""

    path: str
    """Path from the top of the dump, with `/`."""
    name: DumpName
    content: Content
    size: int
    """Size in bytes as stored."""

    @property
    def folder(self) -> str:
        """The folder of the file from the top of the dump; empty at the top."""
        return str(PurePosixPath(self.path).parent).removeprefix(".")


@dataclass(frozen=True)
class Stage:
    """The text of a whole module at one point of its compilation."""

    file: DumpedFile
    pipeline: str
    """The pipeline of the pass; empty for the first and the last text."""
    pass_name: str
    """The pass before the text, `pipeline-start`, or at an end its name."""
    round: int = 1
    """The number of starts of this pipeline so far; XLA repeats some until nothing changes."""
    occurrence: int = 1
    """Ordinal of this text among those after the same pass, in all pipelines of the module."""
    changed_by: str = ""
    """The pass that made the changes since the previous stage; usually `pass_name`."""
    since: str = ""
    """The first pass that may have contributed, if not every pass wrote a text."""

    @property
    def number(self) -> int | None:
        """The number of the dump; `None` for the first and the last text."""
        return self.file.name.number

    @property
    def path(self) -> str:
        """The path of the file from the top of the dump."""
        return self.file.path

    @property
    def title(self) -> str:
        """`algsimp, round 3 of simplification`, or the name of the end."""
        if not self.pipeline:
            return self.pass_name
        start = f"start of {self.pipeline}"
        named = start if self.pass_name == PIPELINE_START else f"{self.pass_name}{self._step}"
        if self.round > 1:
            return f"{named}, round {self.round}" + ("" if named is start else f" of {self.pipeline}")
        return named

    @property
    def _step(self) -> str:
        return f" ({self.file.name.step})" if self.file.name.step else ""


@dataclass(frozen=True)
class DumpedModule:
    """The dumped files of one compilation."""

    name: str
    """XLA's name of the module; empty if no file states it."""
    number: int | None
    """The number of the compilation; `None` for files that XLA did not name."""
    folder: str
    stages: tuple[Stage, ...]
    attachments: tuple[DumpedFile, ...]
    """The other files: buffers, LLVM IR, options, other forms of the same texts."""

    @property
    def key(self) -> str:
        """`module_0003.jit_f`: the name of the module in all interfaces."""
        parts = [] if self.number is None else [f"module_{self.number:04}"]
        return ".".join([*parts, *([self.name] if self.name else [])]) or "module"

    @property
    def platform(self) -> str:
        """`gpu` or `cpu`, by the name of the optimised text; empty without one."""
        files = (*(stage.file for stage in self.stages), *self.attachments)
        ends = (
            file.name.end.removesuffix(_OPTIMISED) for file in files if file.name.end.endswith(_OPTIMISED)
        )
        return next(ends, "").rpartition("_")[2]  # behind sm_9.0a_


def read_dumped_module(found: Mapping[str, Any]) -> DumpedModule:
    """The module that `asdict` has described."""
    stages = tuple(Stage(**{**stage, "file": _read_file(stage["file"])}) for stage in found["stages"])
    return DumpedModule(
        **{**found, "stages": stages, "attachments": tuple(map(_read_file, found["attachments"]))}
    )


def _read_file(found: Mapping[str, Any]) -> DumpedFile:
    return DumpedFile(**{**found, "name": DumpName(**found["name"])})


def modules_of(files: Sequence[DumpedFile], pass_pattern: str | None = None) -> tuple[DumpedModule, ...]:
    """Group files into modules, in the order of their numbers.

    `pass_pattern` is XLA's `xla_dump_hlo_pass_re` if known; with `.*` and `.+` every change has its own text.
    """
    stated = _stated_names(files)
    dumped = [file for file in files if _number_of(file) is not None]
    found: dict[tuple[str, int, str], list[DumpedFile]] = {}
    for file in dumped:
        number = _number_of(file)
        assert number is not None
        folder = _folder_of(file)
        name = _module_name(file, stated.get((folder, number), set()))
        found.setdefault((folder, number, name), []).append(file)
    _adopt_nameless(found)
    modules = [
        _module(name, number, folder, group, pass_pattern)
        for (folder, number, name), group in sorted(found.items(), key=lambda item: item[0])
    ]
    with_stages = [module for module in modules if module.stages or module.attachments]
    return tuple(with_stages) if dumped else loose_modules(files)


def loose_modules(files: Sequence[DumpedFile]) -> tuple[DumpedModule, ...]:
    """Modules of files that XLA did not name: the texts of each folder are one module."""
    texts = [file for file in files if file.content in ("hlo", "stablehlo")]
    others = tuple(file for file in files if file not in texts)
    modules = []
    for folder, group in groupby(sorted(texts, key=lambda file: file.folder), lambda file: file.folder):
        ordered = sorted(group, key=lambda file: natural_key(file.path))
        stages = tuple(Stage(file, "", file.name.rest, changed_by=file.name.rest) for file in ordered)
        modules.append(DumpedModule(PurePosixPath(folder).name, None, folder, stages, others))
        others = ()
    return tuple(modules)


def natural_key(text: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts `pass10` after `pass9`."""
    parts: list[tuple[int, str]] = []
    for is_number, group in groupby(text, str.isdecimal):
        part = "".join(group)
        parts.append((int(part), "") if is_number and len(part) < 19 else (-1, part))
    return tuple(parts)


def _number_of(file: DumpedFile) -> int | None:
    return file.name.module if file.name.module is not None else _inputs_folder(file)[1]


def _folder_of(file: DumpedFile) -> str:
    return file.folder if file.name.module is not None else _inputs_folder(file)[0]


def _inputs_folder(file: DumpedFile) -> tuple[str, int | None, str]:
    """The dump folder, module number and name of a file in `[shardy/]module_0000.jit_f/`."""
    from .names import parse_name

    folder = PurePosixPath(file.folder)
    name = parse_name(folder.name)
    top = folder.parent.parent if folder.parent.name == "shardy" else folder.parent
    return str(top).removeprefix("."), name.module, name.rest


def _stated_names(files: Iterable[DumpedFile]) -> dict[tuple[str, int], set[str]]:
    """The module names that files of each number state explicitly."""
    found: dict[tuple[str, int], set[str]] = {}
    for file in files:
        if (number := _number_of(file)) is None:
            continue
        name = file.name.module_name or ("" if file.name.module is not None else _inputs_folder(file)[2])
        if name:
            found.setdefault((_folder_of(file), number), set()).add(name)
    return found


def _module_name(file: DumpedFile, known: set[str]) -> str:
    if file.name.module is None:
        return _inputs_folder(file)[2]
    return name_of_module(file.name, known)


def _adopt_nameless(found: dict[tuple[str, int, str], list[DumpedFile]]) -> None:
    """Assign files without a module name to the only module with their number."""
    for folder, number, name in list(found):
        named = [key for key in found if key[:2] == (folder, number) and key[2]]
        if not name and len(named) == 1:
            found[named[0]].extend(found.pop((folder, number, name)))


def _module(
    name: str, number: int, folder: str, files: Sequence[DumpedFile], pass_pattern: str | None
) -> DumpedModule:
    texts = [file for file in files if _is_stage(file)]
    ordered = _in_order(texts)
    stages = _attribute(_named(ordered), pass_pattern)
    chosen = {stage.path for stage in stages}
    rest = sorted(
        (file for file in files if file.path not in chosen), key=lambda file: natural_key(file.path)
    )
    return DumpedModule(name, number, folder, stages, tuple(rest))


def _is_stage(file: DumpedFile) -> bool:
    if file.content == "stablehlo":
        return PurePosixPath(file.path).name.removesuffix(".gz") == INPUT_FILE
    # Texts of backends with other file names are stages too.
    return file.content == "hlo" and not file.name.is_fusion and not file.name.companion


def _in_order(texts: Sequence[DumpedFile]) -> list[DumpedFile]:
    first = [file for file in texts if file.content == "stablehlo"]
    before = [file for file in texts if file.name.end.startswith("before_optimization")]
    numbered = sorted(
        (file for file in texts if file.name.number is not None),
        key=lambda file: (file.name.number or 0, file.path),
    )
    after = [file for file in texts if file.name.end.endswith("after_optimizations")]
    partitioned = [file for file in texts if file.name.end == "after_spmd_partitioner"]
    known = {file.path for file in (*first, *before, *numbered, *after, *partitioned)}
    others = [file for file in texts if file.path not in known]
    place = _behind_partitioner(numbered)
    between = [*numbered[:place], *partitioned, *numbered[place:]]
    return [*first, *before, *between, *sorted(others, key=lambda file: natural_key(file.path)), *after]


def _behind_partitioner(numbered: Sequence[DumpedFile]) -> int:
    """Position of the text after the partitioner: after all texts of its pipelines."""
    words = ("spmd-", "sharding-removal")
    places = [at for at, file in enumerate(numbered) if file.name.pipeline.startswith(words)]
    return max(places, default=-1) + 1


def _named(files: Sequence[DumpedFile]) -> list[Stage]:
    """Build stages with their pipeline, pass and ordinals."""
    rounds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    stages = []
    for at, file in enumerate(files):
        pipeline = file.name.pipeline or _pipeline_of_steps(files, at)
        pass_name = file.name.pass_name or file.name.end or _own_word(file)
        rounds[pipeline] += pass_name == PIPELINE_START
        seen[pass_name] += not _continues_run(files, at)
        stages.append(Stage(file, pipeline, pass_name, max(1, rounds[pipeline]), max(1, seen[pass_name])))
    return stages


def _own_word(file: DumpedFile) -> str:
    if file.content == "stablehlo":
        return "input"
    return file.name.rest.rpartition(".")[2] or file.name.text


def _pipeline_of_steps(files: Sequence[DumpedFile], at: int) -> str:
    """The pipeline of a pass that writes intermediate texts, from its final text."""
    name = files[at].name
    if not name.step:
        return ""
    later = (file.name for file in files[at:])
    return next(
        (found.pipeline for found in later if found.pipeline and found.pass_name == name.pass_name), ""
    )


def _continues_run(files: Sequence[DumpedFile], at: int) -> bool:
    """Whether a text continues the previous run of a pass that writes intermediate texts."""
    if at == 0 or not files[at - 1].name.step:
        return False
    return files[at - 1].name.pass_name == files[at].name.pass_name


def _attribute(stages: Sequence[Stage], pass_pattern: str | None) -> tuple[Stage, ...]:
    """Attribute the changes of each stage to a pass."""
    every = _writes_every_change(stages, pass_pattern)
    found = []
    for at, stage in enumerate(stages):
        changed_by = _changed_by(stages, at)
        before = stages[at - 1].file.name.upcoming if at else ""
        since = before if before and not every and before != changed_by else ""
        found.append(replace(stage, changed_by=changed_by, since=since))
    return tuple(found)


def _writes_every_change(stages: Sequence[Stage], pass_pattern: str | None) -> bool:
    """Whether every pass that changes something wrote its own text.

    With such patterns XLA also writes the starts of pipelines.
    """
    if pass_pattern is not None:
        return pass_pattern in (".*", ".+")
    return any(stage.pass_name == PIPELINE_START for stage in stages)


def _changed_by(stages: Sequence[Stage], at: int) -> str:
    """The pass that changed a stage; at the start of an inner pipeline, its outer pass."""
    stage = stages[at]
    if stage.pass_name != PIPELINE_START or at == 0:
        return stage.pass_name
    outer = stages[at - 1].pipeline
    if not outer or outer == stage.pipeline:
        return stage.pass_name
    rest = (later for later in stages[at + 1 :] if later.pipeline == outer)
    ended = next((later.pass_name for later in rest if later.pass_name != PIPELINE_START), "")
    return ended or stage.pass_name
