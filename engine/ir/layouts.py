"""Memory layouts of HLO text. Values never depend on them, except through bitcast."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Layout:
    """`{1,0:T(8,128)S(1)}`: the order of the dimensions, and the suffix after the colon."""

    minor_to_major: tuple[int, ...]
    tiles: tuple[tuple[int | None, ...], ...] = ()
    """`T(8,128)(2,1)`; `None` for `*`, a dimension that is combined with the next."""
    element_size_in_bits: int = 0
    """`E(4)`; 0 if the element type determines it."""
    memory_space: int = 0
    """`S(1)`; 0 is the default memory space."""
    others: tuple[str, ...] = ()
    """Other parts of the suffix (`D(D,C)`, `L(2)`, `#(u32)`, `SC(0:1)`, `M(8)`), as text, in order."""

    @property
    def is_row_major(self) -> bool:
        """Whether the dimensions are in row-major order, the last one minor."""
        return self.minor_to_major == tuple(reversed(range(len(self.minor_to_major))))

    def __str__(self) -> str:
        order = ",".join(map(str, self.minor_to_major))
        tiles = "".join(f"({','.join('*' if n is None else str(n) for n in tile)})" for tile in self.tiles)
        # XLA accepts these in one order only: D, T, L, #, *, E, S, then the rest.
        tail = [
            *(text for text in self.others if text[0] == "D"),
            f"T{tiles}" if tiles else "",
            *(text for text in self.others if text[0] in "L#*"),
            f"E({self.element_size_in_bits})" if self.element_size_in_bits else "",
            f"S({self.memory_space})" if self.memory_space else "",
            *(text for text in self.others if text[0] not in "DL#*"),
        ]
        return f"{{{order}:{''.join(tail)}}}" if any(tail) else f"{{{order}}}"
