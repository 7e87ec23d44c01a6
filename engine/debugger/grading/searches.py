"""The searches for harm, by what is wrong with the elements: `searches` has one of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...findings import Harm
from ...findings.kind import Search
from ...findings.precision import half_of_digits
from ...indexing.elements.element_sets import ElementSet
from ...ops.core.bases import Selecting
from ...ops.core.nudging import widest
from ...ops.core.op import Op
from ...ops.core.quiet import quiet
from ...ops.core.ranks import NAN
from ...ops.elementwise.lost_sizes import are_great
from ..address import Address
from ..provenance import BadElements, Kind, Link, Links
from .harm import HarmSearch
from .wide_values import WideValues

Sizes = NDArray[np.float64]
_CHANGED = 0.01
"""The share of integers and answers that a rounding must change to do harm."""
_FACTORS = 2
"""The operands of a product."""


def searches(links: Links, bad: BadElements, wide: WideValues) -> Mapping[Search, HarmSearch]:
    """A search by each rule; `bad` knows the elements that are not finite, `wide` the values without rounding."""
    return {
        "not_finite": HarmSearch(links, bad),
        "chosen_nan": ChosenNanSearch(links, bad),
        "order": OrderSearch(links, bad),
        "lost_size": LostSizeSearch(links, bad),
        "misplaced": MisplacedSearch(links),
        "imprecise": WrongNumberSearch(links),
        "rounded": RoundedSearch(links, wide),
        "underflow": UnderflowSearch(links),
    }


class _HarmlessUntil(HarmSearch):
    """A search for a certain op: another search continues there, and nothing before it does harm."""

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        return None

    def _is_pending(self, address: Address) -> bool:
        return False


class ChosenNanSearch(_HarmlessUntil):
    """Follows a NaN constant that a select took to an op that computes with it, where it does harm.

    In a result to which ops only moved it, it stands for what is missing.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._computed = HarmSearch(links, bad)

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        reached, op = super()._follow(link, elements), self._op(link.target)
        if not isinstance(reached, ElementSet) or not reached or op is None:
            return reached
        if (
            op.findings.moves_elements
            or op.findings.keeps_ranks
            or op.explanation.passes_values
            or op.findings.converts
        ):
            return reached
        return self._search_on(self._computed, link.target, reached)


class MisplacedSearch(HarmSearch):
    """Follows elements that were read from the wrong place: a `select` may leave them out, or a product with 0."""

    def __init__(self, links: Links) -> None:
        super().__init__(links, BadElements(links))

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        if link.kind is Kind.INDEX:
            return "index"
        op = self._op(link.target)
        if link.kind is Kind.CHOSEN and self._decides(link, op):
            return "predicate"
        reached = self.reach(link, elements)
        if reached and op is not None and op.findings.multiplies:
            left_out = self._left_out(link)
            reached = reached if left_out is None else reached.difference(left_out)
        return "process" if reached and link.target.process != link.source.process else reached

    def _left_out(self, link: Link) -> ElementSet | None:
        """The elements of a product that a factor of 0 leaves out."""
        product = self.run.recording.value(link.target)
        return ElementSet.of_mask(product.shape, product == 0)


