"""The derivation of an element as JSON."""

from __future__ import annotations

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.microscope import Derivation, Row, SourceElement
from hloscope.engine.debugger.provenance import RecordedRun

from ..wire.derivation import Derivation as DerivationJson
from ..wire.derivation import DerivationRow
from ..wire.derivation import SourceElement as SourceJson


def derivation_json(run: RecordedRun, address: Address, found: Derivation) -> DerivationJson:
    """A derivation of an element of the value at `address`."""
    return {
        "address": str(address),
        "name": found.name,
        "index": list(found.index),
        "type": found.type,
        "value": found.value,
        "kind": found.how.value,
        "text": found.text,
        "order": found.order,
        "agreement": found.agreement,
        "agrees": found.agrees,
        "accumulator": found.accumulator,
        "exact": found.exact,
        "exactIn": found.exact_in,
        "lost": found.lost,
        "lostLast": found.lost_last,
        "greatestLoss": found.greatest_loss,
        "greatestCancellation": found.greatest_cancellation,
        "termCount": found.term_count,
        "rowCount": found.row_count,
        "start": found.start,
        "rows": [_row(run, row) for row in found.rows],
        "notes": list(found.notes),
    }


def _row(run: RecordedRun, row: Row) -> DerivationRow:
    return {
        "terms": [[_source(run, element) for element in term] for term in row.terms],
        "joined": list(row.joined),
        "partial": row.partial,
        "exact": row.exact,
        "lost": row.lost,
        "cancelled": row.cancelled,
        "note": row.note,
    }


def _source(run: RecordedRun, element: SourceElement) -> SourceJson:
    return {
        "name": element.name,
        "value": run.value_number(element.address),
        "address": str(element.address),
        "index": list(element.index),
        "text": element.value,
        "role": element.role,
    }
