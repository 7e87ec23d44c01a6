"""One tensor distributed over devices by an HLO sharding: cutting and joining its parts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...indexing import OperandMap
from ...ir.types import TensorType, Type
from ...sharding.notation.tilings import Tiling
from ..core.exchanges import GridPosition, Peers, PeerValues, Piece
from ..core.op import Array
from ..core.values import read_only
from .manual_parts import device_at, join, pieces, process_at
from .part_maps import cut_map, cut_values, join_maps, join_values, members_of


@dataclass(frozen=True)
class TiledParts:
    """The parts of a tensor of `shape`; processes whose parts form one tensor are peers."""

    tiling: Tiling
    shape: tuple[int | None, ...]

    @cached_property
    def _among(self) -> Tiling:
        """The tiling by positions among the peers."""
        if self.tiling.is_whole:
            return Tiling()
        count = self.tiling.tile_count * self.tiling.terms
        return Tiling(self.tiling.tiles, tuple(range(count)), self.tiling.terms)

    def _device(self, place: GridPosition) -> int:
        return device_at(place, self.tiling.device_count, "the sharding")

    def peers(self, place: GridPosition) -> Peers:
        """The processes that have the other parts."""
        device = self._device(place)
        sources = [device] if self.tiling.is_whole else self.tiling.sources(device).reshape(-1).tolist()
        group = tuple(process_at(place, source, self.tiling.device_count) for source in sources)
        return Peers(group, group)

    def cut(self, operands: Sequence[Array], place: GridPosition) -> tuple[Array, ...]:
        """The part that a process takes."""
        (whole,) = operands
        return (read_only(self.tiling.cut(whole, self._device(place))),)

    def join(self, peer_values: PeerValues) -> tuple[Array, ...]:
        """The whole tensor, joined from its parts."""
        return (join(peer_values, 0, self._among, self.sizes(peer_values)),)

    def pieces(self, peer_values: PeerValues) -> Iterator[Piece]:
        """Data movement of a join: boxes of parts and their boxes in the whole."""
        return pieces(peer_values, 0, self._among, self.sizes(peer_values))

    def cut_values(self, place: GridPosition) -> tuple[Array, ...]:
        """The process values that `cut_maps` read."""
        return cut_values(self.tiling, self._device(place))

    def cut_maps(self, wholes: Sequence[Type], first: int, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between the part and the whole tensor; `first` is the first variable for its start."""
        (whole,) = wholes
        assert isinstance(whole, TensorType)
        yield OperandMap(0, cut_map(self.tiling, whole.sizes, first, inverse=inverse))

    def join_values(self, place: GridPosition) -> tuple[Array, ...]:
        """The process values that `join_maps` read."""
        at = self.peers(place).group.index(place.process)
        return join_values(self._among, at, members_of(self._among))

    def join_maps(self, wholes: Sequence[Type], first: int, *, inverse: bool = False) -> Iterator[OperandMap]:
        """Maps between the whole tensor and the joined parts; `first` is the first variable."""
        (whole,) = wholes
        assert isinstance(whole, TensorType)
        yield join_maps(0, self._among, whole.sizes, first, members_of(self._among), inverse=inverse)

    def sizes(self, peer_values: PeerValues) -> tuple[int, ...]:
        """The sizes of the whole tensor; unknown ones are those that all parts together provide."""
        largest = self._among.whole_shape(peer_values.brought[peer_values.position][0].shape)
        return tuple(known if size is None else size for size, known in zip(self.shape, largest, strict=True))
