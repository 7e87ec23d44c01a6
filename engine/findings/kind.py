"""The declaration of a kind of finding: its names, its rule, and when it does harm.

A kind is one class, in the module of its family beside kinds like it; `kinds.py` collects all. Its rules find faults while a
run is recorded; what they need of an op is the op's facet `findings`. Its planted programs are in
`tests/findings/programs/<name>/`: each file has the program with the fault, and the healthy twin without it.
"""

from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import ClassVar, Literal, Protocol

from ..indexing.elements.element_sets import ElementSet
from ..ir.types import TensorType
from ..ops.core.op import Array, Op
from ..ops.core.quiet import Signals
from ..program import BoundProgram
from .finding import Fault, FaultKind, FaultTally, Grade, Harm

Arrays = tuple[Array, ...]

Search = Literal[
    "not_finite", "chosen_nan", "order", "lost_size", "misplaced", "imprecise", "rounded", "underflow"
]
"""The rule by which wrong elements are followed through a run; `debugger/grading/searches.py` has the rules."""


class Watch(Enum):
    """When a rule checks an op."""

    NEVER = auto()
    """The op cannot break the rule."""
    SIGNALLED = auto()
    """After a step in which a flag was raised, by the processor or by the op itself."""
    ALWAYS = auto()
    """After each step, because no flag tells."""
    DECISIVE = auto()
    """After each step if the result goes on to decide where something is, how much there is or what runs."""
    RUNNING_TOTAL = auto()
    """After each step if the op adds, in a loop, to its own result of the iteration before."""
    DIFFERENCE = auto()
    """After each step if the op may take the difference of two numbers that ops have computed and rounded."""
    AFTER_NAN = auto()
    """After each step, once there has been a NaN in the run."""


class Rule:
    """Finds what ops did wrong in one way, from what they read and made in a step."""

    def watch(self, op: Op, results: Sequence[TensorType]) -> Watch:
        """When an op with results of these types is checked."""
        raise NotImplementedError

    def glance(self, operands: Arrays, result: Array) -> bool:
        """Whether there may be faults in a step that raised no flag, as far as a look at an element or two tells."""
        return True

    def may_find(self, op: Op, operands: Arrays, results: Arrays) -> bool:
        """Whether there may be faults; some values are remote, and not worth fetching if their facts tell that there are none."""
        return True

    def faults(self, op: Op, operands: Arrays, results: Arrays, signals: Signals) -> Iterator[Fault]:
        """The faults of the op in a step that raised the flags `signals`. NumPy's warnings are off."""
        raise NotImplementedError


class NumberOrigin(Protocol):
    """The value in which a wrong index first appeared, before ops moved it to the op at fault."""

    @property
    def is_given(self) -> bool:
        """Whether it is an argument or a constant of the program; otherwise an op computed it."""

    @property
    def is_uniform_constant(self) -> bool:
        """Whether it is a constant of the program with one number everywhere."""


class Evidence(Protocol):
    """One step of a finding in a recorded run: its values, and what its wrong elements reach."""

    @property
    def program(self) -> BoundProgram: ...

    @property
    def op_number(self) -> int: ...

    @property
    def op(self) -> Op:
        """The op at fault, without the tuple that HLO text packs its results into."""

    @property
    def fault(self) -> Fault: ...

    def operands(self) -> Arrays:
        """The values that the op read in the step."""

    def value(self) -> Array:
        """The result, or operand, that the fault's index refers to."""

    def born_elements(self) -> ElementSet:
        """The elements of the value that are of the fault's kind and worse than all that they were computed from."""

    def follow(self, search: Search, elements: ElementSet) -> Harm | None:
        """The harm that `elements` of the value do."""

    def follow_read(self) -> Harm | None:
        """The harm of the elements that the op read by the faulty index."""

    def loses_digits(self, limit: float) -> bool:
        """Whether the value, and a result of the program, differ by more than `limit` from those in f64; its operands hardly do.

        The limit is relative to the whole value. `False` if it is unknown.
        """

    def number_origins(self) -> Sequence[NumberOrigin]:
        """The first appearances of the faulty index, a number of the value."""


class Kind:
    """A kind of finding, with the answers of one that always does harm."""

    name: ClassVar[FaultKind]
    title: ClassVar[str]
    """The common name: `integer overflow`."""
    became: ClassVar[str]
    """The state of an affected element: `wrapped around`."""
    counted: ClassVar[str] = "elements"
    """What its faults count."""
    rules: ClassVar[tuple[Rule, ...]] = ()
    """The rules that find it while a run is recorded; kinds may share a rule."""
    is_born: ClassVar[bool] = False
    """Whether elements become bad in it that were not: NaN and infinities."""
    grade_if_unknown: ClassVar[Grade] = "harmful"
    """The grade where the time limit ended the search."""
    is_only_harm: ClassVar[bool] = False
    """Whether it is no finding where it does no harm."""

    def harm(self, evidence: Evidence) -> Harm | None:
        """The first harm that one step does; `None` if it does none."""
        return "result"

    def harmless_grade(self, program: BoundProgram, tally: FaultTally) -> Grade:
        """The grade where no step does harm."""
        return "masked"

    def is_fault(self, tally: FaultTally) -> bool:
        """Whether the steps together are a fault; otherwise there is no finding."""
        return True

    def is_intended(self, tally: FaultTally, steps: Sequence[Evidence]) -> bool:
        """Whether the program wants what happened; `steps` are the first, the worst and the last one."""
        return False
