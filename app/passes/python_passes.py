"""Results of `hloscope.passes` and `hloscope.capture`: the stages of a dump, run on demand."""

from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from hloscope.engine.errors import InputError

from .dump_files import Dump, DumpLimits, open_dump
from .examine import examine
from .read_modules import Request
from .records import ModuleReport, Report, StageReport


class Passes:
    """The changes that each pass of XLA made to the programs of a dump.

    Texts are read and run at first access; the results are kept.
    """

    def __init__(
        self, folder: str | Path, request: Request, temporary: TemporaryDirectory[str] | None = None
    ) -> None:
        """`temporary` is a folder that is deleted together with this object."""
        self.folder = Path(folder)
        """The folder of the texts."""
        self._request = request
        self._temporary = temporary
        self._is_open = False

    @cached_property
    def dump(self) -> Dump:
        """The files as modules and stages, with texts. `InputError` if none, or during capture."""
        if self._is_open:
            raise InputError(
                "the block of hloscope.capture() has not ended", hint="Look at the passes behind it."
            )
        return open_dump(self.folder, DumpLimits(self._request.limits.max_program_bytes))

    @cached_property
    def report(self) -> Report:
        """The results for all modules."""
        return examine(self.dump, self._request)

    @property
    def modules(self) -> tuple[ModuleReport, ...]:
        """Each compilation with its stages."""
        return self.report.modules

    @property
    def stages(self) -> tuple[StageReport, ...]:
        """The stages of all modules, in order: `stage.verdict`, `stage.counts`, `stage.worst`."""
        return self.report.stages

    @property
    def first_wrong(self) -> StageReport | None:
        """The first stage that a pass made wrong; `None` if there is none."""
        return self.report.first_wrong

    @property
    def sentence(self) -> str:
        """The verdict in words: the pass, the instruction, the element."""
        return self.report.sentence

    def text(self, stage: StageReport) -> str:
        """The program after a pass."""
        return self.dump.text(stage.stage.path)

    def __repr__(self) -> str:
        if self._is_open:
            return "<Passes, being captured>"
        known = "report" in self.__dict__
        return f"<Passes of {self.folder}: {self.sentence if known else 'not examined yet'}>"
