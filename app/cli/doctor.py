"""`hloscope doctor`: check the installation, and print a command for each fix. No network."""

import argparse
import asyncio
import json
import platform
import re
import shutil
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from typing import Literal

from ..base.memory import memory
from ..base.plugins import GROUPS, PluginError, entry_points_of, load_extension
from ..base.settings import Settings
from ..base.versions import installed_version
from .options import add_settings

State = Literal["ok", "optional", "missing"]
_SIGNS = {"ok": "✓", "optional": "!", "missing": "✗"}
_PLAIN_SIGNS = {"ok": "+", "optional": "!", "missing": "x"}
"""Signs for terminals that cannot show the others."""
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?\s*(?:>=\s*([\d.]+))?[^;]*")
OLDEST_PYTHON = (3, 11)


@dataclass(frozen=True)
class Check:
    """One check's result. `optional`: a feature is missing; `missing`: hloscope cannot work."""

    name: str
    state: State
    found: str
    cure: str = ""
    """The command or the action that fixes it; empty if the check passes."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("--json", action="store_true", help="print the checks as JSON")
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Print a line for each check, or all with `--json`; 1 if a requirement is missing."""
    checks = list(examine(settings))
    if options.json:
        print(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        for check in checks:
            print(_line(check))
    return int(any(check.state == "missing" for check in checks))


def _line(check: Check) -> str:
    sign = _SIGNS[check.state]
    try:
        sign.encode(sys.stdout.encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        sign = _PLAIN_SIGNS[check.state]
    cure = f"\n    {check.cure}" if check.cure else ""
    return f"{sign} {check.name}: {check.found}{cure}"


def examine(settings: Settings) -> Iterator[Check]:
    """All checks."""
    yield _python()
    yield from _required()
    yield _pages()
    yield from _optional()
    yield from _plugins()
    yield _browser()
    if find_spec("fcntl") is None:
        text = "not on Windows; the commands that start none work"
        yield Check("server", "optional", text, "start it in WSL, or on Linux or macOS")
        return
    yield from _settings(settings)
    yield from _data_folder(settings)
    yield _port()
    yield _workers()
    if settings.cluster:
        yield from _cluster(settings)
    else:
        yield _room(settings)


def _python() -> Check:
    found = f"{platform.python_version()} ({sys.executable})"
    if sys.version_info >= OLDEST_PYTHON:
        return Check("Python", "ok", found)
    return Check("Python", "missing", found, "install Python 3.11 or newer")


def _required() -> Iterator[Check]:
    """hloscope itself and its required packages."""
    try:
        requirements = distribution("hloscope").requires or []
    except PackageNotFoundError:
        yield Check("hloscope", "missing", "not installed", "pip install hloscope")
        return
    yield Check("hloscope", "ok", installed_version())
    wanted = [_REQUIREMENT.match(text) for text in requirements if "extra ==" not in text]
    wrong = [check for match in wanted if match and (check := _package(match[1], match[2] or ""))]
    yield from wrong
    if not wrong:
        yield Check("required packages", "ok", f"all {len(wanted)}")


def _package(name: str, least: str) -> Check | None:
    found = installed_version(name)
    if found and _numbers(found) >= _numbers(least):
        return None
    text = f"{found}, but {least} or newer is required" if found else "not installed"
    return Check(name, "missing", text, f"pip install '{name}>={least}'" if least else f"pip install {name}")


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


def _workers() -> Check:
    """What code in a worker could do, should a program ever make it run some."""
    from ..processes.file_access import can_limit_files
    from ..processes.namespaces import can_leave_namespaces
    from ..processes.system_calls import can_refuse

    if can_refuse():
        if can_limit_files():
            found = "no network, no other programs, no signals, no files of others"
            if can_leave_namespaces():
                return Check("workers", "ok", f"{found}, namespaces of their own")
            cure = "where strangers run programs, allow user namespaces: sysctl user.max_user_namespaces, or the container's profile"
            return Check("workers", "optional", f"{found}, but they share the namespaces of the server", cure)
        text = "no network, no other programs, no signals, but the system cannot refuse them files"
        return Check(
            "workers",
            "optional",
            text,
            "where strangers run programs, serve on Linux 5.13 or newer with Landlock",
        )
    cure = "where strangers run programs, serve on Linux, on x86-64 or ARM64"
    return Check("workers", "optional", "the system cannot refuse them the network or other programs", cure)


def _room(settings: Settings) -> Check:
    """How many sessions may have a worker."""
    if settings.max_active_sessions:
        return Check(
            "sessions with a worker", "ok", f"{settings.max_active_sessions:,}, by max_active_sessions"
        )
    found = memory()
    if found is None:
        text = f"{settings.worker_count(0, found)}: the system does not say how much memory is available"
        return Check(
            "sessions with a worker", "optional", text, "hloscope serve --set max_active_sessions=32"
        )
    free = f"{found.available >> 20:,} of {found.total >> 20:,} MiB of memory are available"
    return Check("sessions with a worker", "ok", f"{settings.worker_count(0, found)} now: {free}")


def _cluster(settings: Settings) -> Iterator[Check]:
    """The cluster of the setting `cluster`, and whether its CPUs suffice."""
    from ..base.errors import ApiError
    from ..workers.cluster import describe, places_for, sentence

    try:
        found = asyncio.run(describe(settings.cluster))
    except ApiError as error:
        yield Check("cluster", "missing", error.message, error.hint or "")
        return
    if found["asks_token"]:
        yield Check("cluster", "ok", sentence(found))
    else:
        cure = "set RAY_AUTH_MODE=token for its nodes and for hloscope"
        yield Check(
            "cluster", "optional", f"{sentence(found)}; anyone who can connect to it can run code there", cure
        )
    sessions = settings.max_active_sessions or 1
    if found["cpus"] < (needed := places_for(sessions, settings)):
        workers = (
            "a session with a worker needs" if sessions == 1 else f"{sessions:,} sessions with a worker need"
        )
        text = f"{found['cpus']:g}, but {workers} {needed:,}: one for each place of {settings.place_sessions:,}, one in reserve"
        cure = "add nodes or CPUs (ray start --num-cpus), lower max_active_sessions, or raise place_sessions"
        yield Check("CPUs of the cluster", "optional", text, cure)


def _pages() -> Check:
    """The built page assets, which are created when hloscope is installed."""
    from ..base.assets import BUILT, folder

    if (folder("static") / BUILT / "manifest.json").is_file():
        return Check("pages", "ok", "bundled")
    return Check(
        "pages",
        "missing",
        "not bundled",
        "pip install --force-reinstall hloscope, or `make setup` in a checkout",
    )


def _optional() -> Iterator[Check]:
    """Optional parts: the purpose of each, and how to install it."""
    yield _jax()
    yield _one("flatbuffers", "reads files of jax.export")
    yield _torch()
    yield _one("anywidget", "shows programs in notebooks")
    yield _one("pygls", "serves editors: hloscope lsp", "pip install 'hloscope[editors]'")
    yield _one("mcp", "serves agents: hloscope mcp", "pip install 'hloscope[mcp]'")
    yield _one("ray", "runs workers on other machines", "pip install 'hloscope[cluster]'")


def _one(name: str, use: str, cure: str = "") -> Check:
    found = installed_version(name)
    if found and find_spec(name) is not None:
        return Check(name, "ok", found)
    return Check(name, "optional", f"not installed; it {use}", cure or f"pip install {name}")


def _jax() -> Check:
    """XLA as a second engine needs jax and jaxlib, of the same version."""
    jax, jaxlib = installed_version("jax"), installed_version("jaxlib")
    if not (jax and jaxlib):
        text = "not installed; they run programs by XLA and read its formats"
        return Check("jax and jaxlib", "optional", text, "pip install 'hloscope[xla]'")
    if _numbers(jax) != _numbers(jaxlib):
        text = f"jax {jax} and jaxlib {jaxlib} have different versions"
        return Check("jax and jaxlib", "optional", text, f"pip install jax=={jax} jaxlib=={jax}")
    return Check("jax and jaxlib", "ok", jax)


def _torch() -> Check:
    torch, torchax = installed_version("torch"), installed_version("torchax")
    if torch and torchax:
        return Check("torch and torchax", "ok", f"{torch}, {torchax}")
    if torch:
        text = f"torch {torch}, but torchax, which exports its programs, is not installed"
        return Check("torch and torchax", "optional", text, "pip install torchax")
    text = "not installed; they export PyTorch's programs"
    return Check("torch and torchax", "optional", text, "pip install torch torchax")


def _plugins() -> Iterator[Check]:
    """Each entry point of an installed plugin, and whether it can be loaded."""
    for group in GROUPS:
        for entry in entry_points_of(group):
            package = entry.dist.name if entry.dist else "unknown"
            name = f"plugin {package}"
            try:
                load_extension(entry)
                yield Check(name, "ok", f"{group.removeprefix('hloscope.')}: {entry.name}")
            except PluginError as error:
                yield Check(name, "optional", f"{entry.name}: {error}", f"pip install --upgrade {package}")


def _browser() -> Check:
    try:
        return Check("browser", "ok", getattr(webbrowser.get(), "name", "") or "found")
    except webbrowser.Error:
        cure = "open the address that `hloscope serve` prints in a browser, perhaps of another machine"
        return Check("browser", "optional", "none that could be opened", cure)


def _settings(settings: Settings) -> Iterator[Check]:
    """What a server refuses to start with."""
    from ..web.starting import StartError, check_public, check_tokens

    for check in (check_public, check_tokens):
        try:
            check(settings)
        except StartError as error:
            what, _, cure = str(error).partition(": ")
            yield Check("settings", "missing", what, cure)


def _data_folder(settings: Settings) -> Iterator[Check]:
    """Whether the data folder is writable, and its disk has room."""
    from ..web.starting import StartError, open_folder

    try:
        folder = open_folder(settings)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"hloscope")
        free = shutil.disk_usage(folder).free
    except (StartError, OSError) as error:
        text = str(error).partition(": see to")[0]
        yield Check("data folder", "missing", text, "hloscope serve --set data_dir=FOLDER")
        return
    yield Check("data folder", "ok", str(folder))
    if free < (least := settings.min_free_bytes):
        text = f"{free:,} bytes are free, fewer than min_free_bytes, {least:,}: `/-/ready` answers 503"
        yield Check(
            "disk", "optional", text, "free some, or move the folder: hloscope serve --set data_dir=FOLDER"
        )


def _port() -> Check:
    from ..web.starting import DEFAULT_PORT, StartError, listen

    try:
        listen("127.0.0.1", DEFAULT_PORT).close()
        return Check("port", "ok", f"{DEFAULT_PORT} is free")
    except StartError:
        text = f"{DEFAULT_PORT} is taken, perhaps by a running hloscope; `serve` uses the next free port"
        return Check("port", "optional", text, "hloscope serve --port 9000")
