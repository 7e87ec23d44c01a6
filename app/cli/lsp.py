"""`hloscope lsp`: the language server on standard input and output."""

import argparse

from ..base.failure import Failure
from ..base.settings import Settings
from .options import add_settings

add_options = add_settings


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Serve one editor; `Failure` without the extra `editors`."""
    try:
        import pygls  # noqa: F401
    except ImportError:
        raise Failure("the language server needs pygls: pip install 'hloscope[editors]'") from None
    from ..editors.language_server.server import serve_standard_streams

    return serve_standard_streams(options.settings)
