"""The facet for traits, in MLIR's sense: yes-or-no properties that hold for all operations of a class."""

from dataclasses import dataclass
from typing import Literal

Category = Literal["collective", "contraction", "control", "elementwise", "movement", "other", "reduction"]


@dataclass(frozen=True)
class Traits:
    """Properties of an op class that program analyses read; all are false for most ops."""

    is_terminator: bool = False
    """Whether it ends a block and passes its operands to the op that holds the block."""
    is_constant: bool = False
    """Whether its result is a value stated in the text of the program."""
    is_elementwise: bool = False
    """Whether `evaluate` accepts arrays of any one shape, so that a lifted region can call it unchanged."""
    is_isolated: bool = False
    """Whether its regions use their own values only, none from around the op."""
    regroups_tuples: bool = False
    """Whether it only builds a tuple of its operands, or takes an element out of one."""
    reads_sizes_alone: bool = False
    """Whether it reads none of its operand's elements, at most the sizes."""
    lists_operands: bool = False
    """Whether the result lists the numbers of its operands in row-major order, operand after operand."""
    has_one_shape: bool = False
    """Whether all operands and results have one shape, so that bounds of sizes hold for all of them."""
    returns_process_id: bool = False
    """Whether its result is the position of the process in the grid."""
    computes_alone: bool = False
    """Whether its results follow from its operands alone, though it makes requests: its bodies combine or order elements."""
    is_kernel: bool = False
    """Whether the ops of its body are one kernel of a compiled program."""
    calls: str = ""
    """The field with the name of the function that it calls, if nothing else of the op depends on that name."""
    is_random: bool = False
    """Whether it draws numbers that each engine makes in its own way."""
    category: Category | None = None
    """The category of its mark in the browser, where it differs from that of its family."""
