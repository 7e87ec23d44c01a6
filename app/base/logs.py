"""The log: where internal errors happened, but never the text of a program, a session's id or the token."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

LONGEST_MESSAGE = 200


def set_up_logging(*, as_json: bool = False) -> None:
    """Log warnings and errors to standard error; standard output has only the server's address."""
    handler = logging.StreamHandler(sys.stderr)
    plain = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    handler.setFormatter(JsonLines() if as_json else plain)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("hloscope").setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").addFilter(_is_of_the_server)


def _is_of_the_server(record: logging.LogRecord) -> bool:
    """Drop what uvicorn reports about a connection, such as invalid HTTP: many of them would flood the log.

    The metrics count refused connections, and the guard logs errors.
    """
    return "protocols" not in Path(record.pathname).parts or record.exc_info is not None


class JsonLines(logging.Formatter):
    """A record as one line of JSON; a traceback is reduced to its locations, because its message may quote a program."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        entry = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[1] is not None:
            entry["error"] = describe_error(record.exc_info[1])
        if (number := getattr(record, "request", None)) is not None:
            entry["request"] = number
        return json.dumps(entry)


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
    log.error("request %s failed\n%s", number, describe_error(error), extra={"request": number})
