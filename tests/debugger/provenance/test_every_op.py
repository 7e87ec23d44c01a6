"""Provenance of every value of every worked example: it ends, it goes back in time, and both directions agree."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import Links, RecordedRun
from hloscope.engine.debugger.provenance.formulas import Formulas
from hloscope.engine.debugger.provenance.onward import Onward
from hloscope.engine.debugger.provenance.relations import Table
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.images import Work
from tests.conformance.catalogue import WORKED, Worked, name_of, recording_of
from tests.each import for_each

MOST = 60
"""Values of a program that are looked at, and links of a value."""


def addresses(run: RecordedRun) -> Iterator[Address]:
    """All tensors of a recording, tuples taken apart."""
    for track in run.recording.tracks:
        steps = run.steps(track.number)
        for frame in range(steps.frame_count):
            for index, value in enumerate(steps.block_of(frame).arguments):
                for path in run.leaves_of(value):
                    yield Address(track.number, "f", frame, index, path)
        for step in range(track.step_count):
            for index, path in run.result_leaves(run.bound_operation(track.number, step)):
                yield Address(track.number, "s", step, index, path)


@for_each("example", WORKED, ids=name_of)
def test_links_of_an_example(example: Worked) -> None:
    recording = recording_of(example)
    recording.record()
    run = RecordedRun(recording)
    links, random = Links(run), Random(0)
    onward, formulas, work = Onward(links), Formulas(links), Work()
    found = [a for a in addresses(run) if run.is_made(a) and run.is_tensor(a) and 0 not in run.shape(a)]
    for address in random.sample(found, min(MOST, len(found))):
        shape = run.shape(address)
        index = tuple(random.randrange(size) for size in shape)
        element = ElementSet.of_index(shape, index)
        assert formulas.name(address) in formulas.formula(address, index).text
        into = links.into(address)
        for link in into.links[:MOST]:
            made_at = run.steps(address.process).creation_time(address)
            assert run.steps(link.source.process).creation_time(link.source) < made_at
            read = link.relation.back(element, work)
            assert read.shape == run.shape(link.source)
            if read:
                one = ElementSet.of_positions(
                    read.shape, np.array(random.sample(read.to_positions().tolist(), 1))
                )
                made = link.relation.onward(one, work)
                assert made.shape == shape
                assert element.issubset(made)
                assert one.issubset(link.relation.back(made, work))
                if isinstance(link.relation, Table):
                    (there,) = read  # what a body is handed, and has given, are elements as they are
                    values = recording.value(address)[index], recording.value(link.source)[there]
                    assert np.array_equal(*values, equal_nan=values[0].dtype.kind == "f")
            out = [(each.target, each.kind, each.operand) for each in onward.links(link.source)]
            assert (address, link.kind, link.operand) in out
