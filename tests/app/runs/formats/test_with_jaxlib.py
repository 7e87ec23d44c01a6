"""Every form of real programs of JAX, converted by jaxlib: what they compute is what JAX has computed, or what their text does."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import hloscope
from hloscope.app.cli.main import main
from hloscope.app.runs.formats.reading import read_program
from hloscope.app.xla.engine import XlaEngine
from hloscope.engine.errors import ProgramError
from tests.app.serving import settled

pytestmark = pytest.mark.oracle
ROOT = Path(__file__).parents[4]
FORMS = {
    "bytecode": "mlir_bytecode",
    "oldest": "portable_artifact",
    "newest": "portable_artifact",
    "export": "jax_export",
    "proto": "hlo_module",
}


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("files")
    environment = {**os.environ, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "tests.app.runs.formats.jax_files", str(found)]
    subprocess.run(command, cwd=ROOT, env=environment, check=True, timeout=300)
    return found


@pytest.fixture(scope="module")
def engine() -> Iterator[XlaEngine]:
    with XlaEngine() as engine:
        yield engine


def results(text: str, inputs: Any) -> list[Any]:
    return [np.asarray(value) for value in hloscope.run(text, inputs)]


def agree(ours: list[Any], theirs: list[Any]) -> None:
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-4, atol=2e-5)


def of_jax(folder: Path, name: str, kind: str) -> list[Any]:
    with np.load(folder / f"{name}.npz") as saved:
        return [saved[f"{kind}_{number}"] for number in range(len([n for n in saved if n.startswith(kind)]))]


def names(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.npz"))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_real_programs_computes_what_jax_does(
    folder: Path, engine: XlaEngine, form: str
) -> None:
    tried = 0
    for name in names(folder):
        path = folder / f"{name}.{form}"
        if not path.exists():
            assert form in ("oldest", "newest"), name  # StableHLO itself has refused to write it
            continue
        found = read_program(path.read_bytes(), path.name, engine=engine)
        assert found.kind == FORMS[form]
        agree(results(found.text, of_jax(folder, name, "in")), of_jax(folder, name, "out"))
        tried += 1
    assert tried >= 20


def test_snapshots_compute_on_their_own_arguments(folder: Path, engine: XlaEngine) -> None:
    tried = 0
    for name in names(folder):
        for path in (folder / name).glob("*.snapshot.*.pb"):
            found = read_program(path.read_bytes(), path.name, engine=engine)
            assert found.kind == "hlo_snapshot"
            agree(list(found.inputs or ()), of_jax(folder, name, "in"))
            agree(results(found.text, found.inputs or ()), of_jax(folder, name, "out"))
            agree(list(found.results), of_jax(folder, name, "out"))
            tried += 1
        before = next((folder / name).glob("*before_optimizations.hlo.pb"))
        assert read_program(before.read_bytes(), before.name, engine=engine).kind == "hlo_proto"
    assert tried >= 20


def test_artifacts_of_all_versions(folder: Path, engine: XlaEngine) -> None:
    paths = sorted(folder.glob("version_*"))
    assert len(paths) >= 20
    texts = set()
    for path in paths:
        found = read_program(path.read_bytes(), path.name, engine=engine)
        assert found.notes[0].endswith(f"StableHLO_v{path.name.removeprefix('version_')}.")
        texts.add(found.text.partition("\n")[2])
    for text in texts:
        agree(results(text, of_jax(folder, "mlp", "in")), of_jax(folder, "mlp", "out"))


def test_large_constants_are_whole(folder: Path, engine: XlaEngine) -> None:
    for form in FORMS:
        text = read_program((folder / f"constants.{form}").read_bytes(), "f", engine=engine).text
        assert "{...}" not in text
        assert len(text) > 64 * 64 * 4


def test_sizes_are_proposed_and_can_be_said(folder: Path, engine: XlaEngine) -> None:
    data = (folder / "symbolic").read_bytes()
    proposed = read_program(data, "f", engine=engine)
    assert sorted(proposed.choices.sizes) == ["b", "k"]
    assert all(
        f"Size {name} = {size}, proposed." in proposed.notes for name, size in proposed.choices.sizes.items()
    )
    said = read_program(data, "f", sizes={"b": 8}, engine=engine)
    assert said.choices.sizes["b"] == 8
    assert "Size b = 8." in said.notes
    k = said.choices.sizes["k"]
    w, x = np.ones((k, 3), np.float32), np.full((8, k), 0.25, np.float32)
    agree(results(said.text, [w, x]), [np.tanh(x @ w)])
    assert "loc(\"p['w']\")" in said.text
    assert "shape_assertion" not in said.text
    assert "?" not in said.text.partition("#loc")[0]


def test_proposals_keep_the_constraints(folder: Path, engine: XlaEngine) -> None:
    data = (folder / "constrained").read_bytes()
    assert read_program(data, "f", engine=engine).choices.sizes == {"n": 5}
    x = np.arange(20, dtype=np.float32)
    agree(
        results(read_program(data, "f", sizes={"n": 10}, engine=engine).text, [x]), [x.reshape(2, -1).sum(0)]
    )
    for sizes, words in (
        ({"n": 7}, "it does not take n=7: .*Expected"),
        ({"m": 1}, "leaves no size 'm' open; .* open: n"),
    ):
        with pytest.raises(ProgramError, match=words):
            read_program(data, "f", sizes=sizes, engine=engine)


def test_the_platform_is_chosen(folder: Path, engine: XlaEngine) -> None:
    data, x = (folder / "platforms").read_bytes(), np.zeros(4, np.float32)
    for platform, added in ((None, 1), ("cpu", 1), ("tpu", 2), ("cuda", 3)):
        found = read_program(data, "f", platform=platform, engine=engine)
        agree(results(found.text, [x]), [x + added])
        assert found.choices.platform == (platform or "cpu")
        assert set(found.choices.platforms) == {"tpu", "cpu", "cuda"}
    with pytest.raises(ProgramError, match="it was exported for tpu, cpu, cuda, not for rocm"):
        read_program(data, "f", platform="rocm", engine=engine)


def test_arguments_that_nothing_reads_and_trees_of_the_users_own(folder: Path, engine: XlaEngine) -> None:
    unused = read_program((folder / "unused").read_bytes(), "f", engine=engine)
    assert "1 of the function's arguments is not used and left out." in unused.notes
    x = np.ones(2, np.float32)
    agree(results(unused.text, [x, 2 * x]), [3 * x])
    own = read_program((folder / "own_tree").read_bytes(), "f", engine=engine)
    agree(results(own.text, [3 * x, x]), [2 * x, 3 * x])


def test_a_function_with_a_mesh_is_read(folder: Path, engine: XlaEngine) -> None:
    meshed = read_program((folder / "meshed").read_bytes(), "f", engine=engine)
    assert "sdy.mesh @mesh" in meshed.text
    x = np.arange(4, dtype=np.float32)
    agree(results(meshed.text, [x]), [2 * x])


def test_an_artifact_that_cannot_be_read_says_which_versions_are(folder: Path, engine: XlaEngine) -> None:
    with pytest.raises(ProgramError) as caught:
        read_program((folder / "mlp.newest").read_bytes()[:-60], "f", engine=engine)
    assert "reads StableHLO up to" in caught.value.message
    assert "pip install -U jax jaxlib" in (caught.value.hint or "")


def _read_or_refused(data: bytes, engine: XlaEngine) -> str:
    try:
        return read_program(data, "f", engine=engine).text
    except ProgramError as error:
        return error.message


def test_damaged_files_never_end_us(folder: Path) -> None:
    chance = random.Random(7)
    with XlaEngine(seconds=60) as engine:
        for form in FORMS:
            whole = (folder / f"branch.{form}").read_bytes()
            for _ in range(25):
                data = bytearray(whole)
                for _ in range(chance.randint(1, 8)):
                    data[chance.randrange(len(data))] = chance.randrange(256)
                cut = data if chance.random() < 0.5 else data[: chance.randrange(len(data))]
                assert "Traceback" not in _read_or_refused(bytes(cut), engine)


def test_every_command_takes_them(folder: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    bytecode, export, text = (str(folder / f"loss.{form}") for form in ("bytecode", "export", "mlir"))
    assert main(["print", export]) == 0
    assert "func.func public @main" in capsys.readouterr().out
    inputs = ["--inputs", str(folder / "loss.npz")]
    assert main(["run", bytecode, *inputs]) == main(["run", text, *inputs]) == 0
    ours, theirs = capsys.readouterr().out.strip().splitlines()
    assert ours == theirs
    for command in (["check"], ["maps"], ["findings"]):
        assert main([*command, bytecode]) == 0, command
    assert main(["compare", bytecode, text]) == 0
    assert main(["run", str(folder / "symbolic"), "--size", "b=8", "--json"]) == 0
    capsys.readouterr()
    assert main(["run", text, "--size", "b=8"]) == 2
    assert "the size b is not open" in capsys.readouterr().err
    packed = folder / "packed.gz"
    packed.write_bytes(gzip.compress(Path(bytecode).read_bytes()))
    with packed.open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert main(["check", "-"]) == 0
    snapshot = next((folder / "mlp").glob("*.snapshot.*.pb"))
    capsys.readouterr()
    assert main(["run", str(snapshot)]) == 0
    first = of_jax(folder, "mlp", "out")[0].ravel()[0]
    told = capsys.readouterr()
    assert str(first)[:6] in told.out
    assert re.search(r"the results (have the same bits as|beside) those that XLA recorded", told.err)


def test_runs_of_snapshots_are_compared_with_the_results_of_xla(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("mlp", "training_step"):
        snapshot = next((folder / name).glob("*.snapshot.*.pb"))
        assert main(["compare", str(snapshot), "--json"]) == 0
        found = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert len(found["results"]) == len(of_jax(folder, name, "out"))
        assert found["agrees"]
    data = next((folder / "mlp").glob("*.snapshot.*.pb")).read_bytes()
    result = of_jax(folder, "mlp", "out")[0].tobytes()
    assert data.count(result) == 1
    wrong = tmp_path / "wrong.pb"
    wrong.write_bytes(data.replace(result, np.frombuffer(result, np.float32)[::-1].tobytes()))
    assert main(["compare", str(wrong)]) == 1
    assert main(["run", str(wrong)]) == 0
    assert "result 0: " in capsys.readouterr().err


def sent(client: TestClient, path: Path, query: str = "") -> Any:
    return client.post(f"/api/sessions/from-file{query}", files={"file": (path.name, path.read_bytes())})


def test_the_server_opens_them(client: TestClient, folder: Path) -> None:
    answer = sent(client, folder / "mlp.export")
    assert answer.status_code == 201, answer.text
    found = client.get(f"/api/sessions/{answer.json()['id']}").json()
    assert found["text"].startswith("// From a function serialised by jax.export.")
    assert answer.json()["notes"] == ["From a function serialised by jax.export."]


def test_the_server_asks_for_what_is_open(client: TestClient, folder: Path) -> None:
    asked = sent(client, folder / "symbolic")
    assert asked.status_code == 200
    assert asked.json()["id"] is None
    assert {item["name"] for item in asked.json()["choices"]["sizes"]} == {"b", "k"}
    made = sent(client, folder / "symbolic", "?size=b%3D8&size=k%3D4")
    assert made.status_code == 201
    assert "Size b = 8." in made.json()["notes"]
    wrong = sent(client, folder / "constrained", "?size=n%3D7")
    assert wrong.status_code == 422
    assert "it does not take n=7" in wrong.json()["error"]["message"]


def test_the_server_takes_the_arguments_of_a_snapshot(client: TestClient, folder: Path) -> None:
    snapshot = next((folder / "mlp").glob("*.snapshot.*.pb"))
    answer = sent(client, snapshot)
    assert answer.status_code == 201, answer.text
    run = settled(client, answer.json()["id"])
    kinds = [argument["input"]["kind"] for argument in run["arguments"]]
    assert kinds == ["file"] * len(of_jax(folder, "mlp", "in"))
    assert run["state"]["kind"] == "done"