class OrderSearch(HarmSearch):
    """Follows NaN that do no harm themselves to an op that sorts by them, and what was sorted on to a result.

    Infinities have their position in an order. The search goes on also where a select replaces the NaN by another one, but
    not from a NaN that the program states, to have it sorted to the end.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._nan, self._moved = BadElements(links, NAN), MisplacedSearch(links)

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        reached, op = super()._follow(link, elements), self._op(link.target)
        if op is None or self._holds(link.source) != "float" or isinstance(reached, str):
            return reached
        if isinstance(op, Selecting) and op.traits.is_elementwise and link.operand:
            replaced = self._replaced(link, elements)
            return replaced if reached is None else reached.union(replaced)
        if op.findings.orders(op) and self._result_number(link.target) != link.operand:
            return self._follow_sorted(link, elements)
        return reached

    def _replaced(self, link: Link, elements: ElementSet) -> ElementSet:
        """The elements for which a select has taken another NaN."""
        if self.run.shape(link.source) != self.run.shape(link.target):
            return ElementSet.empty(self.run.shape(link.target))
        return elements.intersection(self._nan.of(link.source)).intersection(self._nan.of(link.target))

    def _follow_sorted(self, link: Link, elements: ElementSet) -> Harm | None:
        """The harm done by values that are sorted by the elements, or by the position of one of them."""
        keys = elements.intersection(self._nan.of(link.source))
        moved = self.reach(link, keys) if keys else None
        return self._search_on(self._moved, link.target, moved) if moved else None

    @staticmethod
    def _result_number(address: Address) -> int:
        """The number of a result; in HLO text the results are in a tuple."""
        return address.path[0] if address.path else address.index


class LostSizeSearch(HarmSearch):
    """Follows infinities that do no harm themselves to quotients and roots in which they are lost, and these to a result.

    The norm of large numbers is infinite, and what is divided by it 0: no result shows it. `1 / (1 + exp(x))` is 0 as well,
    and right.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._wrong = WrongNumberSearch(links)
        self._reciprocals = _ReciprocalSearch(links, self._wrong)
        self._compressed: set[Address] = set()
        """Values made of roots or logarithms of the infinities."""

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        reached, op = super()._follow(link, elements), self._op(link.target)
        if op is None or self._holds(link.source) != "float":
            return reached
        if op.findings.compresses or link.source in self._compressed:
            self._compressed.add(link.target)
        compressed = link.source in self._compressed
        if lost := self._lost(link, elements, op, compressed=compressed):
            harm = self._search_on(self._wrong, link.target, lost)
        elif small := self._lost(link, elements, op, compressed=True):
            harm = self._search_on(self._reciprocals, link.target, small)
        else:
            return reached
        return harm or reached

    def _lost(self, link: Link, elements: ElementSet, op: Op, *, compressed: bool) -> ElementSet | None:
        """The elements of a target in which the infinities were lost, and should not have been."""
        target = link.target
        if not op.traits.is_elementwise or link.operand is None or self._holds(target) != "float":
            return None
        value = self.run.recording.value
        operands = tuple(map(value, self.run.operands(target.process, target.number)))
        with quiet():
            lost = op.findings.loses_sizes(op, link.operand, operands, value(target), compressed=compressed)
        if lost is None:
            return None
        return self.reach(link, elements).intersection(ElementSet.of_mask(lost.shape, lost))


class WrongNumberSearch(MisplacedSearch):
    """Follows wrong numbers, which may be 0: another factor of 0 leaves them out, they themselves do not."""

    def _left_out(self, link: Link) -> ElementSet | None:
        operands = self.run.operands(link.target.process, link.target.number)
        if link.operand is None or len(operands) != _FACTORS:
            return None
        other = self.run.recording.value(operands[1 - link.operand])
        return ElementSet.of_mask(other.shape, other == 0)


class RoundedSearch(WrongNumberSearch):
    """Follows integers that a conversion rounded, as long as they are floats, to what changes by that rounding alone.

    Values in f64 tell, with and without it: results that lose half of the digits of the conversion's type, and integers and
    answers of which more than 1 % change.
    """

    def __init__(self, links: Links, exact: WideValues) -> None:
        super().__init__(links)
        self._exact = self._rounded = exact
        self._limit = 0.0

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        value = self.run.recording.value(address)
        self._rounded = WideValues(self.run, {address: widest(value)})
        self._limit = half_of_digits(value.dtype)
        return super().search(address, elements, seconds)

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        harm = super()._harm_at(address, elements)
        exact, rounded = self._exact.of(address), self._rounded.of(address)
        if harm is None or exact is None or rounded is None:
            return None
        with quiet():
            change, size = (float(np.linalg.norm(found)) for found in (rounded - exact, exact))
        return harm if np.isfinite(size) and change > self._limit * size > 0 else None

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        kind = self._holds(link.target)
        if kind == "float":
            return super()._follow(link, elements)
        if link.target.kind == "f":
            return None
        exact, rounded = self._exact.answer(link.target), self._rounded.answer(link.target)
        if exact is None or rounded is None:
            return None
        reached = self.reach(link, elements)
        changed = reached.intersection(ElementSet.of_mask(exact.shape, exact != rounded))
        if changed.count <= _CHANGED * reached.count:
            return None
        return "integer" if kind == "integer" else "predicate"


