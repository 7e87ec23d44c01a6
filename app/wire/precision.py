"""Precision of a run: its errors against the same run in more digits, and the op that loses them."""

from typing_extensions import TypedDict


class BitsInfo(TypedDict):
    """The bits of a floating-point type, and how many of them agree with the run in more digits."""

    agreeingBits: float
    bits: int


class LossInfo(BitsInfo):
    """The step of an op that loses most bits.

    `error`: the distance of its result from that of the run in more digits, relative to the whole result, and
    `handedOn`: the largest of its operands'; null is infinite: the result is not finite in one of the two runs. `lostBits`:
    the bits that the op loses, null where it loses all.
    """

    op: int
    process: int
    step: int
    name: str
    spelled: str
    line: int
    error: float | None
    handedOn: float | None
    lostBits: float | None


class ResultPrecision(BitsInfo):
    """The error of a result, relative to the whole of it; null is infinite."""

    process: int
    number: int
    error: float | None


class BlameInfo(TypedDict):
    """The op whose rounding matters most, and the op in which its loss originates, perhaps the same.

    `alone`, `bornAlone`: the error of the results if that op alone rounds as in the run; null is infinite.
    `amplification`: relative error of its result for that of its operands.
    """

    sentence: str
    guilty: LossInfo
    born: LossInfo
    alone: float | None
    bornAlone: float | None
    amplification: float


class TrialInfo(TypedDict):
    """The error of the results if an op, or with `op` null all ops that compute, rounded to a narrower type.

    `error` is null if it is infinite. `overflowing`, `vanishing`: the elements that leave the range of the type, and those
    that become 0, of `elements` that are rounded.
    """

    op: int | None
    process: int
    step: int
    name: str
    spelled: str
    line: int
    error: float | None
    agreeingBits: float
    elements: int
    overflowing: int
    vanishing: int
    sentence: str


class PrecisionInfo(TypedDict):
    """The precision of a run, as far as computed; repeat the request until `done`. `trials`: with rounding to `whatIf`.

    `problem`: why the program cannot run in more digits, or empty; `wide`: the type with more digits. `losses`: the ops that
    lose most bits, of `total` that lose any. `ops` and `errors`: of each op whose result has floats, the largest error of all
    its steps, relative to the whole result; null is infinite. `taken`: the lines of the ops whose results are those of the run.
    """

    done: bool
    problem: str
    sentence: str
    wide: str
    results: list[ResultPrecision]
    losses: list[LossInfo]
    total: int
    ops: list[int]
    errors: list[float | None]
    blame: BlameInfo | None
    taken: list[int]
    whatIf: str
    trials: list[TrialInfo]
