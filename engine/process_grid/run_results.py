"""Results of a run without recording."""

from collections.abc import Sequence
from time import perf_counter

from ..errors import LimitError, RunError
from ..limits import DEFAULT_LIMITS, Limits
from ..ops.core.exchanges import Array, Arrays
from ..outside_results import Bindings
from ..program import BoundProgram
from ..run_errors import attribute_error
from .grid_events import GridListener
from .grid_run import GridRun
from .launch import Launch


def results_of(
    program: BoundProgram,
    inputs: Sequence[Array],
    limits: Limits = DEFAULT_LIMITS,
    entry: str | None = None,
    bindings: Bindings | None = None,
) -> Arrays:
    """The entry function's results in a single-process run; `ProgramError` if the run fails."""
    return results_on_grid(program, Launch.single_process(inputs), limits, entry, bindings)[0]


def results_on_grid(
    program: BoundProgram,
    launch: Launch,
    limits: Limits = DEFAULT_LIMITS,
    entry: str | None = None,
    bindings: Bindings | None = None,
) -> list[Arrays]:
    """The entry function's results in each process; `ProgramError` if the run fails."""
    run = GridRun(program, launch, GridListener(), limits, entry, bindings)
    run.run(limits.run_step_limit, perf_counter() + limits.run_seconds)
    if not run.finished:
        raise _unfinished_error(run)
    run.run()  # raise errors of pending operations
    return [run.processes[number].interpreter.returned for number in run.launch_groups[0].numbers]


def _unfinished_error(run: GridRun) -> RunError | LimitError:
    limits = run.limits
    if run.awaited_queues:
        number, queue = next(iter(run.awaited_queues.items()))
        process = run.processes[number]
        assert process.interpreter.waiting is not None
        bound = process.interpreter.waiting.bound
        error = RunError(f"process {run.names.process(number)} waits for the {queue}, which is empty")
        attribute_error(error, bound)
        return error
    if run.step_count >= limits.run_step_limit:
        label, message = "run_step_limit", f"the limit run_step_limit = {limits.run_step_limit:,} steps"
    else:
        label, message = "run_seconds", f"the limit run_seconds = {limits.run_seconds:g} s"
    process = next(found for found in run.processes if not found.ended)
    frame = process.interpreter.frames[-1]
    limit = LimitError(f"the run has reached {message}", label=label, hint="is there an infinite loop?")
    attribute_error(limit, frame.block.operations[frame.next])
    return limit
