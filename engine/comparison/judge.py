"""The verdict on a pair of values: the same, different, or unknown, and the test that decided.

1. Equal bits are the same.
2. A difference within the rounding-error bound of the value is the same if this bound is small: an error that it
   allows would be no error that anyone looks for. A larger bound proves nothing.
3. Otherwise the program runs again with operations that round at random (`random_rounding.py`). A difference as large
   as theirs is the same, a larger one is different, and where they differ among themselves as much as the value is
   large, the answer is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..debugger.address import Address
from ..debugger.recording import Recording
from ..ops.core.devices import ANY, Device
from ..ops.core.rounding import denormal_limit, unit_roundoff, units_of
from ..ops.core.values import is_tuple, leaves
from .difference import EXACT, Bound, Bounds, Difference, Kind, Tolerance, compare_arrays, join, number_of
from .elements import Array, Flat, Mask, distance, is_float, nan_mask, ulps_apart
from .random_rounding import RUNS, Noise, coarsest_unit, result_types

Side = tuple[Array, Sequence[Array]]
"""A value, and the same value in each randomly rounded run of its program."""
BEYOND = 4.0
"""Multiple of the noise that is no longer rounding."""
BEYOND_MEDIAN = 2.0
"""The same for the median element of an array, whose noise is better known."""
CHAOTIC = 1 / 16
"""Noise above this part of an array's magnitude says nothing, unless its types have as few digits."""
USUAL_GROWTH = 64
"""Noise of up to this many roundings of the coarsest type is usual."""
BEYOND_COARSE = 2.0
"""Multiple of such a noise that says nothing."""
MANY = 64
"""Minimum number of elements whose median says more than each of them."""
SOME = 16
"""Elements whose median says so too, if it exceeds that of each randomly rounded run as far as a single element must."""
FLUSHED_BELOW = 1e-30
"""Smallest normal number of types whose denormals processors flush."""
UNDERFLOWN = 2.0**17
"""Effect of flushing within a sum of products, in smallest normal numbers."""
FAR = 16.0
"""Multiple of the noise beyond which a few elements convict: four runs may underestimate the noise."""
CALM = 1 / 4
"""Share of elements far beyond their own noise above which an array is wrong, even if its other elements are chaotic."""
TAIL = 1e-3
"""Share of the elements that may be so far beyond their own noise, within that of their array."""


@dataclass
class Judge:
    """Judges values of one recording against those of another run, of another engine or of ours."""

    recording: Recording
    tolerance: Tolerance | None = None
    """The stated tolerance, which then decides alone."""
    device: Device = ANY
    """The device of the other run."""
    across_types: bool = False
    other: Noise | None = None
    """The randomly rounded runs of the other recording, if there is one."""
    in_slices: bool = False
    """Whether a judgement that needs randomly rounded runs raises `NotMade` until `make_noise` has made them."""

    @cached_property
    def noise(self) -> Noise:
        """The randomly rounded runs."""
        return Noise(self.recording, self.device, in_slices=self.in_slices)

    def make_noise(self) -> Iterator[None]:
        """Make the randomly rounded runs, with pauses."""
        for side in (self.noise, self.other):
            if side is not None:
                yield from side.make()

    @cached_property
    def _coarsest(self) -> float:
        programs = [self.recording.program, *([self.other.recording.program] if self.other else [])]
        return max(map(coarsest_unit, programs))

    def difference(
        self,
        address: Address,
        ours: Array,
        theirs: Array,
        bound: Bounds,
        tolerance: Tolerance = EXACT,
        after: Address | None = None,
        *,
        instead: Array | None = None,
    ) -> Difference:
        """The difference of two values, at `address` of the recording and at `after` of the other one.

        `tolerance` absolves in addition to the bound. `instead`: the value of a third run, which is compared with theirs in
        place of ours; the bound and the noise remain those of ours.
        """
        own = _Rerun.at(self.noise, address)
        other = None if self.other is None or after is None else _Rerun.at(self.other, after)
        pair = ours if instead is None else instead, theirs
        sides = [
            (self.recording, address),
            *([(self.other.recording, after)] if self.other and after else []),
        ]
        with units_of(recording.type_of(at) for recording, at in sides):
            return self._judged(pair, bound, tolerance, own, other, ours)

    def result_difference(
        self, process: int, number: int, ours: Array, theirs: Array, bound: Bounds
    ) -> Difference:
        """The difference of a leaf of the results of a process, by its number."""
        own = _Rerun.of_result(self.noise, process, number)
        other = None if self.other is None else _Rerun.of_result(self.other, process, number)
        sides = [self.recording, *([self.other.recording] if self.other else [])]
        with units_of(result_types(recording, process)[number] for recording in sides):
            return self._judged((ours, theirs), bound, EXACT, own, other, ours)

    def _judged(
        self,
        pair: tuple[Array, Array],
        bound: Bounds,
        allowed: Tolerance,
        own: _Rerun,
        other: _Rerun | None,
        ours: Array,
    ) -> Difference:
        if self.tolerance is not None:
            return compare_arrays(*pair, None, self.tolerance, across_types=self.across_types)
        found = compare_arrays(*pair, bound, allowed, across_types=self.across_types)
        if found.kind not in ("unknown", "wrong", "nan") or (found.is_different and _is_exact(bound)):
            return found
        noise = _sides(own, ours)
        others = _sides(other, pair[1]) if other else []
        unknown = any(side.is_unknown() for side in (own, other) if side)
        mine = [*leaves(ours)]
        limits: Sequence[Any] = bound if isinstance(bound, list | tuple) else [bound] * len(mine)
        judged = []
        for number, (one, two) in enumerate(zip(*map(leaves, pair), strict=True)):
            sides = [side[number] for side in (noise, others) if side]
            reach = None if other else limits[number]
            each = judge_by_noise(one, two, sides, self._coarsest, reach)
            if each.is_different and unknown:
                # The bound is that of one program.
                each = _judge_known(each, reach, (one, two), sides, self._coarsest)
            judged.append(replace(each, path=(number,)) if is_tuple(pair[0]) else each)
        worst = join(judged)
        return replace(worst, notes=found.notes)


