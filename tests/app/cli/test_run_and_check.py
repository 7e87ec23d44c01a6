"""The command line: what it prints, where, and its exit code; whatever happens, no traceback."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hloscope.app.cli.main as cli
from hloscope.app.cli import run as running
from hloscope.app.cli.main import main
from hloscope.app.runs.chunks import planning
from tests.app.serving import ENDLESS

ADD = """func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %z = stablehlo.add %x, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}
"""
WRONG = """func.func @main(%a: tensor<2x1xi64>, %b: tensor<3x2xi64>) -> tensor<5x1xi64> {
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<2x1xi64>, tensor<3x2xi64>) -> tensor<5x1xi64>
  return %0 : tensor<5x1xi64>
}
"""
WARNED = """func.func @main(%x: tensor<2xi32>) -> tensor<2xi1> {
  %0 = stablehlo.compare LT, %x, %x, TOTALORDER : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
"""


@pytest.fixture
def add(tmp_path: Path) -> str:
    return _file(tmp_path, ADD)


def _file(folder: Path, text: str, name: str = "p.mlir") -> str:
    file = folder / name
    file.write_text(text, "utf-8")
    return str(file)


def _lines(capsys: Any) -> list[Any]:
    def no_constant(name: str) -> None:
        pytest.fail(f"{name} in JSON")

    return [json.loads(line, parse_constant=no_constant) for line in capsys.readouterr().out.splitlines()]


def test_check_says_that_all_is_well(add: str, capsys: Any) -> None:
    assert main(["check", add]) == 0
    assert capsys.readouterr().out == f"{add}: well formed, 2 operations in 1 function\n"


def test_check_says_what_is_wrong_where_and_under_which_label(tmp_path: Path, add: str, capsys: Any) -> None:
    wrong = _file(tmp_path, WRONG, "wrong.mlir")
    assert main(["check", add, wrong]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("well formed, 2 operations in 1 function")
    assert lines[1].startswith(f"{wrong}:2:")
    assert ": error: op 'stablehlo.concatenate': C2: " in lines[1]
    assert lines[2].startswith("    2 |   %0 = stablehlo.concatenate")
    assert lines[3].strip().strip("^") == ""


def test_check_lists_every_error_of_a_text(tmp_path: Path, add: str, capsys: Any) -> None:
    text = Path(add).read_text("utf-8")
    wrong = _file(
        tmp_path,
        f"{text.replace('stablehlo.add', 'stablehlo.ad')}{WRONG.replace('@main', '@f')}",
        "wrong.mlir",
    )
    assert main(["check", wrong]) == 1
    errors = [line for line in capsys.readouterr().out.splitlines() if ": error: " in line]
    assert len(errors) == 2
    assert "unknown op 'stablehlo.ad'" in errors[0]
    assert "C2" in errors[1]


def test_a_warning_does_not_keep_a_program_from_running(tmp_path: Path, capsys: Any) -> None:
    warned = _file(tmp_path, WARNED)
    assert main(["check", warned]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{warned}:2:8: warning: op 'stablehlo.compare': C3: ")
    assert lines[-1] == f"{warned}: well formed, 2 operations in 1 function"

    assert main(["run", warned, "--input", "dense<[1, 2]>"]) == 0
    told = capsys.readouterr()
    assert told.out == "%out_0 = stablehlo.constant dense<false> : tensor<2xi1>\n"
    assert told.err.startswith(f"{warned}:2:8: warning: op 'stablehlo.compare': C3: ")

    for command in (["check", "--json"], ["run", "--json", "--input", "dense<[1, 2]>"]):
        assert main([*command, warned]) == 0
        (line,) = _lines(capsys)
        (found,) = line["diagnostics"]
        assert (line["status"], found["severity"], found["label"]) == ("passed", "warning", "C3")


def test_check_as_json(tmp_path: Path, add: str, capsys: Any) -> None:
    wrong = _file(tmp_path, WRONG, "wrong.mlir")
    assert main(["check", "--json", add, wrong]) == 1
    good, bad = _lines(capsys)
    assert good == {"file": add, "chunk": 0, "function": "main", "status": "passed", "diagnostics": []}
    assert (bad["file"], bad["chunk"], bad["function"], bad["status"]) == (wrong, 0, None, "error")
    (found,) = bad["diagnostics"]
    assert sorted(found) == ["column", "hint", "label", "line", "message", "op", "severity"]
    assert (found["line"], found["op"], found["label"]) == (2, "stablehlo.concatenate", "C2")


def test_run_prints_results_as_constants(add: str, capsys: Any) -> None:
    assert main(["run", add, "--input", "[1, 2]", "--input", "dense<0.5>"]) == 0
    printed = "%out_0 = stablehlo.constant dense<[1.500000e+00, 2.500000e+00]> : tensor<2xf32>\n"
    assert capsys.readouterr().out == printed


def test_inputs_by_name_and_in_order(add: str, capsys: Any) -> None:
    assert main(["run", add, "--input", "%y=[1, 2]", "--input", "iota"]) == 0
    assert "[1.000000e+00, 3.000000e+00]" in capsys.readouterr().out
    assert main(["run", add, "--input", "1=[1, 2]", "--input", "x=ones"]) == 0
    assert "[2.000000e+00, 3.000000e+00]" in capsys.readouterr().out


def test_arguments_have_the_names_of_the_page_and_of_the_code_too(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "f.mlir"
    path.write_text(
        """func.func @main(%arg0: tensor<2xf32> loc("params['w']")) -> tensor<2xf32> {
  return %arg0 : tensor<2xf32>
}
"""
    )
    for name in ("params['w']", "params.w", "%params.w", "arg0", "%arg0"):
        assert main(["run", str(path), "--input", f"{name}=[1, 2]"]) == 0
        assert "1.000000e+00, 2.000000e+00" in capsys.readouterr().out
    assert main(["run", str(path), "--input", "w=[1, 2]"]) == 2
    assert "no argument 'w'; it has params['w']" in capsys.readouterr().err


def test_what_is_not_given_is_random_by_the_seed(add: str, capsys: Any) -> None:
    printed = []
    for seed in ("1", "1", "2"):
        assert main(["run", add, "--seed", seed]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != printed[2]


def test_a_program_may_state_its_inputs(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, f"// inputs: [1, 2]; ones\n{ADD}")
    assert main(["run", file]) == 0
    assert "[2.000000e+00, 3.000000e+00]" in capsys.readouterr().out
    assert main(["run", file, "--input", "y=[3, 3]"]) == 0
    assert "[4.000000e+00, 5.000000e+00]" in capsys.readouterr().out


def test_arrays_go_in_and_out(add: str, tmp_path: Path, capsys: Any) -> None:
    inputs, outputs = tmp_path / "x.npz", tmp_path / "y.npz"
    np.savez(inputs, in_0=np.array([1, 2], np.float32), in_1=np.array([3, 4], np.float32))
    assert main(["run", add, "--inputs", str(inputs), "--outputs", str(outputs)]) == 0
    assert np.load(outputs)["out_0"].tolist() == [4, 6]
    np.save(tmp_path / "x.npy", np.array([5, 6], np.float32))
    assert main(["run", add, "--input", str(tmp_path / "x.npy"), "--input", "ones"]) == 0
    assert "[6.000000e+00, 7.000000e+00]" in capsys.readouterr().out


def test_run_as_json(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, ADD)
    assert main(["run", "--json", file, "--input", "[0x7FC00000, 1.0]", "--input", "zeros"]) == 0
    (found,) = _lines(capsys)
    (given,) = found.pop("inputs")
    assert given["sentence"].endswith("holds NaN in 1 of 2 elements")
    assert found == {"file": file, "chunk": 0, "function": "main", "status": "passed", "diagnostics": []}


CHUNKS = """// -----
func.func @first() -> tensor<i32> {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  interpreter.print %0 : tensor<i32>
  check.expect_eq_const %0, dense<1> : tensor<i32>
  return %0 : tensor<i32>
} // ----- the second
func.func @second() {
  %0 = stablehlo.constant dense<1> : tensor<i32>
  check.expect_eq_const %0, dense<2> : tensor<i32>
  return
}
// -----
// nothing here
// -----
func.func @a() { return }
func.func @b() { return }
// -----
func.func @wrong() -> tensor<i32> {
  return
}
"""


def test_the_chunks_of_a_file_are_programs(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, CHUNKS)
    assert main(["run", "--split-input-file", "--json", file, file]) == 1
    captured = capsys.readouterr()
    assert captured.err == 2 * f"{file}:4: tensor<i32> 1\n"
    lines = [json.loads(line) for line in captured.out.splitlines()]
    assert lines[:6] == lines[6:]
    assert [(line["chunk"], line["function"], line["status"]) for line in lines[:6]] == [
        (0, None, "passed"),
        (1, "first", "passed"),
        (2, "second", "failed"),
        (3, None, "passed"),
        (4, None, "error"),
        (5, None, "error"),
    ]
    (failed,) = lines[2]["diagnostics"]
    assert (failed["line"], failed["column"], failed["op"]) == (10, 3, "check.expect_eq_const")
    assert failed["message"].endswith("the value has 1, the constant 2 (1 apart)")
    assert "choose one of @a, @b with --entry" in lines[4]["diagnostics"][0]["message"]
    assert lines[5]["diagnostics"][0]["line"] == 20

    assert main(["check", "--split-input-file", "--json", file]) == 1
    statuses = [(line["function"], line["status"]) for line in _lines(capsys)]
    assert statuses == [
        (None, "passed"),
        ("first", "passed"),
        ("second", "passed"),
        (None, "passed"),
        (None, "passed"),
        (None, "error"),
    ]


def test_many_programs_as_text(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, CHUNKS)
    assert main(["run", "--split-input-file", file]) == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines() == [
        f"{file}, chunk 0: passed",
        f"{file}:4: tensor<i32> 1",
        "%out_0 = stablehlo.constant dense<1> : tensor<i32>",
        f"{file}, chunk 1, @first: passed",
        f"{file}, chunk 2, @second: failed",
        f"{file}, chunk 3: passed",
        f"{file}, chunk 4: error",
        f"{file}, chunk 5: error",
        "3 passed, 1 failed, 2 errors",
    ]
    assert f"{file}:10:3: error: op 'check.expect_eq_const': " in captured.err
    assert main(["run", "--split-input-file", file, "--outputs", "x.npz"]) == 2
    assert "--outputs saves the results of one program, not of 6" in capsys.readouterr().err


def test_only_if_all_pass_the_code_is_0(tmp_path: Path, capsys: Any) -> None:
    passing = _file(tmp_path, CHUNKS.split("// -----")[1], "passing.mlir")
    failing = _file(tmp_path, CHUNKS.split("// -----")[2].partition("\n")[2], "failing.mlir")
    endless = _file(tmp_path, ENDLESS, "endless.mlir")
    few = ["--set", "run_step_limit=500"]
    assert main(["run", passing]) == 0
    assert main(["run", passing, failing]) == 1
    assert main(["run", passing, endless, *few]) == 3
    assert main(["run", failing, endless, *few]) == 1
    assert main(["run", "--json", passing, "--input", "1"]) == 2
    capsys.readouterr()


def test_probes_become_files(tmp_path: Path, capsys: Any) -> None:
    probe = '%y = interpreter.probe %x, probe_id = "x, y" : tensor<2xf32>\n'
    file = _file(
        tmp_path, ADD.replace("%y: tensor<2xf32>", "%w: tensor<2xf32>").replace("  %z", f"  {probe}  %z")
    )
    assert main(["run", file, "--input", "[1, 2]", "--probe-dir", str(tmp_path / "probes")]) == 0
    assert (tmp_path / "probes" / "index.csv").read_text() == '"x, y",float32[2],probe0.npy\n'
    assert np.load(tmp_path / "probes" / "probe0.npy").tolist() == [1, 2]
    capsys.readouterr()


def test_large_results_are_shortened_and_described(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, ADD.replace("tensor<2xf32>", "tensor<40x50xf32>"))
    assert main(["run", file, "--input", "iota", "--input", "zeros"]) == 0
    out = capsys.readouterr().out
    assert len(out) < 3000
    assert out.endswith(", …]> : tensor<40x50xf32>  // f32[40,50]  0 … 1999  mean 999.5\n")


def test_a_program_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    for command, code in (("check", 1), ("run", 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
        assert main([command, "-"]) == code
        captured = capsys.readouterr()
        assert "<stdin>:2:" in (captured.out if command == "check" else captured.err)


def test_run_of_a_wrong_program(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, WRONG)
    assert main(["run", file]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "C2" in captured.err
    assert main(["run", "--json", file]) == 1
    (found,) = _lines(capsys)
    assert (found["status"], found["function"], found["diagnostics"][0]["label"]) == ("error", None, "C2")


def test_what_has_no_place_is_told_without_one(add: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["findings", add, "--input", "a=1"]) == 2
    assert capsys.readouterr().out.startswith(f"{add}: error: @main has no argument 'a'")
    assert main(["findings", _file(tmp_path, ENDLESS), "--set", "run_step_limit=9"]) == 3
    assert capsys.readouterr().out.endswith("nothing found before the run stopped\n")
    wrong = ["run", add, "--json", "--seed", "-1"]
    assert main(wrong) == 2
    assert _lines(capsys)[0]["diagnostics"][0]["hint"] == "Seeds are 0 to 9223372036854775807."


def test_a_limit_pauses_the_run_and_is_named(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, ENDLESS)
    assert main(["run", file, "--set", "run_step_limit=500"]) == 3
    assert "run_step_limit = 500" in capsys.readouterr().err
    assert main(["run", "--json", file, "--set", "run_step_limit=500"]) == 3
    (found,) = _lines(capsys)
    assert found["status"] == "error"
    assert "run_step_limit = 500" in found["diagnostics"][0]["message"]


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["run", "nothing.mlir"], 2, "cannot use nothing.mlir: no such file or directory"),
        (["check", "."], 2, ". is a folder: a dump of XLA is examined by `hloscope passes`"),
        (["run", "FILE", "--inputs", "nothing.npz"], 2, "cannot use nothing.npz: no such file or directory"),
        (["run", "FILE", "--inputs", "FILE"], 2, "is neither .npz nor .npy"),
        (
            ["run", "FILE", "--entry", "f"],
            2,
            "the program has no function @f: choose one of @main with --entry",
        ),
        (
            ["run", "FILE", "--input", "[1, 2, 3]"],
            2,
            "argument 0 (%x) of type tensor<2xf32> cannot be '[1, 2, 3]'",
        ),
        (["run", "FILE", "--input", "a=1"], 2, "@main has no argument 'a'; it has x, y"),
        (["run", "FILE", "--input", "x=1", "--input", "%x=2"], 2, "argument '%x' is given twice"),
        (["run", "FILE", *["--input", "1.0"] * 3], 2, "@main takes 2 inputs, not 3"),
        (["run", "FILE", "--set", "colour=red"], 2, "colour"),
        (["run", "FILE", "--seed", "-1"], 2, "cannot take seed -1"),
        (["run", "FILE", "--set", "max_tensor_bytes=4"], 3, "max_tensor_bytes"),
        (["check", "FILE", "--set", "max_program_bytes=10"], 3, "max_program_bytes = 10"),
        (["serve", "nothing.mlir"], 2, "there is no file nothing.mlir"),
        (["--no-browser", "--set", "x"], 2, "x"),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: list[str], code: int, complaint: str, add: str, capsys: Any
) -> None:
    assert main([add if word == "FILE" else word for word in arguments]) == code
    captured = capsys.readouterr()
    assert complaint in captured.err
    assert captured.err.startswith("hloscope: ")
    assert captured.out == ""


def test_what_is_no_text_is_refused(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "p.mlir").write_bytes(b"module \xff")
    assert main(["check", str(tmp_path / "p.mlir")]) == 2
    assert "byte 7 is not UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--colour"], "serve does not take --colour\n        hint: `hloscope serve --help`"),
        (["chekc", "x.mlir"], "'chekc' is neither a command nor a file: did you mean check?"),
        (["run"], "the following arguments are required: FILE\n        hint: `hloscope run --help`"),
        (["run", "x", "--port", "1"], "run does not take --port"),
        (["run", "x", "--html-budget", "many"], "--html-budget: 'many' is not a whole number"),
        (["findings", "x", "--seconds", "nan"], "'nan' is not a number of seconds, 0 or more"),
        (["lesson", "nwe"], "invalid choice: 'nwe'"),
    ],
)
def test_a_wrong_command_line_exits_with_2(arguments: list[str], message: str, capsys: Any) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr().err
    assert told.startswith("hloscope: ")
    assert message in told
    assert len(told.splitlines()) == 2


def test_version_and_help(capsys: Any) -> None:
    for flag in ("--version", "--help"):
        with pytest.raises(SystemExit) as error:
            main([flag])
        assert error.value.code == 0
        assert "hloscope" in capsys.readouterr().out


def test_interruption_and_faults_have_codes_of_their_own(
    add: str, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    def faulty(*_: Any, **__: Any) -> Any:
        raise RuntimeError("of\nours")

    monkeypatch.setattr(running, "run", interrupted)
    assert main(["run", add]) == 130
    assert capsys.readouterr().err == "hloscope: interrupted\n"
    monkeypatch.setattr(running, "run", faulty)
    monkeypatch.delenv("HLOSCOPE_TRACEBACK", raising=False)
    assert main(["run", add]) == 70
    assert "RuntimeError: of ours" in capsys.readouterr().err


def test_a_long_run_shows_how_far_it_is_on_a_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(planning, "PATIENCE_SECONDS", 0)
    monkeypatch.setattr(planning, "SLICE_SECONDS", 1e-6)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["run", _file(tmp_path, ENDLESS), "--set", "run_step_limit=200000"]) == 3
    err = capsys.readouterr().err
    assert "of at most 200,000 steps" in err
    assert "\r\x1b[K" in err


@pytest.mark.parametrize(
    ("given", "command"),
    [
        ([], "serve"),
        (["--port", "9"], "serve"),
        (["run", "x"], "run"),
        (["-h"], "-h"),
    ],
)
def test_serving_is_what_happens_without_a_command(given: list[str], command: str) -> None:
    assert cli._with_command(given)[0] == command


def test_a_file_alone_is_served(add: str) -> None:
    assert cli._with_command([add]) == ["serve", add]


OUTSIDE = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = stablehlo.constant dense_resource<__elided__> : tensor<2xf32>
  stablehlo.custom_call @log(%x) {has_side_effect = true} : (tensor<2xf32>) -> ()
  %y = stablehlo.custom_call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %z = stablehlo.add %w, %y : tensor<2xf32>
  return %z : tensor<2xf32>
}
"""


def _run_outside(tmp_path: Path, *binds: str) -> int:
    options = [word for bind in binds for word in ("--bind", bind)]
    return main(["run", _file(tmp_path, OUTSIDE), "--input", "0", *options])


def test_run_takes_what_code_outside_of_the_program_makes(tmp_path: Path, capsys: Any) -> None:
    np.save(tmp_path / "w.npy", np.array([1, 2], np.float32))
    assert _run_outside(tmp_path, f"w={tmp_path / 'w.npy'}", "@log=skip", "%y=[10, 20]") == 0
    assert "dense<[1.100000e+01, 2.200000e+01]>" in capsys.readouterr().out
    assert _run_outside(tmp_path, "dense_resource<__elided__>=ones", "@log:3=skip", "@f:4=iota") == 0
    assert "dense<[1.000000e+00, 2.000000e+00]>" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("binds", "option"),
    [
        ((), "--bind 'dense_resource<__elided__>=normal', or zeros, a literal, a file.npy"),
        (("%w=0",), "tell the run to skip it to continue: --bind @log=skip"),
        (("%w=0", "@log=skip"), "bind values for its results to continue: --bind @f=normal, or zeros"),
    ],
)
def test_run_says_which_option_lets_it_go_on(
    tmp_path: Path, capsys: Any, binds: tuple[str, ...], option: str
) -> None:
    assert _run_outside(tmp_path, *binds) == 1
    assert option in capsys.readouterr().err


