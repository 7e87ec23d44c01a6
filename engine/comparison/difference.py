"""Difference of two values: a verdict, the worst element, and whether rounding explains it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..ops.core.rounding import unit_roundoff
from ..ops.core.values import is_tuple, leaves
from .elements import (
    Array,
    Flat,
    Mask,
    differing,
    distance,
    float_format,
    flushed_denormals,
    infinite,
    is_float,
    nan_mask,
    signed_zeros,
    ulps_apart,
    widened_elements,
)

Kind = Literal["same_bits", "rounding", "unknown", "wrong", "nan", "shape"]
SEVERITY: Mapping[Kind, int] = {"same_bits": 0, "rounding": 1, "unknown": 2, "wrong": 3, "nan": 4, "shape": 5}
Verdict = Literal["same", "different", "unknown"]
Test = Literal["bits", "bound", "tolerance", "noise", "witness"]
"""The test that decided: equal bits or types, the rounding-error bound, the stated tolerance, randomly rounded runs,
or a run in more digits."""
Note = Literal["signed_zeros", "flushed", "infinities", "lost_nans", "rounded_first"]
"""Special classes of elements.

Zeros of opposite sign; denormals or infinities that are 0 or finite in the other value; NaN that are numbers
there; and values of two types compared in the narrower one.
"""

Bound = NDArray[np.float64] | float
"""Maximum distance, for all elements or as an array that broadcasts; NaN means unknown."""
Bounds = Bound | Sequence[Bound | None] | None
"""For a tuple, one bound per leaf; `None` means unknown."""


@dataclass(frozen=True)
class Tolerance:
    """Errors that count as rounding, in addition to a bound or instead of one."""

    absolute: float = 0.0
    relative: float = 0.0
    """Relative to the magnitude of the element before."""


EXACT = Tolerance()
USEFUL = 8
"""A bound above this many unit roundoffs of an element proves nothing: it would absolve errors too."""


@dataclass(frozen=True)
class Difference:
    """The difference of `after` from `before`.

    `same_bits`: none, except in the bits of NaN. `rounding`: within a small bound, the noise or the tolerance, or
    only signs of zeros and flushed denormals. `unknown`: within a bound that proves nothing. `wrong`: more. `nan`:
    an element has become NaN. `shape`: elements are not compared because shapes or types differ.
    """

    kind: Kind
    size: int = 0
    """Number of compared elements, in all leaves of a tuple."""
    count: int = 0
    """Number of elements that differ in any bit."""
    beyond: int = 0
    """Number of elements that differ beyond rounding, including NaN."""
    path: tuple[int, ...] = ()
    """Leaf with the worst element, if the values are tuples."""
    index: tuple[int, ...] | None = None
    """Index of the worst element; the following fields also refer to it."""
    before: Any = None
    """A Python number, or `shape dtype` as text if these differ."""
    after: Any = None
    error: float = 0.0
    """Distance of the two; infinite or NaN if either is."""
    ulps: float | None = None
    """Units in the last place between the two; `None` for integers and NaN."""
    bound: float | None = None
    """The rounding-error bound; `None` if unknown."""
    notes: Mapping[Note, int] = field(default_factory=dict)
    """Number of elements in each special class."""
    dtype: str = ""
    """The name of the compared type, the narrower of two."""
    decided_by: Test = "bits"
    noise: float | None = None
    """The distance of the element in randomly rounded runs, where these decided."""

    @property
    def verdict(self) -> Verdict:
        """`same`, `different` or `unknown`."""
        return "different" if self.is_different else "same" if self.is_fine else "unknown"

    @property
    def is_different(self) -> bool:
        """Whether the values differ beyond rounding, for certain."""
        return self.severity >= SEVERITY["wrong"]

    @property
    def ratio(self) -> float | None:
        """Error divided by bound; infinite if the bound is 0."""
        if self.bound is None:
            return None
        return self.error / self.bound if self.bound else float("inf") if self.error else 0.0

    @property
    def severity(self) -> int:
        """0 for equal bits, higher for worse verdicts."""
        return SEVERITY[self.kind]

    @property
    def is_fine(self) -> bool:
        """Whether the values agree within rounding."""
        return self.kind in ("same_bits", "rounding")


def compare_arrays(
    before: Array,
    after: Array,
    bound: Bounds = None,
    tolerance: Tolerance = EXACT,
    *,
    across_types: bool = False,
) -> Difference:
    """Compare two arrays, or two tuples of arrays.

    An error counts as rounding if it is at most `bound` or within `tolerance`; without either, bits must be
    equal. Within a bound that is no small part of the element the verdict is unknown, and so is that on an element
    that is finite in one of the two where the bound reaches infinity. With `across_types`, two float types, or two complex
    ones, are compared in the narrower type; otherwise different types are different shapes.
    """
    if not (is_tuple(before) or is_tuple(after)):
        single = bound[0] if isinstance(bound, list | tuple) else bound
        return _compare(before, after, _as_bound(single), tolerance, across_types)
    ours, theirs = [*leaves(before)], [*leaves(after)]
    if len(ours) != len(theirs) or is_tuple(before) != is_tuple(after):
        return Difference("shape", before=f"{len(ours)} leaves", after=f"{len(theirs)} leaves")
    bounds = bound if isinstance(bound, list | tuple) else [bound] * len(ours)
    found = [
        replace(_compare(one, other, _as_bound(limit), tolerance, across_types), path=(number,))
        for number, (one, other, limit) in enumerate(zip(ours, theirs, bounds, strict=True))
    ]
    return join(found)


def join(differences: Sequence[Difference]) -> Difference:
    """The worst of several differences, with the counts of all."""
    if not differences:
        return Difference("same_bits")
    worst = max(differences, key=lambda found: (found.severity, found.ratio or 0.0, found.ulps or 0.0))
    notes: dict[Note, int] = {}
    for found in differences:
        for name, count in found.notes.items():
            notes[name] = notes.get(name, 0) + count
    return replace(
        worst,
        size=sum(found.size for found in differences),
        count=sum(found.count for found in differences),
        beyond=sum(found.beyond for found in differences),
        notes=notes,
    )


def _as_bound(bound: Any) -> Bound | None:
    return None if bound is None else bound if isinstance(bound, float) else np.asarray(bound, np.float64)


def _compare(
    before: Array, after: Array, bound: Bound | None, tolerance: Tolerance, across_types: bool
) -> Difference:
    notes: dict[Note, int] = {}
    if before.shape != after.shape or before.dtype != after.dtype:
        rounded = as_narrower(before, after) if across_types and before.shape == after.shape else None
        if rounded is None:
            return Difference("shape", before.size, before=_type_text(before), after=_type_text(after))
        before, after = rounded
        notes["rounded_first"] = before.size
    places = differing(before, after)
    if not len(places):
        return Difference("same_bits", before.size, notes=notes)
    pair = _Pair(
        before.reshape(-1)[places], after.reshape(-1)[places], _bound_at(bound, before.shape, places)
    )
    return pair.difference(before, places, tolerance, notes)


def _type_text(array: Array) -> str:
    return f"{list(array.shape)} {array.dtype}"


def as_narrower(before: Array, after: Array) -> tuple[Array, Array] | None:
    """Both arrays in the narrower float type; `None` if they are not floats of one kind."""
    kinds = [array.dtype.kind == "c" for array in (before, after)]
    floats = [is_float(array.dtype) for array in (before, after)]
    if not (all(kinds) or all(floats)):
        return None
    narrow = before.dtype if before.dtype.itemsize <= after.dtype.itemsize else after.dtype
    with np.errstate(all="ignore"):
        return _cast(before, narrow), _cast(after, narrow)


def _cast(array: Array, dtype: np.dtype[Any]) -> Array:
    return array if array.dtype == dtype else array.astype(dtype)


def _bound_at(bound: Bound | None, shape: tuple[int, ...], places: NDArray[np.int64]) -> Flat | None:
    if bound is None:
        return None
    whole = np.broadcast_to(np.asarray(bound, np.float64), shape)
    return whole[np.unravel_index(places, shape)] if shape else whole.reshape(-1)


@dataclass(frozen=True, eq=False)
class _Pair:
    """The differing elements as one axis."""

    before: Array
    after: Array
    bound: Flat | None

    def difference(
        self, whole: Array, places: NDArray[np.int64], tolerance: Tolerance, notes: dict[Note, int]
    ) -> Difference:
        error, ulps = distance(self.before, self.after), ulps_apart(self.before, self.after)
        zeros, flushed = signed_zeros(self.before, self.after), flushed_denormals(self.before, self.after)
        appeared, lost = self._nan()
        fine = zeros | flushed | self._within(error, tolerance)
        open = ~fine & self._reaches(error)
        beyond = ~fine & ~open
        became_nan = appeared & beyond
        scores = _scores(error, ulps, self.bound, beyond, open, became_nan)
        worst = int(np.argmax(scores))
        for name, mask in (
            ("signed_zeros", zeros),
            ("flushed", flushed),
            ("infinities", infinite(self.before, self.after)),
            ("lost_nans", lost),
        ):
            _count(notes, name, mask)
        index = np.unravel_index(int(places[worst]), whole.shape)
        return Difference(
            _kind(became_nan, beyond, open),
            whole.size,
            len(places),
            int(np.count_nonzero(beyond)),
            (),
            tuple(int(at) for at in index),
            number_of(self.before, worst),
            number_of(self.after, worst),
            float(error[worst]),
            None if ulps is None or np.isnan(ulps[worst]) else float(ulps[worst]),
            None if self.bound is None or np.isnan(self.bound[worst]) else float(self.bound[worst]),
            notes,
            whole.dtype.name,
            "tolerance" if tolerance.relative else "bits" if self.bound is None else "bound",
        )

    def _nan(self) -> tuple[Mask, Mask]:
        ours, theirs = nan_mask(self.before), nan_mask(self.after)
        return theirs & ~ours, ours & ~theirs

    def _within(self, error: Flat, tolerance: Tolerance) -> Mask:
        """Elements whose error is rounding: within a small bound, or the tolerance."""
        size = np.zeros(len(error))
        if self.bound is not None:
            small = USEFUL * unit_roundoff(self.before.dtype) * _finite_magnitude(self.before)
            size = np.fmin(self.bound, small)
        if tolerance.absolute or tolerance.relative:
            size = np.maximum(size, tolerance.absolute)
            size = np.maximum(size, tolerance.relative * _finite_magnitude(self.before))
        return np.asarray((error <= size) & ~np.isnan(error))

    def _reaches(self, error: Flat) -> Mask:
        """Elements whose bound allows the error, however large it is."""
        if self.bound is None:
            return np.zeros(len(error), np.bool_)
        size = np.nan_to_num(self.bound, posinf=np.inf)
        return np.asarray(((error <= size) & ~np.isnan(error)) | np.isposinf(size) | self._may_overflow(size))

    def _may_overflow(self, size: Flat) -> Mask:
        found = float_format(self.before.real.dtype)
        either = infinite(self.before, self.after)
        if found is None or not either.any():
            return np.zeros(len(size), np.bool_)
        finite = np.where(np.isinf(self.before), self.after, self.before)
        same_sign = np.signbit(self.before.real) == np.signbit(self.after.real)
        reaches = (_finite_magnitude(finite) + size > found.largest) & (size > 0)
        return np.asarray(either & same_sign & reaches)


def _finite_magnitude(array: Array) -> Flat:
    with np.errstate(all="ignore"):
        found = np.abs(widened_elements(array)).astype(np.float64)
    return np.where(np.isfinite(found), found, 0.0)


def _scores(
    error: Flat, ulps: Flat | None, bound: Flat | None, beyond: Mask, open: Mask, became_nan: Mask
) -> Flat:
    """Badness of each element: NaN first, then the largest excess over the bound."""
    with np.errstate(all="ignore"):
        excess = error / bound if bound is not None else error if ulps is None else ulps
    # Ratios to a bound of 0 are all infinite; the error tells those apart.
    excess = np.where(np.isposinf(excess) | np.isnan(excess), 1e300, np.minimum(excess, 1e299))
    size = np.nan_to_num(error, nan=1e300, posinf=1e300)
    order = np.empty(len(error))
    numbers = np.arange(len(error))
    order[np.lexsort((-numbers, size, excess))] = numbers  # the first among equals
    return np.asarray(order + len(error) * (open + 2.0 * beyond + became_nan))


def _kind(became_nan: Mask, beyond: Mask, open: Mask) -> Kind:
    if became_nan.any():
        return "nan"
    return "wrong" if beyond.any() else "unknown" if open.any() else "rounding"


def number_of(array: Array, place: int) -> Any:
    """An element of a one-dimensional array as a Python number."""
    return widened_elements(array[place : place + 1]).tolist()[0]


def _count(notes: dict[Note, int], name: Any, mask: Mask) -> None:
    if count := int(np.count_nonzero(mask)):
        notes[name] = count
