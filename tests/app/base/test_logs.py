"""What the log has, and what it leaves out."""

import logging
from types import ModuleType

from uvicorn import server
from uvicorn.protocols.http import h11_impl

from hloscope.app.base.logs import set_up_logging


def test_connections_of_strangers_do_not_fill_the_log() -> None:
    log = logging.getLogger("uvicorn.error")
    before = list(log.filters)

    def is_logged(where: ModuleType, error: Exception | None = None) -> bool:
        told = (type(error), error, None) if error else None
        return bool(
            log.filter(log.makeRecord(log.name, logging.ERROR, str(where.__file__), 1, "words", (), told))
        )

    try:
        set_up_logging()
        assert not is_logged(h11_impl)
        assert is_logged(h11_impl, ValueError("a fault"))
        assert is_logged(server)
    finally:
        log.filters[:] = before
