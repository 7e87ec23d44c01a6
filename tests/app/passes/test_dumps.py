"""Dumps of XLA's passes through the API: kept, examined, compared line by line, stepped through."""

from __future__ import annotations

import contextlib
import io
import os
import re
import signal
import sqlite3
import tarfile
import zipfile
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
from starlette.testclient import TestClient

from hloscope.app.cli.main import main
from hloscope.app.passes.dump_files import DumpLimits, open_dump
from hloscope.app.passes.packing import pack_folder, pack_tar
from hloscope.app.store import Store
from hloscope.app.store.dumps import DumpRecord, no_wishes
from hloscope.app.store.retention import DAY
from hloscope.app.web.main import _Server
from hloscope.engine.errors import LimitError
from tests.app.serving import JSON, serving, settled, until
from tests.app.shared_fork_server import shared
from tests.passes import folders


def sent(client: TestClient, data: bytes, name: str = "dump.zip") -> str:
    """The id of a new dump."""
    answer = client.post("/api/dumps", files={"file": (name, data)})
    assert answer.status_code == 201, answer.text
    assert answer.json()["url"] == f"/passes/{answer.json()['id']}"
    return str(answer.json()["id"])


def examined(client: TestClient, dump: str, **wishes: object) -> JSON:
    """The dump, once its examination has ended."""
    answer = client.post(f"/api/dumps/{dump}/examination", json=wishes)
    assert answer.status_code == 200, answer.text

    def found() -> JSON | None:
        progress: JSON = client.get(f"/api/dumps/{dump}").json()
        return progress if progress["examination"]["kind"] in ("done", "failed", "stopped") else None

    return until(found)


@pytest.fixture(scope="module")
def broken(client: TestClient, tmp_path_factory: pytest.TempPathFactory) -> JSON:
    folder = folders.broken(tmp_path_factory.mktemp("dump"))
    return examined(client, sent(client, folders.zipped(folder)))


def test_the_culprit_pass_is_found(client: TestClient, broken: JSON) -> None:
    found = broken["examination"]
    later = f"/api/dumps/{broken['id']}/examination?seen={found['version'] + 86_400_000}"
    assert client.get(later).json() == found  # seen before a restart, at which the clock was set back
    assert found["kind"] == "done"
    assert found["sentence"].startswith("`algsimp` (pass 3, 2nd run) first changed values beyond rounding: ")
    assert (" → " in found["sentence"], " -> " in found["sentence"]) == (True, False)  # as below the list
    assert found["first_wrong"] == {"module": 0, "stage": 4}
    assert found["inputs"] == [
        {"module": 0, "origin": "seed 0", "types": ["tensor<4x4xf32>", "tensor<4xf32>"]}
    ]
    stages = sorted(found["found"], key=lambda stage: stage["stage"])
    assert [stage["verdict"] for stage in stages] == [*["same_text"] * 4, "wrong", "same_text"]
    assert stages[4]["worst"]["value"] == "%subtract.9"
    (module,) = broken["modules"]
    assert module["key"] == "module_0001.jit_f"
    assert [stage["number"] for stage in module["stages"]] == [None, 0, 1, 2, 3, None]


def test_two_dumps_are_compared_by_memory_and_traffic(client: TestClient, tmp_path: Path) -> None:
    """The answer has what the command prints, and leads to the lines of the texts."""
    texts = folders.text("subtract(%multiply.7, %broadcast.1)"), folders.text()
    pair = [folders.write_dump(tmp_path / name, [text]) for name, text in zip("ab", texts, strict=True)]
    first, second = (sent(client, folders.zipped(folder)) for folder in pair)
    (found,) = client.get(f"/api/dumps/{first}/memory", params={"other": second}).json()
    assert (found["before"], found["after"]) == ("module_0001.jit_f", "module_0001.jit_f")
    assert found["difference"]["changes"][0] == {"name": "peak", "unit": "bytes", "before": 272, "after": 208}
    (only,) = found["difference"]["onlyBefore"]
    files = client.get(f"/api/dumps/{first}").json()["files"]
    lines = texts[0].splitlines()
    assert files[found["beforeFile"]]["path"].endswith("cpu_after_optimizations.txt")
    assert lines[only["line"] - 1].strip().startswith(only["name"])
    assert client.get(f"/api/dumps/{first}/memory", params={"other": "nothing"}).status_code == 404


