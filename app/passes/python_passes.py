"""What `hloscope.passes` and `hloscope.capture` give: the stages of a dump, read and run when they are first looked at."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from hloscope.engine.errors import InputError

from .dump_files import Dump, DumpLimits, open_dump
from .microscope import examine
from .read_modules import Request
from .records import ModuleReport, Report, StageReport


class Passes:
    """What each pass of XLA did to the programs of a dump.

    Texts are read when something is first asked, and run then; what was found is kept.
    """

    def __init__(
        self, folder: str | Path, request: Request, temporary: TemporaryDirectory[str] | None = None
    ) -> None:
        """`temporary` is a folder that goes when this object does."""
        self.folder = Path(folder)
        """Where the texts lie."""
        self._request = request
        self._temporary = temporary
        self._is_open = False

    @cached_property
    def dump(self) -> Dump:
        """The files, as modules and stages, and their texts. `InputError` if there are none, or while they are captured."""
        if self._is_open:
            raise InputError(
                "the block of hloscope.capture() has not ended", hint="Look at the passes behind it."
            )
        return open_dump(self.folder, DumpLimits(self._request.limits.max_program_bytes))

    @cached_property
    def report(self) -> Report:
        """What was found out of all modules."""
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
        """The first stage that a pass has made wrong; `None` if no pass has."""
        return self.report.first_wrong

    @property
    def sentence(self) -> str:
        """The verdict in words: which pass, which instruction, which element."""
        return self.report.sentence

    def text(self, stage: StageReport) -> str:
        """The program after a pass."""
        return self.dump.text(stage.stage.path)

    def __repr__(self) -> str:
        if self._is_open:
            return "<Passes, being captured>"
        known = "report" in self.__dict__
        return f"<Passes of {self.folder}: {self.sentence if known else 'not looked at yet'}>"
