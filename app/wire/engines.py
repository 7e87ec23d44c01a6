"""Comparisons with a second engine in the API."""

from typing import Literal

from typing_extensions import TypedDict

from .program import GridSize
from .sessions import Feeds, InputSpec, LaterStart
from .tasks import LimitValues, Task


class EngineInfo(TypedDict):
    """Devices that a run can be compared on."""

    name: str
    """The name in `against`: `xla` for the CPU, `gpu`, `tpu`."""
    devices: list[str]
    """The description of each device."""


class EngineList(TypedDict):
    """The second engines of a server."""

    engines: list[EngineInfo]
    """Empty if XLA is not installed."""


class EngineJob(TypedDict):
    """A comparison of a run with a second engine, and its progress."""

    id: str
    against: str
    """`xla`, `device`, `gpu`, `tpu` or `cpu`, and flags after a colon."""
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    doing: str
    """The current step, in words."""
    seconds: float
    """Seconds since the request."""
    file: str | None
    """The file of values, once complete: compare the run with `values:` and this name."""
    message: str
    """The verdict, the possible start of a run, or the reason for a failure."""
    hint: str
    """The remedy for a failure."""
    start_at: int | str | None
    """The line or value where a run begins: the job computes the values before it."""
    records: bool
    """Whether the job computes the values of a whole run."""


class ComparedRun(TypedDict):
    """The outcome of a `CompareRun`: its verdict in words, or the start of a run from XLA's values."""

    sentence: str
    start: LaterStart | None


class CompareRun(Task[ComparedRun]):
    """Compare a run with a second engine, or compute the values before `start_at`, or those of the whole run (`records`).

    The text is in a buffer.
    """

    name: str
    entry: str | None
    inputs: list[InputSpec | None]
    grid: GridSize | None
    feeds: Feeds | None
    limits: LimitValues
    against: str
    start_at: int | str | None
    records: bool
    seconds: float
    address_space: int
    cache_bytes: int
    """Maximum bytes of compilations that are kept for other runs."""
    keep_bytes: int
    file: str
    """The path of the file that receives the values."""


class DoingEvent(TypedDict):
    """The current step of a comparison, in words."""

    event: Literal["doing"]
    doing: str