def test_texts_stand_side_by_side(client: TestClient, broken: JSON) -> None:
    path = f"/api/dumps/{broken['id']}/modules/0/stages/4/difference"
    found = client.get(path).json()
    assert (found["added"], found["removed"], found["changed"]) == (0, 0, 1)
    rows = {row["after"]["name"]: row for row in found["items"] if row["kind"] != "fold" and row["after"]}
    assert rows["subtract.9"]["kind"] in ("changed", "replaced")
    assert rows["subtract.9"]["before"]["name"] == "subtract.2"
    assert any(row["kind"] == "fold" for row in found["items"])
    whole = client.get(path, params={"folded": False}).json()
    assert whole["total"] > found["total"]
    assert [row["row"] for row in whole["items"]] == list(range(whole["total"]))


def test_texts_that_differ_in_metadata_alone_are_not_called_identical(
    client: TestClient, tmp_path: Path
) -> None:
    texts = [folders.text(), folders.text(), folders.text(frame=2)]
    dump = sent(client, folders.zipped(folders.write_dump(tmp_path / "dump", texts)))
    notes = [
        client.get(f"/api/dumps/{dump}/modules/0/stages/{stage}/difference").json()["note"]
        for stage in (1, 2)
    ]
    assert notes[0] == "The texts are identical."
    assert notes[1].startswith("No instruction changed: the texts differ only in names, metadata,")


def test_both_texts_become_a_session_on_the_same_inputs(client: TestClient, broken: JSON) -> None:
    pair = client.post(f"/api/dumps/{broken['id']}/modules/0/stages/4/session").json()
    assert pair["url"] == f"/s/{pair['id']}?run=2&compare=1"
    assert pair["problem"] == ""
    settled(client, pair["id"])
    first, second = (client.get(f"/api/sessions/{pair['id']}/runs/{number}").json() for number in (1, 2))
    assert "%subtract.2 =" in first["text"]
    assert "%subtract.9 =" in second["text"]
    assert [each["input"] for each in first["arguments"]] == [each["input"] for each in second["arguments"]]
    path = f"/api/recordings/{first['key']}/comparison"

    def compared() -> JSON | None:
        answer: JSON = client.get(path, params={"with": second["key"]}).json()
        return answer if answer.get("done") else None

    assert "subtract" in until(compared)["sentence"]


# Other forms, and what is none.


