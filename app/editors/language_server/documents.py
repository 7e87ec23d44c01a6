"""The open documents: each with the analysis of its current text, and an optional recording."""

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

_SEVERITIES = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "note": DiagnosticSeverity.Information,
}


@dataclass
class Document:
    """One version of a text."""

    version: int
    analysis: Analysis
    positions: Positions

    def diagnostics(self) -> list[Diagnostic]:
        """Its diagnostics; the code is the label of a constraint."""
        return [self._diagnostic(found) for found in self.analysis.diagnostics]

    def _diagnostic(self, found: Wrong) -> Diagnostic:
        hint = f"\n{found.hint}" if found.hint else ""
        link = _link(found)
        return Diagnostic(
            range=self.positions.range(found.span),
            message=f"{found.text}{hint}",
            severity=_SEVERITIES[found.severity],
            source="hloscope",
            code=found.label or found.kind,
            code_description=CodeDescription(link) if link else None,
        )


def _link(found: Wrong) -> str | None:
    """The link to the text of a constraint."""
    page = op_page(found.op) if found.op and found.label else None
    return page["links"][0]["url"] if page and page["links"] else None


class Documents:
    """All open documents. Texts are analysed in sequence, off the message loop."""

    def __init__(self, limits: Limits, codec: PositionCodec) -> None:
        self.codec, self._limits = codec, limits
        self._tasks: dict[str, tuple[int, asyncio.Task[Document]]] = {}
        self._attached: dict[str, Attached] = {}

    def changed(self, uri: str, text: str, version: int, delay: float = 0.0) -> asyncio.Task[Document]:
        """Start analysing a text; the analysis of an older version is dropped."""
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
        """The document after its analysis; `None` if it is closed, or has changed meanwhile."""
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
        """Close a document."""
        if uri in self._tasks:
            self._tasks.pop(uri)[1].cancel()
        if uri in self._attached:
            self._attached.pop(uri).stopped.set()

    def attach(self, uri: str, attached: Attached) -> None:
        """Attach a recording to a document; the previous one ends."""
        if uri in self._attached:
            self._attached[uri].stopped.set()
        self._attached[uri] = attached

    def attached(self, uri: str, document: Document) -> Attached | None:
        """The recording of a document, if it belongs to the current text."""
        found = self._attached.get(uri)
        return found if found is not None and found.text == document.analysis.text else None
