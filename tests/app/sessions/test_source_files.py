"""Files of the user's own source: what is shown, and each reason for which a file is not."""

import linecache
import os
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import hloscope
from hloscope.app.base.settings import Settings
from hloscope.app.runs.formats.program_file import ProgramFile
from hloscope.app.sessions.collected_sources import texts_of_text
from hloscope.app.sessions.source_files import MOST_SOURCES, SourceFiles
from hloscope.app.web.main import Opening, _Server, create_app, server_config
from hloscope.engine.source import Source
from tests.app.serving import ORIGIN, PORT, TOKEN, serving

TEXT = "import jax\n\nloss = 1\n"
PROGRAM = "func.func @main(%x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}"


def _files(folder: Path, **changed: object) -> SourceFiles:
    return SourceFiles.of(Settings(source_folders=str(folder), **changed))  # type: ignore[arg-type]


def _lines(files: SourceFiles, path: object) -> list[str] | None:
    found = files.read(str(path))
    assert (found["lines"] is None) == bool(found["reason"])
    return found["lines"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that may be read, with a file of the same name beside it that may not."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TEXT)
    (tmp_path / "secret.py").write_text("secret = 1\n")
    return folder


def test_files_below_allowed_folders_are_shown(project: Path) -> None:
    files = _files(project)
    assert _lines(files, project / "train.py") == ["import jax", "", "loss = 1"]
    assert _lines(files, "train.py") == ["import jax", "", "loss = 1"]


def test_nothing_is_shown_by_default(project: Path) -> None:
    assert _lines(SourceFiles.of(Settings()), project / "train.py") is None


def test_files_outside_are_refused_and_not_told_of(project: Path) -> None:
    files = _files(project)
    refused = [files.read(str(project / "../secret.py")), files.read(str(project.parent / "nothing.py"))]
    assert [item["lines"] for item in refused] == [None, None]
    first, second = (str(item["reason"]).replace(item["file"], "FILE") for item in refused)
    assert first == second
    assert _lines(files, "../secret.py") is None
    assert (
        _lines(_files(project.parent / "proj"), project / "train.py") is None
    )  # no common letters but folders


def test_links_lead_nowhere_else(project: Path) -> None:
    (project / "link.py").symlink_to(project.parent / "secret.py")
    (project / "folder").symlink_to(project.parent, target_is_directory=True)
    (project / "round.py").symlink_to(project / "round.py")
    files = _files(project)
    for name in ("link.py", "folder/secret.py", "round.py"):
        assert _lines(files, project / name) is None, name


def test_only_python_text_of_a_bounded_size_is_shown(project: Path) -> None:
    (project / "passwords.txt").write_text("secret")
    (project / "link.py").symlink_to(project / "passwords.txt")
    (project / "bytes.py").write_bytes(b"\xff\xfe\x00")
    (project / "zero.py").write_bytes(b"a\0b")
    (project / "large.py").write_text("x" * 101)
    (project / "folder.py").mkdir()
    files = _files(project, max_sources_bytes=100)
    for name in (
        *("passwords.txt", "link.py", "bytes.py", "zero.py", "large.py", "folder.py", "no.py", "a\0.py"),
    ):
        assert _lines(files, project / name) is None, name
    assert "max_sources_bytes, 100 bytes" in str(files.read("large.py")["reason"])
    if hasattr(os, "mkfifo"):
        os.mkfifo(project / "pipe.py")
        assert _lines(files, project / "pipe.py") is None


def test_a_server_for_ones_own_file_shows_python_files(project: Path) -> None:
    own = SourceFiles.of(Settings(), host="127.0.0.1", opened=project)
    assert _lines(own, "train.py") == ["import jax", "", "loss = 1"]
    assert _lines(own, project.parent / "secret.py") == ["secret = 1"]
    (project / "notes.txt").write_text("secret")
    assert _lines(own, project / "notes.txt") is None


@pytest.mark.parametrize(
    ("host", "changed"),
    [("0.0.0.0", {}), ("10.0.0.7", {}), ("127.0.0.1", {"allowed_hosts": "debugger.example"})],
)
def test_a_server_that_others_use_shows_none(project: Path, host: str, changed: dict[str, str]) -> None:
    settings = Settings(source_folders=str(project), **changed)  # type: ignore[arg-type]
    assert _lines(SourceFiles.of(settings, host=host, opened=project), project / "train.py") is None


def test_what_is_sent_with_a_program_is_shown_and_has_limits(tmp_path: Path) -> None:
    with serving(tmp_path, max_sources_bytes=150) as client:
        _check_sent(client)


def _check_sent(client: TestClient) -> None:
    sent = {"text": PROGRAM, "sources": {"train.py": TEXT}}
    session = client.post("/api/sessions", json=sent).json()["id"]
    found = client.get("/api/source", params={"file": "train.py", "session": session}).json()
    assert found == {"file": "train.py", "lines": ["import jax", "", "loss = 1"], "reason": None}
    for other in (
        {"file": "train.py"},
        {"file": "other.py", "session": session},
        {"file": "train.py", "session": "x"},
    ):
        assert client.get("/api/source", params=other).json()["lines"] is None
    for sources in ({"a": "é" * 76}, {"a": "x" * 90, "b": "x" * 61}):
        answer = client.post("/api/sessions", json={"text": PROGRAM, "sources": sources})
        assert (answer.status_code, answer.json()["error"]["limit"]) == (413, "max_sources_bytes")
    many = {str(number): "" for number in range(MOST_SOURCES + 1)}
    answer = client.post("/api/sessions", json={"text": PROGRAM, "sources": many})
    assert answer.status_code == 413
    assert answer.json()["error"]["message"] == "65 source files were sent, and 64 are allowed."


def test_limits_of_what_is_sent_can_be_reached(tmp_path: Path) -> None:
    """No other limit is hit before: neither by many small files nor by few large ones."""
    with serving(tmp_path) as client:
        settings = Settings()
        for size in (60_000, settings.max_sources_bytes // MOST_SOURCES, settings.max_sources_bytes // 4):
            count = min(MOST_SOURCES, settings.max_sources_bytes // size)
            text = ('"a line"\n' * size)[:size]
            sources = {f"{number}.py": text for number in range(count)}
            answer = client.post("/api/sessions", json={"text": PROGRAM, "sources": sources})
            assert answer.status_code == 201, answer.text
            read = {"file": "3.py", "session": answer.json()["id"]}
            assert client.get("/api/source", params=read).json()["lines"] == text.splitlines()
            sources["one more.py"] = '"'
            more = client.post("/api/sessions", json={"text": PROGRAM, "sources": sources})
            assert more.status_code == 413


def _program(*locations: str) -> str:
    lines = [f"%{k} = stablehlo.add %x, %x : tensor<f32> loc({place})" for k, place in enumerate(locations)]
    return PROGRAM.replace("return", "\n  ".join([*lines, "return"]))


def test_python_collects_the_innermost_file_of_each_op(tmp_path: Path) -> None:
    for name in ("train", "layers", "library"):
        (tmp_path / f"{name}.py").write_text(TEXT)
    (tmp_path / "large.py").write_text("#" * (8 << 20) + "\n")
    (tmp_path / "notes.txt").write_text("no Python")
    train, layers, library, large, notes, gone = (
        f'"{tmp_path / name}":1:1'
        for name in ("train.py", "layers.py", "library.py", "large.py", "notes.txt", "gone.py")
    )
    called = f'callsite("mul"({train}) at callsite("apply"({layers}) at {library}))'
    text = _program(
        called,
        f'"jit(f)/add"({called})',
        *(f"callsite({file} at {library})" for file in (large, notes, gone)),
    )
    assert hloscope.source_texts(hloscope.parse(text)) == {str(tmp_path / "train.py"): TEXT}


def test_of_many_files_those_that_most_ops_come_from_are_collected(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.py").write_text("x" * 40)
    text = _program(*(f'"{number}.py":1:1' for number in (0, 1, 2, 2, 3, 3, 3)))
    source = Source(text, str(tmp_path / "f.mlir"))
    assert list(texts_of_text(source, Settings(max_sources_bytes=100))) == ["3.py", "2.py"]
    assert list(texts_of_text(source, Settings(max_sources_bytes=39))) == []
    assert texts_of_text(Source("no program", str(tmp_path / "f.mlir")), Settings()) == {}


def test_a_server_for_others_has_the_sources_of_its_own_file(tmp_path: Path) -> None:
    """It reads no files for visitors, but whoever starts it for a file sends what the page shows."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "train.py").write_text(TEXT)
    (folder / "other.py").write_text("secret = 1\n")
    file = folder / "f.mlir"
    file.write_text(_program('"train.py":3:1'))
    settings = Settings(data_dir=str(tmp_path / "data"), token=TOKEN)
    read = SourceFiles.of(settings, host="0.0.0.0", opened=folder)
    guard = create_app(settings, port=PORT, source_files=read)
    program = ProgramFile(file.read_text(), str(file))
    opening = Opening(browser=False, file=program)
    server = _Server(server_config(guard, settings), guard, PORT, opening)
    with TestClient(guard, ORIGIN, cookies={f"hloscope-{PORT}": TOKEN}) as client:
        assert client.portal is not None
        session = client.portal.call(server._opened_path).rpartition("/")[2]
        for name, lines in (("train.py", TEXT.splitlines()), ("other.py", None)):
            found = client.get("/api/source", params={"file": name, "session": session}).json()
            assert found["lines"] == lines


def test_cells_of_notebooks_come_along(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notebooks keep their cells in linecache, under names of files that are not there."""
    name = "/tmp/ipykernel_1/2.py"
    lines = ["a = 1\n", "b = 2\n"]
    text = f'''func.func @main(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.abs %x : tensor<f32> loc("{name}":2:0)
  return %0 : tensor<f32>
}}'''
    monkeypatch.setitem(linecache.cache, name, (12, None, lines, name))
    assert hloscope.source_texts(hloscope.parse(text)) == {name: "a = 1\nb = 2\n"}
    monkeypatch.setitem(linecache.cache, name, (lambda: "",))
    assert hloscope.source_texts(hloscope.parse(text)) == {}
