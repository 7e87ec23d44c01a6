"""`hloscope`, with a fault in XLA that the installed one may no longer have: `python -m tests.app.xla.planted_command compare …`."""

from __future__ import annotations

import sys
from unittest.mock import patch

from hloscope.app.cli.main import main
from hloscope.app.comparing import against
from hloscope.app.comparing.reducing import reduction
from tests.app.forked_jax import forked

from .planted import WrongRows

if __name__ == "__main__":
    with (
        forked(),
        patch.object(against, "XlaEngine", WrongRows),
        patch.object(reduction, "XlaEngine", WrongRows),
    ):
        sys.exit(main(sys.argv[1:]))