def tarred(folder: Path) -> bytes:
    """The folder as a packed tar archive, with a link and a name that leads out of it."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        for file in sorted(folder.iterdir()):
            archive.add(file, f"../dump/{file.name}")
        link = tarfile.TarInfo("dump/module_0001.jit_f.0009.p.after_a.before_b.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return stream.getvalue()


def test_a_tar_archive_is_the_same(client: TestClient, tmp_path: Path, broken: JSON) -> None:
    found = examined(client, sent(client, tarred(folders.broken(tmp_path / "dump")), "dump.tar.gz"))
    assert found["examination"]["sentence"] == broken["examination"]["sentence"]
    assert all(file["path"].startswith("dump/") for file in found["files"])
    assert len(found["files"]) == len(broken["files"])


def _refused(client: TestClient, data: bytes, name: str) -> JSON:
    answer = client.post("/api/dumps", files={"file": (name, data)})
    assert answer.status_code == 422, answer.text
    error: JSON = answer.json()["error"]
    return error


def test_what_is_no_archive_is_refused_by_its_own_name(client: TestClient) -> None:
    for data in (b"HloModule m\n", b"", b"\x1f\x8b\x08 no gzip", bytes(4000)):
        error = _refused(client, data, "my dump.tar.gz")
        assert "my dump.tar.gz" in error["message"]
        assert error["hint"]


def test_a_damaged_archive_is_refused(client: TestClient, tmp_path: Path) -> None:
    whole = folders.zipped(folders.broken(tmp_path / "dump"))
    assert "my.zip" in _refused(client, whole[: len(whole) // 2], "my.zip")["message"]
    of_the_future = re.sub(rb"(PK\x01\x02..)..", b"\\1\xff\0", whole, flags=re.DOTALL)
    assert "version 25.5" in _refused(client, of_the_future, "my.zip")["message"]
    whole = tarred(tmp_path / "dump")
    assert "my.tgz" in _refused(client, whole[: len(whole) // 2], "my.tgz")["message"]


def test_an_archive_of_one_program_is_no_dump(client: TestClient) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("one.hlo", "HloModule m\n\nENTRY e { ROOT c = f32[] constant(1) }\n")
    error = _refused(client, stream.getvalue(), "one.zip")
    assert error["kind"] == "one_program"
    assert error["message"] == "one.zip holds no dump of several stages."


def test_an_archive_without_texts_says_what_to_dump(client: TestClient) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("notes.md", "nothing here")
    error = _refused(client, stream.getvalue(), "notes.zip")
    assert error["message"] == "notes.zip holds no HLO text"
    assert "--xla_dump_to" in error["hint"]


@pytest.mark.oracle
def test_a_damaged_protocol_buffer_is_named(client: TestClient, tmp_path: Path) -> None:
    dump = folders.of_protocol_buffers(tmp_path / "dump")
    (path, *_) = sorted(dump.iterdir())
    path.write_bytes(path.read_bytes()[:-40])
    error = _refused(client, folders.zipped(dump), "dump.zip")
    assert path.name in error["message"]


def test_limits_are_named(tmp_path: Path) -> None:
    folder = folders.broken(tmp_path / "dump")
    with serving(tmp_path / "data", max_dump_bytes=2_000) as client:
        assert _refused(client, tarred(folder), "a.tgz")["limit"] == "max_dump_bytes"
        found = examined(client, sent(client, folders.zipped(folder)))
        (problem,) = found["examination"]["problems"]
        assert "unpacks to more than 2,000 bytes" in problem["message"]
    with serving(tmp_path / "data", max_upload_bytes=1_000) as client:
        answer = client.post("/api/dumps", files={"file": ("a.zip", bytes(5_000))})
        assert (answer.status_code, answer.json()["error"]["limit"]) == (413, "max_upload_bytes")


def test_the_number_of_files_is_limited(tmp_path: Path) -> None:
    folder, limits = folders.broken(tmp_path / "dump"), DumpLimits(files=3)
    (tmp_path / "a.zip").write_bytes(folders.zipped(folder))
    (tmp_path / "a.tgz").write_bytes(tarred(folder))
    with pytest.raises(LimitError, match=r"a\.zip holds more than 3 files"):
        open_dump(tmp_path / "a.zip", limits)
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as target:
        for pack, source in ((pack_folder, folder), (pack_tar, tmp_path / "a.tgz")):
            with pytest.raises(LimitError, match="a dump holds more than 3 files"):
                pack(source, "a dump", target, limits)


@pytest.mark.more
def test_a_bomb_costs_its_module_alone(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in folders.broken(tmp_path / "dump").iterdir():
            archive.write(file, file.name)
        with archive.open("module_0000.bomb.before_optimizations.txt", "w") as bomb:
            bomb.write(b"HloModule bomb\n")
            for _ in range(64):
                bomb.write(bytes(1 << 20))
    with serving(tmp_path / "data", max_program_bytes=1 << 20) as client:
        found = examined(client, sent(client, stream.getvalue()))["examination"]
        (problem,) = found["problems"]
        assert problem["module"] == 0
        assert "max_program_bytes = 1,048,576" in problem["message"]
        assert found["first_wrong"] == {"module": 1, "stage": 4}


def test_nothing_is_there_behind_wrong_numbers(client: TestClient, broken: JSON) -> None:
    dump = f"/api/dumps/{broken['id']}"
    for path in (
        "/modules/0/stages/9/difference", "/modules/3/stages/0/difference", "/files/99", "/files/99/content",
        "/modules/-1/stages/0/difference",
    ):  # fmt: skip
        assert client.get(dump + path).status_code == 404, path
    assert client.post(f"{dump}/modules/0/stages/9/session").status_code == 404
    assert client.get("/api/dumps/nothing").status_code == 404
    assert client.get("/passes/nothing").status_code == 404


# What stages are run on.


@pytest.mark.more
def test_inputs_from_a_file_and_another_seed(client: TestClient, tmp_path: Path) -> None:
    dump = sent(client, folders.zipped(folders.broken(tmp_path / "dump")))
    stream = io.BytesIO()
    np.savez(stream, x=np.full((4, 4), 2, np.float32), b=np.ones(4, np.float32))
    kept = client.post(f"/api/dumps/{dump}/inputs", files={"file": ("mine.npz", stream.getvalue())}).json()
    assert kept["name"] == "mine.npz"
    found = examined(client, dump, file=kept["file"], file_name=kept["name"])["examination"]
    # 2 · 1 - 2 is 0, whichever way round.
    assert found["first_wrong"] is None
    assert found["inputs"][0]["origin"] == "mine.npz"
    pair = client.post(f"/api/dumps/{dump}/modules/0/stages/4/session").json()
    run = settled(client, pair["id"])
    values = client.get(f"/api/recordings/{run['key']}/values/0.f0.0.npy")
    assert np.load(io.BytesIO(values.content)).tolist() == np.full((4, 4), 2.0).tolist()
    found = examined(client, dump, seed=7)["examination"]
    assert found["inputs"][0]["origin"] == "seed 7"
    assert found["first_wrong"] == {"module": 0, "stage": 4}


def test_a_file_that_fits_nothing_is_named(client: TestClient, tmp_path: Path) -> None:
    dump = sent(client, folders.zipped(folders.broken(tmp_path / "dump")))
    stream = io.BytesIO()
    np.savez(stream, x=np.ones(3, np.float32))
    kept = client.post(f"/api/dumps/{dump}/inputs", files={"file": ("mine.npz", stream.getvalue())}).json()
    found = examined(client, dump, file=kept["file"], file_name=kept["name"])["examination"]
    assert found["kind"] == "done"
    assert "argument" in found["problems"][0]["message"]
    answer = client.post(f"/api/dumps/{dump}/examination", json={"file": "0" * 64, "file_name": "gone.npz"})
    assert answer.status_code == 422
    assert answer.json()["error"]["message"] == "gone.npz is not there any more."
    answer = client.post(f"/api/dumps/{dump}/inputs", files={"file": ("bad.npz", b"no arrays")})
    assert answer.status_code == 422
    assert "bad.npz" in answer.json()["error"]["message"]


BRAIN_FLOATS = """HloModule m

