"""What is to hold of any recorded run: both directions have the same links, and nothing changes unreached."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.provenance import End, Kind, Link, Links, RecordedRun, walk_forward
from hloscope.engine.debugger.provenance.frames import runs_bodies
from hloscope.engine.debugger.provenance.onward import Onward
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.indexing.elements.element_sets import ElementSet
from hloscope.engine.indexing.elements.images import Work
from hloscope.engine.ops.core.op import Array

from .matrices import PATIENT, differs, other_values
from .test_every_op import addresses

Inputs = Sequence[Sequence[Array]]
"""Those of each process."""
Rerun = Callable[[Inputs], Recording]
MOST = 12
"""Input elements that are disturbed."""
LARGE = 2_000
"""Pairs of elements of which more are not looked at one by one."""


def assert_exact(rerun: Rerun, inputs: Inputs, seed: int = 0, *, in_bodies: bool = True) -> None:
    """Of what runs on some inputs; `in_bodies`: also of what bodies are handed, lane by lane."""
    recording = rerun(inputs)
    assert recording.state.kind == "done", recording.state.reason
    links = Links(RecordedRun(recording))
    made = [a for a in addresses(links.run) if links.run.is_made(a) and links.run.is_tensor(a)]
    _assert_one_way_is_the_other(links, made)
    elements = [
        (address, position)
        for address in made
        if address.kind == "f" and address.number == 0 and not address.path
        if address.process in recording.launch_groups[0].numbers
        for position in range(prod(links.run.shape(address)))
    ]
    for choice in np.random.default_rng(seed).permutation(len(elements))[:MOST].tolist():
        seen = [a for a in made if in_bodies or not _is_in_body(links.run, a)]
        _assert_changes_are_reached(links, seen, rerun, inputs, *elements[choice])


def _assert_one_way_is_the_other(links: Links, made: Sequence[Address]) -> None:
    run, onward = links.run, Onward(links)
    there, back = dict[object, Link](), dict[object, Link]()
    for address in made:
        into = links.into(address)
        assert not into.left_out
        assert into.links or into.end is not None
        assert into.end is not End.OPAQUE
        there |= {_key(link): link for link in into.links}
        back |= {_key(link): link for link in onward.links(address)}
        assert not onward.left_out
    assert there.keys() == back.keys()
    for link in there.values():
        if prod(run.shape(link.source)) * prod(run.shape(link.target)) <= LARGE:
            assert np.array_equal(_related(run, link, onward=False), _related(run, link, onward=True).T), link


def _key(link: Link) -> tuple[Address, Address, Kind, int | None, str]:
    return link.source, link.target, link.kind, link.operand, link.words


def _related(run: RecordedRun, link: Link, *, onward: bool) -> NDArray[np.bool_]:
    """For each element at one end, those at the other end."""
    shapes = (run.shape(link.source), run.shape(link.target))
    start, end = shapes if onward else shapes[::-1]
    go = link.relation.onward if onward else link.relation.back
    rows = [go(ElementSet.of_positions(start, np.array([k])), Work()).to_mask() for k in range(prod(start))]
    return np.array(rows, np.bool_).reshape(prod(start), prod(end))


def _comparable(values: Array) -> Array:
    """NumPy itself does not know NaN of small floats."""
    return values.astype(np.float64) if values.dtype.kind == "V" else values


def _is_in_body(run: RecordedRun, address: Address) -> bool:
    steps, frame = run.steps(address.process), run.frame_of(address)
    while (opener := steps.track.opener_of(frame)) is not None:
        if runs_bodies(run, address.process, opener):
            return True
        frame = steps.track.frame_of(opener)
    return False


def _assert_changes_are_reached(
    links: Links, seen: Sequence[Address], rerun: Rerun, inputs: Inputs, address: Address, position: int
) -> None:
    run = links.run
    element = ElementSet.of_positions(run.shape(address), np.array([position]))
    walk = walk_forward(links, address, element, PATIENT)
    assert walk.complete, walk.reason
    for other in _disturbed(inputs, address, position):
        recording = rerun(other)
        if recording.state.kind != "done":
            continue
        for before, after in _pairs(run, recording, seen):
            values = run.recording.value(before), recording.value(after)
            if values[0].shape != values[1].shape:
                continue
            node = walk.nodes.get(before)
            reached = np.zeros(values[0].size, np.bool_) if node is None else node.elements.to_mask()
            assert not np.any(differs(*map(_comparable, values)) & ~reached.reshape(-1)), (
                address,
                position,
                before,
            )


def _disturbed(inputs: Inputs, address: Address, position: int) -> Iterator[Inputs]:
    array = np.asarray(inputs[address.process][address.index])
    old = array.reshape(-1)[position]
    for value in _others(old):
        changed = array.copy()
        try:
            changed.reshape(-1)[position] = value
        except OverflowError:  # the type has no such number
            continue
        rows = [list(row) for row in inputs]
        rows[address.process][address.index] = changed
        yield rows


def _others(value: np.generic) -> Sequence[object]:
    if value.dtype == np.bool_:
        return [not value]
    return [complex(value) * 3 + 1] if value.dtype.kind == "c" else other_values(value)


def _pairs(run: RecordedRun, other: Recording, seen: Sequence[Address]) -> Iterator[tuple[Address, Address]]:
    """The same value of both runs: any, if the same ops ran in the same frames, else what the processes gave."""
    if _story(run.recording) == _story(other):
        yield from ((address, address) for address in seen)
        return
    there = RecordedRun(other)
    for process in other.launch_groups[0].numbers:
        yield from zip(_given(run, process), _given(there, process), strict=True)


def _story(recording: Recording) -> list[list[list[int]]]:
    return [
        [
            [track.op_of(step) for step in range(track.step_count)],
            track.frame_block[: track.frame_count].tolist(),
            track.frame_opener[: track.frame_count].tolist(),
        ]
        for track in recording.tracks
    ]


def _given(run: RecordedRun, process: int) -> list[Address]:
    end = run.steps(process).end_of(0)
    assert end is not None
    leaves = run.operand_leaves(run.bound_operation(process, end))
    found = [run.operand_leaf(process, end, leaf) for leaf in leaves]
    return [address for address in found if run.is_tensor(address)]
