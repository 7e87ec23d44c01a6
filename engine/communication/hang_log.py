"""Log lines of a job that hangs, and the collective ops of a program that they are about.

XLA prints a line for each thread that waits in a rendezvous for too long (`xla/service/rendezvous.cc`):

    [id=1] This thread has been waiting for `all reduce RendezvousKey{run_id=RunId: 7, global_devices=[0, 1],
    num_local_participants=2, collective_op_kind=cross_module, op_id=1}` for 10 seconds and may be stuck. Expected …

and later `Termination timeout for …, but only 1 of them arrived on time`. On GPUs the name is that of a clique,
`acquire clique for rank 1; clique=devices=[0,1]; …`. `id` is the order in which the threads arrived, not a device;
a rank is a position among the devices.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..errors import Diagnostic, RunError
from ..ops.collectives.collective_rules import CollectiveOp
from ..ops.core.exchanges import GridPosition
from ..ops.core.process_groups import Grid
from ..program import BoundFunction, BoundOperation, BoundProgram
from ..run_errors import attribute_error
from .program_facts import Communication

_WAIT = re.compile(
    r"(?:\[id=(?P<id>\d+)\] )?(?P<what>This thread has been waiting for|This thread is unstuck waiting for|"
    r"Termination timeout for) `(?P<name>[^`]*)`(?P<rest>.*)"
)
_COLLECTIVE = re.compile(
    r"all[ -]reduce|all[ -]gather|all[ -]to[ -]all|reduce[ -]scatter|ragged[ -]all[ -]to[ -]all|"
    r"collective[ -]permute|collective[ -]broadcast",
    re.IGNORECASE,
)
_DEVICES = re.compile(r"(?:devices=|clique(?: key)? )\[([\d, ]*)\]")
_RANK = re.compile(r"\brank[ =](\d+)")
_RUN = re.compile(r"run_id=(?:RunId: )?(-?\d+)")
_OP = re.compile(r"collective_op_kind=(\w+), op_id=(-?\d+)")
_ARRIVED = re.compile(r"only (\d+) of them arrived")
_JOINED = re.compile(r"All (\d+) threads joined")
_EXPECTED = re.compile(r"Expected (\d+) threads")
_BARRIER = re.compile(r"Barrier timed out\. Id: (?P<name>\S+?)\. ")
_REACHED = re.compile(r"# of tasks that reached the barrier: (\d+)/(\d+)")
_TASK = re.compile(r"\s*(/job:\S+|\d+)\s*")
"""The name of a task, alone on a line after the sentences on its barrier."""


@dataclass
class Stall:
    """One rendezvous in which threads wait, from all of its lines."""

    name: str
    """The waiting operation, in the words of the log: `all reduce`, `acquire clique`."""
    devices: tuple[int, ...]
    run: str | None
    channel: int | None
    """The channel of the op, if the log states one."""
    line: int
    """The first line of the log about it."""
    arrival_numbers: set[str] = field(default_factory=set)
    """Numbers of the threads that wait, in the order in which they arrived."""
    ranks: set[int] = field(default_factory=set)
    expected: int | None = None
    arrived: int | None = None
    """The number of threads that arrived, where the log states it."""
    all_joined: bool = False

    @property
    def collective(self) -> str | None:
        """The name of the op without a dialect: `all_reduce`."""
        found = _COLLECTIVE.search(self.name)
        return re.sub("[ -]", "_", found[0].lower()) if found else None

    @property
    def waiting_devices(self) -> tuple[int, ...]:
        """The devices that wait, where the log names ranks."""
        return tuple(self.devices[rank] for rank in sorted(self.ranks) if rank < len(self.devices))

    @property
    def waiting_count(self) -> int:
        """The number of threads that the log shows to have arrived; more may have."""
        return max(self.arrived or 0, len(self.arrival_numbers), len(self.ranks))


@dataclass(frozen=True)
class HangLog:
    """The waiting threads and tasks of a log."""

    name: str
    stalls: tuple[Stall, ...]
    barriers: tuple[str, ...]
    """Sentences about barriers of `jax.distributed` that timed out."""
    lines_read: int
    other_lines: int
    """Number of lines about something else."""


def read_hang_log(text: str, name: str) -> HangLog:
    """Read the lines that XLA and `jax.distributed` print about waits; others are counted."""
    stalls: dict[object, Stall] = {}
    barriers: list[str] = []
    read = others = 0
    for number, line in enumerate(text.split("\n"), 1):
        if found := _WAIT.search(line):
            _add(stalls, found, number)
        elif found := _BARRIER.search(line):
            barriers.append(f"the barrier {found['name']} of jax.distributed timed out")
        elif barriers and (found := _REACHED.search(line)):
            barriers[-1] += f": {found[1]} of {found[2]} tasks reached it"
        elif barriers and (found := _TASK.fullmatch(line)):
            barriers[-1] += f"; task {found[1]} timed out"
        else:
            others += bool(line.strip())
            continue
        read += 1
    waiting = tuple(stall for stall in stalls.values() if stall.waiting_count or stall.all_joined)
    return HangLog(name, waiting, tuple(barriers), read, others)


def _add(stalls: dict[object, Stall], found: re.Match[str], line: int) -> None:
    name, rest = found["name"], found["rest"]
    devices = _DEVICES.search(name)
    members = tuple(map(int, re.findall(r"\d+", devices[1]))) if devices else ()
    run, op, rank = _RUN.search(name), _OP.search(name), _RANK.search(name)
    title = re.split(r" RendezvousKey| for rank|;", name, maxsplit=1)[0].strip()
    # Without a channel, op_id is the number of the module.
    channel = int(op[2]) if op and op[1] == "cross_module" else None
    key = (title, members, run and run[1], op and op.groups())
    stall = stalls.setdefault(key, Stall(title, members, run[1] if run else None, channel, line))
    if found["what"].startswith("This thread is unstuck"):
        stall.arrival_numbers.discard(found["id"] or "")
        stall.ranks.discard(int(rank[1]) if rank else -1)
        return
    if found["id"]:
        stall.arrival_numbers.add(found["id"])
    if rank:
        stall.ranks.add(int(rank[1]))
    for pattern, attribute in ((_EXPECTED, "expected"), (_ARRIVED, "arrived"), (_JOINED, "expected")):
        if stated := pattern.search(rest):
            setattr(stall, attribute, int(stated[1]))
    stall.all_joined = stall.all_joined or bool(_JOINED.search(rest))


@dataclass(frozen=True)
class HangReport:
    """What a log says of a program: a note for each rendezvous that matches an op, and sentences about the others."""

    notes: tuple[Diagnostic, ...]
    others: tuple[str, ...]


def explain_hang(program: BoundProgram, function: BoundFunction, grid: Grid, log: HangLog) -> HangReport:
    """Locate the ops in which a log's threads wait. Device `k` is process `k` of the grid."""
    matches = [_matching_ops(program, function, grid, stall) for stall in log.stalls]
    notes, others = [], [f"{log.name}: {sentence}" for sentence in log.barriers]
    for stall, ops in zip(log.stalls, matches, strict=True):
        sentence = f"{log.name}:{stall.line}: {_sentence(stall)}"
        rest = "".join(_elsewhere(program, stall, log.stalls, matches))
        if not ops:
            others.append(f"{sentence}{rest}; no op of the program matches")
            continue
        first, *more = ops
        if more:
            lines = " or ".join(str(program.line_of(each.id)) for each in ops)
            rest += f"; the op is that of line {lines}"
        error = attribute_error(RunError(f"{sentence}{rest}"), first)
        notes.append(error.diagnostic("note"))
    return HangReport(tuple(notes), tuple(others))


