"""Values under a budget: every buffer counts once, the oldest go first, small views are cut loose."""

import numpy as np

from engine.debugger.address import Address, argument, result
from engine.debugger.value_store import ENTRY_BYTES, ValueStore

KILOBYTE = 1024


def _array(kilobytes: int, fill: int = 1) -> np.ndarray:
    return np.full(kilobytes * KILOBYTE, fill, np.uint8)


def test_an_address_reads_as_it_prints() -> None:
    for address in (result(12), argument(3, 1), Address(7, "s", 0, 2)):
        assert Address.parse(str(address)) == address


def test_views_of_one_buffer_count_once() -> None:
    store = ValueStore(100 * KILOBYTE)
    whole = _array(8)
    store.put(0, (whole,))
    store.put(2, (whole[:4096],))
    store.put(4, (np.broadcast_to(whole, (1000, whole.size)),))
    assert store.bytes == 8 * KILOBYTE


def test_the_oldest_values_go_first_and_the_newest_stays() -> None:
    store = ValueStore(10 * KILOBYTE + 4 * ENTRY_BYTES)
    for step in range(4):
        store.put(2 * step, (_array(4, step),))
    assert [2 * step in store for step in range(4)] == [False, False, True, True]
    store.put(18, (_array(64),))
    assert len(store) == 1
    assert 18 in store


def test_inputs_count_nothing() -> None:
    given = _array(64)
    store = ValueStore(8 * KILOBYTE + 3 * ENTRY_BYTES, (given,))
    store.put(1, (given,))
    store.put(0, (given.reshape(2, -1),))
    store.put(2, (_array(4),))
    assert store.bytes == 4 * KILOBYTE
    assert len(store) == 3


def test_a_small_view_does_not_keep_a_large_buffer_alive() -> None:
    store = ValueStore(20 * KILOBYTE + 4 * ENTRY_BYTES)
    whole = _array(16, 7)
    store.put(0, (whole,))
    store.put(2, (whole[:100],))
    store.put(4, (_array(8),))
    assert 0 not in store
    (view,) = store.get(2) or ()
    assert (view == 7).all()
    assert store.bytes == 8 * KILOBYTE + 100


def test_a_large_view_goes_on_sharing() -> None:
    store = ValueStore(20 * KILOBYTE + 4 * ENTRY_BYTES)
    whole = _array(16)
    view = whole[: 12 * KILOBYTE]
    store.put(0, (whole,))
    store.put(2, (view,))
    store.put(4, (_array(4),))
    store.put(6, (_array(0),))
    assert store.bytes <= 20 * KILOBYTE
    assert (store.get(2) or ())[0] is view
