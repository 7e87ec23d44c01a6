"""Host channels with sends and receives by processes: one queue per launch group."""

from dataclasses import replace

import numpy as np
import pytest

from hloscope.engine.debugger.pieces import moved_pieces
from hloscope.engine.debugger.provenance.links import Links
from hloscope.engine.debugger.provenance.run import RecordedRun
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.errors import InputError, LimitError
from hloscope.engine.limits import DEFAULT_LIMITS
from hloscope.engine.process_grid import Launch, QueueKey, results_on_grid
from hloscope.engine.process_grid.grid_events import GridListener
from hloscope.engine.process_grid.grid_run import GridRun, Schedule
from hloscope.engine.program import BoundProgram
from tests.programs import load_program

from .test_schedule import at_random, everything

Ends = list[tuple[str, int] | tuple[str, int, int]]
"""The sends and receives of a process: `("send", channel, number)` or `("receive", channel)`."""
TOKEN = "!stablehlo.token"
FED = QueueKey("host", 5)
SIZE = 1000


def send(channel: int, number: int) -> tuple[str, int, int]:
    return "send", channel, number


def receive(channel: int) -> tuple[str, int]:
    return "receive", channel


def text(*processes: Ends, size: int = 1) -> str:
    """A program whose processes return all values that they receive, concatenated."""
    found = f"tensor<{size}xi64>"
    functions, results, names = [], [], []
    for place, ends in enumerate(processes):
        lines, got = [f"%t = stablehlo.after_all : {TOKEN}"], []
        token = "%t"
        for number, (verb, channel, *value) in enumerate(ends):
            kind = 2 if verb == "send" else 3
            about = f"<{{channel_handle = #stablehlo.channel_handle<handle = {channel}, type = {kind}>, is_host_transfer = true}}>"
            if verb == "send":
                lines.append(f"%i{number} = stablehlo.iota dim = 0 : {found}")
                lines.append(f"%c{number} = stablehlo.constant dense<{value[0]}> : {found}")
                lines.append(f"%v{number} = stablehlo.add %i{number}, %c{number} : {found}")
                lines.append(
                    f'%t{number} = "stablehlo.send"(%v{number}, {token}) {about} : ({found}, {TOKEN}) -> {TOKEN}'
                )
            else:
                lines.append(
                    f'%r{number}, %t{number} = "stablehlo.recv"({token}) {about} : ({TOKEN}) -> ({found}, {TOKEN})'
                )
                got.append(f"%r{number}")
            token = f"%t{number}"
        types = ", ".join([found] * len(got))
        end = f"return {', '.join(got)} : {types}" if got else "return"
        functions.append(f"func.func private @p{place}() -> ({types}) {{ {' '.join(lines)} {end} }}")
        results += got
        names.append(f"[@p{place}]")
    types = ", ".join([found] * len(results))
    run = f'"interpreter.run_parallel"() {{programs = [{", ".join(names)}]}} : () -> ({types})'
    if not results:
        return "\n".join([*functions, f"func.func @main() {{ {run} return }}"])
    given = ", ".join(f"%r#{number}" for number in range(len(results)))
    main = f"func.func @main() -> ({types}) {{ %r:{len(results)} = {run} return {given} : {types} }}"
    return "\n".join([*functions, main])


def program(*processes: Ends) -> BoundProgram:
    return load_program(text(*processes))


def recorded(found: BoundProgram, items: tuple[int, ...] = (), schedule: Schedule | None = None) -> Recording:
    feeds = {FED: tuple((np.array([number]),) for number in items)} if items else {}
    recording = Recording(found, replace(Launch.single_process(()), feeds=feeds), schedule=schedule)
    recording.record()
    return recording


def received(*processes: Ends, items: tuple[int, ...] = ()) -> list[int]:
    recording = recorded(program(*processes), items)
    assert recording.state.kind == "done", recording.state.reason
    return [int(value[0]) for value in recording.results() or ()]


@pytest.mark.parametrize(
    ("processes", "expected"),
    [
        ([[send(5, 1)], [receive(5)]], [1]),
        ([[receive(5)], [send(5, 1)]], [1]),
        ([[send(5, 1), send(5, 2)], [receive(5), receive(5)]], [1, 2]),
        ([[send(5, 1), send(5, 2)], [receive(5)], [receive(5)]], [1, 2]),
        ([[receive(5)], [receive(5)], [send(5, 1), send(5, 2)]], [1, 2]),
        ([[send(5, 1)], [send(5, 2)], [receive(5), receive(5)]], [1, 2]),
        ([[send(5, 1), send(6, 2)], [receive(6), receive(5)]], [2, 1]),
        ([[send(5, 1), receive(6)], [receive(5), send(6, 2)]], [2, 1]),
        ([[send(5, 1), receive(5)], [receive(5), send(5, 2)]], [2, 1]),
        ([[send(5, 1), send(5, 2), receive(5), receive(5)]], [1, 2]),
        ([[send(5, 1), send(6, 2), receive(6), receive(5)]], [2, 1]),
    ],
)
def test_what_is_sent_goes_to_who_receives(processes: list[Ends], expected: list[int]) -> None:
    assert received(*processes) == expected