@dataclass(frozen=True)
class _Rerun:
    """A value in randomly rounded runs, which are made when it is first needed."""

    values: Callable[[], Sequence[Array]]
    center: Callable[[Array], Array]
    """The value that these are held against, by that of the recording."""
    is_unknown: Callable[[], bool]
    """Whether it depends on an op whose own error is unknown."""

    @classmethod
    def at(cls, noise: Noise, address: Address) -> _Rerun:
        return cls(
            partial(noise.at, address),
            partial(noise.center_at, address),
            partial(noise.is_unknown_at, address),
        )

    @classmethod
    def of_result(cls, noise: Noise, process: int, number: int) -> _Rerun:
        return cls(
            partial(noise.result, process, number),
            partial(noise.center_result, process, number),
            partial(noise.is_unknown_result, process, number),
        )


def _is_exact(bound: Bounds) -> bool:
    """Whether nothing before the value rounds, in any of its leaves."""
    parts: Sequence[Any] = bound if isinstance(bound, list | tuple) else [bound]
    return all(part is not None and not np.count_nonzero(part) for part in parts)


def _sides(rerun: _Rerun, value: Array) -> list[Side]:
    """The side of each leaf of a value."""
    runs = [[*leaves(run)] for run in rerun.values()]
    return [(leaf, [run[number] for run in runs]) for number, leaf in enumerate(leaves(rerun.center(value)))]


def judge_by_noise(
    ours: Array,
    theirs: Array,
    sides: Sequence[Side],
    coarsest: float = 0.0,
    bound: Bound | None = None,
) -> Difference:
    """The difference of two arrays, held against that of values from their randomly rounded runs.

    `coarsest`: unit roundoff of the coarsest type of the programs. `bound`: the rounding-error bound, if it is known.
    """
    plain = compare_arrays(ours, theirs, across_types=True)
    if plain.kind in ("same_bits", "shape"):
        return plain
    if any(len(side) < RUNS or any(run.shape != ours.shape for run in side) for _, side in sides):
        return replace(plain, kind="unknown", decided_by="noise")
    narrow = ours.dtype if ours.dtype.itemsize <= theirs.dtype.itemsize else theirs.dtype
    with np.errstate(all="ignore"):
        sides = [(value.astype(narrow), [run.astype(narrow) for run in side]) for value, side in sides]
        ours, theirs = ours.astype(narrow), theirs.astype(narrow)
    held = _Held.of(ours, theirs, sides, coarsest, bound)
    place = held.worst
    one, other = (value.reshape(-1)[place : place + 1] for value in (ours, theirs))
    ulps = ulps_apart(one, other)
    return replace(
        plain,
        kind=held.kind,
        beyond=int(np.count_nonzero(held.beyond)) if held.kind not in ("rounding", "unknown") else 0,
        index=tuple(int(at) for at in np.unravel_index(place, ours.shape)),
        before=number_of(one, 0),
        after=number_of(other, 0),
        error=float(distance(one, other)[0]),
        ulps=None if ulps is None or np.isnan(ulps[0]) else float(ulps[0]),
        bound=None,
        decided_by="noise",
        noise=float(held.level[place]),
    )


