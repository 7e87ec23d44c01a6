"""What a file of a program comes to, whatever it was written as."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...processes.arrays import Array
from .kinds import Kind


@dataclass(frozen=True)
class Choices:
    """What `jax.export` leaves open, and whether it must be asked for."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    """Symbolic sizes by name, as they were chosen or, where nobody chose, proposed."""
    platforms: tuple[str, ...] = ()
    """Those that the program was exported for."""
    platform: str = ""
    """The one of them that was chosen; `cpu` where nobody chose and it is among them, else the first."""

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose."""
        return bool(self.sizes) or len(self.platforms) > 1


@dataclass(frozen=True)
class ProgramFile:
    """A program as text, and what the file holds besides."""

    text: str = field(repr=False)
    """StableHLO or HLO. Where it was made from another form, its first lines are comments that say so."""
    name: str
    """What its user calls the file; of an archive the name within it is behind an exclamation mark."""
    kind: Kind = "text"
    partitions: tuple[tuple[Array, ...], ...] = field(default=(), repr=False)
    """Of a recorded execution, the arguments of each partition: arrays, tuples taken apart."""
    notes: tuple[str, ...] = ()
    """What is worth saying of the conversion, in sentences: what it was made from, what was chosen."""
    choices: Choices = Choices()

    @property
    def inputs(self) -> tuple[Array, ...] | None:
        """The arguments of a recorded execution in one process; `None` where there are none, or those of several partitions."""
        return self.partitions[0] if len(self.partitions) == 1 and self.partitions[0] else None

    @property
    def is_converted(self) -> bool:
        """Whether the file was no text."""
        return self.kind != "text"