@pytest.mark.parametrize(
    ("bind", "sentence"),
    [
        ("%z=0", "no code outside the program makes '%z'"),
        ("%y", "--bind takes NAME=VALUE, not '%y'"),
        ("%y=skip", "%y (custom_call @f, line 4) is a value: only what gives nothing is skipped"),
        ("@log=1", "custom_call @log, line 3 gives nothing: it can only be skipped"),
        ("%y=[1, 2, 3]", "%y (custom_call @f, line 4) of type tensor<2xf32> cannot be '[1, 2, 3]'"),
    ],
)
def test_bindings_that_do_not_fit(tmp_path: Path, capsys: Any, bind: str, sentence: str) -> None:
    assert _run_outside(tmp_path, bind) == 2
    assert sentence in capsys.readouterr().err


def test_random_values_of_several_results_differ(tmp_path: Path, capsys: Any) -> None:
    text = OUTSIDE.replace(
        "stablehlo.constant dense_resource<__elided__> :", "stablehlo.custom_call @f(%x) : (tensor<2xf32>) ->"
    )
    text = text.replace("stablehlo.add", "stablehlo.subtract")
    assert (
        main(["run", _file(tmp_path, text), "--input", "0", "--bind", "@log=skip", "--bind", "@f=normal:7"])
        == 0
    )
    assert "0.000000e+00" not in capsys.readouterr().out


