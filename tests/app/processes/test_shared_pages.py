"""Memory that forks share; `tests/app/workers/test_preloaded.py` has the objects that are immortal in a worker."""

from __future__ import annotations

from itertools import pairwise

from hloscope.app.processes.shared_pages import fill_pools


def test_new_objects_lie_in_pools_of_their_own_once_the_others_are_full() -> None:
    objects = [bytes(200) for _ in range(5_000)]
    del objects[::2]
    fill_pools()
    made = [bytes(200) for _ in range(40)]
    in_a_row = [id(after) - id(before) == 240 for before, after in pairwise(made)]
    assert sum(in_a_row) > 30