class _ReciprocalSearch(_HarmlessUntil):
    """Follows numbers that are 0, as one over a sum that is too large, to products with great numbers, which are 0 too."""

    def __init__(self, links: Links, wrong: HarmSearch) -> None:
        super().__init__(links, BadElements(links))
        self._wrong = wrong

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        op = self._op(link.target)
        if link.kind in (Kind.INDEX, Kind.CHOSEN) or self._holds(link.target) != "float":
            return None
        if op is None or op.findings.moves_elements or op.explanation.passes_values:
            return self.reach(link, elements)
        operands = self.run.operands(link.target.process, link.target.number)
        if not op.findings.multiplies or link.operand is None or len(operands) != _FACTORS:
            return None
        great = are_great(self.run.recording.value(operands[1 - link.operand]))
        zeros = self.reach(link, elements).intersection(ElementSet.of_mask(great.shape, great))
        return self._search_on(self._wrong, link.target, zeros) if zeros else None


class UnderflowSearch(HarmSearch):
    """Follows elements that are too small for their type, until they are added to numbers beside which they do not count.

    In a result of the program they count if all of it is small, or if they have become larger on the way.
    """

    def __init__(self, links: Links) -> None:
        super().__init__(links, BadElements(links))
        self._amounts: dict[Address, float] = {}
        """The part of a value that is due to the small elements, while these were only moved, converted and added."""

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        value = self.run.recording.value(address)
        if elements:
            self._amounts[address] = _greatest(value, elements)
        return super().search(address, elements, seconds)

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        harm = super()._harm_at(address, elements)
        if harm is None:
            return None
        value = self.run.recording.value(address)
        sizes = _sizes(value)
        # Beside a number of this size, one that is too small for the type does not count.
        least = _tiny(value.dtype) * 2.0 ** _precision(value.dtype)
        counts = bool((sizes.reshape(-1)[elements.to_mask()] >= least).any()) or sizes.max() < least
        return harm if counts else None

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        source, target, op = link.source, link.target, self._op(link.target)
        if link.kind in (Kind.INDEX, Kind.CHOSEN) or self._holds(source) != "float":
            return None
        if self._holds(target) != "float":
            return None
        reached = self.reach(link, elements)
        if not reached:
            return None
        made = self.run.recording.value(target)
        sizes = _sizes(made)
        # An infinity or a NaN that the elements became is a separate finding.
        goes_on = np.isfinite(sizes)
        if op is not None and op.findings.outweighs(op):
            greatest = _greatest(self.run.recording.value(source), elements)
            goes_on &= sizes < greatest * 2.0 ** _precision(made.dtype)
        if (
            op is None
            or op.findings.moves_elements
            or op.explanation.passes_values
            or op.findings.converts
            or op.findings.outweighs(op)
        ):
            goes_on &= self._counts_in(link, made.dtype, sizes)
        return reached.intersection(ElementSet.of_mask(made.shape, goes_on))

    def _counts_in(self, link: Link, dtype: np.dtype[Any], sizes: Sizes) -> NDArray[np.bool_]:
        """Mask of the elements in which the small ones count, though the type has fewer bits than the one of the sum.

        So the sum of a softmax in f16 is one in f32, and f16 again.
        """
        amount = self._amounts.get(link.source)
        if amount is None:
            return np.ones(sizes.shape, np.bool_)
        self._amounts[link.target] = max(amount, self._amounts.get(link.target, 0.0))
        read = self.run.recording.value(link.source).dtype
        limit = amount * 2.0 ** _precision(dtype) if _precision(dtype) < _precision(read) else np.inf
        return np.asarray(sizes < limit)


def _sizes(value: Any) -> Sizes:
    return np.asarray(np.abs(value), np.float64)


def _greatest(value: Any, elements: ElementSet) -> float:
    """The greatest size among some elements, at least the least normal number of their type."""
    return max(float(_sizes(value).reshape(-1)[elements.to_mask()].max()), _tiny(value.dtype))


def _tiny(dtype: np.dtype[Any]) -> float:
    """The least normal number of a type."""
    return float(ml_dtypes.finfo(dtype).tiny)


def _precision(dtype: np.dtype[Any]) -> int:
    """The bits of a mantissa."""
    return int(ml_dtypes.finfo(dtype).nmant) + 1
