"""What a debugger asks of an op to follow values through it, besides its index maps.

`Op` inherits these questions; each has the answer of most ops. An op that differs answers in its own class.
"""

from __future__ import annotations

from typing import ClassVar

from .element_formula import ElementFormula

Part = tuple[int, tuple[int, ...]]
"""A part of an op's operands or results: the number of one, and the positions in its tuples, from outside in."""


class Explained:
    """What an op says of where its values, and those of the frames that it opens, come from."""

    name: ClassVar[str]

    # The formula of an element

    def formula(self, reads: int) -> ElementFormula:
        """How an element of a result is computed from those that it reads, of `reads` operands."""
        return ElementFormula(self.name.rpartition(".")[2])

    # Values that are passed on unchanged

    def forwarded_operand(self, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands that part `path` of a result is, unchanged; `None` where it is computed.

        `path` leads to a tensor or a token, or to a tuple of which all parts are forwarded together.
        """
        return None

    def origin(self, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of the operands at which the origin of part `path` of a result is looked for; `None` if it is here.

        It is `forwarded_operand`, except where an op gives the value later than the operand's op did.
        """
        return self.forwarded_operand(result, path)

    constant_note: ClassVar[str] = ""
    """Why a result that reads no element is what it is, as a sentence."""
    combines_processes: ClassVar[bool] = False
    """Whether it combines the elements that processes bring, rather than moving them."""
    gives_placeholders: ClassVar[bool] = False
    """Whether it only starts what it does: its results are placeholders at first."""
    outcome_path: ClassVar[tuple[int, ...]] = ()
    """Where in its result placeholders are, of what may only be started: element 1 of a tuple, as `(1,)`."""

    # Frames that it opens

    passes_values: ClassVar[bool] = False
    """Whether the arguments of its frames are parts of its operands, and its results what its last frame returned."""
    calls_function: ClassVar[bool] = False
    """Whether it runs one function and nothing else, so that without a frame its results come from outside."""

    def argument_part(self, region: int, argument: int, path: tuple[int, ...] = ()) -> Part:
        """The part of the operands that part `path` of an argument of region number `region` is, if it passes values."""
        return argument, path

    def returned_part(self, result: int, path: tuple[int, ...] = ()) -> Part | None:
        """The part of what its last frame returned that part `path` of a result is; `None` where it is made up.

        Asked of ops that pass values, and of an infeed that a function feeds.
        """
        return result, path
