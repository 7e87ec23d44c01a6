"""XlaBuilder: writes programs of XLA's operations from Python."""

from __future__ import annotations

from .collective_functions import Collectives
from .contraction_functions import Contractions
from .indexed_functions import Indexed
from .transfer_functions import Transfers


class XlaBuilder(Collectives, Indexed, Contractions, Transfers):
    """Builds one computation, instruction by instruction, with XLA's functions under their names in snake case.

        add = XlaBuilder("add")
        add.add(add.parameter(0, "f32[]"), add.parameter(1, "f32[]"))

        b = XlaBuilder("row_sums")
        x = b.parameter(0, "f32[2,3]", "x")
        b.reduce(x * 2.0, 0.0, add.build(), [1])
        b.build().run([[1, 2, 3], [4, 5, 6]])  # [12, 30]

    Each function adds an instruction and gives a handle, which others take. What is wrong is said at the call, with
    the op's rule (`BuilderError`). Shapes are text, `"f32[2,3]"`, or types. Computations are what `build()` of
    another builder gives, or functions of handles, `lambda x, y: x + y`.
    """
