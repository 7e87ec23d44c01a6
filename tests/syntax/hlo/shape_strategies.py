"""Any shape that HLO has, for property tests."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from engine.ir.layouts import Layout
from engine.ir.types import BufferType, TensorType, TokenType, TupleType, Type
from engine.syntax.hlo.print_shapes import HLO_ELEMENT_TYPES, OPAQUE

ELEMENT_NAMES = sorted(HLO_ELEMENT_TYPES)
_INDEX_TYPES = ("u8", "u16", "u32", "u64", "s32")


def layouts(rank: int) -> st.SearchStrategy[Layout]:
    """A layout of an array of so many dimensions, as XLA takes and prints it."""
    tile = st.lists(st.integers(1, 256) | st.none(), min_size=1, max_size=3).map(tuple)
    others = st.tuples(
        st.sampled_from(["", "L(2)", "L(256)"]),
        st.sampled_from(["", *(f"#({name})" for name in _INDEX_TYPES)]),
        st.sampled_from(["", *(f"*({name})" for name in _INDEX_TYPES)]),
        st.sampled_from(["", "SC(0:1)", "SC(0:1,3)", "SC(0:1)(1:2,3)"] if rank > 1 else [""]),
        st.sampled_from(["", "M(8)"]),
    )
    return st.builds(
        Layout,
        st.permutations(range(rank)).map(tuple),
        st.lists(tile, max_size=2).map(tuple),
        st.sampled_from([0, 0, 1, 4, 32]),
        st.sampled_from([0, 0, 1, 5]),
        others.map(lambda texts: tuple(text for text in texts if text)),
    )


@st.composite
def arrays(
    draw: st.DrawFn,
    max_size: int = 1 << 40,
    max_rank: int = 5,
    dynamic: bool = True,
    names: Sequence[str] = ELEMENT_NAMES,
) -> TensorType:
    """The shape of an array."""
    element_type = HLO_ELEMENT_TYPES[draw(st.sampled_from(names))]
    sizes = draw(st.lists(st.integers(0, max_size), max_size=max_rank))
    kinds = [draw(st.sampled_from(["=", "=", "<=", "?"])) if dynamic else "=" for _ in sizes]
    shape = tuple(size if kind == "=" else None for size, kind in zip(sizes, kinds, strict=True))
    bounds = tuple(size if kind == "<=" else None for size, kind in zip(sizes, kinds, strict=True))
    layout = draw(st.none() | layouts(len(sizes)))
    if layout == Layout(()):
        layout = None
    return TensorType(shape, element_type, bounds if "<=" in kinds else None, layout=layout)


def shapes() -> st.SearchStrategy[Type]:
    """A shape of any kind."""
    leaves = arrays() | st.builds(BufferType, arrays()) | st.just(TokenType()) | st.just(OPAQUE)
    tuples = st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=7).map(lambda types: TupleType(tuple(types)))
    )
    return tuples