def test_what_the_user_has_put_in_comes_first() -> None:
    processes: list[Ends] = [[send(5, 1), send(5, 2)], [receive(5), receive(5), receive(5)]]
    assert received(*processes, items=(8,)) == [8, 1, 2]
    assert received(*processes, items=(7, 8, 9)) == [7, 8, 9]


def test_nothing_is_put_in_once_processes_fill_the_queue_themselves() -> None:
    found = program([send(5, 1), receive(6)], [receive(5)])
    recording = recorded(found)
    assert (recording.state.kind, *recording.awaited_queues.values()) == ("paused", QueueKey("host", 6))
    with pytest.raises(InputError, match="the queue from the host on channel 5 is filled by processes"):
        recording.feed(FED, [(np.array([3]),)])
    assert FED not in recording.pending_items
    recording.feed(QueueKey("host", 6), [(np.array([4]),)])
    assert recording.record().kind == "done"
    assert [int(value[0]) for value in recording.results() or ()] == [4, 1]


def test_a_channel_with_one_end_leads_to_the_user() -> None:
    recording = recorded(program([send(5, 1)], [send(5, 2)]))
    assert recording.state.kind == "done"
    sent = [move.values[0].tolist() for record in recording.queues.values() for move in record.moves]
    assert sent == [[1], [2]]
    assert recorded(program([receive(5)])).awaited_queues == {1: FED}


def test_each_team_has_its_own_queues() -> None:
    inner = text([receive(5)]).replace("@main", "@inner").replace("@p0", "@q0")
    outer = text([send(5, 1), send(6, 2), receive(6)]).replace(
        "return %r2", "func.call @inner() : () -> (tensor<1xi64>) return %r2"
    )
    recording = recorded(load_program("\n".join([inner, outer])))
    assert recording.state.kind == "paused"
    assert list(recording.awaited_queues.values()) == [FED]
    assert [key.kind for key in recording.queues] == ["to_host"]


def test_what_nobody_receives_stays_with_the_host() -> None:
    recording = recorded(program([send(5, 1), send(5, 2)], [receive(5)]))
    assert recording.state.kind == "done"
    first, second = recording.collective_executions
    assert (first.group, first.end is not None) == ((1, 2), True)
    assert (second.group, second.end) == ((1,), None)


@pytest.mark.parametrize(
    "ends", [[[send(5, 1)], [receive(5)]], [[receive(5)], [send(5, 1)]], [[send(5, 1), receive(5)]]]
)
def test_a_transfer_is_a_message_that_can_be_followed(ends: list[Ends]) -> None:
    recording = recorded(program(*ends))
    (message,) = recording.collective_executions
    (process,) = {
        visit[0]
        for visit in message.visits
        if recording.program.ops[visit[2]].operation.name.endswith("recv")
    }
    assert message.end == max(message.released.values())
    (piece,) = moved_pieces(recording, message, process)
    assert piece.read is not None
    assert piece.written is not None
    assert recording.value(piece.read).tolist() == recording.value(piece.written).tolist() == [1]
    (link,) = Links(RecordedRun(recording)).into(piece.written).links
    assert link.source == piece.read


PROGRAMS: dict[str, list[Ends]] = {
    "to and fro on one channel": [[send(5, 1), receive(5)], [receive(5), send(5, 2)]],
    "in a ring": [[send(5, 1), receive(7)], [receive(5), send(6, 2)], [receive(6), send(7, 3)]],
    "to itself": [[send(5, 1), receive(5), send(5, 2), receive(5)], [send(6, 3)], [receive(6)]],
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", PROGRAMS)
def test_any_fair_order_gives_the_same(name: str, seed: int) -> None:
    found = program(*PROGRAMS[name])
    assert everything(recorded(found, schedule=at_random(seed))) == everything(recorded(found))


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_that_were_dropped_come_back(name: str) -> None:
    found = program(*PROGRAMS[name])
    small = Recording(found, Launch.single_process(()), replace(DEFAULT_LIMITS, recording_bytes=64))
    assert small.record().kind == "done"
    assert everything(small) == everything(recorded(found))


@pytest.mark.parametrize("name", PROGRAMS)
def test_pauses_change_nothing(name: str) -> None:
    found = program(*PROGRAMS[name])
    recording = Recording(found, Launch.single_process(()))
    while recording.record(steps=1).kind == "recording":
        pass
    assert everything(recording) == everything(recorded(found))


def held(*processes: Ends) -> int:
    """Live bytes after all processes ended that do not wait for the user."""
    run = GridRun(program_of_size(*processes), Launch.single_process(()), GridListener())
    run.run()
    assert run.finished
    return run.ledger.bytes


def test_what_waits_in_a_queue_counts_as_memory_until_it_is_received() -> None:
    three: Ends = [send(5, number) for number in range(3)]
    assert held(three, [receive(5)] * 3) == 0
    assert held(three, [receive(5)]) == 2 * 8 * SIZE
    assert held([*three, *three], [receive(5)]) == 5 * 8 * SIZE
    limits = replace(DEFAULT_LIMITS, session_memory_bytes=20 * 8 * SIZE)
    many = program_of_size([send(5, number) for number in range(30)], [receive(5)])
    with pytest.raises(LimitError, match="memory"):
        results_on_grid(many, Launch.single_process(()), limits)


def program_of_size(*processes: Ends) -> BoundProgram:
    return load_program(text(*processes, size=SIZE))
