"""Run each text of a module on the same inputs, and compare results with the text before."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace

from hloscope.engine.limits import Limits
from hloscope.engine.passes.stages import DumpedModule

from .dump_files import Dump
from .elided import StageConstants, find_constants
from .original_values import OriginalValues, find_original_values
from .pool import Pool
from .read_modules import ReadModule, Request, read_module
from .records import ModuleReport, Report, StageReport
from .stage_runs import (
    MadeInputs,
    Ran,
    StageTexts,
    make_inputs,
    read_noise,
    read_shardings,
    run_texts,
    texts_of,
)
from .verdicts import Judge, with_culprit

GRACE_SECONDS = 10.0
Tell = Callable[[StageReport], None]


class Watcher:
    """Receiver of stage reports as they become known."""

    def told(self, found: StageReport) -> None:
        """Called when a stage is known; stages come in order."""

    def ran(self, found: StageReport) -> None:
        """Called after a stage ran. `verdict` is `None` if results differ and no bound is known yet."""

    def made(self, module: DumpedModule, inputs: MadeInputs, traced: OriginalValues | None) -> None:
        """Called when the inputs of a module's stages, and what `original_value` recovers, are known."""


class _Teller(Watcher):
    def __init__(self, tell: Tell) -> None:
        self._tell = tell

    def told(self, found: StageReport) -> None:
        self._tell(found)


def examine(
    dump: Dump, request: Request, tell: Tell = lambda found: None, pool: Pool | None = None
) -> Report:
    """Report what each pass of the modules did; `tell` receives each stage in order. A `pool` that is given stays open."""
    modules = dump.module(request.module)
    return Report(tuple(examine_modules(dump, request, modules, _Teller(tell), pool)))


def examine_modules(
    dump: Dump, request: Request, modules: Sequence[DumpedModule], watcher: Watcher, pool: Pool | None = None
) -> Iterator[ModuleReport]:
    """Report what each pass of these modules did, one module after the other."""
    if not request.run:
        yield from (_compare_texts(read_module(dump, module), watcher) for module in modules)
        return
    with pool_of(request) if pool is None else nullcontext(pool) as opened:
        for module in modules:
            yield examine_module(read_module(dump, module), request, opened, watcher)


def pool_of(request: Request) -> Pool:
    """A pool with the limits of a request."""
    # A run ends at its own limit, unless a single op takes too long.
    return Pool(request.jobs, request.limits.run_seconds + GRACE_SECONDS, request.address_space)


def _compare_texts(read: ReadModule, watcher: Watcher) -> ModuleReport:
    stages = []
    for at, stage in enumerate(read.module.stages):
        same = at == 0 or read.keys[at] == read.keys[at - 1]
        found = StageReport(read.module, stage, read.counts(at), "same_text" if same else None)
        watcher.told(found)
        stages.append(found)
    return ModuleReport(read.module, tuple(stages), original_values=find_original_values(read))


def examine_module(read: ReadModule, request: Request, pool: Pool, watcher: Watcher) -> ModuleReport:
    """Run all stages of a module in the pool, and report what each pass did."""
    if not read.module.stages:
        return ModuleReport(read.module, ())
    texts = prepare_texts(read, pool, request.limits)
    inputs = make_inputs(pool, texts, request)
    traced = find_original_values(read)
    watcher.made(read.module, inputs, traced)
    ran = _run(texts, pool, watcher)
    stages: list[StageReport] = []
    for judged in Judge(texts, ran, read_noise(pool, texts, ran)).stages():
        found = judged.report
        if found.is_wrong and not any(stage.is_wrong for stage in stages):
            found = with_culprit(pool, texts, judged)
        watcher.told(found)
        stages.append(found)
    traced = _with_values(traced, texts, pool) if traced else None
    return ModuleReport(read.module, tuple(stages), inputs.types, inputs.origin, traced)


def _with_values(traced: OriginalValues, texts: StageTexts, pool: Pool) -> OriginalValues:
    """The original values with those that differ, if both texts run."""
    keys = [texts.read.keys[at] for at in traced.stages]
    (_, reply), *_ = pool.run([texts.task("original_values", keys, pairs=traced.pairs)])
    return traced if reply.problem else replace(traced, differing=tuple(reply.message["differing"]))


def prepare_texts(
    read: ReadModule, pool: Pool, limits: Limits, constants: Sequence[StageConstants] | None = None
) -> StageTexts:
    """The distinct texts of a module, with constants, and shardings from other dump files.

    Constants are found unless the caller passes them.
    """
    known = find_constants(read, limits) if constants is None else constants
    texts = texts_of(read, known, limits)
    return replace(texts, shardings=read_shardings(pool, texts))


def _run(texts: StageTexts, pool: Pool, watcher: Watcher) -> dict[str, Ran]:
    """Run all texts; the watcher receives each stage once it and all earlier ones have run."""
    ran: dict[str, Ran] = {}
    keys = texts.read.keys
    reports = (judged.report for judged in Judge(texts, ran).stages())
    told = 0
    for key, found in run_texts(pool, texts):
        ran[key] = found
        while told < len(keys) and keys[told] in ran:
            watcher.ran(_without_noise(next(reports)))
            told += 1
    return ran


def _without_noise(found: StageReport) -> StageReport:
    """A report without the parts that need the noise of rounding."""
    return replace(found, verdict=None, worst=None) if found.worst is not None else found
