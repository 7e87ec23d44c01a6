"""Parse `--against` and `--between`: XLA with flags, a device, another jaxlib, or a file of a run's values."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from hloscope.engine.errors import InputError

from ..xla.engine import OptionValue, XlaEngine
from ..xla.platforms import CPU, DEFAULT
from .other_jaxlib import python_with

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
        raise InputError(f"'{text}' is no engine that computes a recording", hint=f"Give {ENGINES}.")
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
            f"'{text}' is no flag of XLA",
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
