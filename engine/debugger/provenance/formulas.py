"""Formulas of single elements, with the numbers of the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ...indexing import BoundMap, Expression, IndexMap, Runtime, variables_of
from ...indexing.core.linearization import linear_form
from ...indexing.elements.element_sets import ElementSet
from ...indexing.elements.images import Work
from ...indexing.evaluation.array_values import Int64Array
from ...indexing.evaluation.points import CHUNK
from ...ops.core.facets import ElementFormula, Form, Role
from ...ops.core.op import Op
from ..address import Address
from .link import End, Into, Link
from .links import Links
from .op_maps import Reading, readings
from .relations import Kind
from .terms import Factors, Formula, Term, element_text, format_indices

MOST_TERMS = 16
"""Maximum number of terms of a formula, which also states the total."""
Index = tuple[int, ...]
Read = tuple[Link, ElementSet]


@dataclass(frozen=True)
class FactorPairs:
    """Pairs of elements that a contraction multiplies: their indices, one row for each pair."""

    ranges: Int64Array
    """The values of the map's range variables, along which the products are added."""
    left: Int64Array
    right: Int64Array
    count: int
    """The number of all pairs, of which the first are here."""


class Formulas:
    """Writer of formulas of recorded elements, with names and numbers."""

    def __init__(self, links: Links) -> None:
        self.links, self.run = links, links.run

    def formula(self, address: Address, index: Index) -> Formula:
        """The formula of the element at `index` of a tensor."""
        into, reads = self.reads(address, index)
        form, symbol, terms, count, note = self._parts(address, index, into, reads)
        return Formula(
            self.name(address), index, form, tuple(terms), count, self._value(address, index), symbol, note
        )

    def reads(self, address: Address, index: Index) -> tuple[Into, list[Read]]:
        """The links into the element at `index` of a tensor, with the elements that it reads."""
        into = self.links.into(address)
        element = ElementSet.of_index(self.run.shape(address), index)
        work = Work()
        # The results of a body come from the operands, which are already listed.
        links = [link for link in into.links if link.kind is not Kind.INSIDE]
        reads = [(link, link.relation.back(element, work)) for link in links]
        return into, [(link, found) for link, found in reads if found]

    def name(self, address: Address) -> str:
        """The name of a value in the program."""
        value = self.run.program.values[self.run.value_number(address)]
        return value.name + "".join(f"#{number}" for number in address.path)

    def _parts(
        self, address: Address, index: Index, into: Into, reads: list[Read]
    ) -> tuple[Form, str, Sequence[Term | Factors], int, str]:
        if not reads:
            return Form.CONSTANT, "", (), 0, _end_text(into)
        forwarded = [read for read in reads if read[0].kind is Kind.FORWARDED]
        if (
            forwarded
            or address.kind == "f"
            or self.run.bound_operation(address.process, address.number).regions
        ):
            found = self._of_frames(address, forwarded, reads)
            if found is not None:
                return found
        if address.kind == "f":
            return Form.FUNCTION, "made of", *self._list_terms(reads), into.reason
        return self._of_op(address, index, reads)

    def _of_frames(
        self, address: Address, forwarded: list[Read], reads: list[Read]
    ) -> tuple[Form, str, Sequence[Term | Factors], int, str] | None:
        if forwarded or (address.kind == "f" and len(reads) == 1):
            link, found = (forwarded or reads)[0]
            returned = address.kind == "s" and len(
                self.run.steps(address.process).opened_frames(address.number)
            )
            note = link.words or ("what was returned" if returned else "the same value")
            return Form.READ, "", list(self._terms(link, found)), 1, note if forwarded else link.words
        return None

    def _of_op(
        self, address: Address, index: Index, reads: list[Read]
    ) -> tuple[Form, str, Sequence[Term | Factors], int, str]:
        op = self.run.op_at(address.process, address.number).unpacked
        formula = op.explanation.formula(op, len(reads))
        if formula.form is Form.PRODUCTS and (found := self._products(address, index)):
            return Form.PRODUCTS, "", *found, ""
        if formula.is_chosen:
            return self._choice_form(address, index, op, reads)
        if formula.form in (Form.READ, Form.PRODUCTS):
            return self._read(address, index, formula, reads)
        terms, count = self._in_roles(formula.roles, reads) if formula.roles else self._list_terms(reads)
        compared = self._count(reads, formula.compared)
        note = f"by {compared:,} elements that were compared" if compared else ""
        return formula.form, formula.symbol, terms, count, note

    def _read(
        self, address: Address, index: Index, formula: ElementFormula, reads: list[Read]
    ) -> tuple[Form, str, Sequence[Term | Factors], int, str]:
        """The form of a formula: one element, a fold over processes, or a function of all elements."""
        data = [(link, found) for link, found in reads if link.kind in (Kind.DATA, Kind.MOVED)]
        if len(data) == 1 and data[0][1].count == 1:
            link, found = data[0]
            (term,) = self._terms(link, found, place=self._place(address, index, link, found))
            note = link.words if link.operand is None else formula.notes.get(link.operand, link.words)
            return Form.READ, "", [term], 1, note
        combined = [read for read in reads if read[0].kind is Kind.COMBINED]
        if combined:
            return Form.FOLD, formula.symbol, *self._of_processes(combined), ""
        return Form.FUNCTION, formula.function, *self._list_terms(reads), ""

    # Terms

    def _list_terms(self, reads: list[Read], role: str = "") -> tuple[list[Term], int]:
        terms: list[Term] = []
        for link, found in reads:
            if len(terms) < MOST_TERMS:
                terms += list(self._terms(link, found, role=role or str(link.kind)))[
                    : MOST_TERMS - len(terms)
                ]
        return terms, sum(found.count for _, found in reads)

    def _of_processes(self, reads: list[Read]) -> tuple[list[Term], int]:
        """One element per process, with the process."""
        terms = [term for link, found in reads for term in self._terms(link, found, role=link.words)]
        return terms[:MOST_TERMS], sum(found.count for _, found in reads)

    def _terms(self, link: Link, elements: ElementSet, role: str = "", place: str = "") -> Iterator[Term]:
        """Terms of the first elements read."""
        for index in first_indices(elements, MOST_TERMS):
            yield Term(
                self.name(link.source),
                link.source,
                index,
                self._value(link.source, index),
                link.operand,
                role or str(link.kind),
                place,
            )

    def _value(self, address: Address, index: Index) -> str:
        return element_text(self.run.recording.value(address)[index])

    def _in_roles(self, roles: Sequence[Role], reads: list[Read]) -> tuple[list[Term], int]:
        """Terms role by role and their number; captured values count as operand 0."""
        terms: list[Term] = []
        count = 0
        for role in roles:
            listed, total = self._list_terms(
                [read for read in reads if (read[0].operand or 0) in role.operands], role.name
            )
            terms, count = [*terms, *listed], count + total
        return terms[:MOST_TERMS], count

    def _count(self, reads: list[Read], operands: range) -> int:
        """Number of elements read from some operands."""
        return sum(found.count for link, found in reads if link.operand in operands)

    def _choice_form(
        self, address: Address, index: Index, op: Op, reads: list[Read]
    ) -> tuple[Form, str, Sequence[Term | Factors], int, str]:
        """The formula of a chosen element: the choice if known, else the candidates."""
        process, step = address.process, address.number
        result = address.path[0] if address.path else address.index
        for reading in readings(op.value_maps(), lambda: op.value_maps(inverse=True)):
            if reading.result == result and len(reading.maps) == 1:
                bound = BoundMap(reading.maps[0], self.run.map_operands(process, step))
                found = bound.elements(np.array([index])).indices
                if len(found) == 1:
                    link = next(link for link, _ in reads if link.operand == reading.operand)
                    chosen = ElementSet.of_index(self.run.shape(link.source), found[0].tolist())
                    compared = sum(found.count for _, found in reads)
                    note = f"it came here by {compared:,} elements that were compared"
                    return Form.READ, "", list(self._terms(link, chosen)), 1, note
        return Form.FUNCTION, op.explanation.formula(op, len(reads)).function, *self._list_terms(reads), ""

    def _products(self, address: Address, index: Index) -> tuple[list[Factors], int] | None:
        """The factors of a contraction, pair by pair."""
        pairs = self.factor_pairs(address, index)
        if pairs is None:
            return None
        sources = self.run.operands(address.process, address.number)
        terms = [
            Factors(
                tuple(
                    self._factor(sources[number], tuple(table[k].tolist()), number)
                    for number, table in enumerate((pairs.left, pairs.right))
                )
            )
            for k in range(min(MOST_TERMS, len(pairs.left)))
        ]
        return terms, pairs.count

    def factor_pairs(self, address: Address, index: Index) -> FactorPairs | None:
        """The indices of the first factors of a contraction; `None` if its maps do not pair them."""
        process, step = address.process, address.number
        maps = [self._only_map(reading) for reading in self.links.maps(process, step).of(0)[:2]]
        if len(maps) != 2 or None in maps or maps[0].ranges != maps[1].ranges:  # type: ignore[union-attr]
            return None
        sizes = [interval.size for interval in maps[0].ranges]  # type: ignore[union-attr]
        total = int(np.prod(sizes, dtype=np.int64))
        at = np.unravel_index(np.arange(min(total, CHUNK)), sizes) if sizes else ()
        ranges = np.stack(at, axis=1) if at else np.zeros((1, 0), np.int64)
        rows = np.repeat(np.array([index], np.int64), len(ranges), axis=0)
        given = self.run.map_operands(process, step)
        (left, one), (right, two) = (BoundMap(m, given).evaluate(rows, ranges) for m in maps if m is not None)
        met = np.flatnonzero(one & two)
        count = len(met) if total <= CHUNK else total
        return FactorPairs(ranges[met], left[met], right[met], count)

    def _only_map(self, reading: Reading) -> IndexMap | None:
        return reading.maps[0] if len(reading.maps) == 1 else None

    def _factor(self, address: Address, index: Index, operand: int) -> Term:
        return Term(self.name(address), address, index, self._value(address, index), operand, "factor")

    # Indices read from elements

    def _place(self, address: Address, index: Index, link: Link, found: ElementSet) -> str:
        """The index read, with the elements that determine it; empty if none does."""
        if link.operand is None or address.process != link.source.process or self.run.lanes(address):
            return ""
        process, step = address.process, address.number
        bound = self.run.bound_operation(process, step)
        result = self.run.result_leaves(bound).index((address.index, address.path))
        for reading in self.links.maps(process, step).of(result):
            if reading.operand == link.operand and len(reading.maps) == 1 and reading.maps[0].runtimes:
                index_map = reading.maps[0]
                (target,) = found
                parts = [
                    self._coordinate(process, step, index_map, e, index, c)
                    for e, c in zip(reading.items[0].map.results, target, strict=True)
                ]
                return ", ".join(parts)
        return ""

    def _coordinate(
        self, process: int, step: int, index_map: IndexMap, expression: Expression, index: Index, value: int
    ) -> str:
        form = linear_form(expression)
        if form is None or index_map.ranges:
            return str(value)
        read = [v for v in variables_of(expression) if isinstance(v, Runtime)]
        if len(read) != 1 or form.factors[read[0]] != 1:
            return str(value)
        text, start = self._runtime(process, step, index_map, read[0].number, index)
        offset = value - start
        return f"{text} = {value}" if not offset else f"{text} + {offset} = {value}"

    def _runtime(
        self, process: int, step: int, index_map: IndexMap, number: int, index: Index
    ) -> tuple[str, int]:
        """`clamp(0, %1[1] = 7, 4)` and its value."""
        variable = index_map.runtimes[number]
        given = self.run.map_operands(process, step)
        at, _ = BoundMap(variable.map, given).evaluate(np.array([index], np.int64).reshape(1, -1))
        where = tuple(at[0].tolist())
        operand = given[variable.operand]
        assert operand is not None
        read = int(operand[where])
        leaves = self.run.operand_leaves(self.run.bound_operation(process, step))
        name = "?"
        if variable.operand < len(leaves):
            name = self.name(self.run.operand_leaf(process, step, leaves[variable.operand]))
        element = f"{name}[{format_indices(where)}] = {read}" if where else f"{name} = {read}"
        low, high = variable.interval.lower, variable.interval.upper
        if not variable.clamped:
            return element, read
        return f"clamp({low}, {element}, {high})", min(max(read, low), high)


def first_indices(elements: ElementSet, most: int) -> list[Index]:
    """The first elements in row-major order."""
    if elements.boxes is not None and len(elements.boxes) == 1:
        sizes = [len(numbers) for numbers in elements.boxes[0]]
        count = min(most, elements.count)
        at = np.unravel_index(np.arange(count), sizes) if sizes else ()
        columns = [[r[i] for i in column.tolist()] for r, column in zip(elements.boxes[0], at, strict=True)]
        return list(zip(*columns, strict=True)) if columns else [()]
    positions = elements.to_positions()[:most]
    found = np.unravel_index(positions, elements.shape) if elements.shape else ()
    return list(zip(*(column.tolist() for column in found), strict=True)) if found else [()]


def _end_text(into: Into) -> str:
    texts = {
        End.INPUT: "an input",
        End.CONSTANT: "a constant",
        End.OPAQUE: "unknown",
        End.OUTSIDE: "from outside",
    }
    return into.reason.rstrip(".") or (texts[into.end] if into.end else "nothing comes here")
