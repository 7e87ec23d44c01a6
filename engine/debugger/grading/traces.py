"""What became of elements that are finite, and wrong all the same: too small for their type, or from the wrong place."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from ...indexing.elements.element_sets import ElementSet
from ..address import Address
from ..provenance import BadElements, Kind, Link, Links
from .harm import Harm, HarmSearch

Sizes = NDArray[np.float64]


class MisplacedSearch(HarmSearch):
    """Follows elements that were read from the wrong place: a `select` may leave them out, or a product with 0."""

    def __init__(self, links: Links) -> None:
        super().__init__(links, BadElements(links))

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        if link.kind is Kind.INDEX:
            return "index"
        op = self._op(link.target)
        if link.kind is Kind.CHOSEN and (
            link.target.kind == "f" or (op is not None and op.explanation.passes_values)
        ):
            return "predicate"
        found = self.reach(link, elements)
        if found and op is not None and op.multiplies:
            left_out = self._left_out(link)
            found = found if left_out is None else found.difference(left_out)
        return "process" if found and link.target.process != link.source.process else found

    def _left_out(self, link: Link) -> ElementSet | None:
        """The elements of a product that a factor of 0 leaves out."""
        made = self.run.recording.value(link.target)
        return ElementSet.of_mask(made.shape, made == 0)


class UnderflowSearch(HarmSearch):
    """Follows elements that are too small for their type, until they are added to what is so large that they do not count.

    In a result of the program they count if all of it is small, or if they have become larger meanwhile.
    """

    def __init__(self, links: Links) -> None:
        super().__init__(links, BadElements(links))
        self._amounts: dict[Address, float] = {}
        """How much of a value is of what was too small, as long as that was only moved, converted and added."""

    def search(self, address: Address, elements: ElementSet, seconds: float) -> Harm | None:
        value = self.run.recording.value(address)
        if elements:
            greatest = float(_sizes(value).reshape(-1)[elements.to_mask()].max())
            self._amounts[address] = max(greatest, _tiny(value.dtype))
        return super().search(address, elements, seconds)

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        harm = super()._harm_at(address, elements)
        if harm is None:
            return None
        value = self.run.recording.value(address)
        sizes, least = _sizes(value), _least_to_count(value.dtype)
        return (
            harm
            if bool((sizes.reshape(-1)[elements.to_mask()] >= least).any()) or sizes.max() < least
            else None
        )

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        source, target, op = link.source, link.target, self._op(link.target)
        if link.kind in (Kind.INDEX, Kind.CHOSEN) or self._holds(source) != "float":
            return None
        if self._holds(target) != "float":
            return None
        found = self.reach(link, elements)
        if not found:
            return None
        made = self.run.recording.value(target)
        sizes = _sizes(made)
        # An infinity or a NaN that this came to is a finding of its own.
        goes_on = np.isfinite(sizes)
        if op is not None and op.outweighs:
            read = self.run.recording.value(source)
            greatest = max(float(_sizes(read).reshape(-1)[elements.to_mask()].max()), _tiny(read.dtype))
            goes_on &= sizes < greatest * 2.0 ** _precision(made.dtype)
        if op is None or op.moves_elements or op.explanation.passes_values or op.converts or op.outweighs:
            goes_on &= self._counts_in(link, made.dtype, sizes)
        return found.intersection(ElementSet.of_mask(made.shape, goes_on))

    def _counts_in(self, link: Link, dtype: np.dtype[Any], sizes: Sizes) -> NDArray[np.bool_]:
        """Where what was too small counts in a value, of a type with fewer bits than the one that it was added up in.

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


def _tiny(dtype: np.dtype[Any]) -> float:
    return float(ml_dtypes.finfo(dtype).tiny)


def _precision(dtype: np.dtype[Any]) -> int:
    """The bits of a mantissa."""
    return int(ml_dtypes.finfo(dtype).nmant) + 1


def _least_to_count(dtype: np.dtype[Any]) -> float:
    """Beside a number of this size, one that is too small for the type does not count."""
    return _tiny(dtype) * 2.0 ** _precision(dtype)


class StatedSearch(HarmSearch):
    """Follows NaN that the program states, and chooses, to where something is computed of it: that does harm.

    In a result to which it is only moved it stands for what is missing.
    """

    def __init__(self, links: Links, bad: BadElements) -> None:
        super().__init__(links, bad)
        self._computed = HarmSearch(links, bad)

    def _harm_at(self, address: Address, elements: ElementSet) -> Harm | None:
        return None

    def _is_pending(self, address: Address) -> bool:
        return False

    def _follow(self, link: Link, elements: ElementSet) -> Harm | ElementSet | None:
        found, op = super()._follow(link, elements), self._op(link.target)
        if not isinstance(found, ElementSet) or not found or op is None:
            return found
        if op.moves_elements or op.keeps_ranks or op.explanation.passes_values or op.converts:
            return found
        return self._search_on(self._computed, link.target, found)
