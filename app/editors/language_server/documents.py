"""The open documents: each with what is known of its text as it is now, and a recording, if the user has asked for one."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from lsprotocol.types import CodeDescription, Diagnostic, DiagnosticSeverity
from pygls.workspace import PositionCodec

from hloscope.engine.errors import Diagnostic as Wrong
from hloscope.engine.limits import Limits

from ...reference import op_page
from .analysis import Analysis
from .positions import Positions
from .recordings import Attached, path_of


@dataclass
class Document:
    """One text as it was at a version."""

    version: int
    analysis: Analysis
    positions: Positions

    def diagnostics(self) -> list[Diagnostic]:
        """What is wrong with it; the label of a constraint is the code."""
        return [self._diagnostic(found) for found in self.analysis.loaded.diagnostics]

    def _diagnostic(self, found: Wrong) -> Diagnostic:
        hint = f"\n{found.hint}" if found.hint else ""
        link = _link(found)
        return Diagnostic(
            range=self.positions.range(found.span),
            message=f"{found.text}{hint}",
            severity=DiagnosticSeverity.Warning if found.severity == "warning" else DiagnosticSeverity.Error,
            source="hloscope",
            code=found.label or found.kind,
            code_description=CodeDescription(link) if link else None,
        )


def _link(found: Wrong) -> str | None:
    """Where the constraint is written down."""
    page = op_page(found.op) if found.op and found.label else None
    return page["links"][0]["url"] if page and page["links"] else None


class Documents:
    """All that are open. Texts are analysed one after the other, off the loop that reads messages."""

    def __init__(self, limits: Limits, codec: PositionCodec) -> None:
        self.codec, self._limits = codec, limits
        self._tasks: dict[str, tuple[int, asyncio.Task[Document]]] = {}
        self._attached: dict[str, Attached] = {}

    def changed(self, uri: str, text: str, version: int, delay: float = 0.0) -> asyncio.Task[Document]:
        """Begins to analyse a text; what was being found out about an older one is not wanted any more."""
        if uri in self._tasks:
            self._tasks[uri][1].cancel()
        task = asyncio.get_running_loop().create_task(self._analyse(uri, text, version, delay))
        self._tasks[uri] = version, task
        if uri in self._attached and self._attached[uri].text != text:
            self._attached[uri].stopped.set()
        return task

    async def _analyse(self, uri: str, text: str, version: int, delay: float) -> Document:
        await asyncio.sleep(delay)
        analysis = await asyncio.to_thread(Analysis, text, path_of(uri), self._limits)
        return Document(version, analysis, Positions(text, self.codec))

    async def current(self, uri: str) -> Document | None:
        """The document, once it is analysed; `None` where it is not open, or has changed meanwhile."""
        if uri not in self._tasks:
            return None
        task = self._tasks[uri][1]
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                return None
            raise

    def close(self, uri: str) -> None:
        """Forgets a document."""
        if uri in self._tasks:
            self._tasks.pop(uri)[1].cancel()
        if uri in self._attached:
            self._attached.pop(uri).stopped.set()

    def attach(self, uri: str, attached: Attached) -> None:
        """A recording of a document; one that it had before ends."""
        if uri in self._attached:
            self._attached[uri].stopped.set()
        self._attached[uri] = attached

    def attached(self, uri: str, document: Document) -> Attached | None:
        """The recording of a document, where it is one of the text as it is now."""
        found = self._attached.get(uri)
        return found if found is not None and found.text == document.analysis.text else None
