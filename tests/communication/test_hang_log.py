"""Log lines of a hung job, in the words of `rendezvous.cc`, and the ops that they are put on."""

from hloscope.engine.communication import HangLog, explain_hang, read_hang_log
from hloscope.engine.communication.hang_log import HangReport
from hloscope.engine.ops.core.process_groups import Grid
from tests.programs import load_program

REDUCE = """({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<4xf32>"""
GROUPS = "replica_groups = dense<[[0, 4, 6, 7], [1, 2, 3, 5]]> : tensor<2x4xi64>, use_global_device_ids"
CHANNEL = "channel_handle = #stablehlo.channel_handle<handle = {}, type = 1>"
PAIRS = "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>"
PROGRAM = f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "stablehlo.all_reduce"(%x) <{{{CHANNEL.format(1)}, {GROUPS}}}> {REDUCE}
  %1 = "stablehlo.all_reduce"(%0) <{{{CHANNEL.format(2)}, {GROUPS}}}> {REDUCE}
  %2 = "stablehlo.collective_permute"(%1) <{{{CHANNEL.format(3)}, {PAIRS}}}> : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}}"""
HEAD = "E1127 11:18:57.296611    3324 rendezvous.cc:116] "


def name(op: str, channel: int, devices: str = "1, 2, 3, 5", kind: str = "cross_module") -> str:
    return (
        f"{op} RendezvousKey{{run_id=RunId: -21, global_devices=[{devices}], num_local_participants=4, "
        f"collective_op_kind={kind}, op_id={channel}}}"
    )


def waits(number: int, name: str) -> str:
    return (
        f"{HEAD}[id={number}] This thread has been waiting for `{name}` for 10 seconds and may be stuck. "
        "Expected 4 threads to join the rendezvous, but not all of them arrived on time.\n"
    )


def terminates(number: int, name: str, arrived: int) -> str:
    return (
        f"{HEAD}[id={number}] Termination timeout for `{name}` of 40 seconds exceeded. Exiting to ensure a "
        f"consistent program state. Expected 4 threads to join the rendezvous, but only {arrived} of them arrived "
        "on time.\n"
    )


def explained(log: HangLog) -> HangReport:
    program = load_program(PROGRAM, "job.mlir")
    assert program.entry is not None
    return explain_hang(program, program.entry, Grid(1, 8), log)


def note(text: str) -> tuple[int, str]:
    (found,) = explained(read_hang_log(text, "job.log")).notes
    return PROGRAM.count("\n", 0, found.span.start) + 1, found.message


def test_threads_that_wait_are_counted() -> None:
    text = waits(0, name("all reduce", 2)) + "unrelated\n" + waits(1, name("all reduce", 2))
    assert note(text) == (
        7,
        "job.log:1: at least 2 of 4 threads wait in all reduce on channel 2 of devices [1, 2, 3, 5]; "
        "the log does not name their devices",
    )
    log = read_hang_log(text, "job.log")
    assert (log.lines_read, log.other_lines) == (2, 1)


def test_the_end_of_a_job_states_how_many_arrived() -> None:
    text = waits(0, name("all reduce", 1)) + terminates(0, name("all reduce", 1), 3)
    line, message = note(text)
    assert line == 2
    assert message.startswith("job.log:1: 3 of 4 threads wait in all reduce on channel 1 of devices")


def test_a_thread_that_went_on_does_not_wait() -> None:
    rest = f"[id=0] This thread is unstuck waiting for `{name('all reduce', 1)}` after 12s. Threads joined rendezvous."
    assert explained(read_hang_log(waits(0, name("all reduce", 1)) + HEAD + rest, "job.log")) == HangReport(
        (), ()
    )


def test_all_threads_arrived() -> None:
    text = (
        f"{HEAD}[id=0] This thread has been waiting for `{name('all reduce', 1)}` for 10 seconds and may be stuck. "
        "All 4 threads joined the rendezvous, however the leader has not marked the rendezvous as completed."
    )
    assert note(text)[1] == (
        "job.log:1: all 4 threads arrived at all reduce on channel 1 of devices [1, 2, 3, 5], but it has not completed"
    )


def test_a_clique_names_the_devices_that_wait() -> None:
    clique = "acquire clique for rank {}; clique=devices=[1,2,3,5]; run_id=7"
    line, message = note(waits(0, clique.format(1)) + waits(1, clique.format(3)))
    assert line == 2
    assert message == (
        "job.log:1: devices [2, 5] wait in acquire clique of devices [1, 2, 3, 5]; the log does not show that [1, 3] "
        "arrived; the op is that of line 2 or 7"
    )


def test_what_the_others_wait_for() -> None:
    text = terminates(0, name("all reduce", 1), 2) + terminates(1, name("all reduce", 2), 2)
    first, second = explained(read_hang_log(text, "job.log")).notes
    assert first.message.endswith("; 2 threads wait in all reduce on channel 2 at line 7")
    assert second.message.endswith("; 2 threads wait in all reduce on channel 1 at line 2")


def test_a_permute_waits_for_processes_without_a_pair() -> None:
    assert note(waits(0, name("collective permute", 3, "0, 1, 2, 3, 4, 5, 6, 7")))[0] == 12


def test_without_a_channel_the_number_of_the_module_is_no_channel() -> None:
    report = explained(read_hang_log(waits(0, name("all reduce", 2, kind="cross_replica")), "job.log"))
    assert [each.message.rpartition("; ")[2] for each in report.notes] == ["the op is that of line 2 or 7"]


def test_a_rendezvous_of_no_op_is_listed() -> None:
    report = explained(read_hang_log(waits(0, name("all gather", 9)), "job.log"))
    assert report.notes == ()
    assert report.others[0].endswith("no op of the program matches")


def test_a_barrier_of_tasks() -> None:
    text = (
        "jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: sync_global_devices::0::0. This usually "
        "happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both "
        "timed out and first task) to debug further.\n# of tasks that reached the barrier: 1/2.\nThe first task at "
        "the barrier: 0. Some timed out task names:\n1\n\n\nRPC: /xla.coordination.CoordinationService/Barrier\n"
    )
    log = read_hang_log(text, "job.log")
    assert explained(log).others == (
        "job.log: the barrier sync_global_devices::0::0 of jax.distributed timed out: 1 of 2 tasks reached it; "
        "task 1 timed out",
    )
    assert (log.lines_read, log.other_lines) == (3, 2)
