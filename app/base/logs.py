"""The log: where internal errors happened, but never the text of a program, a session's id or the token."""

from __future__ import annotations

import logging
import sys
import traceback

LONGEST_MESSAGE = 200


def set_up_logging() -> None:
    """Log warnings and errors to standard error; standard output has only the server's address."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    logging.getLogger("hloscope").setLevel(logging.INFO)


def describe_error(error: BaseException) -> str:
    """The traceback's locations and the message, truncated because it may quote a program."""
    places = [
        f"  {frame.filename}:{frame.lineno} in {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    message = ascii(str(error))[1:-1][:LONGEST_MESSAGE]
    return "\n".join([*places, f"{type(error).__name__}: {message}"])


def log_failure(log: logging.Logger, error: BaseException, number: str) -> None:
    """Log an internal error under the request number that the response names."""
    log.error("request %s failed\n%s", number, describe_error(error))