TOKENS = """func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>, %u: !stablehlo.token, %y: tensor<2xf32>)
    -> (!stablehlo.token, tensor<2xf32>) {
  %0 = stablehlo.subtract %x, %y : tensor<2xf32>
  return %t, %0 : !stablehlo.token, tensor<2xf32>
}
"""


@pytest.mark.parametrize("names", [("a", "b"), ("in_1", "in_3"), ("x", "y")])
def test_tokens_are_in_no_file(tmp_path: Path, capsys: Any, names: tuple[str, str]) -> None:
    file, inputs = _file(tmp_path, TOKENS), tmp_path / "x.npz"
    values: Any = dict(zip(names, np.array([[5, 7], [1, 2]], np.float32), strict=True))
    np.savez(inputs, **values)
    assert main(["run", file, "--inputs", str(inputs)]) == 0
    assert "dense<[4.000000e+00, 5.000000e+00]>" in capsys.readouterr().out


def test_tokens_are_not_counted_among_the_inputs(tmp_path: Path, capsys: Any) -> None:
    file = _file(tmp_path, TOKENS)
    for given in (["[5, 7]", "[1, 2]"], ["zeros", "[5, 7]", "zeros", "[1, 2]"]):
        options = [word for value in given for word in ("--input", value)]
        assert main(["run", file, *options]) == 0
        assert "dense<[4.000000e+00, 5.000000e+00]>" in capsys.readouterr().out
    too_many = [word for _ in range(5) for word in ("--input", "[1, 2]")]
    assert main(["run", file, *too_many]) == 2
    assert "takes 2 inputs, not 5" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "// nothing\n", "module {}", "module @m { module @inner {} }", 'sdy.mesh @mesh = <["x"=2]>']
)
def test_a_module_without_a_function_is_well_formed_and_there_is_nothing_to_run(
    tmp_path: Path, capsys: Any, text: str
) -> None:
    file = _file(tmp_path, text)
    assert main(["check", file]) == 0
    assert capsys.readouterr().out == f"{file}: well formed, 0 operations in 0 functions\n"
    assert main(["run", file]) == 2
    assert "there is nothing to run: the module has no function with a body" in capsys.readouterr().err
    assert main(["run", "--json", file]) == 2
    (line,) = _lines(capsys)
    assert line["status"] == "error"
