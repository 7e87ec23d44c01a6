"""The facet for traffic: the bytes that a process sends in a collective op."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Traffic:
    """The ring algorithm of a collective op, by the passes of operands and results around the ring.

    A pass over `n` processes moves the fraction `(n - 1) / n` of the bytes through each of them.
    """

    operand_passes: int = 0
    result_passes: int = 0
    sent_operands: int | None = None
    """Number of leading operands that it sends; `None`: all."""
    is_direct: bool = False
    """Whether a process sends its whole operands once, to a single other process."""

    @property
    def exists(self) -> bool:
        """Whether the op sends anything to other processes."""
        return bool(self.operand_passes or self.result_passes or self.is_direct)

    def bytes_sent(self, members: int, operand_bytes: int, result_bytes: int) -> int:
        """The bytes that one of `members` processes sends, at most, rounded up."""
        if members < 2:
            return 0
        if self.is_direct:
            return operand_bytes
        passed = self.operand_passes * operand_bytes + self.result_passes * result_bytes
        return -(-passed * (members - 1) // members)