ENTRY %main (x: bf16[4]) -> bf16[4] {{
  %x = bf16[4]{{0}} parameter(0)
  %c = bf16[4]{{0}} constant({constant})
  ROOT %r = bf16[4]{{0}} {op}(%x, %c)
}}
"""


@pytest.mark.more
def test_constants_that_a_text_leaves_out_are_given_to_the_session(client: TestClient) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("1.hlo", BRAIN_FLOATS.format(op="add", constant="{1, 2, 3, 4}"))
        archive.writestr("2.hlo", BRAIN_FLOATS.format(op="add", constant="{...}"))
        archive.writestr("3.hlo", BRAIN_FLOATS.format(op="subtract", constant="{...}"))
    found = examined(client, sent(client, stream.getvalue()))
    assert found["examination"]["first_wrong"] == {"module": 0, "stage": 2}
    pair = client.post(f"/api/dumps/{found['id']}/modules/0/stages/2/session").json()
    second = settled(client, pair["id"])
    assert (second["number"], second["state"]["kind"]) == (2, "done")
    first = client.get(f"/api/sessions/{pair['id']}/runs/1").json()
    keys = first["key"], second["key"]
    arguments = [client.get(f"/api/recordings/{key}/values/0.f0.0.npy").content for key in keys]
    assert arguments[0] == arguments[1]


# What is shown besides.

BUFFERS = """BufferAssignment:
allocation 0: size 64, parameter 0, shape |f32[4,4]| at ShapeIndex {}:
 value: <0 x.1 @0> (size=64,offset=0): f32[4,4]{1,0}
allocation 1: size 16, preallocated-temp:
 value: <3 add.2 @0> (size=16,offset=8): f32[4]{0}

