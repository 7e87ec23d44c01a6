"""One element of a recorded result, derived term by term, and compared with the recorded bits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from ...indexing import BoundMap
from ...ir.element_types import ElementType, QuantizedType, of_dtype
from ...ir.types import TensorType
from ...ops.contractions.matrix_products import Arithmetic
from ...ops.core.bodies import Combiner
from ...ops.core.facets import Form
from ...ops.core.numeric import round_to, widen
from ...ops.core.op import Array, Op
from ...ops.core.quiet import quiet
from ..address import Address
from ..outcome_addresses import outcome_address
from ..provenance import Kind, Links
from ..provenance.formulas import FactorPairs, Formulas, first_indices
from ..provenance.op_maps import readings
from ..provenance.terms import Factors, Formula, Term, element_text
from .bodies import BodyTree, Element
from .derivation import Derivation, How, Row, SourceElement, decimal_text, exact, short_text
from .recomputing import (
    Attempt,
    Recomputed,
    exact_function,
    first_that_agrees,
    fold_attempts,
    is_nan,
    is_same,
    losses,
    product_attempts,
    rounded_value,
    units_apart,
)

MOST_TERMS = 1 << 14
"""Maximum number of terms that are combined again."""
MOST_ROWS = 256
"""Maximum number of rows in one answer."""

OTHERS = 4
"""Maximum number of other elements on which an order is tried."""
MOST_CONFIRMED = 1 << 11
"""Maximum number of terms with which other elements are tried."""

Index = tuple[int, ...]
FoldTerms = tuple[list[Element], list[Element], tuple[int, ...]]
"""The initial value, if any, and the elements, with the sizes of the grid on which they lie."""
Terms = Callable[[int], tuple[SourceElement, ...]]
_PLACEHOLDER = "The op only starts the computation: this element is a placeholder until it is done."
_QUANTIZED = (
    "Quantized elements are dequantized, combined and quantized again; these steps are not computed again."
)


class Microscope:
    """Derivations of single elements of a recorded run."""

    def __init__(self, links: Links) -> None:
        self.links, self.run = links, links.run
        self.formulas = Formulas(links)

    def derivation(self, address: Address, index: Index, start: int = 0) -> Derivation:
        """How the element at `index` was made, with the rows from number `start` on."""
        formula = self.formulas.formula(address, index)
        plain = Derivation(
            name=formula.name,
            index=index,
            type=str(self._type(address)),
            value=formula.value,
            how=How.LISTED,
            text=formula.text,
            start=start,
            term_count=formula.count,
        )
        found = None
        if address.kind == "s" and formula.form is not Form.CONSTANT:
            with quiet():
                found = self._of_op(address, index, formula.form, plain)
        return found or self._listed(plain, formula, address)

    def _of_op(self, address: Address, index: Index, form: Form, plain: Derivation) -> Derivation | None:
        op = self.run.op_at(address.process, address.number).unpacked
        if op.explanation.combines_processes and self._is_placeholder(address, op):
            return replace(plain, notes=(_PLACEHOLDER,))
        if form is Form.PRODUCTS:
            return self._of_products(address, index, plain)
        if op.explanation.is_chosen:
            return self._of_sort(address, index, op, plain)
        if form in (Form.FOLD, Form.UPDATES):
            name = op.explanation.combiner(op, _number(address))
            if name and not self._is_quantized(address):
                return self._of_fold(address, index, op, Combiner(name), plain)
            return self._of_body(address, index, plain)
        if op.traits.is_elementwise and form in (Form.FUNCTION, Form.OPERATOR):
            return self._of_function(address, index, op, plain)
        return None

    # Sums of products

    def _of_products(self, address: Address, index: Index, plain: Derivation) -> Derivation | None:
        pairs = self.formulas.factor_pairs(address, index)
        if pairs is None or not len(pairs.left):
            return None
        sources, tables = self.run.operands(address.process, address.number)[:2], (pairs.left, pairs.right)

        def term(number: int) -> tuple[SourceElement, ...]:
            parts = zip(sources, tables, strict=True)
            return tuple(self._source((source, tuple(table[number].tolist()))) for source, table in parts)

        plain = replace(plain, how=How.PRODUCTS, term_count=pairs.count)
        if pairs.count > MOST_TERMS or self._is_quantized(address, *sources):
            return _only_terms(plain, len(pairs.left), term)
        left, right = (self.run.recording.value(source) for source in sources)
        how = Arithmetic.of(left, right, self._type(address), pairs.count)

        def attempts(found: FactorPairs) -> Iterator[Attempt]:
            lhs, rhs = left[tuple(found.left.T)], right[tuple(found.right.T)]
            return product_attempts(found.ranges, how.prepare(lhs), how.prepare(rhs), how)

        others = () if how.is_whole else self._others(address, index, pairs.count)
        witnesses = [(at, self.formulas.factor_pairs(address, at)) for at in others]
        kept = [(at, each) for at, each in witnesses if each is not None and each.count == pairs.count]
        recorded = [self._value((address, at)) for at in (index, *(at for at, _ in kept))]
        tried = zip(attempts(pairs), *(attempts(each) for _, each in kept), strict=False)
        return self._computed(
            plain, first_that_agrees(tried, how.finish, recorded), Combiner.ADD, term, recorded[0]
        )

    # Folds

    def _of_fold(
        self, address: Address, index: Index, op: Op, combiner: Combiner, plain: Derivation
    ) -> Derivation | None:
        initial, elements, sizes = self._fold_terms(address, index, op)
        terms = [*initial, *elements]
        if not terms:
            return None
        is_updated = op.explanation.formula(op, 1).form is Form.UPDATES
        plain = replace(plain, how=How.UPDATES if is_updated else How.FOLD)

        def term(number: int) -> tuple[SourceElement, ...]:
            return (self._source(terms[number]),)

        if len(terms) > MOST_TERMS:
            return _only_terms(plain, MOST_TERMS, term)
        plain = replace(plain, term_count=len(terms))
        result = self._type(address)
        wide = widen(np.empty(0, result.dtype)).dtype

        def attempts(parts: FoldTerms) -> Iterator[Attempt]:
            values = [
                widen(np.asarray(self._value(each))).astype(wide)[()] for each in (*parts[0], *parts[1])
            ]
            return fold_attempts(combiner, values, len(parts[0]), parts[2], in_order=is_updated)

        rounds = wide.kind in "fc" and combiner in (Combiner.ADD, Combiner.MULTIPLY) and not is_updated
        others = self._others(address, index, len(terms)) if rounds else ()
        witnesses = [(at, self._fold_terms(address, at, op)) for at in others]
        kept = [(at, each) for at, each in witnesses if len(each[1]) == len(elements)]
        recorded = [self._value((address, at)) for at in (index, *(at for at, _ in kept))]
        tried = zip(attempts((initial, elements, sizes)), *(attempts(each) for _, each in kept), strict=False)
        found = first_that_agrees(tried, lambda total: round_to(total, result), recorded)
        return self._computed(plain, found, combiner, term, recorded[0])

    def _others(self, address: Address, index: Index, count: int) -> Iterator[Index]:
        """Some other elements of the result, whose bits an order must give too before it counts as the library's."""
        shape = self.run.shape(address)
        size = prod(shape)
        if count > MOST_CONFIRMED:
            return
        here = int(np.ravel_multi_index(index, shape)) if shape else 0
        for number in range(1, min(OTHERS, size - 1) + 1):
            place = (here + number * max(1, size // (OTHERS + 1))) % size
            yield tuple(int(each) for each in np.unravel_index(place, shape))

    def _fold_terms(self, address: Address, index: Index, op: Op) -> FoldTerms:
        """The initial value, if any, and the elements, with the sizes of the grid on which they lie."""
        _, reads = self.formulas.reads(address, index)
        if op.tracing.folds_answers(op):
            reads = [read for read in reads if read[0].operand is not None]
            answers = BodyTree(self.links, address).answers(index, MOST_TERMS + 1)
        else:
            answers = []
        data = [read for read in reads if read[0].kind in (Kind.DATA, Kind.MOVED, Kind.COMBINED)]
        parts: list[list[Element]] = []
        sizes: tuple[int, ...] = ()
        roles = op.explanation.formula(op, len(reads)).roles
        groups: list[range | None] = [role.operands for role in roles]
        for operands in groups or [None]:
            operand = None if operands is None else operands[min(_number(address), len(operands) - 1)]
            chosen = [read for read in data if operand is None or read[0].operand == operand]
            parts.append(
                [(link.source, at) for link, read in chosen for at in first_indices(read, MOST_TERMS + 1)]
            )
            boxes = chosen[0][1].boxes if len(chosen) == 1 else None
            sizes = tuple(map(len, boxes[0])) if boxes is not None and len(boxes) == 1 else ()
        initial, elements = parts if len(parts) == 2 else ([], parts[0])
        return initial, answers or elements, sizes

    def _of_body(self, address: Address, index: Index, plain: Derivation) -> Derivation | None:
        """Combinations by a body of the program, whose partial results are recorded."""
        nodes = BodyTree(self.links, address).nodes(index)
        if not nodes:
            return None
        part = _window(plain.start, len(nodes))
        rows = [
            Row(
                tuple((self._source(leaf),) for leaf in nodes[k].leaves),
                nodes[k].rows,
                element_text(self._value(nodes[k].made)),
            )
            for k in part
        ]
        agrees = is_same(self._value(nodes[-1].made), self._value((address, index)))
        return replace(
            plain,
            how=How.BODY,
            rows=rows,
            start=part.start,
            row_count=len(nodes),
            term_count=sum(len(node.leaves) for node in nodes),
            accumulator=plain.type,
            order="The op's body combined the terms in this order; the partial results are recorded values.",
            agreement="The last one is the recorded element, bit for bit." if agrees else "",
            agrees=agrees or None,
        )

    # Functions of elements, and sorts

    def _of_function(self, address: Address, index: Index, op: Op, plain: Derivation) -> Derivation | None:
        sources = self.run.operands(address.process, address.number)
        _, reads = self.formulas.reads(address, index)
        read = {link.operand: (link.source, at) for link, found in reads for at in first_indices(found, 2)}
        if len(reads) != len(sources) or any(number not in read for number in range(len(sources))):
            return None
        elements = [read[number] for number in range(len(sources))]
        row = Row(tuple((self._source(each),) for each in elements))
        plain = replace(plain, how=How.FUNCTION, rows=[row], start=0, row_count=1, term_count=len(elements))
        if self._is_quantized(address, *sources):
            return replace(plain, notes=(_QUANTIZED,))
        operands = tuple(np.asarray(self._value(each)) for each in elements)
        recorded, again = self._value((address, index)), np.asarray(op.evaluate(*operands)).reshape(())
        value, exact_in = exact_function(op, operands, self._type(address))
        return replace(
            plain,
            agreement=_sentence(again, recorded, "Computed again from these operands alone"),
            agrees=is_same(again, recorded),
            exact=None if value is None else str(float(value)) if exact_in else decimal_text(value),
            exact_in=exact_in,
            lost=_difference(exact(recorded), value),
        )

    def _of_sort(self, address: Address, index: Index, op: Op, plain: Derivation) -> Derivation | None:
        """The sorted line around the element, with the place that each element came from."""
        moved = readings(op.value_maps(), lambda: op.value_maps(inverse=True))
        reading = next((each for each in moved if each.result == _number(address)), None)
        _, reads = self.formulas.reads(address, index)
        lines = [(link, read) for link, read in reads if read.count > 1 and read.boxes is not None]
        own = [link.source for link, _ in reads if reading is not None and link.operand == reading.operand]
        if reading is None or len(reading.maps) != 1 or not lines or not own:
            return None
        axis = next(k for k, part in enumerate(lines[0][1].boxes[0]) if len(part) > 1)  # type: ignore[index]
        size, here = lines[0][1].count, index[axis]
        part = _window(max(0, here - MOST_ROWS // 2) if size > MOST_ROWS else 0, size)
        bound = BoundMap(reading.maps[0], self.run.map_operands(address.process, address.number))
        at = np.array([(*index[:axis], place, *index[axis + 1 :]) for place in part])
        origins = [bound.elements(row[None]).indices for row in at]
        if any(len(found) != 1 for found in origins):
            return None
        compared = [link.source for link, _ in lines if link.source not in own]
        rows = [
            Row(
                tuple((self._source((source, tuple(found[0].tolist()))),) for source in (own[0], *compared)),
                note="before it" if place < here else "after it" if place > here else "this element",
            )
            for place, found in zip(part, origins, strict=True)
        ]
        return replace(
            plain,
            how=How.SORT,
            rows=rows,
            start=part.start,
            row_count=size,
            term_count=size,
            order=f"Of the {size:,} elements that were compared, {here:,} come before this one and "
            f"{size - here - 1:,} after it.",
        )

    # What all have in common

    def _computed(
        self, plain: Derivation, found: Recomputed, combiner: Combiner, term: Terms, recorded: Any
    ) -> Derivation:
        """The combinations of a recomputed element, with what each loses."""
        lost = losses(found, combiner)
        whole, value = lost.exact[-1], exact(recorded)
        row_of, row_count, rows = _rows(found, lost, term, plain.start)
        verb = "Added" if combiner is Combiner.ADD else "Combined"
        return replace(
            plain,
            rows=rows,
            start=_window(plain.start, row_count).start,
            row_count=row_count,
            accumulator=str(of_dtype(found.total.dtype) or found.total.dtype),
            order=f"{verb} here {found.order.words}.",
            agreement=_sentence(found.final, recorded, "In this order", found.confirmed),
            agrees=is_same(found.final, recorded),
            exact=None if whole is None else decimal_text(whole),
            lost=_difference(value, whole),
            lost_last=_difference(value, exact(found.total)),
            greatest_loss=_greatest([abs(each or Fraction(0)) for each in lost.lost], row_of),
            greatest_cancellation=_greatest(lost.cancelled, row_of),
        )

    def _is_placeholder(self, address: Address, op: Op) -> bool:
        """Whether a collective had only started when it returned this value."""
        return op.explanation.gives_placeholders or outcome_address(self.run.recording, address) is not None

    def _listed(self, plain: Derivation, formula: Formula, address: Address) -> Derivation:
        """The elements that were read, where nothing is computed again; one that is the element itself was moved."""
        terms = formula.terms
        rows = [
            Row((tuple(map(_as_source, found.factors if isinstance(found, Factors) else (found,))),))
            for found in terms
        ]
        taken = [
            found for found in terms if isinstance(found, Term) and (found.role == "taken" or len(terms) == 1)
        ]
        is_moved = [
            is_same(self._value((found.address, found.index)), self._value((address, plain.index)))
            for found in taken
        ]
        how = How.MOVED if any(is_moved) else How.LISTED
        return replace(plain, how=how, rows=rows, start=0, row_count=len(rows))

    def _source(self, element: Element) -> SourceElement:
        address, index = element
        return SourceElement(self.formulas.name(address), address, index, element_text(self._value(element)))

    def _value(self, element: Element) -> Any:
        address, index = element
        return self.run.recording.value(address)[index]

    def _type(self, address: Address) -> ElementType:
        found = self.run.type_of(address)
        assert isinstance(found, TensorType)
        return found.element_type

    def _is_quantized(self, *addresses: Address) -> bool:
        return any(isinstance(self._type(address), QuantizedType) for address in addresses)


def _number(address: Address) -> int:
    """The number of a result, with tuples of results taken apart."""
    return address.path[0] if address.path else address.index


def _window(start: int, count: int) -> range:
    begin = max(0, min(start, count - 1))
    return range(begin, min(count, begin + MOST_ROWS))


def _rows(
    found: Recomputed, lost: Any, term: Terms, start: int
) -> tuple[Callable[[int], int], int, list[Row]]:
    """The number of each combination's row, the number of rows, and the rows of the window.

    In a sequence each term has a row, the first one too; else each combination of two nodes has one.
    """
    tree, terms = found.tree, len(found.tree.terms)
    extra = 1 if found.order.is_sequence or not tree.pairs else 0

    def row_of(pair: int) -> int:
        return pair + extra

    def row(number: int) -> Row:
        pair = number - extra
        if pair < 0:
            whole = lost.exact[0]
            partial = element_text(rounded_value(tree, 0))
            return Row((term(found.numbers[0]),), (), partial, _decimal(whole))
        nodes = tree.pairs[pair]
        leaves = [node for node in nodes if node < terms][extra if not pair else 0 :]
        joined = tuple(row_of(node - terms) for node in nodes if node >= terms)
        return Row(
            tuple(term(found.numbers[leaf]) for leaf in leaves),
            (0,) if extra and not pair else joined,
            element_text(tree.values[pair]),
            _decimal(lost.exact[terms + pair]),
            None if lost.lost[pair] is None else short_text(lost.lost[pair]),
            round(lost.cancelled[pair], 1),
        )

    count = len(tree.pairs) + extra
    return row_of, count, [row(number) for number in _window(start, count)]


def _greatest(sizes: Sequence[float] | Sequence[Fraction], row_of: Callable[[int], int]) -> int | None:
    """The row of the greatest size; `None` if all are 0."""
    if not any(sizes):
        return None
    return row_of(max(range(len(sizes)), key=lambda number: sizes[number]))


def _decimal(value: Fraction | None) -> str | None:
    return None if value is None else decimal_text(value)


def _difference(value: Fraction | None, other: Fraction | None) -> str | None:
    return None if value is None or other is None else short_text(value - other)


def _sentence(found: Array, recorded: Any, begin: str, confirmed: int | None = 0) -> str:
    """Whether a recomputed element is the recorded one, and else how far they are apart.

    `confirmed` is the number of other elements that came out as recorded too; `None` if one did not.
    """
    if is_same(found, recorded):
        word = "it is NaN, as recorded" if is_nan(recorded) else "the bits are those recorded"
        if confirmed is None:
            return (
                f"{begin}, {word}, but not those of other elements: the library’s order may be another one."
            )
        others = "1 other element" if confirmed == 1 else f"{confirmed} other elements"
        return f"{begin}, {word}, and so are those of {others}." if confirmed else f"{begin}, {word}."
    apart = units_apart(found, recorded)
    units = "" if not apart else f": {apart:,} ULP apart" if apart > 1 else ": 1 ULP apart"
    text = f"{element_text(found[()])}, and the recorded element is {element_text(recorded)}"
    reason = " The library did not combine them in this order." if begin.startswith("In") else ""
    return f"{begin} it is {text}{units}.{reason}"


def _only_terms(plain: Derivation, count: int, term: Terms) -> Derivation:
    """The terms, not combined again."""
    part = _window(plain.start, count)
    many = f"More than {MOST_TERMS:,} terms: they are listed, not combined again."
    note = many if plain.term_count > MOST_TERMS else _QUANTIZED
    rows = [Row((term(number),)) for number in part]
    return replace(plain, rows=rows, start=part.start, row_count=count, notes=(note,))


def _as_source(term: Term) -> SourceElement:
    return SourceElement(term.name, term.address, term.index, term.value, term.role)
