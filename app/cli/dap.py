"""`hloscope dap`: the debug adapter on standard input and output."""

import argparse

from ..base.settings import Settings
from .options import add_settings

add_options = add_settings


def run(options: argparse.Namespace, settings: Settings) -> int:
    """Serve one editor."""
    from ..editors.debug_adapter.adapter import serve_standard_streams

    return serve_standard_streams(options.settings)