Total bytes used: 80
"""


def test_other_files_are_shown_as_what_they_are(client: TestClient, tmp_path: Path) -> None:
    folder = folders.broken(tmp_path / "dump")
    name = "module_0001.jit_f.cpu_after_optimizations-buffer-assignment.txt"
    (folder / name).write_text(BUFFERS)
    (folder / "module_0001.jit_f.f_kernel_module.ir-no-opt.ll").write_text(
        "; ModuleID = 'f'\ndefine void @f()\n"
    )
    (folder / "module_0001.jit_f.obj-file.o").write_bytes(b"\x7fELF\0\0")
    dump = sent(client, folders.zipped(folder))
    told = client.get(f"/api/dumps/{dump}").json()
    files = {file["content"]: number for number, file in enumerate(told["files"])}
    assert set(told["modules"][0]["others"]) == {files["buffers"], files["llvm"], files["object"]}
    buffers = client.get(f"/api/dumps/{dump}/files/{files['buffers']}").json()
    assert [(each["size"], each["kinds"]) for each in buffers["allocations"]] == [
        (64, ["parameter 0"]), (16, ["preallocated-temp"]),
    ]  # fmt: skip
    assert buffers["allocations"][1]["values"] == [
        {"name": "add.2", "size": 16, "offset": 8, "shape": "f32[4]{0}"}
    ]
    code = client.get(f"/api/dumps/{dump}/files/{files['llvm']}", params={"from": 1}).json()
    assert (code["lines"], code["total"]) == (["define void @f()"], 2)
    assert "not shown" in client.get(f"/api/dumps/{dump}/files/{files['object']}").json()["note"]
    content = client.get(f"/api/dumps/{dump}/files/{files['object']}/content")
    assert content.content == b"\x7fELF\0\0"
    assert content.headers["content-disposition"] == "attachment"


def test_texts_of_two_languages_are_not_matched_by_lines(client: TestClient, tmp_path: Path) -> None:
    folder = folders.broken(tmp_path / "dump")
    (folder / "module_0001.jit_f").mkdir()
    (folder / "module_0001.jit_f" / "module.mlir").write_text("module @jit_f {\n}\n")
    dump = sent(client, folders.zipped(folder))
    first, second = (
        client.get(f"/api/dumps/{dump}/modules/0/stages/{stage}/difference").json() for stage in (0, 1)
    )
    assert first["note"] == "This is the first text of the module."
    assert [row["after"]["text"] for row in first["items"]] == ["module @jit_f {", "}"]
    assert "MLIR" in second["note"]
    assert second["before"] is None


# Kept, stopped, deleted.


def test_what_was_found_is_kept_and_names_too(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as client:
        dump = sent(client, folders.zipped(folders.broken(tmp_path / "dump")))
        before = examined(client, dump)
        assert client.put(f"/api/dumps/{dump}/name", json={"name": "layer 3"}).status_code == 204
    with serving(tmp_path / "data") as client:
        after = client.get(f"/api/dumps/{dump}").json()
        assert after["name"] == "layer 3"
        assert after["examination"]["kind"] == "done"
        assert after["examination"]["found"] == before["examination"]["found"]
        titles = client.post("/api/dumps/titles", json={"dumps": [dump, "nothing"]}).json()
        assert titles == [
            {"name": "layer 3", "sentence": before["examination"]["sentence"], "is_wrong": True},
            None,
        ]
        assert client.get(f"/passes/{dump}").status_code == 200
        assert client.delete(f"/api/dumps/{dump}").status_code == 204
        assert client.get(f"/api/dumps/{dump}").status_code == 404
        assert client.delete(f"/api/dumps/{dump}").status_code == 404
    with serving(tmp_path / "data"):
        assert list((tmp_path / "data" / "inputs").iterdir()) == []  # swept when the server starts


@pytest.mark.more
def test_an_examination_is_stopped_and_takes_nothing_from_others(tmp_path: Path) -> None:
    # So many stages at a time as dumps: whoever waited for a free processor would wait for ever.
    settings: dict[str, Any] = {
        "max_active_dumps": 1,
        "max_waiting": 1,
        "dump_processes": 1,
        "run_step_limit": 2**40,
    }
    with serving(tmp_path / "data", **settings) as client:
        slow = sent(client, folders.slow(), "slow.zip")
        path = f"/api/dumps/{slow}/examination"
        assert client.post(path, json={}).json()["kind"] in ("waiting", "texts")
        until(lambda: client.get(path, params={"seen": 0}).json()["kind"] == "runs")
        other = sent(client, folders.zipped(folders.broken(tmp_path / "dump")))
        assert client.post(f"/api/dumps/{other}/examination", json={}).json()["kind"] == "waiting"
        assert client.get(f"/api/dumps/{other}/modules/0/stages/4/difference").status_code == 200
        third = sent(client, folders.zipped(tmp_path / "dump"))
        refused = client.post(f"/api/dumps/{third}/examination", json={})
        assert (refused.status_code, refused.json()["error"]["limit"]) == (503, "max_waiting")
        progress = client.get(path, params={"seen": 0}).json()
        assert {stage["verdict"] for stage in progress["found"]} == {"same_text", None}
        stopped = client.delete(path).json()
        assert (stopped["kind"], stopped["reason"]) == ("stopped", "It was stopped.")
        found = until(
            lambda: (
                progress
                if (progress := client.get(f"/api/dumps/{other}").json()["examination"])["kind"] == "done"
                else None
            )
        )
        assert found["first_wrong"] == {"module": 0, "stage": 4}


@pytest.mark.more
def test_one_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with serving(tmp_path / "data", run_step_limit=2**40, dump_time_limit_s=3) as client:
        found = examined(client, sent(client, folders.slow()))["examination"]
        assert found["kind"] == "failed"
        assert found["reason"] == "It took longer than 3 s and was stopped (dump_time_limit_s)."


def children(parent: int) -> list[int]:
    """The processes that one has made."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found += [int(stat.parent.name)] if int(fields[1]) == parent else []
    return found


