"""The derivation of elements of every worked example: the shown terms make the element, or the sentence says otherwise."""

from __future__ import annotations

from random import Random

import numpy as np

from hloscope.engine.debugger.microscope import Derivation, How, Microscope, SourceElement
from hloscope.engine.debugger.microscope.recomputing import is_same
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.provenance.formulas import Formulas
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType
from tests.conformance.catalogue import WORKED, Worked, name_of, recording_of
from tests.debugger.provenance.test_every_op import addresses
from tests.each import for_each

from .evaluating import remade

MOST = 40
"""Elements of a program that are derived."""
COMBINED = (How.PRODUCTS, How.FOLD, How.UPDATES)


@for_each("example", WORKED, ids=name_of)
def test_derivations_of_an_example(example: Worked) -> None:
    recording = recording_of(example)
    recording.record()
    run = RecordedRun(recording)
    links, random = Links(run), Random(1)
    microscope, formulas = Microscope(links), Formulas(links)
    found = [a for a in addresses(run) if run.is_made(a) and run.is_tensor(a) and 0 not in run.shape(a)]
    for address in random.sample(found, min(MOST, len(found))):
        index = tuple(random.randrange(size) for size in run.shape(address))
        derived = microscope.derivation(address, index)
        recorded = recording.value(address)[index]
        type = run.type_of(address)
        assert isinstance(type, TensorType)
        check_rows(recording, derived)
        if derived.how in COMBINED and derived.accumulator:
            symbol = "+" if derived.how is How.PRODUCTS else formulas.formula(address, index).symbol
            if symbol == "body":  # `a + x * x` is combined by its last op
                symbol = {"Added": "+"}.get(derived.order.split()[0], symbol)
            if symbol != "body" and derived.row_count == len(derived.rows):
                made = remade(recording, derived, symbol, type.element_type)
                assert is_same(made, recorded) == derived.agrees, derived
            assert derived.agrees, (derived.order, derived.agreement)
        if derived.how is How.MOVED:
            (source,) = taken_term(derived)
            assert is_same(recording.value(source.address)[source.index], recorded), derived
        if derived.how is How.SORT:
            (here,) = [row for row in derived.rows if row.note == "this element"]
            (source,) = here.terms[0]
            assert is_same(recording.value(source.address)[source.index], recorded)


def taken_term(derived: Derivation) -> tuple[SourceElement, ...]:
    """The element that was copied: of a select the one that was taken."""
    terms = [term for row in derived.rows for term in row.terms]
    return next((term for term in terms if term[0].role == "taken"), terms[0])


def check_rows(recording: Recording, derived: Derivation) -> None:
    """Rows come after those that they join, and every element that they name exists."""
    for number, row in enumerate(derived.rows, derived.start):
        assert all(joined < number for joined in row.joined)
        for source in (each for term in row.terms for each in term):
            assert np.shape(recording.value(source.address)[source.index]) == ()
