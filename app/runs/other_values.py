"""Named values of another execution of the same program, from a file: of XLA, or a device."""

from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from hloscope.engine.comparison.difference import Tolerance
from hloscope.engine.comparison.named_values import named_values
from hloscope.engine.comparison.runs import ComparedValue, RunComparison, as_value, comparing_named
from hloscope.engine.debugger.address import Address
from hloscope.engine.debugger.recording import Recording
from hloscope.engine.ir.types import TensorType
from hloscope.engine.ops.core.op import Array

from ..wire.run_comparison import ValuesOrigin
from .run_pair import RunPair, identity
from .value_files import device_of_values, read_about, read_values


class OtherValues:
    """The other side of a comparison: each value belongs to a value of the run."""

    replaying = catching_up = False
    step_count = 0

    def __init__(self, recording: Recording, path: str, budget: int) -> None:
        """Raises `InputError` if the file holds no values, or more bytes than `budget`."""
        self.key, self.recording = path, recording
        self.values = read_values(Path(path), budget)
        self.about = _origin(read_about(self.values))
        self.names: dict[Address, str] = {}
        """Names in the file of the values compared so far."""

    def tensor(self, address: Address) -> tuple[Array, TensorType]:
        """The value for a value of the run. Raises `KeyError` if there is none."""
        if address not in self.names:
            self._find(address)
        type = self.recording.type_of(address)
        found = as_value(self.values[self.names[address]], self.recording, address)
        assert isinstance(type, TensorType)
        return found, replace(type, shape=found.shape, layout=None)

    def _find(self, address: Address) -> None:
        """Find the value's name, if it has not been compared yet."""
        wanted = (named for named in named_values(self.recording) if named.address == address)
        names = next((named.names for named in wanted), ())
        if (name := next((name for name in names if name in self.values), None)) is not None:
            self.names[address] = name


def _origin(about: dict[str, object]) -> ValuesOrigin:
    lines = about.get("lines")
    return {
        "title": str(about.get("engine", "")),
        "sentence": str(about.get("sentence", "")),
        "lines": [str(line) for line in lines] if isinstance(lines, list) else [],
        "confirmed": about.get("confirmed") is True,
    }


class ValuesPair(RunPair):
    """A run and such values, compared one by one, like two runs."""

    def __init__(self, before: Recording, other: OtherValues, tolerance: Tolerance | None) -> None:
        super().__init__(
            before, before, tolerance, identity(before.program), self._compared(before, other, tolerance)
        )

    def _compared(
        self, before: Recording, other: OtherValues, tolerance: Tolerance | None
    ) -> Generator[ComparedValue | None, None, RunComparison]:
        """The values of the file's comparison, addressed as values of the run."""
        values: list[ComparedValue] = []
        steps = comparing_named(before, other.values, tolerance, device_of_values(other.values))
        while True:
            try:
                found = next(steps)
            except StopIteration as ended:
                # A value missing in the file is not missing in the run.
                whole: RunComparison = ended.value
                return replace(whole, values=tuple(values), only_before=(), only_after=())
            if found is None:
                yield None
                continue
            other.names[found.before] = str(found.after)
            values.append(replace(found, after=found.before))
            yield values[-1]
