"""Comparisons with a second engine, as the API tells of them."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


class EngineInfo(TypedDict):
    """Devices that a run can be compared on."""

    name: str
    """What `against` calls them: `xla` for the CPU, `gpu`, `tpu`."""
    devices: list[str]
    """What each is."""


class EngineList(TypedDict):
    """The second engines of a server."""

    engines: list[EngineInfo]
    """None where XLA is not installed."""


class EngineJob(TypedDict):
    """A comparison of a run with a second engine, and how far it is."""

    id: str
    against: str
    """`xla`, `device`, `gpu`, `tpu` or `cpu`, and flags behind a colon."""
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    doing: str
    """What it is at, in words."""
    seconds: float
    """Since it was asked for."""
    file: str | None
    """The file of values, once it is done: the run is compared with `values:` and this name."""
    message: str
    """The verdict, where a run can begin, or why nothing came of it."""
    hint: str
    """What to do about that."""
    start_at: int | str | None
    """The line or value that a run is to begin at: the job computes what comes before it."""
