"""One tensor that is laid out over devices as a sharding of HLO says: its parts cut out, and put together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..indexing import OperandMap
from ..ir.tilings import Tiling
from ..ir.types import TensorType, Type
from .exchanges import Met, Peers, Piece, Place
from .manual_parts import device_at, joined, pieces, process_at
from .op import Array
from .part_maps import cut_found, cut_map, joined_found, joined_maps, members_of
from .values import read_only


@dataclass(frozen=True)
class TiledParts:
    """The parts of a tensor of `shape`. Those meet whose parts make up the tensor that one of them gets."""

    tiling: Tiling
    shape: tuple[int | None, ...]

    @cached_property
    def _among(self) -> Tiling:
        """The tiling, of places among those who meet."""
        if self.tiling.is_whole:
            return Tiling()
        count = self.tiling.tile_count * self.tiling.terms
        return Tiling(self.tiling.tiles, tuple(range(count)), self.tiling.terms)

    def _device(self, place: Place) -> int:
        return device_at(place, self.tiling.device_count, "the sharding")

    def peers(self, place: Place) -> Peers:
        """Who has the other parts."""
        device = self._device(place)
        sources = [device] if self.tiling.is_whole else self.tiling.sources(device).reshape(-1).tolist()
        group = tuple(process_at(place, source, self.tiling.device_count) for source in sources)
        return Peers(group, group)

    def cut(self, operands: Sequence[Array], place: Place) -> tuple[Array, ...]:
        """The part that a process takes."""
        (whole,) = operands
        return (read_only(self.tiling.cut(whole, self._device(place))),)

    def joined(self, met: Met) -> tuple[Array, ...]:
        """The whole tensor out of its parts."""
        return (joined(met, 0, self._among, self.sizes(met)),)

    def pieces(self, met: Met) -> Iterator[Piece]:
        """Which parts go where."""
        return pieces(met, 0, self._among, self.sizes(met))

    def cut_found(self, place: Place) -> tuple[Array, ...]:
        """What `cut_maps` read."""
        return cut_found(self.tiling, self._device(place))

    def cut_maps(self, wholes: Sequence[Type], first: int, *, inverse: bool = False) -> Iterator[OperandMap]:
        """From the part to the whole tensor that it is cut out of, or back; `first` is where they are read."""
        (whole,) = wholes
        assert isinstance(whole, TensorType)
        yield OperandMap(0, cut_map(self.tiling, whole.sizes, first, inverse=inverse))

    def joined_found(self, place: Place) -> tuple[Array, ...]:
        """What `joined_maps` read."""
        at = self.peers(place).group.index(place.process)
        return joined_found(self._among, at, members_of(self._among))

    def joined_maps(
        self, wholes: Sequence[Type], first: int, *, inverse: bool = False
    ) -> Iterator[OperandMap]:
        """From the whole tensor to the parts that it is put together of, or back."""
        (whole,) = wholes
        assert isinstance(whole, TensorType)
        yield joined_maps(0, self._among, whole.sizes, first, members_of(self._among), inverse=inverse)

    def sizes(self, met: Met) -> tuple[int, ...]:
        """The sizes of the whole tensor; those that are not known are as many as there are parts for."""
        largest = self._among.whole_shape(met.brought[met.place][0].shape)
        return tuple(known if size is None else size for size, known in zip(self.shape, largest, strict=True))