def _judge_known(
    whole: Difference, bound: Bound | None, pair: tuple[Array, Array], sides: Sequence[Side], coarsest: float
) -> Difference:
    """The difference of the elements that have a bound, if it is more than rounding; else unknown."""
    known = np.broadcast_to(np.isfinite(np.nan if bound is None else bound), pair[0].shape)
    if not known.any():
        return replace(whole, kind="unknown")
    one, two = (value[known] for value in pair)
    alike = [
        (value[known], [run[known] for run in runs if run.shape == known.shape]) for value, runs in sides
    ]
    found = judge_by_noise(one, two, alike, coarsest)
    if not found.is_different or found.index is None:
        return replace(whole, kind="unknown")
    place = np.flatnonzero(known)[found.index[0]]
    index = tuple(int(at) for at in np.unravel_index(place, known.shape))
    return replace(found, index=index, size=whole.size, count=whole.count)


@dataclass(frozen=True, eq=False)
class _Held:
    """An array's distances to another run, and to the randomly rounded ones, element by element."""

    error: Flat
    apart: Sequence[Flat]
    """The distance of each randomly rounded run, where it is finite."""
    size: Flat
    unit: float
    coarsest: float
    """Unit roundoff of the coarsest type of the program."""
    mixed: Mask
    """Elements that are finite in one of the two values, and not in the other."""
    open: Mask
    """Those among them that the randomly rounded runs do not agree on."""
    became_nan: Mask
    underflown: float
    """Error that flushing denormals on the way may cause."""
    reached: Mask
    """Elements whose rounding-error bound is as large as their error."""

    @classmethod
    def of(
        cls, ours: Array, theirs: Array, sides: Sequence[Side], coarsest: float, bound: Bound | None
    ) -> _Held:
        flat, other = ours.reshape(-1), theirs.reshape(-1)
        pairs = [(value.reshape(-1), run.reshape(-1)) for value, side in sides for run in side]
        distances = [distance(*pair) for pair in pairs]
        apart = [np.where(np.isfinite(found), found, 0.0) for found in distances]
        finite, others = _finite(flat), _finite(other)
        mixed = (finite != others) | (~finite & ~others & _differ(flat, other))
        unsettled = np.any([_finite(value) != _finite(run) for value, run in pairs], axis=0)
        error = distance(flat, other)
        error = np.where(mixed | ~finite, 0.0, error)
        with np.errstate(all="ignore"):
            size = np.where(
                finite, np.abs(flat.astype(np.complex128 if flat.dtype.kind == "c" else np.float64)), 0.0
            )
        became_nan = nan_mask(other) & ~nan_mask(flat)
        limit = denormal_limit(ours.dtype)
        underflown = UNDERFLOWN * limit if limit < FLUSHED_BELOW else 0.0
        unit = unit_roundoff(ours.dtype)
        reached = error <= np.broadcast_to(np.nan if bound is None else bound, ours.shape).reshape(-1)
        return cls(
            error, apart, size, unit, coarsest, mixed, mixed & unsettled, became_nan, underflown, reached
        )

    @cached_property
    def noise(self) -> Flat:
        """The greatest distance of each element in a randomly rounded run."""
        return np.asarray(np.max(self.apart, axis=0))

    @cached_property
    def level(self) -> Flat:
        """The noise of each element, at least that of its neighbours relative to their size."""
        if not self.unit:
            return self.noise
        return np.maximum(self.noise, self.size * max(self.unit, self.relative)) + self.underflown

    @cached_property
    def relative(self) -> float:
        """The noise of the array relative to its magnitude."""
        return (
            _root_mean_square(self.noise) / magnitude if (magnitude := _root_mean_square(self.size)) else 0.0
        )

    @cached_property
    def beyond(self) -> Mask:
        """Elements that differ by more than the noise."""
        return (self.error > BEYOND * self.level) | self.mixed

    @property
    def worst(self) -> int:
        """The element that exceeds its noise the most."""
        with np.errstate(all="ignore"):
            excess = np.where(self.error > 0, self.error / self.level, 0.0)
        excess = np.where(np.isnan(excess), 0.0, np.minimum(excess, 1e300))
        return int(np.argmax(np.where(self.mixed, 1e301, excess) + 1e301 * self.became_nan))

    @property
    def kind(self) -> Kind:
        """The verdict."""
        if (self.mixed & ~self.open).any():
            return "nan" if (self.became_nan & ~self.open).any() else "wrong"
        if self.mixed.any():
            return "unknown"
        return self._of_numbers() if self.unit else self._of_decisions()

    def _of_numbers(self) -> Kind:
        if self.relative > CHAOTIC:
            return self._of_coarse_numbers()
        magnitude = _root_mean_square(self.size)
        outside = self.error > BEYOND * max(self.unit, self.relative) * magnitude
        far = np.count_nonzero(self.error > FAR * self.level)
        beyond = outside & self.beyond
        if (beyond.any() and not self._jump_alike(beyond)) or far > TAIL * self.error.size:
            return "wrong"
        return "wrong" if self._is_one_sided() else "rounding"

    def _jump_alike(self, beyond: Mask) -> bool:
        """Whether these elements may jump by rounding, and others do so in the randomly rounded runs: as many, as far.

        The step of Adam is the sign of a gradient near 0: in each run a few other signs turn.
        """
        if not self.reached[beyond].all():
            return False
        jumps = np.sort(np.concatenate(self.apart))[::-1]
        return bool(
            (np.sort(self.error[beyond])[::-1] <= BEYOND_MEDIAN * jumps[: np.count_nonzero(beyond)]).all()
        )

    def _of_coarse_numbers(self) -> Kind:
        """The verdict where rounding alone changes leading digits: as the type has few, or the program is chaotic."""
        own = np.maximum(self.noise, self.unit * self.size) + self.underflown
        if np.count_nonzero(self.error > FAR * own) > CALM * self.error.size:
            return "wrong"
        is_usual = self.relative <= min(1.0, USUAL_GROWTH * self.coarsest)
        if is_usual and (self._is_one_sided() or self._exceeds_runs()):
            return "wrong"
        level = np.maximum(self.level, self.relative * _root_mean_square(self.size))
        return "rounding" if is_usual and (self.error <= BEYOND_COARSE * level).all() else "unknown"

    def _exceeds_runs(self) -> bool:
        """Whether the median of some elements differs by far more than in any randomly rounded run.

        Where rounding moves less than half of the elements, by a whole step each, that of all runs together counts.
        """
        some = self.size > 0
        if np.count_nonzero(some) < SOME:
            return False
        least = self.unit * self.size + self.underflown
        ours, *runs = (
            float(np.median(np.maximum(found, least)[some] / self.size[some]))
            for found in (self.error, *self.apart, np.mean(self.apart, axis=0))
        )
        return ours > BEYOND * max(runs)

    def _is_one_sided(self) -> bool:
        """Whether the median of many elements differs by more than the noise of the median element."""
        some = self.size > 0
        if self.error.size < MANY or not some.any():
            return False
        level = np.maximum(self.noise, self.unit * self.size + self.underflown)[some] / self.size[some]
        return bool(np.median(self.error[some] / self.size[some]) > BEYOND_MEDIAN * np.median(level))

    def _of_decisions(self) -> Kind:
        """The verdict on integers and Booleans, which differ where a comparison is within rounding."""
        unseen = np.count_nonzero((self.error > 0) & (self.noise == 0))
        if not unseen:
            return "rounding" if (self.error <= self.noise).all() else "unknown"
        return "unknown" if 4 * unseen <= np.count_nonzero(self.noise) else "wrong"


def _finite(flat: Array) -> Mask:
    if flat.dtype.kind == "c" or is_float(flat.dtype):
        return np.asarray(np.isfinite(flat))
    return np.ones(flat.shape, np.bool_)


def _differ(one: Array, other: Array) -> Mask:
    """Elements that are not finite in both values, and not the same: +Inf, -Inf and NaN."""
    differ = np.asarray(one != other)
    if one.dtype.kind == "c" or is_float(one.dtype):
        differ &= ~(np.isnan(one) & np.isnan(other))
    return differ


def _root_mean_square(values: NDArray[np.float64]) -> float:
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.mean(values**2))) if values.size else 0.0
