"""The language server: requests of editors, their handlers, and inlay hints."""

import asyncio
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from lsprotocol import types
from lsprotocol.types import InlayHint, InlayHintKind
from pygls.lsp.server import LanguageServer

from hloscope.engine.errors import ProgramError
from hloscope.engine.ir.module import Module, Operation
from hloscope.engine.ir.types import TensorType
from hloscope.engine.limits import Limits
from hloscope.engine.ops import op_table
from hloscope.engine.source import Span
from hloscope.engine.syntax import print_hlo, print_module

from ...base.failure import Failure, file_sentence
from ...base.faults import sentence
from ...base.settings import Settings, SettingsError
from ...base.versions import installed_version
from ...present.summary import short_type
from .analysis import Analysis, Mention
from .completion import completions
from .documents import Documents
from .hover import hover
from .outline import TOKEN_TYPES, folds, semantic_tokens, symbols
from .positions import Positions
from .recordings import Attached, path_of
from .renaming import NotRenamed, renamed

CHANGE_DELAY = 0.15
"""Idle time in seconds after a key before a text is analysed."""
RECORD = "hloscope.record"


def serve_standard_streams(settings: list[str]) -> int:
    """Serve a client over standard input and output; other output goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    make_server(settings).start_io(sys.stdin.buffer, sink)
    return 0


def make_server(settings: list[str]) -> LanguageServer:
    """A server with all its handlers."""
    server = LanguageServer("hloscope", installed_version() or "")
    loaded = Settings.load(settings)
    limits = loaded.limits()
    opened: list[Documents] = []

    def documents() -> Documents:
        if not opened:
            opened.append(Documents(limits, server.workspace.position_codec))
        return opened[0]

    _keep_documents(server, documents, loaded)
    _navigate(server, documents)
    _rename(server, documents, limits)
    _show(server, documents)
    _record(server, documents, settings)
    return server


def _keep_documents(server: LanguageServer, documents: Callable[[], Documents], settings: Settings) -> None:
    async def attach_kept(uri: str) -> None:
        """Attach the local server's last run of this text, if there is one and no other is attached."""
        document = await documents().current(uri)
        if document is None or document.analysis.program is None or documents().attached(uri, document):
            return
        text = document.analysis.text
        attached = await asyncio.to_thread(Attached.kept, path_of(uri), text, settings)
        if attached is not None:
            documents().attach(uri, attached)
            await _record_on(server, attached)

    async def publish(uri: str, delay: float) -> None:
        text = server.workspace.get_text_document(uri)
        try:
            found = await documents().changed(uri, text.source, text.version or 0, delay)
        except asyncio.CancelledError:
            return  # a newer text is being analysed
        server.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, found.diagnostics(), found.version)
        )

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def did_open(params: types.DidOpenTextDocumentParams) -> None:
        await publish(params.text_document.uri, 0)
        await attach_kept(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def did_save(params: types.DidSaveTextDocumentParams) -> None:
        await attach_kept(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def did_change(params: types.DidChangeTextDocumentParams) -> None:
        await publish(params.text_document.uri, CHANGE_DELAY)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        documents().close(params.text_document.uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(params.text_document.uri, []))


def _navigate(server: LanguageServer, documents: Callable[[], Documents]) -> None:
    async def same(uri: str, position: types.Position) -> list[tuple[Mention, types.Range]]:
        """The words with the same referent as the word at a position, and their places."""
        document = await documents().current(uri)
        mention = document and document.analysis.mention_at(document.positions.offset(position))
        if not (document and mention):
            return []
        return [(each, document.positions.range(each.span)) for each in document.analysis.by_key[mention.key]]

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        uri = params.text_document.uri
        found = await same(uri, params.position)
        return [types.Location(uri, place) for mention, place in found if mention.defines][:1]

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        uri, wanted = params.text_document.uri, params.context.include_declaration
        found = await same(uri, params.position)
        return [types.Location(uri, place) for mention, place in found if wanted or not mention.defines]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlights(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        return [
            types.DocumentHighlight(place)
            for _, place in await same(params.text_document.uri, params.position)
        ]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def document_symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        document = await documents().current(params.text_document.uri)
        return symbols(document.analysis, document.positions) if document else []

    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        document = await documents().current(params.text_document.uri)
        return folds(document.analysis, document.positions) if document else []


def _show(server: LanguageServer, documents: Callable[[], Documents]) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def show(params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        document = await documents().current(uri)
        if document is None:
            return None
        attached = documents().attached(uri, document)
        found = await asyncio.to_thread(
            hover, document.analysis, attached, document.positions.offset(params.position)
        )
        if found is None:
            return None
        text = types.MarkupContent(types.MarkupKind.Markdown, found[0])
        return types.Hover(text, document.positions.range(found[1]))

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["%", "@", "."])
    )
    async def complete(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = await documents().current(params.text_document.uri)
        return completions(document.analysis, document.positions.offset(params.position)) if document else []

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    async def format_all(params: types.DocumentFormattingParams) -> list[types.TextEdit]:
        document = await documents().current(params.text_document.uri)
        if document is None:
            return []
        try:
            text = formatted(document.analysis)
        except NotFormatted as reason:
            server.window_show_message(types.ShowMessageParams(types.MessageType.Warning, str(reason)))
            return []
        same = text == document.analysis.text
        return [] if same else [types.TextEdit(document.positions.whole, text)]

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        uri = params.text_document.uri
        document = await documents().current(uri)
        if document is None:
            return []
        positions = document.positions
        visible = Span(positions.offset(params.range.start), positions.offset(params.range.end))
        attached = documents().attached(uri, document)
        return await asyncio.to_thread(hints, document.analysis, attached, positions, visible)

    legend = types.SemanticTokensLegend(token_types=list(TOKEN_TYPES), token_modifiers=[])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def colours(params: types.SemanticTokensParams) -> types.SemanticTokens:
        document = await documents().current(params.text_document.uri)
        return types.SemanticTokens(
            semantic_tokens(document.analysis, document.positions) if document else []
        )


def _rename(server: LanguageServer, documents: Callable[[], Documents], limits: Limits) -> None:
    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        uri = params.text_document.uri
        document = await documents().current(uri)
        if document is None:
            return None
        offset = document.positions.offset(params.position)
        try:
            edits = await asyncio.to_thread(renamed, document.analysis, offset, params.new_name, limits)
        except NotRenamed as reason:
            _tell(server, str(reason))
            return None
        return types.WorkspaceEdit(
            {uri: [types.TextEdit(document.positions.range(span), new) for span, new in edits]}
        )


def _record(server: LanguageServer, documents: Callable[[], Documents], settings: list[str]) -> None:
    @server.command(RECORD)
    async def record(*arguments: Any) -> str:
        """Record the program of a document in the background for its hovers and hints, and report.

        The arguments are the document's URI and optional arguments of a launch: `{"input": ["iota"]}`.
        """
        uri, launch = (*arguments, *("", {})[len(arguments) :])[:2]
        document = await documents().current(uri)
        if document is None:
            return _tell(server, "this document is not open")
        text = document.analysis.text
        try:
            attached = await asyncio.to_thread(Attached.begin, path_of(uri), text, settings, launch)
        except OSError as error:
            return _tell(server, f"the program cannot be run: {file_sentence(error)}")
        except (Failure, ProgramError, SettingsError) as error:
            hint = f" ({error.hint})" if isinstance(error, ProgramError) and error.hint else ""
            return _tell(server, f"the program cannot be run: {error}{hint}")
        except Exception as error:
            return _tell(server, sentence(error))
        documents().attach(uri, attached)
        await _record_on(server, attached)
        return attached.told


async def _record_on(server: LanguageServer, attached: Attached) -> None:
    """Record, off the message loop; the client is notified of new data."""
    await asyncio.to_thread(attached.record)
    capabilities = server.client_capabilities.workspace
    if capabilities and capabilities.inlay_hint and capabilities.inlay_hint.refresh_support:
        server.workspace_inlay_hint_refresh(None)


def _tell(server: LanguageServer, message: str) -> str:
    server.window_show_message(types.ShowMessageParams(types.MessageType.Error, message))
    return message


class NotFormatted(Exception):
    """The text is unchanged; the message has the reason."""


def formatted(analysis: Analysis) -> str:
    """The formatted text. Raises `NotFormatted` if it is invalid, or if comments or locations would be lost."""
    if analysis.module is None:
        raise NotFormatted("the text is not formatted: it is not a program yet")
    head, body = _header(analysis)
    if any(kind == "comment" and start >= body for start, _, kind in analysis.tokens):
        raise NotFormatted("the text is not formatted: its comments would be lost, but for those at the top")
    if not analysis.is_hlo and any(
        analysis.text.startswith("loc(", start) for start, _, _ in analysis.tokens
    ):
        raise NotFormatted("the text is not formatted: its locations would be lost")
    return head + _printed(analysis.module)


def _header(analysis: Analysis) -> tuple[str, int]:
    """The comments at the top, and the offset of their end."""
    end = 0
    for start, stop, kind in analysis.tokens:
        if kind != "comment" or analysis.text[end:start].strip():
            break
        end = stop
    return (f"{analysis.text[:end]}\n" if end else ""), end


def _printed(module: Module) -> str:
    text = print_hlo(module) if module.language == "hlo" else print_module(module, op_table(), "short")
    return text if text.endswith("\n") else f"{text}\n"


_COUNT = re.compile(r":[0-9]+")
"""The number of results of a name: `%0:2`."""
MOST_ELEMENTS = 1 << 20
"""Maximum elements of a value whose range is computed only for a hint."""


def hints(
    analysis: Analysis, attached: Attached | None, positions: Positions, visible: Span
) -> list[InlayHint]:
    """The hints of the visible range; HLO text already has types beside the names."""
    found: list[InlayHint] = []
    for operation in analysis.operations:
        if visible.start <= operation.span.start <= visible.end and operation.results:
            if not analysis.is_hlo:
                found += _types(analysis, operation, positions)
            if attached is not None:
                found += _ranges(attached, operation, positions)
    return found


def _types(analysis: Analysis, operation: Operation, positions: Positions) -> Iterator[InlayHint]:
    """One hint for each word: `%a, %b = …` are two, `%0:2 = …` is one with two types."""
    texts: dict[int, list[str]] = {}
    for value in operation.results:
        text = short_type(value.type) if isinstance(value.type, TensorType) else str(value.type)
        texts.setdefault(value.span.end, []).append(text)
    for end, found in texts.items():
        if end:
            shown = f": {', '.join(found)}"
            count = _COUNT.match(analysis.text, end)
            yield InlayHint(
                positions.position(count.end() if count else end),
                shown,
                InlayHintKind.Type,
                padding_right=True,
            )


def _ranges(attached: Attached, operation: Operation, positions: Positions) -> Iterator[InlayHint]:
    """The values of the results, at the end of the line with their names."""
    start = operation.results[0].span.start
    number = attached.number_at(start)
    if number is None:
        return
    type = operation.results[0].type
    if isinstance(type, TensorType) and type.is_static and type.element_count > MOST_ELEMENTS:
        return
    if shown := attached.last(number):
        times = f" (last of {shown.count:,})" if shown.count > 1 else ""
        yield InlayHint(positions.end_of_line(start), f"{shown.line}{times}", padding_left=True)
