"""`hloscope run` and `check` on programs of several processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hloscope.app.cli.main import main
from tests.app.grid_programs import FED, FROM_HOST, MANUAL, ONE_NEVER_COMES, PARTITIONED, SUM_OF_PAIRS
from tests.app.serving import ADD


@pytest.fixture
def run(tmp_path: Path, capsys: Any) -> Any:
    def ran(text: str, *options: str) -> tuple[int, list[str], str]:
        file = tmp_path / "p.mlir"
        file.write_text(text, "utf-8")
        code = main(["run", str(file), *options])
        told = capsys.readouterr()
        return code, told.out.replace(f"{tmp_path}/", "").splitlines(), told.err.replace(f"{tmp_path}/", "")

    return ran


def saved(file: Path) -> dict[str, Any]:
    with np.load(file) as arrays:
        return {name: arrays[name].tolist() for name in arrays}


def test_results_that_agree_are_shown_once(run: Any) -> None:
    code, out, _ = run(SUM_OF_PAIRS, "--input", "[1, 2]")
    assert code == 0
    assert out == [
        "// the same in all 4 processes",
        "%out_0 = stablehlo.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>",
    ]


def test_results_that_differ_are_shown_with_their_processes(run: Any, tmp_path: Path) -> None:
    inputs = ["--input", "1", "--input", "x@2,0=[1, 2]", "--input", "x@3,0=[2.5, 3]"]
    outputs = tmp_path / "y.npz"
    code, out, _ = run(SUM_OF_PAIRS, *inputs, "--outputs", str(outputs))
    assert code == 0
    assert out == [
        "// processes (0, 0), (1, 0)",
        "%out_0 = stablehlo.constant dense<2.000000e+00> : tensor<2xf32>",
        "// processes (2, 0), (3, 0)",
        "%out_0 = stablehlo.constant dense<[3.500000e+00, 5.000000e+00]> : tensor<2xf32>",
    ]
    assert saved(outputs) == {
        "out_0@0,0": [2, 2],
        "out_0@1,0": [2, 2],
        "out_0@2,0": [3.5, 5],
        "out_0@3,0": [3.5, 5],
    }
    _, out, _ = run(SUM_OF_PAIRS, *inputs, "--results", "each")
    assert out[::2] == [f"// process ({number}, 0)" for number in range(4)]
    code, _, err = run(SUM_OF_PAIRS, *inputs, "--results", "joined")
    assert code == 2
    assert "result 0 is not the same in all processes: 4 of them have 2 values" in err
    assert "may be the parts of a whole" in err
    assert "a result with the attribute sdy.sharding or mhlo.sharding would" in err


def test_a_grid_of_the_users_choice(run: Any) -> None:
    _, out, _ = run(ADD, "--replicas", "2", "--partitions", "3", "--input", "[1, 2, 3, 4]")
    assert out[0] == "// the same in all 6 processes"
    code, _, err = run(SUM_OF_PAIRS, "--replicas", "2")
    assert code == 1
    assert "replica_groups names replica 2, but this run has 2 processes (2 replicas x 1 partition)" in err
    code, _, err = run(ADD, "--replicas", "300")
    assert code == 3
    assert "300 processes; max_processes allows 256" in err
    assert run(ADD, "--replicas", "300", "--set", "max_processes=300", "--input", "1")[0] == 0
    assert main(["run", "p.mlir", "--replicas", "0"]) == 2


def test_wholes_are_cut_and_results_joined(run: Any, tmp_path: Path) -> None:
    outputs = tmp_path / "y.npz"
    whole = np.arange(8, dtype=np.float32)
    np.savez(tmp_path / "x.npz", in_0=whole)
    code, out, _ = run(PARTITIONED, "--inputs", str(tmp_path / "x.npz"), "--outputs", str(outputs))
    assert code == 0
    assert out == [
        "// joined from the parts of 4 processes",
        "%out_0 = f32[8] constant({0, 1, 2, 3, 4, 5, 6, 7})",
        "%out_1 = f32[2] constant({12, 16})",
    ]
    assert saved(outputs) == {"out_0": whole.tolist(), "out_1": [12, 16]}
    _, out, _ = run(PARTITIONED, "--inputs", str(tmp_path / "x.npz"), "--results", "each")
    assert out[3:5] == ["// process (0, 1)", "%out_0 = f32[2] constant({2, 3})"]


def test_a_file_may_have_an_array_for_each_process(run: Any, tmp_path: Path) -> None:
    parts = {f"in_0@0,{number}": np.full(2, number, np.float32) for number in range(4)}
    file = tmp_path / "x.npz"
    np.savez(file, **parts)  # type: ignore[arg-type]
    _, out, _ = run(PARTITIONED, "--inputs", str(file))
    assert out[1] == "%out_0 = f32[8] constant({0, 0, 1, 1, 2, 2, 3, 3})"
    del parts["in_0@0,2"]
    np.savez(file, **parts)  # type: ignore[arg-type]
    code, _, err = run(PARTITIONED, "--inputs", str(file))
    assert code == 2
    assert "has arrays for 3 processes, but none for process (0, 2) of 1 replica x 4 partitions" in err
    np.savez(file, **parts, in_0=np.full(2, 9, np.float32))  # type: ignore[arg-type]
    _, out, _ = run(PARTITIONED, "--inputs", str(file))
    assert out[1] == "%out_0 = f32[8] constant({0, 0, 1, 1, 9, 9, 3, 3})"


def test_a_value_for_a_process_that_there_is_not(run: Any) -> None:
    code, _, err = run(SUM_OF_PAIRS, "--input", "x@0,1=3")
    assert code == 2
    assert "there is no process (0, 1): the grid is 4 replicas x 1 partition" in err


def test_a_manual_computation_gives_whole_values(run: Any) -> None:
    code, out, _ = run(MANUAL, "--input", "[0, 1, 2, 3, 4, 5, 6, 7]")
    assert code == 0
    assert out[0] == "// the same in all 4 processes"
    assert "2.000000e+00, 4.000000e+00, 6.000000e+00" in out[1]


def test_a_deadlock_is_told_with_all_processes(run: Any) -> None:
    code, out, err = run(ONE_NEVER_COMES)
    assert (code, out) == (1, [])
    assert "p.mlir:7:10: error: op 'stablehlo.all_reduce': (1, 0) has ended, while (0, 0) waits" in err
    assert err.splitlines()[-2:] == [
        "        (0, 0): waiting, stablehlo.all_reduce at line 7",
        "        (1, 0): ended",
    ]
    code, out, _ = run(ONE_NEVER_COMES, "--json")
    told = json.loads(out[0])
    assert told["grid"] == {"replicas": 2, "partitions": 1}
    assert [(found["state"], found["line"]) for found in told["processes"]] == [("waiting", 7), ("ended", 16)]
    assert told["deadlock"]["kind"] == "ended"


def test_infeed_and_outfeed(run: Any, tmp_path: Path) -> None:
    code, out, _ = run(FED, "--infeed", "[1, 2]", "--infeed", "[10, 20]; 2.5")
    assert code == 0
    assert out == [
        "p.mlir:6: outfeed: dense<[11, 22]> : tensor<2xi32>",
        "%out_0 = stablehlo.constant dense<[11, 22]> : tensor<2xi32>",
    ]
    file = tmp_path / "feed.npz"
    vector = np.arange(2, dtype=np.int32)
    np.savez(file, item_0=vector, item_1_0=10 * vector, item_1_1=np.float32(3))
    _, out, _ = run(FED, "--infeed", str(file))
    assert out[1] == "%out_0 = stablehlo.constant dense<[0, 11]> : tensor<2xi32>"


def test_each_process_may_have_an_infeed_queue_of_its_own(run: Any) -> None:
    feeds = ["0,0=[1, 2]", "1,0=[3, 4]", "0,0=0;0", "1, 0 = 1;0"]
    _, out, _ = run(FED, "--replicas", "2", *(part for feed in feeds for part in ("--infeed", feed)))
    assert out[:2] == [
        "p.mlir:6: (0, 0): outfeed: dense<[1, 2]> : tensor<2xi32>",
        "p.mlir:6: (1, 0): outfeed: dense<[4, 5]> : tensor<2xi32>",
    ]


def test_an_empty_queue_is_told_with_the_option_that_fills_it(run: Any) -> None:
    code, _, err = run(FED, "--infeed", "[1, 2]")
    assert code == 1
    assert (
        "p.mlir:4:10: error: op 'stablehlo.infeed': the run waits for the infeed queue, which is empty" in err
    )
    assert "--infeed VALUE" in err
    code, _, err = run(FROM_HOST)
    assert code == 1
    assert "--host 3=VALUE" in err


def test_items_that_nothing_takes(run: Any) -> None:
    for option, value, message in (
        ("--host", "3=1", "nothing reads from the queue from the host on channel 3"),
        ("--host", "x=1", "--host takes CHANNEL=VALUE"),
        ("--infeed", "[1, 2, 3]", "item 0 of the infeed queue of type tensor<2xi32> cannot be '[1, 2, 3]'"),
        ("--infeed", "1; 2; 3", "item 0 of the infeed queue has 3 values; tensor<2xi32> is taken from it"),
        ("--infeed", "7,0=1", "there is no process (7, 0)"),
    ):
        code, _, err = run(FED, option, value)
        assert (code, message in err) == (2, True), err


def test_the_host_sends_and_receives(run: Any) -> None:
    code, out, _ = run(FROM_HOST, "--host", "3=[4, 5]")
    assert code == 0
    assert out[0] == "p.mlir:4: to the host on channel 4: dense<[4, 5]> : tensor<2xi32>"


def test_a_check_says_the_grid(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(MANUAL, "utf-8")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.endswith("in 1 function, for 1 replica x 4 partitions\n")
    main(["check", str(file), "--json"])
    assert json.loads(capsys.readouterr().out)["grid"] == {"replicas": 1, "partitions": 4}


ONE_BRANCH = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %id = stablehlo.replica_id : tensor<ui32>
  %zero = stablehlo.constant dense<0> : tensor<ui32>
  %is_first = stablehlo.compare EQ, %id, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
  %y = "stablehlo.if"(%is_first) ({
    %sum = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %sum : tensor<2xf32>
  }, {
    stablehlo.return %x : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def test_a_check_of_collectives_needs_the_number_of_processes(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(ONE_BRANCH, "utf-8")
    assert main(["check", str(file)]) == 0
    assert "error" not in capsys.readouterr().out
    assert main(["check", str(file), "--replicas", "2"]) == 1
    out = capsys.readouterr().out
    assert out.startswith(
        f"{file}:6:12: error: op 'stablehlo.all_reduce': every run stops here: (1, 0) has ended, while (0, 0) waits"
    )
    assert main(["check", str(file), "--replicas", "100000"]) == 3


def test_a_check_puts_the_log_of_a_hung_job_on_the_program(tmp_path: Path, capsys: Any) -> None:
    file, log = tmp_path / "p.mlir", tmp_path / "job.log"
    file.write_text(ONE_BRANCH.replace("dense<0>", "dense<7>"), "utf-8")
    key = (
        "RendezvousKey{run_id=RunId: 7, global_devices=[0, 1], num_local_participants=2, "
        "collective_op_kind=cross_replica, op_id=3}"
    )
    waits = f"[id=0] This thread has been waiting for `all reduce {key}` for 10 seconds and may be stuck."
    log.write_text(f"starting\n{waits}\n", "utf-8")
    assert main(["check", str(file), "--replicas", "2", "--hang-log", str(log)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == (
        f"{file}:6:12: note: op 'stablehlo.all_reduce': job.log:2: at least 1 of 2 threads waits in all reduce of "
        "devices [0, 1]; the log does not name their devices"
    )
    assert out[-2:] == [
        "job.log: 1 line about waits; other lines: 1",
        f"{file}: well formed, 10 operations in 1 function, for 2 replicas x 1 partition",
    ]
    main(["check", str(file), "--replicas", "2", "--hang-log", str(log), "--json"])
    assert json.loads(capsys.readouterr().out)["hang"] == {"others": [], "lines": 1, "other_lines": 1}


def test_a_log_that_cannot_be_read(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "p.mlir"
    file.write_text(ONE_BRANCH, "utf-8")
    assert main(["check", str(file), "--hang-log", str(tmp_path / "none.log")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_inputs_apart_and_for_each_process(run: Any) -> None:
    _, out, _ = run(SUM_OF_PAIRS, "--input", "each 1 | 2 | 3 | [4, 5]")
    assert out[1::2] == [
        "%out_0 = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>",
        "%out_0 = stablehlo.constant dense<[7.000000e+00, 8.000000e+00]> : tensor<2xf32>",
    ]
    code, _, err = run(SUM_OF_PAIRS, "--input", "each 1 | 2")
    assert code == 2
    assert "given for 2 processes, but there are 4" in err
    _, apart, _ = run(SUM_OF_PAIRS, "--input", "apart normal:3", "--results", "each")
    assert apart[1] == apart[3] != apart[5] == apart[7]
    stated = f"// title: T\n// description: D\n// inputs: each 1 | 2 | 3 | 4\n{SUM_OF_PAIRS}"
    _, out, _ = run(stated)
    assert out[1] == "%out_0 = stablehlo.constant dense<3.000000e+00> : tensor<2xf32>"
    # What is stated for 4 processes says nothing of 8.
    assert run(stated, "--partitions", "2")[1][0] == "// the same in all 8 processes"


NAN_OF_ITS_OWN = """\
module attributes {mhlo.num_replicas = 2 : i32} {
  func.func @main() -> tensor<f32> {
    %id = stablehlo.replica_id : tensor<ui32>
    %nan = stablehlo.constant dense<0x7fc00000> : tensor<ui32>
    %bits = stablehlo.add %nan, %id : tensor<ui32>
    %x = stablehlo.bitcast_convert %bits : (tensor<ui32>) -> tensor<f32>
    return %x : tensor<f32>
  }
}"""


def test_nan_of_other_bits_is_told(run: Any) -> None:
    code, _, err = run(NAN_OF_ITS_OWN, "--results", "joined")
    assert code == 2
    assert "result 0 is not the same in all processes: they differ in the bits of NaN alone" in err
