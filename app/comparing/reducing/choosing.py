"""Select the check that a text names."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence

from hloscope.engine.errors import InputError
from hloscope.engine.limits import DEFAULT_LIMITS, Limits

from ...base.versions import installed_version
from ...processes.arrays import Array
from ...xla.engine import XlaEngine
from .checks import (
    Check,
    CommandSucceeds,
    CrashesXla,
    DiffersFromXla,
    MakesNan,
    PassChangesValues,
    PythonHolds,
)

KNOWN = ("differs from xla", "crashes xla", "a pass changes values", "nan")
"""The named checks; any other text is a shell command if it begins with `$ `."""


def find_check(
    named: str | Callable[[str, Sequence[Array]], object],
    flags: Sequence[str] = (),
    limits: Limits = DEFAULT_LIMITS,
    seconds: float = 60.0,
    devices: int = 1,
) -> Check:
    """The check for a name, a shell command (`$ grep …`), or a Python function.

    `InputError` for other texts. `flags` are XLA_FLAGS, each with its dashes; `seconds` is the time limit of
    XLA or the command, `devices` the number of XLA's devices.
    """
    if not isinstance(named, str):
        return PythonHolds(named)
    words = " ".join(named.lower().split())
    if named.startswith("$ "):
        return CommandSucceeds(named[2:].strip(), seconds)
    if words == "nan":
        return MakesNan(limits)
    if words not in KNOWN:
        known = ", ".join(f"'{name}'" for name in KNOWN)
        raise InputError(f"no check is called '{named:.200}'", hint=f"there are {known}, and '$ COMMAND'")
    xla = XlaEngine(seconds=seconds, flags=flags, devices=devices)
    if words == "differs from xla":
        return DiffersFromXla(xla, limits)
    return CrashesXla(xla) if words == "crashes xla" else PassChangesValues(xla, limits)


def versions_of(check: Check) -> Mapping[str, str]:
    """Versions for a bug report: hloscope, Python, and jax and jaxlib if XLA is involved."""
    found = {"hloscope": installed_version() or "(not installed)"}
    if isinstance(check, DiffersFromXla | CrashesXla | PassChangesValues):
        asked = check.xla.versions()
        found |= {"jax": asked.jax, "jaxlib": asked.jaxlib, "platform": asked.platform}
    return {
        **found,
        "Python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
