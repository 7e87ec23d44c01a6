"""`hloscope lesson`: new, check, export; what is printed, and the exit code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from hloscope.app.cli.main import main
from tests.app.export.one_file.pages import parts_of
from tests.app.lessons.texts import ASK, EVERY_KIND, HEAD, STEP, write

MOST_CODE = 450 << 10
"""Bytes of an exported lesson beside its data."""


def test_a_new_lesson_is_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "new", "my-lesson", "--dir", str(tmp_path)]) == 0
    made = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert made == ["my-lesson.md", "programs/my-lesson.mlir", "programs/my-lesson_solved.mlir"]
    assert f"hloscope lesson check {tmp_path / 'my-lesson.md'}" in capsys.readouterr().out
    assert main(["lesson", "check", str(tmp_path / "my-lesson.md")]) == 0
    assert re.search(r"ok; 3 steps, 3 questions, 1 exercise, takes about \d", capsys.readouterr().out)


def test_a_new_lesson_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "new", "roots", "--dir", str(tmp_path)]) == 0
    before = (tmp_path / "roots.md").read_text()
    assert main(["lesson", "new", "roots", "--dir", str(tmp_path)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main(["lesson", "new", "../roots", "--dir", str(tmp_path)]) == 2
    assert "a lesson's name has lowercase letters" in capsys.readouterr().err
    assert (tmp_path / "roots.md").read_text() == before


def test_check_says_where_and_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, STEP + ASK.replace("wrong 5", "wrong 10"))
    assert main(["lesson", "check", str(path), str(EVERY_KIND)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}:{HEAD.count(chr(10)) + 4}: error: the wrong answer `10` is right"
    assert lines[1].startswith(f"{path}: 1 error; 1 step, 1 question, 0 exercises, takes about")
    shown = "tests/data/lessons/every-kind.md:29: warning: line 23 shows %1 before the question about it"
    assert lines[2].startswith(shown)
    assert "tests/data/lessons/every-kind.md: ok, 4 warnings; 4 steps" in lines[-1]


def test_check_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, STEP + ASK.replace("%0[1,2]", "%9[1,2]"))
    assert main(["lesson", "check", "--json", str(path)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["status"], found["steps"], found["questions"]) == ("error", 1, 1)
    assert found["errors"][0]["message"] == "`%9[1,2]`: the program has no value %9"


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for action in ("check", "preview", "export"):
        assert main(["lesson", action, str(tmp_path / "no.md")]) == 2
        assert f"there is no file {tmp_path / 'no.md'}" in capsys.readouterr().err


def test_export_writes_one_file_with_all_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "x.html"
    assert main(["lesson", "export", str(EVERY_KIND), "-o", str(out)]) == 0
    assert f"{out}: {out.stat().st_size:,} bytes, en" in capsys.readouterr().out
    page = out.read_bytes()
    parts = parts_of(page)
    data = sum(len(match) for match in re.findall(rb"data-part=[^<]*", page))
    assert len(page) - data < MOST_CODE
    session, lessons = json.loads(parts["session"]), json.loads(parts["lessons"])
    assert [run["title"] for run in session["runs"]] == ["window.mlir", "countdown.mlir", "logs.mlir"]
    assert (lessons["en"]["session"], lessons["en"]["server"]) == ("", None)
    texts = json.dumps(lessons)
    assert 'href=\\"/' not in texts
    assert "https://openxla.org/stablehlo/spec#gather" in texts
    for word in (b"http://127.0.0.1", b"<script src"):
        assert word not in page[:2000]


@pytest.mark.more
def test_links_of_an_exported_lesson_lead_to_a_server(tmp_path: Path) -> None:
    out = tmp_path / "x.html"
    server = "https://hloscope.example/"
    assert main(["lesson", "export", str(EVERY_KIND), "-o", str(out), "--server", server]) == 0
    lesson = json.loads(parts_of(out.read_bytes())["lessons"])["en"]
    assert lesson["server"] == "https://hloscope.example"
    assert '<a href="https://hloscope.example/ops/stablehlo.gather"' in json.dumps(lesson).replace('\\"', '"')


EXPORTS = {
    "no server": (["--server", "javascript:alert(1)"], "--server is an address such as"),
    "a program": (["-o", "roots.mlir"], "is not the name of a page"),
    "no translation": (["--language", "fr"], "has no translation to fr"),
}


@pytest.mark.parametrize(("options", "said"), EXPORTS.values(), ids=EXPORTS)
def test_exports_that_make_no_sense(
    tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lesson", "export", str(write(tmp_path)), *options]) == 2
    assert said in capsys.readouterr().err


def test_a_lesson_that_is_wrong_is_not_exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, STEP + "::look at=7\n")
    assert main(["lesson", "export", str(path), "-o", str(tmp_path / "x.html")]) == 1
    assert f'{path}:{HEAD.count(chr(10)) + 2}: error: at="7" is not a place' in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()
