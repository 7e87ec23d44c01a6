"""Threefry-2x32 and Philox-4x32, arranged in tensors as XLA does (Salmon et al., SC 2011).

Both turn a key and the numbers of blocks, which are counted up, into blocks of words that look random.
"""

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Words = tuple[Array, ...]
"""Arrays of ui32, one for each word of a block."""

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


def three_fry_bits(state: Array, shape: tuple[int, ...], width: int) -> tuple[Array, Array]:
    """The new state, and `width` (32 or 64) bits for each element.

    A block gives one element of 64 bits; or two of 32, which lie next to each other in one dimension: the first
    one of even size, or else the first of the largest.
    """
    key, counter = state
    if width == 64:
        low, high = three_fry(_words(key), _words(_counters(counter, prod(shape))))
        return _advance(state, low.size), _join_halves(low, high).reshape(shape)
    dimension = _split_dimension(shape)
    halves = tuple(-(-size // 2) if k == dimension else size for k, size in enumerate(shape))
    pair = three_fry(_words(key), _words(_counters(counter, prod(halves))))
    if dimension is None:
        return _advance(state, 1), pair[0].reshape(shape)
    both = np.stack([half.reshape(halves) for half in pair], axis=dimension + 1)
    doubled = tuple(2 * size if k == dimension else size for k, size in enumerate(halves))
    return _advance(state, prod(halves)), both.reshape(doubled)[tuple(map(slice, shape))]


def _split_dimension(shape: tuple[int, ...]) -> int | None:
    even = (k for k, size in enumerate(shape) if size % 2 == 0)
    return next(even, shape.index(max(shape)) if shape else None)


def three_fry(key: Words, block: Words) -> Words:
    """Threefry-2x32 with 20 rounds: two words for each pair of words."""
    keys = (*key, key[0] ^ key[1] ^ _PARITY)
    x, y = block[0] + keys[0], block[1] + keys[1]
    for group in range(5):
        for rotation in _ROTATIONS[group % 2]:
            x = x + y
            y = (y << np.uint32(rotation) | y >> np.uint32(32 - rotation)) ^ x
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_WEYL = np.uint32(0x9E3779B9), np.uint32(0xBB67AE85)


def philox_bits(state: Array, shape: tuple[int, ...], width: int) -> tuple[Array, Array]:
    """The new state, and `width` (32 or 64) bits for each element, in the order of their indices.

    Of a state of two the first element is the key and, once more, the upper half of the counter.
    """
    key, low = state[:2]
    high = state[2] if state.size == 3 else key
    count = prod(shape) * width // 32
    blocks = -(-count // 4)
    lower = _counters(low, blocks)
    upper = np.full(blocks, high) + (lower < low)
    words = np.stack(philox(_words(key), (*_words(lower), *_words(upper))), axis=-1).reshape(-1)
    bits = words[:count] if width == 32 else _join_halves(words[:count:2], words[1:count:2])
    return _advance(state, blocks), bits.reshape(shape)


def philox(key: Words, block: Words) -> Words:
    """Philox-4x32 with 10 rounds: four words for each four."""
    first, second = key
    a, b, c, d = block
    for _ in range(10):
        left, right = (word.astype(np.uint64) * m for word, m in zip((a, c), _MULTIPLIERS, strict=True))
        (left_low, left_high), (right_low, right_high) = _words(left), _words(right)
        a, b, c, d = right_high ^ b ^ first, right_low, left_high ^ d ^ second, left_low
        first, second = first + _WEYL[0], second + _WEYL[1]
    return a, b, c, d


def _words(values: Array) -> Words:
    """The lower and the upper half of each ui64."""
    values = np.atleast_1d(values)
    return (values & _LOW).astype(np.uint32), (values >> _HALF).astype(np.uint32)


def _join_halves(low: Array, high: Array) -> Array:
    return np.asarray(low.astype(np.uint64) | high.astype(np.uint64) << _HALF)


def _counters(start: Any, count: int) -> Array:
    """`count` numbers from `start` on; after the largest comes 0."""
    return np.asarray(np.arange(count, dtype=np.uint64) + np.atleast_1d(start))


def _advance(state: Array, blocks: int) -> Array:
    """The state with its counter moved on; a third element takes the carry."""
    after = np.array(state)
    after[1:2] += np.uint64(blocks)
    if after.size == 3:
        after[2:] += after[1:2] < state[1:2]
    return after
