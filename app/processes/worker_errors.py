"""Errors that workers answer with, converted to errors of the server."""

from __future__ import annotations

import logging
import secrets

from ..base.errors import ApiError
from ..wire.events import WorkerError

log = logging.getLogger("hloscope")


class WorkerDied(Exception):
    """The worker ended before it answered."""


class RunClosed(Exception):
    """The worker has not opened the run that a question is about, or has closed it."""


def api_error(error: WorkerError) -> ApiError:
    """The server's error; an internal error of the worker is logged."""
    if error.get("trace"):
        number = secrets.token_hex(4)
        log.error("request %s failed in a worker\n%s", number, error["trace"])
    return ApiError(
        error["status"], error["kind"], error["message"], hint=error.get("hint"), limit=error.get("limit")
    )