@pytest.mark.more
def test_a_process_that_ends_is_an_answer(tmp_path: Path) -> None:
    with serving(tmp_path / "data", own_fork_server=True, run_step_limit=2**40) as client:
        dump = sent(client, folders.slow())
        path = f"/api/dumps/{dump}/examination"
        client.post(path, json={})
        until(lambda: client.get(path, params={"seen": 0}).json()["kind"] == "runs")
        server: Any = client.app
        workers = children(server.app.state.sessions.supervisor.fork_server._child.process.pid)
        pools = [pool for worker in workers for pool in children(worker)]
        assert pools
        for process in workers:
            os.kill(process, signal.SIGKILL)
        found = until(lambda: told if (told := client.get(path).json())["kind"] == "failed" else None)
        assert found["reason"].startswith("The process that read dump.zip has ended.")
        # What ran stages has ended with it.
        until(lambda: not any(Path(f"/proc/{pool}").exists() for pool in pools))
        assert client.get(f"/api/dumps/{dump}/modules/0/stages/1/difference").status_code == 200


def test_a_dump_that_nobody_visits_goes_with_its_files(tmp_path: Path) -> None:
    seconds = [0.0]
    with contextlib.closing(Store(tmp_path, lambda: seconds[0])) as store:
        wishes = {**no_wishes(), "file": "given"}
        record = DumpRecord(
            "d", "dump.zip", "archive", {"modules": [], "files": []}, no_wishes(), None, "build"
        )
        store.dumps.add(record, 10)
        store.dumps.add_given("d", "given", 10)
        store.dumps.add_made("d", "made", 10)
        store.dumps.set_wishes("d", cast(Any, wishes))
        assert store.needed_inputs() == {"archive", "given", "made"}
        seconds[0] += 31 * DAY
        assert store.prune(30, 7).set_aside == 1
        assert store.dumps.find("d") is not None  # which brings it back
        seconds[0] += 31 * DAY
        assert store.prune(30, 7).set_aside == 1
        seconds[0] += 8 * DAY
        assert store.prune(30, 7).deleted == 1
        assert store.needed_inputs() == set()
        assert store.dumps.find("d") is None


@pytest.mark.more
def test_a_damaged_row_is_examined_again(tmp_path: Path) -> None:
    with serving(tmp_path) as client:
        dump = sent(client, folders.zipped(folders.broken(tmp_path / "dump")))
        before = examined(client, dump)
    with contextlib.closing(sqlite3.connect(tmp_path / "hloscope.sqlite")) as connection, connection:
        connection.execute("UPDATE dumps SET found = '{', wishes = '[]', contents = 'x', build = 'older'")
    with serving(tmp_path) as client:
        found = client.get(f"/api/dumps/{dump}").json()
        assert found["examination"]["kind"] == "none"
        assert found["modules"] == before["modules"]
        assert examined(client, dump)["examination"]["sentence"] == before["examination"]["sentence"]


def served(path: Path, data: Path) -> int:
    """The exit code of `hloscope serve PATH`; the server ends once it has started."""
    with shared(), patch.object(_Server, "_is_long_idle", lambda _: True):
        return main(["serve", str(path), "--port", "0", "--no-browser", "--set", f"data_dir={data}"])


def test_serve_takes_a_folder_and_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = folders.broken(tmp_path / "dump")
    (tmp_path / "dump.tgz").write_bytes(tarred(folder))
    for path in (folder, tmp_path / "dump.tgz"):
        assert served(path, tmp_path / "data") == 0
        _, line = capsys.readouterr().out.splitlines()
        assert re.fullmatch(rf"{path.name} is at http://127\.0\.0\.1:\d+/passes/[\w-]+\?token=\S+", line)


def test_serve_says_what_is_no_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("nothing")
    assert served(tmp_path / "notes", tmp_path / "data") == 2
    assert "notes cannot be opened: notes holds no HLO text. " in capsys.readouterr().err


def test_a_server_that_starts_no_xla_refuses_protocol_buffers_alone(tmp_path: Path) -> None:
    data = folders.zipped(folders.of_protocol_buffers(tmp_path / "dump"))
    with serving(tmp_path / "data", second_engine="no") as client:
        error = _refused(client, data, "dump.zip")
    assert "holds no HLO text" in error["message"]
