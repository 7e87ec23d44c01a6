"""Plugins: installed packages that add targets of custom calls, importers of programs and panels, by entry points.

A plugin is code that the operator has installed, and it runs with the rights of the process that loads it. A program only
names a target, and a file only holds bytes that an importer recognises: neither chooses what is loaded beyond that.
docs/plugins.md is the guide, `hloscope.plugins` has the public names.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hloscope.engine.errors import ProgramError, RunError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from hloscope.engine.ops.core.op import Array
    from hloscope.engine.ops.custom_calls.call import Call
    from hloscope.engine.ops.custom_calls.target import Answer, Run, Target

CUSTOM_CALLS, IMPORTERS, PANELS = GROUPS = ("hloscope.custom_calls", "hloscope.importers", "hloscope.panels")
"""The groups of entry points."""
PANEL_FILES = "/static/plugins"
"""Path below which the files of panels are served."""

PANEL_NAME = re.compile(r"[A-Za-z][\w-]*")
log = logging.getLogger("hloscope")


@dataclass(frozen=True)
class Importer:
    """A form of programs that is not text. Both functions get the whole file, which may be a stranger's."""

    described: str
    """The noun phrase for such a file: `a chain of ops`."""
    recognises: Callable[[bytes], bool]
    """Whether the bytes are of this form."""
    read: Callable[[bytes], str]
    """The program as StableHLO or HLO text; a `ValueError` says what is wrong with the file."""


@dataclass(frozen=True)
class Panel:
    """A panel of the debugger's page: a built ES module that exports `mount(element, hloscope)`."""

    title: str
    module: str
    """File name of the module in `folder`."""
    folder: str = "panel"
    """Folder beside the Python module that the entry point names. All of its files are served, to anyone."""
    dock: Literal["stage", "inspector"] = "stage"
    """The dock in which the panel starts."""


class PluginError(Exception):
    """An entry point cannot be loaded, or is not what its group is for."""


@cache
def entry_points_of(group: str) -> tuple[EntryPoint, ...]:
    """The entry points of a group, by name and distribution: where two have one name, the first counts."""
    from importlib.metadata import entry_points  # slow to import

    return tuple(sorted(entry_points(group=group), key=lambda each: (each.name, _distribution(each))))


def load_extension(entry: EntryPoint) -> Any:
    """The target, importer or panel of an entry point. Raises `PluginError`."""
    wanted = _kind_of(entry.group)
    try:
        found = entry.load()
    except Exception as error:
        raise PluginError(f"{entry.value} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, wanted):
        raise PluginError(f"{entry.value} is a {type(found).__name__}, not a {wanted.__name__}")
    return found


def _kind_of(group: str) -> type:
    if group == CUSTOM_CALLS:
        from hloscope.engine.ops.custom_calls.target import Target

        return Target
    return Importer if group == IMPORTERS else Panel


@cache
def _loaded(entry: EntryPoint) -> Any:
    """The extension of an entry point; `None` after a line in the log where it cannot be used."""
    try:
        return load_extension(entry)
    except PluginError as error:
        log.error("plugin %s: %s", _distribution(entry), error)
        return None


@cache
def find_target(name: str) -> Target | None:
    """The custom-call target that a plugin adds under this name; `None` if none does."""
    for entry in entry_points_of(CUSTOM_CALLS):
        target: Target | None = _loaded(entry) if entry.name == name else None
        if target is not None:
            return replace(target, run=_attributed(target.run, _distribution(entry)))
    return None


def _attributed(run: Run, plugin: str) -> Run:
    """`run`, whose failures stop the program at the call: they are faults of the plugin, not of hloscope."""

    def guarded(call: Call, operands: tuple[Array, ...]) -> Answer:
        try:
            return run(call, operands)
        except ProgramError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise RunError(f"@{call.call_target_name} of the plugin {plugin} failed: {reason}") from error

    return guarded


def find_importer(data: bytes) -> Importer | None:
    """The first importer that recognises a file; `None` if none does."""
    importers: list[Importer] = list(filter(None, map(_loaded, entry_points_of(IMPORTERS))))
    return next((found for found in importers if found.recognises(data)), None)


def panel_folders() -> dict[str, Path]:
    """The folder of each panel's files, by the panel's name."""
    return {entry.name: Path(str(resources.files(entry.module))) / panel.folder for entry, panel in _panels()}


def page_panels() -> list[dict[str, str]]:
    """The panels as the page needs them; `module` is the path of the ES module on this server."""
    return [
        {
            "name": entry.name,
            "title": panel.title,
            "dock": panel.dock,
            "module": f"{PANEL_FILES}/{entry.name}/{panel.module}",
        }
        for entry, panel in _panels()
    ]


def _panels() -> list[tuple[EntryPoint, Panel]]:
    """The panels by name, one of each name; a name is part of a path and of saved layouts."""
    entries = {entry.name: entry for entry in reversed(entry_points_of(PANELS))}
    found = ((entries[name], _loaded(entries[name])) for name in sorted(entries))
    return [(entry, panel) for entry, panel in found if panel and PANEL_NAME.fullmatch(entry.name)]


def plugin_versions(group: str) -> list[str]:
    """Name and version of each distribution with entry points of a group."""
    return sorted({_distribution(entry) for entry in entry_points_of(group)})


def _distribution(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else ""
