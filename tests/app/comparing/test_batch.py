"""`hloscope compare --batch`: clusters, verdicts that a second run reuses, a baseline, and reports."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from hloscope.app.cli.main import main
from hloscope.app.comparing.batch import pool
from hloscope.app.comparing.batch.clusters import clusters_of
from hloscope.app.comparing.batch.records import FILE, Cause, Journal, Record
from tests.app.comparing.planted import WrongFusionPass
from tests.passes import folders

ROOT = Path(__file__).parents[3]
Compared = Callable[..., tuple[int, dict[str, Any]]]
PROGRAMS = {
    "a.mlir": "same",
    "b/c.mlir": "different algsimp multiply add",
    "b/d.hlo": "different algsimp multiply add and a longer text",
    "e.txt": "different fusion exponential tanh",
    "README.md": "no program",
}
PROGRAM = """func.func @main(%a: tensor<40xf32>) -> tensor<40xf32> {{
  %0 = stablehlo.exponential %a : tensor<40xf32>
  %1 = stablehlo.{op} %0 : tensor<40xf32>
  %2 = stablehlo.add %1, %a : tensor<40xf32>
  return %2 : tensor<40xf32>
}}"""


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compared:
    """A batch that a stand-in compares: its exit code and its report."""
    monkeypatch.setattr(pool, "MODULE", "tests.app.comparing.standin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*options: str, source: str = "programs") -> tuple[int, dict[str, Any]]:
        given = ["compare", "--batch", str(tmp_path / source), "--against", "xla", "--json"]
        code = main([*given, "--output", str(tmp_path / "out"), "--jobs", "1", *options])
        told = capsys.readouterr()
        return code, json.loads(told.out) if told.out else {"error": told.err}

    write(tmp_path, PROGRAMS)
    return run


def write(tmp_path: Path, programs: dict[str, str]) -> None:
    for name, text in programs.items():
        path = tmp_path / "programs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_programs_with_one_cause_are_a_cluster(compared: Compared, tmp_path: Path) -> None:
    code, report = compared("--jobs", "2")
    assert code == 1
    assert report["counts"] == {"same": 1, "different": 3, "unknown": 0, "failed": 0}
    assert report["left_out"] == 1
    first, second = report["clusters"]
    assert first["title"] == "pass `algsimp`: multiply became add"
    assert first["programs"] == ["b/c.mlir", "b/d.hlo"]
    assert first["case"] == {"issue": "reduced b/c.mlir", "ops": ["stablehlo.add"]}
    assert second["title"] == "pass `fusion`: exponential became tanh"
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == report
    page = (tmp_path / "out" / "report.html").read_text()
    assert "pass `algsimp`: multiply became add (2)" in page
    assert "reduced b/c.mlir" in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_an_archive_has_the_clusters_of_its_folder(compared: Compared, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "programs.zip", "w") as archive:
        for name, text in PROGRAMS.items():
            archive.writestr(name, text)
    assert compared(source="programs.zip")[1]["clusters"] == compared()[1]["clusters"]


def test_a_second_run_compares_only_what_is_new(compared: Compared, tmp_path: Path) -> None:
    finished = compared()
    write(tmp_path, {"f.mlir": "unknown", "g.mlir": "same"})
    asked: list[str] = []
    whole = pool.perform_all

    def counted(items: Any, request: Any, *rest: Any) -> None:
        def noted(item: Any) -> Any:
            asked.append(getattr(item, "name", ""))
            return request(item)

        whole(items, noted, *rest)

    with patch("hloscope.app.comparing.batch.compare.perform_all", counted):
        code, report = compared("--case-seconds", "0")
    # g.mlir has the text of a.mlir, whose verdict is finished.
    assert asked == ["f.mlir"]
    assert code == 1
    assert report["counts"] == {"same": 2, "different": 3, "unknown": 1, "failed": 0}
    assert [cluster["programs"] for cluster in report["clusters"]] == [
        cluster["programs"] for cluster in finished[1]["clusters"]
    ]
    with patch("hloscope.app.comparing.batch.compare.perform_all", counted):
        compared("--case-seconds", "0", "--seed", "1")
    assert len(asked) == 1 + 5


def test_a_baseline_fails_on_new_clusters_only(compared: Compared, tmp_path: Path) -> None:
    compared()
    (tmp_path / "out" / "report.json").rename(tmp_path / "old.json")
    baseline = ("--baseline", str(tmp_path / "old.json"))
    write(tmp_path, {"f.mlir": "different algsimp multiply add once more"})
    assert compared(*baseline)[0] == 0
    write(tmp_path, {"g.mlir": "unknown"})
    assert compared(*baseline)[0] == 8
    write(tmp_path, {"h.mlir": "different dce add constant"})
    code, report = compared(*baseline)
    assert code == 1
    assert [cluster["title"] for cluster in report["clusters"] if cluster["new"]] == [
        "pass `dce`: add became constant"
    ]
    (tmp_path / "old.json").write_text("[]")
    code, report = compared(*baseline)
    assert code == 2
    assert "is not a report of a batch" in report["error"]


def test_the_death_of_a_worker_fails_one_program(compared: Compared, tmp_path: Path) -> None:
    write(tmp_path, {"aa.mlir": "die"})
    report = compared()[1]
    assert report["counts"] == {"same": 1, "different": 3, "unknown": 0, "failed": 1}
    assert "aa.mlir" not in (tmp_path / "out" / FILE).read_text()
    write(tmp_path, dict.fromkeys(PROGRAMS, "same"))
    assert compared()[0] == 8


def test_without_xla_the_batch_stops(compared: Compared, tmp_path: Path) -> None:
    write(tmp_path, {"a.mlir": "missing"})
    code, report = compared()
    assert code == 2
    assert "jax and jaxlib are not installed" in report["error"]


def test_a_verdict_that_was_cut_off_is_skipped(tmp_path: Path) -> None:
    record = Record("a", "1", "same", "it agrees")
    journal = Journal(tmp_path)
    journal.append(record)
    with (tmp_path / FILE).open("a") as stream:
        stream.write('{"program": "b", "ke')
    other = Record("c", "2", "different", "it differs", cause=Cause("pass", "algsimp", "add", "subtract"))
    journal.append(other)
    assert Journal(tmp_path).read() == {"1": record, "2": other}


def test_the_case_is_the_smallest_program() -> None:
    cause = Cause("code generation", "fusion", after="fusion", detail="stablehlo.reduce")
    records = [Record(str(size), "", "different", "", size=size, cause=cause) for size in (30, 10, 20)]
    (cluster,) = clusters_of(records)
    assert cluster.smallest.program == "10"
    assert cause.title == "code generation after pass `fusion`: fusion, stablehlo.reduce"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["compare", "--batch", "."], "add --against xla"),
        (["compare", "x.mlir", "--batch", ".", "--against", "xla"], "remove x.mlir"),
        (["compare"], "no program"),
    ],
)
def test_wrong_options_are_refused(
    options: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options) == 2
    assert problem in capsys.readouterr().err


def test_the_modules_of_many_dumps(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    top = tmp_path / "dumps"
    top.mkdir()
    for name in ("a", "b"):
        folders.broken(top / name)
    (top / "c.zip").write_bytes(folders.zipped(folders.healthy(tmp_path / "healthy")))
    given = ["passes", "--batch", str(top), "--json", "--jobs", "1"]
    assert main(given) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"same": 1, "different": 2, "unknown": 0, "failed": 0}
    (cluster,) = report["clusters"]
    assert cluster["title"] == "pass `algsimp`: subtract with swapped operands"
    assert cluster["programs"] == ["a/module_0001.jit_f", "b/module_0001.jit_f"]
    issue = cluster["case"]["issue"]
    assert "`%after` took the place of `%before` in the program below" in issue
    assert "%before = f32[1,1]{1,0} subtract(%multiply.7, %x.1)" in issue, issue
    assert "%after = f32[1,1]{1,0} subtract(%x.1, %multiply.7)" in issue
    assert (tmp_path / "dumps.batch" / "cases" / "01" / "issue.md").read_text() == issue
    baseline = ("--baseline", str(tmp_path / "dumps.batch" / "report.json"))
    with patch("hloscope.app.comparing.batch.passes.ExamineModule", side_effect=AssertionError):
        assert main([*given, *baseline]) == 0
    assert main(["passes", "--batch", str(top), "--no-run"]) == 2
    assert "remove --no-run" in capsys.readouterr().err


def test_a_module_whose_worker_dies_is_run_text_by_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool, "MODULE", "tests.app.comparing.standin")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    folders.broken(tmp_path / "dumps")
    given = ["passes", "--batch", str(tmp_path / "dumps"), "--json", "--jobs", "1", "--case-seconds", "0"]
    assert main(given) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"same": 0, "different": 1, "unknown": 0, "failed": 0}


@pytest.mark.oracle
def test_programs_against_xla(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
    write(tmp_path, {"right.mlir": right, "wrong.mlir": "func.func @main("})
    given = ["compare", "--batch", str(tmp_path / "programs"), "--against", "xla", "--json", "--jobs", "1"]
    assert main(given) == 8
    report = json.loads(capsys.readouterr().out)
    assert [(one["program"], one["verdict"]) for one in report["programs"]] == [
        ("right.mlir", "same"),
        ("wrong.mlir", "failed"),
    ]
    assert (tmp_path / "programs.batch" / "report.html").exists()


@pytest.mark.oracle
def test_a_fault_of_a_pass_is_one_cluster_with_a_minimal_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool, "MODULE", "tests.app.comparing.planted")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    write(tmp_path, {f"{op}.mlir": PROGRAM.format(op=op) for op in ("cosine", "sine", "tanh")})
    write(tmp_path, {"right.mlir": PROGRAM.format(op="sine").replace("stablehlo.add", "stablehlo.multiply")})
    given = ["compare", "--batch", str(tmp_path / "programs"), "--against", "xla", "--json", "--jobs", "1"]
    assert main(given) == 1
    report = json.loads(capsys.readouterr().out)
    assert report["counts"] == {"same": 1, "different": 3, "unknown": 0, "failed": 0}
    (cluster,) = report["clusters"]
    assert cluster["title"] == "pass `fusion`: add became subtract"
    assert cluster["programs"] == ["cosine.mlir", "sine.mlir", "tanh.mlir"]
    assert cluster["case"]["ops"] == ["stablehlo.add"]
    assert "xla_client.CompileOptions()" in cluster["case"]["issue"]
    assert {file.name for file in (tmp_path / "programs.batch" / "cases" / "01").iterdir()} == {
        "inputs.npz",
        "issue.md",
        "program.mlir",
        "report.json",
        "reproduce.py",
    }


@pytest.mark.oracle
def test_a_dump_with_a_fault_of_the_installed_xla_becomes_a_program_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(pool, "MODULE", "tests.app.comparing.planted")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    with WrongFusionPass() as xla:
        xla.dump(PROGRAM.format(op="negate").replace("40x", "4x"), tmp_path / "dumps")
    assert main(["passes", "--batch", str(tmp_path / "dumps"), "--json", "--jobs", "1"]) == 1
    (cluster,) = json.loads(capsys.readouterr().out)["clusters"]
    assert cluster["title"] == "pass `fusion`: add became subtract"
    assert "add" in cluster["case"]["ops"]
    assert len(cluster["case"]["ops"]) < 3
    assert "changes the values of the program below" in cluster["case"]["issue"]
