"""`hloscope mcp`: the tools for agents, on standard input and output."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from argparse import Namespace
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.failure import Failure
from ..base.settings import Settings
from .options import add_settings
from .serve import check_system, opened_file

if TYPE_CHECKING:
    from ..agents.server import AgentServer
    from ..runs.formats.program_file import ProgramFile

INSTALL = "the tools for agents need the package mcp: pip install 'hloscope[mcp]'"


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument(
        "tool", metavar="TOOL", nargs="?", help="call this tool once and print its answer, instead of serving"
    )
    command.add_argument(
        "arguments",
        metavar="JSON",
        nargs="?",
        default="{}",
        help='the arguments of the tool, such as \'{"path": "log.mlir"}\'',
    )
    command.add_argument(
        "--skill", action="store_true", help="print SKILL.md, which teaches an agent to use the tools"
    )
    add_settings(command)


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Serve one agent until its standard input ends; `Failure` without the extra `mcp`."""
    if options.skill:
        from ..agents.skill import skill_text

        print(skill_text(), end="")
        return 0
    check_system()
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise Failure(INSTALL) from None
    return asyncio.run(_serve(options, settings))


async def _serve(options: argparse.Namespace, settings: Settings) -> int:
    from ..agents.desk import own_desk
    from ..agents.server import AgentServer
    from ..base.logs import set_up_logging
    from ..web.local_server import NoServer, local_server
    from ..web.starting import StartError, open_data

    async def page(path: str) -> str:
        """The address on the user's own server, which is started if none runs: it has the same data folder."""
        try:
            return (await asyncio.to_thread(local_server, settings)).url(path)
        except NoServer as error:
            raise Failure(str(error)) from None

    def read(path: Path) -> ProgramFile | Path:
        found = opened_file(Namespace(file=str(path), size=[], platform=None), settings)
        assert found is not None
        return found

    set_up_logging()
    try:
        data = open_data(settings)
    except StartError as error:
        raise Failure(str(error), error.code) from error
    with closing(data):
        async with own_desk(settings, data, page, read) as desk:
            server = AgentServer(desk)
            if options.tool:
                return await _call(server, options.tool, options.arguments)
            if sys.stdin.isatty():
                print("hloscope waits for an agent on standard input; Ctrl-C ends it", file=sys.stderr)
            await server.run_stdio_async()
    return 0


async def _call(server: AgentServer, tool: str, text: str) -> int:
    """Print the answer of one call; `Failure` with what an agent would read."""
    from mcp.server.mcpserver.exceptions import ToolError

    try:
        arguments: Any = json.loads(text)
    except ValueError as error:
        raise Failure(f"the arguments are not JSON: {error}") from None
    if not isinstance(arguments, dict):
        raise Failure('the arguments are a JSON object, such as \'{"path": "log.mlir"}\'')
    try:
        found = await server.call_tool(tool, arguments)
    except ToolError as error:
        raise Failure(str(error)) from None
    for part in found.content:
        print(getattr(part, "text", "(a picture)"))
    return 0
