"""Resource limits of one program; error messages name the limit that was exceeded."""

from dataclasses import dataclass, fields

MEBIBYTE = 1 << 20
GIBIBYTE = 1 << 30


@dataclass(frozen=True)
class Limits:
    """Limits of one program, from its text to its run. The defaults suit local use."""

    max_program_bytes: int = 512 * MEBIBYTE
    """Maximum size of the program's text, in UTF-8 bytes."""
    max_nesting: int = 200
    """Maximum nesting of brackets, types, attributes, locations and regions."""
    max_ops: int = 1_000_000
    """Maximum number of operations in a program's text."""
    max_rank: int = 16
    """Maximum rank of a tensor."""
    max_listed_numbers: int = 65_536
    """Maximum length of a list in an attribute, such as `replica_groups`; a splat can claim any length."""
    max_tensor_bytes: int = GIBIBYTE
    """Maximum size of one tensor in bytes, counted as if every element were stored."""
    session_memory_bytes: int = 4 * GIBIBYTE
    """Maximum bytes of all tensors that one run holds at a time."""
    recording_bytes: int = GIBIBYTE
    """Maximum bytes of values that a recording keeps; dropped values are recomputed on demand.

    A recording whose steps themselves take more pauses.
    """
    op_flops: int = 200_000_000_000
    """Maximum scalar operations of one op, by the cost model."""
    run_step_limit: int = 5_000_000
    """Number of recorded steps after which a run pauses and offers to continue."""
    run_seconds: float = 600.0
    """Seconds of computing after which a run pauses and offers to continue."""
    max_processes: int = 256
    """Maximum number of processes (replicas × partitions), including those of `interpreter.run_parallel`."""
    call_depth_limit: int = 256
    """Maximum number of nested frames, of functions and regions."""

    def describe(self) -> dict[str, int | float]:
        """Names and values of all limits."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


DEFAULT_LIMITS = Limits()
