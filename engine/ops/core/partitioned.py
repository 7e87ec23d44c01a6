"""Ops that run a body in each process on its parts of the operands, and join the parts that the bodies return."""

from __future__ import annotations

from collections.abc import Iterator

from ...indexing import OperandMap
from .op import AskingOp


class Partitioned(AskingOp):
    """The protocol of such an op: how parts and whole tensors belong together."""

    def cut_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Between the operands and the arguments of the body, of the same numbers: a process takes its own parts."""
        raise NotImplementedError

    def join_maps(self, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Between what the body returns, which counts as operands here, and the results."""
        raise NotImplementedError
