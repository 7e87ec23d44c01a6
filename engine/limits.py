"""What one program may take; each limit is a name that the error it causes repeats."""

from __future__ import annotations

from dataclasses import dataclass, fields

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Limits of one program, from its text to its run. Defaults are those of local use."""

    max_program_bytes: int = 64 * MEBIBYTE
    """Size of the program's text, as UTF-8."""
    max_nesting: int = 200
    """Depth of brackets, types, attributes, locations and regions in each other."""
    max_ops: int = 1_000_000
    """Operations that a program's text may hold."""
    max_rank: int = 16
    """Dimensions of a tensor."""
    max_listed_numbers: int = 65_536
    """Numbers of a list that an attribute states, such as `replica_groups`: a short literal may claim any count."""
    max_tensor_bytes: int = GIBIBYTE
    """Bytes of one tensor, as if nothing were lazy."""
    session_memory_bytes: int = 4 * GIBIBYTE
    """Bytes of all tensors that one run holds at the same time."""
    recording_bytes: int = GIBIBYTE
    """Bytes of values that a recording keeps; what is dropped is computed again."""
    op_flops: int = 200_000_000_000
    """Scalar operations that one op may need, by the cost model."""
    run_step_limit: int = 1_000_000
    """Steps that are recorded before a run pauses and asks whether to go on."""
    run_seconds: float = 600.0
    """Seconds of computing before a run pauses and asks whether to go on."""
    max_processes: int = 256
    """Processes of a run: replicas times partitions, those of `interpreter.run_parallel` included."""
    call_depth_limit: int = 256
    """Frames of functions and regions in each other."""

    def describe(self) -> dict[str, int | float]:
        """Name and value of each limit."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


DEFAULT_LIMITS = Limits()
