"""The first part of a split run, computed by XLA: the recording begins in the middle of the program."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from hloscope.engine.errors import InputError
from hloscope.engine.ops import op_table
from hloscope.engine.ops.core.values import leaves
from hloscope.engine.outside_results import same_results
from hloscope.engine.program_split import Split, StartPosition, split_at
from hloscope.engine.sharded_runs.sharded_inputs import is_partitioned
from hloscope.engine.syntax import print_module

from ..processes.arrays import Array
from ..runs.launching import RunPlan, fed_queues, queue_text
from ..runs.opening import begin_with_values, names_of
from ..xla.engine import Grid
from .engines import SecondEngine
from .extra_results import as_stablehlo

Tell = Callable[[str], None]


@dataclass(frozen=True)
class LaterStart:
    """A run that begins later, and its inputs."""

    plan: RunPlan
    place: StartPosition
    by: str
    """The engine before the start: `XLA of jaxlib 0.10.2 on cpu`."""
    values: Mapping[str, Array]
    """Its values by name: enough to begin there again."""

    @property
    def sentence(self) -> str:
        """The start of the recording, and its inputs, in words."""
        count = len(self.values)
        words = f"{count:,} value{'' if count == 1 else 's'} from before it {'is' if count == 1 else 'are'}"
        what = f"{words} computed by {self.by}" if count else "nothing that comes before it is read"
        note = f" ({self.place.note})" if self.place.note else ""
        return f"the recording begins at line {self.place.line}{note}; {what}"


def parse_place(text: str) -> int | str:
    """A line, or the name of a value; a numeric name needs its `%`."""
    return int(text) if text.strip().isdecimal() else text


def begin_with_engine(
    plan: RunPlan, wanted: int | str, engine: SecondEngine, tell: Tell = lambda _: None
) -> LaterStart:
    """The run from a line of the text or a value on.

    `InputError` if none can begin there, `XlaFailed` if XLA cannot compute the values before.
    """
    split = split_at(plan.program, plan.function, wanted, plan.bindings)
    _check_queues(split, plan)
    tell("starting XLA")
    by = engine.versions().title
    tell("making the inputs")
    plan = replace(plan, made=plan.launch())
    found = _compute(split, plan, engine, tell) if split.computed else {}
    return LaterStart(begin_with_values(plan, split, by, found), split.start, by, found)


# Requests to XLA


def _check_queues(split: Split, plan: RunPlan) -> None:
    """Reject ops on queues: they would wait forever, and change the items for later ones."""
    queues = [queue_text(key) for key in fed_queues(plan.program, plan.grid)]
    if queues:
        raise InputError(
            f"the program takes from {queues[0]}, which XLA is not given: its recording begins at its beginning"
        )


def _compute(split: Split, plan: RunPlan, engine: SecondEngine, tell: Tell) -> dict[str, Array]:
    module = as_stablehlo(split.before())
    if module is None:
        raise InputError(
            f"what comes before line {split.start.line} cannot be said in StableHLO, which XLA is given",
            hint="Begin before instructions that XLA has made for one device, such as fusions of libraries.",
        )
    count = plan.grid.num_processes
    is_whole = count > 1 and not is_partitioned(plan.program, plan.function)
    grid: Grid = (plan.grid.num_replicas, plan.grid.num_partitions, is_whole)
    start = plan.launch()
    bound = [same_results(plan.bindings, found.maker.id)[found.index] for found in split.bound]
    arguments = [
        leaf
        for process in range(1 if is_whole else count)
        for value in (*start.inputs[process], *bound)
        for leaf in leaves(value)
    ]
    tell(f"computing {len(split.computed):,} values before line {split.start.line} with XLA")
    results = engine.run(print_module(module, op_table(), "generic"), arguments, {}, grid)
    names = [
        name
        for process in range(count)
        for found in split.computed
        for name in names_of(found, plan, process)
    ]
    if len(names) != len(results):
        raise InputError(f"XLA has given {len(results)} values, not {len(names)}")
    return dict(zip(names, results, strict=True))
