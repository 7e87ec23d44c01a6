"""What `--against` names: XLA with its flags, XLA of another jaxlib, or the values of another run in a file."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field

from hloscope.engine.errors import InputError

from ..xla.engine import OptionValue, XlaEngine
from .other_jaxlib import python_with

FORMS = "xla, xla:FLAGS, jaxlib==VERSION, or a file values.npz"
_OF_THE_PROCESS = ("xla_force_host_platform_device_count",)
"""Flags that are read when XLA starts, not when it compiles."""


@dataclass(frozen=True)
class Against:
    """A second engine that is XLA, and the options of its compilations."""

    overrides: dict[str, OptionValue] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """Of the process, with their dashes."""
    jaxlib: str = ""
    """A version, or the one that is installed."""

    def engine(self, seconds: float, address_space: int) -> XlaEngine:
        """The engine, which starts when it is asked."""
        python = python_with(self.jaxlib) if self.jaxlib else sys.executable
        return XlaEngine(seconds=seconds, address_space=address_space, flags=self.flags, python=python)


def names_an_engine(text: str) -> bool:
    """Whether it is XLA, and not a file of values."""
    return text == "xla" or text.startswith(("xla:", "jaxlib=="))


def parse_against(text: str) -> Against:
    """`xla`, `xla:--xla_disable_hlo_passes=fusion,cse --xla_…`, or `jaxlib==0.10.1`, flags behind it too: `jaxlib==0.10.1:FLAGS`."""
    if not names_an_engine(text):
        raise InputError(f"'{text}' is no engine", hint=f"Give {FORMS}.")
    name, _, flags = text.partition(":")
    found = dict(map(_flag, shlex.split(flags)))
    of_process = tuple(f"--{key}={value}" for key, value in found.items() if key in _OF_THE_PROCESS)
    overrides = {key: value for key, value in found.items() if key not in _OF_THE_PROCESS}
    return Against(overrides, of_process, name.removeprefix("jaxlib==") if name != "xla" else "")


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
