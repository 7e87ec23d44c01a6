"""`hloscope run --html`: the run as a page."""

from __future__ import annotations

import argparse
from pathlib import Path

from hloscope.engine.debugger.recording import Recording

from ..base.settings import Settings
from ..export.one_file import PageError, write_page
from ..runs.chunks.reading import Failure
from ..runs.launching import ArgumentSource, RunPlan
from ..runs.run_inputs import given_json
from ..sessions.python_sources import texts_of_module
from ..wire.sessions import InputSpec


def save_page(recording: Recording, plan: RunPlan, options: argparse.Namespace) -> None:
    """Write the page of a run; `Failure` says why this is impossible."""
    module = recording.program.module
    sources = texts_of_module(module, Settings(), Path(module.source.name).parent)
    try:
        write_page(
            options.html,
            recording,
            inputs=[_stated(given) for given in plan.inputs],
            sources=sources,
            **({"budget": options.html_budget} if options.html_budget else {}),
        )
    except PageError as error:
        raise Failure(f"cannot create {options.html}: {error}") from error


def _stated(given: ArgumentSource) -> InputSpec | None:
    """The source of an argument, unless it is an array."""
    is_array = any(spec.kind == "array" for spec in given.specs)
    return None if is_array or given.special else given_json(given)