def _sentence(stall: Stall) -> str:
    where = f"{_title(stall)}{f' of devices {list(stall.devices)}' if stall.devices else ''}"
    count = stall.expected or len(stall.devices)
    if stall.all_joined:
        return f"all {count} threads arrived at {where}, but it has not completed"
    if stall.waiting_devices:
        missing = [device for device in stall.devices if device not in stall.waiting_devices]
        return f"devices {list(stall.waiting_devices)} wait in {where}; the log does not show that {missing} arrived"
    of = f" of {count}" if count else ""
    least = "" if stall.arrived is not None else "at least "
    count, verb = stall.waiting_count, "waits" if stall.waiting_count == 1 else "wait"
    return f"{least}{count}{of} threads {verb} in {where}; the log does not name their devices"


def _elsewhere(
    program: BoundProgram, stall: Stall, stalls: Sequence[Stall], matches: Sequence[Sequence[BoundOperation]]
) -> Iterator[str]:
    """The waits of threads of the same devices in other rendezvous of the run."""
    for other, ops in zip(stalls, matches, strict=True):
        if other is stall or other.run != stall.run or not set(other.devices) & set(stall.devices):
            continue
        lines = " or ".join(str(program.line_of(each.id)) for each in ops)
        missing = [device for device in other.waiting_devices if device not in stall.waiting_devices]
        one = other.waiting_count == 1
        who = f"devices {missing}" if missing else f"{other.waiting_count} thread{'s' * (not one)}"
        yield f"; {who} {'waits' if one and not missing else 'wait'} in {_title(other)}{f' at line {lines}' if lines else ''}"


def _title(stall: Stall) -> str:
    return f"{stall.name}{f' on channel {stall.channel}' if stall.channel is not None else ''}"


def _matching_ops(
    program: BoundProgram, function: BoundFunction, grid: Grid, stall: Stall
) -> list[BoundOperation]:
    """The ops that a rendezvous may belong to: of its name, channel and devices, as far as it states them."""
    found = []
    for bound in Communication(program, function).exchanges:
        op = bound.op.unpacked
        if not isinstance(op, CollectiveOp):
            continue
        name = bound.operation.name.rpartition(".")[2].replace("-", "_")
        is_named = stall.collective is None or name.startswith(stall.collective)
        on_channel = stall.channel is None or op.channel == stall.channel
        if is_named and on_channel and (not stall.devices or _has_group(op, grid, set(stall.devices))):
            found.append(bound)
    return found


def _has_group(op: CollectiveOp, grid: Grid, devices: set[int]) -> bool:
    """Whether processes with the numbers `devices` wait for each other in an op.

    In a permute XLA also waits for processes that are in no pair.
    """
    has_pairs = hasattr(op, "source_target_pairs")
    for place in GridPosition.all_of(grid):
        try:
            peers = op.peers(place)
        except RunError:
            return False
        group = peers.group if peers else ()
        members = {each.replica_id * grid.num_partitions + each.partition_id for each in group}
        if members == devices or (has_pairs and members and members < devices):
            return True
    return False
