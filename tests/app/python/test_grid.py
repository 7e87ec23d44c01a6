"""The module `hloscope` on programs of several processes."""

from __future__ import annotations

import numpy as np
import pytest

import hloscope
from tests.app.grid_programs import FED, FROM_HOST, MANUAL, ONE_NEVER_COMES, PARTITIONED, SUM_OF_PAIRS
from tests.app.serving import ADD


def test_results_of_a_grid() -> None:
    (same,) = hloscope.run(SUM_OF_PAIRS, [[1, 2]])
    np.testing.assert_array_equal(same, [2, 4])
    each = hloscope.run_each(SUM_OF_PAIRS, [hloscope.Each([[1, 2], [3, 4], [5, 6], [7, 8]])])
    np.testing.assert_array_equal([found for (found,) in each], [[4, 6], [4, 6], [12, 14], [12, 14]])
    with pytest.raises(hloscope.ProgramError, match=r"result 0 is not the same.*run_each gives"):
        hloscope.run(SUM_OF_PAIRS, [hloscope.Each([[1, 2], [3, 4], [5, 6], [7, 8]])])


def test_wholes_are_cut_and_joined() -> None:
    whole = np.arange(8, dtype=np.float32)
    both = hloscope.run(PARTITIONED, [whole])
    np.testing.assert_array_equal(both[0], whole)
    np.testing.assert_array_equal(both[1], [12, 16])
    assert [found[0].tolist() for found in hloscope.run_each(PARTITIONED, [whole])] == [
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
    ]
    np.testing.assert_array_equal(hloscope.run(PARTITIONED, [[5, 6]])[0], [5, 6] * 4)
    np.testing.assert_array_equal(hloscope.run(MANUAL, [whole])[0], 2 * whole)


def test_the_size_of_the_grid() -> None:
    recording = hloscope.record(ADD, [[1, 2, 3, 4]], replicas=2, partitions=3)
    assert [str(track.process) for track in recording.tracks][-1] == "ProcessId(replica_id=1, partition_id=2)"
    assert recording.value(hloscope.Address.parse("5.s0.0")).tolist() == [2, 4, 6, 8]
    with pytest.raises(hloscope.ProgramError, match="max_processes allows 256"):
        hloscope.run(ADD, [[1, 2, 3, 4]], replicas=257)
    with pytest.raises(hloscope.ProgramError, match="input 0 is given for 2 processes"):
        hloscope.run(SUM_OF_PAIRS, [hloscope.Each([1, 2])])


def test_queues() -> None:
    (total,) = hloscope.run(FED, feeds={"infeed": [[1, 2], ([10, 20], 2.5)]})
    np.testing.assert_array_equal(total, [11, 22])
    np.testing.assert_array_equal(hloscope.run(FROM_HOST, feeds={"host:3": [[4, 5]]})[0], [4, 5])
    own = {"infeed@0,0": [[1, 2], ([0, 0], 0)], "infeed@1,0": [[3, 4], ([0, 0], 0)]}
    assert [found.tolist() for (found,) in hloscope.run_each(FED, replicas=2, feeds=own)] == [[1, 2], [3, 4]]
    with pytest.raises(hloscope.ProgramError, match="waits for the infeed queue, which is empty"):
        hloscope.run(FED)
    with pytest.raises(hloscope.ProgramError, match="nothing reads from the infeed queue"):
        hloscope.run(ADD, [[1, 2, 3, 4]], feeds={"infeed": [1]})
    with pytest.raises(hloscope.ProgramError, match="is not a queue for values"):
        hloscope.run(FED, feeds={"outfeed": [1]})


def test_a_deadlock_is_an_error_with_its_report() -> None:
    with pytest.raises(hloscope.ProgramError, match=r"\(1, 0\) has ended, while \(0, 0\) waits"):
        hloscope.run(ONE_NEVER_COMES, [[1, 2]])
    report = hloscope.record(ONE_NEVER_COMES, [[1, 2]]).deadlock
    assert report is not None
    assert report.kind == "ended"
