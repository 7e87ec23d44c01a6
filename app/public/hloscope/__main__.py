"""`python -m hloscope` is the command `hloscope`."""

import sys

from hloscope.app.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
