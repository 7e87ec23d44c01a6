"""Format a program with the printer, unless parts of its text would be lost."""

from __future__ import annotations

from hloscope.engine.ir.module import Module
from hloscope.engine.ops import op_table
from hloscope.engine.syntax import print_hlo, print_module

from .analysis import Analysis


class NotFormatted(Exception):
    """The text is unchanged; the message has the reason."""


def formatted(analysis: Analysis) -> str:
    """The formatted text. Raises `NotFormatted` if it is invalid, or if comments or locations would be lost."""
    if analysis.module is None:
        raise NotFormatted("the text is not formatted: it is no program yet")
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
