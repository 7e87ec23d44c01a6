"""Names of processes and ops in messages."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..program import BoundOperation
from ..source import Source
from .grid_events import LaunchGroup

MAX_NAMES = 4
"""Maximum number of processes named in a list; the others are counted."""


@dataclass(frozen=True)
class ProcessNames:
    """Names the processes of `launch_groups` and the ops of `source` in messages."""

    source: Source
    launch_groups: Sequence[LaunchGroup]

    def process(self, number: int) -> str:
        """`(0, 1)`: the position of a process in its grid."""
        launch_group = next(
            launch_group for launch_group in self.launch_groups if number in launch_group.numbers
        )
        replica_id, partition_id = launch_group.process_of(number)
        return f"({replica_id}, {partition_id})"

    def processes(self, numbers: Sequence[int]) -> str:
        """`(0, 1) and (0, 2)`; long lists are shortened."""
        shown = [self.process(number) for number in numbers[:MAX_NAMES]]
        if more := len(numbers) - len(shown):
            shown.append(f"{more} more")
        return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"

    def op(self, bound: BoundOperation) -> str:
        """`stablehlo.all_reduce at line 7`."""
        line, _ = self.source.line_and_column(bound.operation.span.start)
        return f"{bound.operation.spelled} at line {line}"
