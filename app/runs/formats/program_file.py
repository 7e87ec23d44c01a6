"""A program read from a file of any supported form."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...processes.arrays import Array
from .kinds import Kind


@dataclass(frozen=True)
class Choices:
    """The sizes and platforms that `jax.export` leaves open."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    """Symbolic sizes by name: the chosen ones, otherwise the proposed ones."""
    platforms: tuple[str, ...] = ()
    """The platforms that the program was exported for."""
    platform: str = ""
    """The chosen platform. The default is `cpu` if available, otherwise the first."""

    @property
    def is_open(self) -> bool:
        """Whether the user has a choice."""
        return bool(self.sizes) or len(self.platforms) > 1


@dataclass(frozen=True)
class ProgramFile:
    """A program as text, with the other contents of its file."""

    text: str = field(repr=False)
    """StableHLO or HLO. If it was converted, comments in its first lines state the source."""
    name: str
    """The user's name for the file; in an archive followed by `!` and the member's name."""
    kind: Kind = "text"
    partitions: tuple[tuple[Array, ...], ...] = field(default=(), repr=False)
    """The arguments of a recorded execution for each partition, with tuples flattened to arrays."""
    results: tuple[Array, ...] = field(default=(), repr=False)
    """The results of that execution, as XLA computed them."""
    notes: tuple[str, ...] = ()
    """Sentences about the conversion: its source and choices."""
    choices: Choices = Choices()

    @property
    def inputs(self) -> tuple[Array, ...] | None:
        """The arguments of a recorded execution in one process; `None` without them or with several partitions."""
        return self.partitions[0] if len(self.partitions) == 1 and self.partitions[0] else None

    @property
    def is_converted(self) -> bool:
        """Whether the text was converted from another form."""
        return self.kind != "text"
