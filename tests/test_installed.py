"""hloscope as users install it, in folders that hold packages named as our parts.

Other tests run an editable checkout, which `make setup` installs.
The environment is empty at first and made by pip alone, so these tests need what `make setup` needs.
"""

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.app.serving import ADD, PATIENCE, until

pytestmark = pytest.mark.more

ROOT = Path(__file__).parent.parent
RUN = """
import sys
import hloscope
print([name for name in sys.modules if name.startswith(("hloscope.", "numpy"))])
(result,) = hloscope.run(open("add.mlir").read(), [[1, 2, 3, 4]])
print(result.tolist(), hloscope.__version__)
"""


@dataclass(frozen=True)
class Installed:
    """An environment that holds hloscope and what it depends on, and nothing else."""

    programs: Path

    @property
    def python(self) -> str:
        return str(self.programs / "python")

    @property
    def hloscope(self) -> str:
        return str(self.programs / "hloscope")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that a release publishes: built from the sdist, where there is no Node."""
    folder = tmp_path_factory.mktemp("built")
    venv.create(folder / "building")
    python = str(folder / "building" / "bin" / "python")
    _pip(python, "install", "hatchling", "hatch-vcs")
    made = [python, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(made, cwd=ROOT, check=True)
    (sdist,) = folder.glob("*.tar.gz")
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    _pip(python, "wheel", *options, str(sdist), env=_environ() | {"PATH": str(folder / "building" / "bin")})
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("installed") / "environment"
    venv.create(folder)
    found = Installed(folder / "bin")
    _pip(found.python, "install", "--no-compile", "--constraint", str(ROOT / "constraints.txt"), str(wheel))
    return found


def _path_without_node() -> str:
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return os.pathsep.join(folder for folder in folders if not (Path(folder) / "node").exists())


def _pip(python: str, *arguments: str, env: dict[str, str] | None = None) -> None:
    """Run the pip of these tests for another environment, which has none."""
    command = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "--disable-pip-version-check",
        "--quiet",
        *arguments,
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return _user_folder(tmp_path)


def _user_folder(parent: Path) -> Path:
    """Where the user is: packages named as parts of ours, and a module of our own name next door."""
    here = parent / "here"
    for name in ("app", "engine", "tests"):
        (here / name).mkdir(parents=True)
        (here / name / "__init__.py").write_text(f"raise SystemExit('the user\\'s own {name} was imported')")
    (parent / "sibling").mkdir()
    (parent / "sibling" / "hloscope.py").write_text("raise SystemExit('the hloscope next door was imported')")
    (here / "add.mlir").write_text(ADD)
    return here


def _ask(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, env=_environ(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _environ() -> dict[str, str]:
    """That of a user without Node: nothing of these tests' own environment, least of all a path to import from."""
    kept = {
        name: value for name, value in os.environ.items() if name in {"HOME", "LANG", "TMPDIR", "SYSTEMROOT"}
    }
    return kept | {"PATH": _path_without_node(), "PYTHONUNBUFFERED": "1"}


@pytest.mark.parametrize("start", ["program", "module", "isolated"])
def test_the_command_runs_programs(installed: Installed, folder: Path, start: str) -> None:
    command = {
        "program": [installed.hloscope],
        "module": [installed.python, "-m", "hloscope"],
        "isolated": [installed.python, "-I", "-m", "hloscope"],
    }[start]
    printed = _ask(folder, *command, "run", "add.mlir", "--input", "[1, 2, 3, 4]")
    assert "dense<[2.000000e+00, 8.000000e+00, 1.800000e+01, 3.200000e+01]>" in printed


def test_import_hloscope_loads_nothing_and_runs_programs(installed: Installed, folder: Path) -> None:
    loaded, ran = _ask(folder, installed.python, "-c", RUN).splitlines()
    assert loaded == "[]"
    assert ran.startswith("[2.0, 8.0, 18.0, 32.0] 0.")


def test_only_one_name_is_installed(installed: Installed, folder: Path) -> None:
    """Asked from elsewhere, for the folder's own packages are its business."""
    where = "import importlib.util; print([bool(importlib.util.find_spec(name)) for name in {}])"
    names = ["hloscope", "app", "engine", "static", "templates", "tests"]
    assert _ask(folder, installed.python, "-P", "-c", where.format(names)).strip() == str(
        [True] + [False] * 5
    )


@pytest.fixture(scope="module")
def client(installed: Installed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server that the installed program starts."""
    with _serving(installed, _user_folder(tmp_path_factory.mktemp("served"))) as client:
        yield client


@contextmanager
def _serving(installed: Installed, folder: Path, **settings: str) -> Iterator[httpx.Client]:
    command = [installed.hloscope, "serve", "--port", "0", "--no-browser"]
    environment = _environ() | {"HLOSCOPE_DATA_DIR": str(folder.parent / "data")} | settings
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = re.fullmatch(
                r"hloscope is at ((http://[\d.:]+)/\?token=\S+)\n", process.stdout.readline()
            )
            assert found
            with httpx.Client(base_url=found[2], headers={"Origin": found[2]}, timeout=PATIENCE) as client:
                assert client.get(found[1], follow_redirects=True).status_code == 200
                yield client
        finally:
            process.terminate()


def test_the_server_shows_pages_and_runs_sessions(client: httpx.Client) -> None:
    for address in ("/ops/stablehlo.gather", "/help", "/help/index-maps", "/playground"):
        assert client.get(address).status_code == 200, address
    session = client.post("/api/sessions", json={"text": ADD}).json()["id"]
    run = until(lambda: _finished(client, session))
    assert run["state"]["kind"] == "done"
    assert len(client.get(f"/api/recordings/{run['key']}/values/0.s1.0").content) >= 16


LOADED = re.compile(r'(?:href|src)="(/static/[^"]+\.(?:css|js))"')


def test_pages_are_made_of_the_bundle(client: httpx.Client) -> None:
    for address in LOADED.findall(client.get("/").text):
        assert address.startswith("/static/built/")
        answer = client.get(address)
        assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
        assert "immutable" in answer.headers["cache-control"]


def test_the_sources_are_there_as_well(installed: Installed, folder: Path) -> None:
    with _serving(installed, folder, HLOSCOPE_DEV="1") as client:
        page = client.get("/").text
        (imports,) = re.findall(r'<script type="importmap">(.*?)</script>', page, re.DOTALL)
        for address in (*LOADED.findall(page), *json.loads(imports)["imports"].values()):
            assert "/built/" not in address
            assert client.get(address).status_code == 200, address


def test_the_wheel_of_an_sdist_holds_the_bundle(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in (
        r"built/session-\w+\.js",
        r"built/session-\w+\.js\.gz",
        r"built/manifest\.json",
        r"vendor/preact\.js",
    ):
        assert any(re.fullmatch(f"hloscope/static/{wanted}", name) for name in names), wanted


def _finished(client: httpx.Client, session: str) -> dict[str, dict[str, str]] | None:
    run: dict[str, dict[str, str]] = client.get(f"/api/sessions/{session}").json()["run"]
    return None if run["state"]["kind"] == "recording" else run
