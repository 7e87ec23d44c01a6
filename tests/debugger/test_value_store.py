"""Values under a budget: every buffer counts once, the oldest go first, small views are cut loose."""

import numpy as np

from hloscope.engine.debugger.address import Address, argument, result
from hloscope.engine.debugger.value_store import ENTRY_BYTES, ValueStore
from hloscope.engine.ops.core.values import token, tuple_of

KILOBYTE = 1024


def _array(kilobytes: int, fill: int = 1) -> np.ndarray:
    return np.full(kilobytes * KILOBYTE, fill, np.uint8)


def test_an_address_reads_as_it_prints() -> None:
    for address in (result(12), argument(3, 1), Address(7, "s", 0, 2), Address(0, "f", 1, 2, (3, 0))):
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


def test_a_tuple_counts_what_is_in_it_once() -> None:
    store = ValueStore(100 * KILOBYTE)
    whole = _array(8)
    store.put(0, (whole,))
    store.put(2, (tuple_of([tuple_of([whole, token()]), _array(2)]),))
    assert store.bytes == 10 * KILOBYTE
    store.put(4, (tuple_of([whole, whole]),))
    assert store.bytes == 10 * KILOBYTE


def test_what_goes_with_a_tuple_is_free_again() -> None:
    store = ValueStore(20 * KILOBYTE + 4 * ENTRY_BYTES)
    store.put(0, (tuple_of([_array(8), _array(8)]),))
    store.put(2, (_array(16),))
    assert 0 not in store
    assert store.bytes == 16 * KILOBYTE


def test_a_small_view_in_a_tuple_does_not_keep_a_large_buffer_alive() -> None:
    store = ValueStore(20 * KILOBYTE + 4 * ENTRY_BYTES)
    whole = _array(16, 7)
    store.put(0, (whole,))
    store.put(2, (tuple_of([tuple_of([whole[:100]]), token()]),))
    store.put(4, (_array(8),))
    assert 0 not in store
    (found,) = store.get(2) or ()
    ((inner,), empty) = found
    assert (inner == 7).all()
    assert inner.size == 100
    assert empty.size == 0
    assert not inner.flags.writeable
    assert store.bytes == 8 * KILOBYTE  # the 100 bytes of its own are too small to be counted
    store.put(6, (_array(19),))
    assert store.bytes == 19 * KILOBYTE


def test_tuples_of_inputs_count_nothing() -> None:
    given = _array(64)
    store = ValueStore(8 * KILOBYTE + 3 * ENTRY_BYTES, (tuple_of([given, token()]),))
    store.put(0, (given[:10],))
    assert store.bytes == 0
