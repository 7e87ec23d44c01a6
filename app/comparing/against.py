"""Parse `--against` and `--between`: XLA with flags, a device, another jaxlib, which is installed once, or a file of values."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hloscope.engine.errors import InputError

from ..xla.engine import OptionValue, XlaEngine
from ..xla.failures import XlaFailed
from ..xla.platforms import CPU, DEFAULT

ENGINES = "xla, device, gpu, tpu or cpu, each also with :FLAGS; jaxlib==VERSION"
FORMS = f"{ENGINES}; or a file values.npz"
_PLATFORMS = {"xla": CPU, CPU: CPU, DEFAULT: DEFAULT, "gpu": "gpu", "tpu": "tpu"}
"""Platforms by the names of engines; `xla` is the CPU, which every machine has."""
_OF_THE_PROCESS = ("xla_force_host_platform_device_count",)
"""Flags that XLA reads at start, not at compilation."""


@dataclass(frozen=True)
class Against:
    """A second engine that is XLA, and the options of its compilations."""

    overrides: dict[str, OptionValue] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """Flags of the process, with their dashes."""
    jaxlib: str = ""
    """A version, or empty for the installed one."""
    platform: str = CPU
    """The platform of its devices."""

    def engine(self, seconds: float, address_space: int, devices: int = 1) -> XlaEngine:
        """The engine, which starts on demand; on a CPU it creates this many devices."""
        python = python_with(self.jaxlib) if self.jaxlib else sys.executable
        return XlaEngine(
            seconds=seconds,
            address_space=address_space,
            flags=self.flags,
            devices=devices,
            python=python,
            platform=self.platform,
        )


def names_an_engine(text: str) -> bool:
    """Whether the name is an engine, and not a file of values."""
    return text.partition(":")[0] in _PLATFORMS or text.startswith("jaxlib==")


def unknown_engine(text: str) -> InputError:
    """The error message for an unknown engine."""
    return InputError(
        f"--against {text}: there is no engine of that name, and no such file", hint=f"Give {FORMS}."
    )


def parse_on(text: str) -> Against:
    """Parse the name of an engine that computes a recording; see `parse_against`."""
    if not names_an_engine(text):
        raise InputError(f"'{text}' is not an engine that computes a recording", hint=f"Give {ENGINES}.")
    return parse_against(text)


def parse_against(text: str) -> Against:
    """Parse the name of an engine, with flags.

    `xla`, `xla:--xla_disable_hlo_passes=fusion,cse --xla_…`, `gpu`, or `jaxlib==0.10.1`; these also take flags:
    `gpu:FLAGS`.
    """
    if not names_an_engine(text):
        raise unknown_engine(text)
    name, _, flags = text.partition(":")
    try:
        found = dict(map(_flag, shlex.split(flags)))
    except ValueError:
        raise InputError(f"the flags {flags} have a quotation mark without its twin") from None
    of_process = tuple(f"--{key}={value}" for key, value in found.items() if key in _OF_THE_PROCESS)
    overrides = {key: value for key, value in found.items() if key not in _OF_THE_PROCESS}
    platform = _PLATFORMS.get(name, CPU)
    return Against(
        overrides, of_process, "" if name in _PLATFORMS else name.removeprefix("jaxlib=="), platform
    )


def parse_between(names: Sequence[str]) -> list[Against]:
    """Parse the names of two engines, each with flags."""
    for name in names:
        if not names_an_engine(name):
            raise InputError(
                f"--between {name}: there is no engine of that name", hint=f"Give two of {ENGINES}."
            )
    return list(map(parse_against, names))


def _flag(text: str) -> tuple[str, OptionValue]:
    name, separator, value = text.removeprefix("--").partition("=")
    if not name.startswith("xla_"):
        raise InputError(
            f"'{text}' is not a flag of XLA",
            hint="Write xla:xla_disable_hlo_passes=fusion, several with spaces between.",
        )
    return name, _value(value) if separator else True


def _value(text: str) -> OptionValue:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.dev\d+)?")
_VERSIONS = re.compile(r" \(from versions: [^)]*\)")
_NO_BUILD = "No matching distribution found"
"""The words of `pip` if no version fits the interpreter."""
INSTALL_SECONDS = 900.0
OTHER_PYTHONS = ("python3.14", "python3.13", "python3.12", "python3.11")
"""Interpreters that are tried if jaxlib has no build for ours."""


def python_with(version: str) -> str:
    """The interpreter of an environment with a version of jax and jaxlib.

    `InputError` if that is not a version, `XlaFailed` if it cannot be installed. The first time, packages are
    fetched as `pip` is configured.
    """
    if not _VERSION.fullmatch(version):
        raise InputError(f"'{version}' is not a version of jaxlib", hint="Write jaxlib==0.10.2.")
    folder = environments() / f"jaxlib-{version}-python-{sys.version_info.major}.{sys.version_info.minor}"
    if not (folder / "complete").is_file():
        _install(folder, version)
    return str(folder / "bin" / "python")


def environments() -> Path:
    """The folder of environments, in the user's cache."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "hloscope"


def _install(folder: Path, version: str) -> None:
    """Create the environment, with our Python or, if jaxlib has no build for it, another one of the machine."""
    first: XlaFailed | None = None
    for python in (sys.executable, *filter(None, map(shutil.which, OTHER_PYTHONS))):
        # Environments cannot be moved: it is created at its final path, and is valid once it holds `complete`.
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        try:
            _call([python, "-m", "venv", str(folder)])
            pip = [
                str(folder / "bin" / "python"),
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ]
            _call([*pip, f"jax=={version}", f"jaxlib=={version}", "numpy", "ml_dtypes"])
            (folder / "complete").touch()
            return
        except XlaFailed as failure:
            first = first or failure
            if _NO_BUILD not in str(first):
                break
    shutil.rmtree(folder, ignore_errors=True)
    assert first is not None
    raise first


def _call(command: list[str]) -> None:
    with tempfile.TemporaryFile() as errors:
        try:
            code = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                timeout=INSTALL_SECONDS, check=False,
            ).returncode  # fmt: skip
        except subprocess.TimeoutExpired:
            raise XlaFailed(f"`{' '.join(command)}` took more than {INSTALL_SECONDS:g} s") from None
        errors.seek(0)
        if code:
            said = _VERSIONS.sub("", errors.read().decode(errors="replace")).strip().splitlines()[-3:]
            raise XlaFailed(f"`{' '.join(command)}` failed: {' '.join(said)}")
